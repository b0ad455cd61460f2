package term

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "all is well\n  yes", "all is well\n  yes"},
		{"escape", "a\x1b[2Jb", "a␛[2Jb"},
		{"title", "\x1b]0;owned\x07", "␛]0;owned␇"},
		{"clipboard", "\x1b]52;c;cm0=\x1b\\", "␛]52;c;cm0=␛\\"},
		{"C1", "\u009b31m", "⟨009B⟩31m"},
		{"C1 as a byte", "\x9b31m", "\uFFFD31m"},
		{"carriage return", "good\revil", "good␍evil"},
		{"lines of Windows", "a\r\nb", "a\nb"},
		{"backspace", "rm\b\bls\x7f", "rm␈␈ls␡"},
		{"bidi", "a\u202eb\u2066c\u200f", "a⟨202E⟩b⟨2066⟩c⟨200F⟩"},
		{"zero width", "r\u200bm\ufeff \u2060x", "r⟨200B⟩m⟨FEFF⟩ ⟨2060⟩x"},
		{"tags", "x\U000e0041", "x⟨E0041⟩"},
		{"tabs", "a\tb\n\tc", "a   b\n    c"},
		{"tab after wide", "한\tb", "한  b"},
		{"Korean in parts", "\u1112\u1161\u11ab", "한"},
		{"an accent behind what is left out", "e\ufe0f\u0301e\u00ad\u0301", "éé"},
		{"a part alone", "\u1161", "⟨1161⟩"},
		{"a family", "👨\u200d👩\u200d👧", "👨👩👧"},
		{"a coloured hand", "👍\U0001F3FD", "👍"},
		{"a heart", "❤\ufe0f", "❤"},
		{"a joiner between letters", "r\u200dm", "r⟨200D⟩m"},
		{"too many marks", "e" + strings.Repeat("\u0323", 9), "ẹ" + strings.Repeat("\u0323", 3)},
		{"a mark alone", "\u0301a", "⟨0301⟩a"},
		{"filler", "\u3164", "⟨3164⟩"},
		{"line separator", "a\u2028b", "a⟨2028⟩b"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := CleanLine("a\nb\tc"); got != "a⏎b   c" {
		t.Errorf("on one line: %q", got)
	}
}

// What is clean stays as it is, whatever stood between letters and their marks.
func TestCleanTwice(t *testing.T) {
	var odd []rune
	for r := range rune(0x20000) {
		if unicode.Is(unicode.M, r) || hidden(r) || (&cleaner{last: '←'}).silent(r) {
			odd = append(odd, r)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		s := []rune("e←한👍")[rnd.IntN(4):]
		for range 2 + rnd.IntN(6) {
			s = append(s, odd[rnd.IntN(len(odd))])
		}
		if got := Clean(string(s)); Clean(got) != got {
			t.Fatalf("%q: cleaned twice, %q became %q", string(s), got, Clean(got))
		}
	}
}

// FuzzClean: whatever comes in, nothing comes out that a terminal obeys, and
// both ways to measure give the same width.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[2J", "\u202e\u009b", "한국어 👨\u200d👩\u200d👧 🇰🇷", "e\u0301\u0323", "\xff\xfe", "\t\u1112\u1161", "क्षि", "๐ำ", "1\ufe0f\u20e3", "e\ufe0f\u0301", "←\u200d\u0338"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not text", got)
		}
		for _, r := range got {
			if r != '\n' && (unicode.IsControl(r) || hidden(r)) {
				t.Fatalf("%U in %q from %q", r, got, s)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("cleaned twice, %q became %q", got, again)
		}
		if strings.Contains(got, "\n") {
			return
		}
		if w := Width(got); w != ansi.StringWidthWc(got) {
			t.Fatalf("%q has width %d and %d", got, w, ansi.StringWidthWc(got))
		}
	})
}

// FuzzWrap: no line is too wide, and no character is lost.
func FuzzWrap(f *testing.F) {
	f.Add("the quick brown fox", 7)
	f.Add("한국어 문장이 길어지면 줄을 바꾼다", 9)
	f.Add("a👍b👍c", 2)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 2 + (width&0x7f+0x80)%60
		s = Clean(s)
		lines := Wrap(s, width)
		for _, l := range lines {
			if Width(l) > width {
				t.Fatalf("%q is wider than %d", l, width)
			}
		}
		squash := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		if got, want := squash(strings.Join(lines, "")), squash(s); got != want {
			t.Fatalf("%q became %q", want, got)
		}
		if c := Cut(lines[0], 3); Width(c) > 3 {
			t.Fatalf("%q is wider than 3", c)
		}
	})
}
