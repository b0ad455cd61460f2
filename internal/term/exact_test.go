package term

import (
	"strings"
	"testing"
	"unicode"
)

func TestExact(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "rm -rf build\n", "rm -rf build\n"},
		{"words", "echo 잘 됩니다 é 👋", "echo 잘 됩니다 é 👋"},
		{"soft hyphen", "rm\u00ad -rf", "rm⟨00AD⟩ -rf"},
		{"variation selectors", "a\ufe0fb\u180bc\U000E0101", "a⟨FE0F⟩b⟨180B⟩c⟨E0101⟩"},
		{"joiners", "👨\u200d👩 a\u200db", "👨⟨200D⟩👩 a⟨200D⟩b"},
		{"colour of skin", "👍\U0001F3FD", "👍⟨1F3FD⟩"},
		{"spaces that are none", "a\u00a0b\u2003c\u3000d\u202fe\u2800", "a⟨00A0⟩b⟨2003⟩c⟨3000⟩d⟨202F⟩e⟨2800⟩"},
		{"fillers", "\u115f\u1160\u3164\uffa0", "⟨115F⟩⟨1160⟩⟨3164⟩⟨FFA0⟩"},
		{"looks like ASCII", "\u212a \u037e \u1fef", "⟨212A⟩ ⟨037E⟩ ⟨1FEF⟩"},
		{"lines of Windows", "a\r\nb", "a␍\nb"},
		{"escape", "\x1b[2J\u009b\u202e", "␛[2J⟨009B⟩⟨202E⟩"},
		{"too many marks", "e" + strings.Repeat("\u0323", 5), "ẹ\u0323\u0323⟨0323⟩⟨0323⟩"},
		{"Korean in parts", "\u1112\u1161\u11ab", "한"},
	} {
		if got := Exact(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := ExactLine("a\nb\u00ad"); got != "a⏎b⟨00AD⟩" {
		t.Errorf("on one line: %q", got)
	}
}

// FuzzExact: nothing that is left out by Clean is left out here, and the result
// is clean.
func FuzzExact(f *testing.F) {
	for _, s := range []string{"rm\u00ad", "👨\u200d👩\ufe0f\U0001F3FD", "\u00a0\u3000", "e\u0301\u0323\u0323\u0323\u0323", "\r\n\xff", "क्षि"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Exact(s)
		if again := Clean(got); again != got {
			t.Fatalf("cleaned again, %q became %q", got, again)
		}
		if again := Exact(got); again != got {
			t.Fatalf("exact again, %q became %q", got, again)
		}
		for _, r := range got {
			if r != '\n' && (unicode.IsControl(r) || hidden(r) || disguised(r)) {
				t.Fatalf("%U in %q from %q", r, got, s)
			}
		}
	})
}
