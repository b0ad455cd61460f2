package paint

import (
	"regexp"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/term"
)

func plain(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"words", "one two three four", "one two\nthree four\n"},
		{"heading", "# Top\n\ntext", "Top\n\ntext\n"},
		{"list", "- a\n- b\n  - c\n\n1. x\n2. y", "• a\n• b\n  • c\n\n1. x\n2. y\n"},
		{"loose list", "- a\n\n- b", "• a\n\n• b\n"},
		{"quote", "> said", "▎ said\n"},
		{"code", "```go\nx := 1\n```", "┆ x := 1\n"},
		{"a code line that is too long", "    abcdefghijkl", "┆ abcdefgh\n┆ ijkl\n"},
		{"rule", "a\n\n---\n\nb", "a\n\n──────────\n\nb\n"},
		{"link", "[a](http://b)", "a\n(http://b)\n"},
		{"bare link", "<http://b>", "http://b\n"},
		{"html", "<b>x</b>", "<b>x</b>\n"},
		{"task", "- [x] a\n- [ ] b", "• ☑ a\n• ☐ b\n"},
		{"table", "|a|b|\n|-|-|\n|1|2|", "a │ b\n──┼──\n1 │ 2\n"},
		{"a table that is too wide", "|a|b|\n|-|-|\n|1|234567890|", "a │ b\n──┼───────\n1 │ 23456…\n"},
		{"hard break", "a  \nb", "a\nb\n"},
		{"Korean", "가나다 라마바 사", "가나다\n라마바 사\n"},
		{"a particle behind bold", "**세(s)**을", "세(s)을\n"},
		{"bold in brackets", "(**가**)나", "(가)나\n"},
		{"an escape behind an entity", "a &#27;[2J &#x9b;J", "a ␛[2J\n⟨009B⟩J\n"},
		{"a direction behind an entity", "&#8238;x", "⟨202E⟩x\n"},
	} {
		if got := plain(Markdown(c.in, 10)); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestMarkdownStyles(t *testing.T) {
	lines := Markdown("a **b** *c* ~~d~~ `e`", 40)
	got := Theme{Depth: Sixteen}.Encode(lines[0], 40)
	want := "a \x1b[1mb\x1b[m \x1b[3mc\x1b[m \x1b[9md\x1b[m \x1b[36me\x1b[m"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCutAndBetween(t *testing.T) {
	l := L(S(Plain, "abc"), S(Run, "한국어"))
	if got := l.Cut(6).String(); got != "abc한…" {
		t.Errorf("cut: %q", got)
	}
	if got := Between(l, L(S(Soft, "xy")), 20).String(); got != "abc한국어         xy" {
		t.Errorf("between: %q", got)
	}
	if got := Between(l, L(S(Soft, "xy")), 11); got.Width() != 11 || got.String() != "abc한국… xy" {
		t.Errorf("between, with too little room: %q", got)
	}
}

func TestDiff(t *testing.T) {
	got := ""
	for _, l := range Diff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n", 40) {
		got += string(rune('0' + l[0].Ink))
	}
	if want := string([]rune{'0' + rune(Soft), '0' + rune(Soft), '0' + rune(Run), '0' + rune(Del), '0' + rune(Add), '0' + rune(Plain)}); got != want {
		t.Errorf("inks %s, want %s", got, want)
	}
}

var own = regexp.MustCompile("\x1b\\[[0-9;]*m")

// FuzzEncode: whatever a session says, the only escape sequences that leave are
// colours, and no line is wider than it may be.
func FuzzEncode(f *testing.F) {
	for _, s := range []string{"a\x1b[2J", "# \u202e**x**\n\n- `\u009b`", "|a|b|\n|-|-|\n|한|👨\u200d👩|", "&#27;]52;c;x&#7;", "<a href=\"\x1b\">", "[x](\x1b]8;;evil\x1b\\)"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 10 + (width&0xff)%90
		for _, lines := range [][]Line{Markdown(s, width), Paragraphs(Style{Ink: Ask}, s, width), Diff(s, width), {L(B(Run, s), Span{Text: s})}} {
			for _, l := range lines {
				out := own.ReplaceAllString(Theme{Depth: Full}.Encode(l, width), "")
				if out != term.CleanLine(out) {
					t.Fatalf("%q leaves as %q", s, out)
				}
				if term.Width(out) > width {
					t.Fatalf("%q is wider than %d", out, width)
				}
			}
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	text := strings.Repeat("A paragraph with **bold** words and `code`, as agents write them.\n\n- one\n- two\n\n```\ncode\n```\n\n", 10)
	for b.Loop() {
		Markdown(text, 80)
	}
}
