package shell

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "one\ntwo\n", "one\ntwo\n"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"private mode", "\x1b[?25lx\x1b[?25h", "x"},
		{"title, BEL", "\x1b]0;title\x07text", "text"},
		{"title, ST", "\x1b]0;title\x1b\\text", "text"},
		{"hyperlink", "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"clipboard", "a\x1b]52;c;ZXZpbA==\x07b", "ab"},
		{"device control", "\x1bPq#0;2\x1b\\after", "after"},
		{"character set", "\x1b(Bx", "x"},
		{"single", "\x1bMx\x1b7y\x1b=z", "xyz"},
		{"eight bit CSI", "\u009b31mred", "red"},
		{"eight bit OSC", "\u009d0;t\u009ctext", "text"},
		{"escape in an escape", "\x1b\x1b[31mred", "red"},
		{"escape cuts a CSI", "\x1b[31\x1b[32mx", "x"},
		{"string cut by an escape", "\x1b]0;t\x1b[31mred", "red"},
		{"string ended by a line", "\x1b]0;never ended\nnext", "\nnext"},
		{"CSI ended by a line", "\x1b[31\nnext", "\nnext"},
		{"controls", "a\x00b\x07c\x0e\x7fd", "abcd"},
		{"tab", "a\tb", "a\tb"},
		{"bidi", "a\u202eb\u2066c\u2069", "abc"},
		{"not UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"letters", "häß 日本 🎉", "häß 日本 🎉"},
		{"CRLF", "a\r\nb\r\n", "a\nb\n"},
		{"progress", " 10%\r 50%\r100%\ndone\n", "100%\ndone\n"},
		{"progress with erase", "\r\x1b[K 10%\r\x1b[K100%\n", "100%\n"},
		{"return at the end", "working\r", "working"},
		{"spinner", "|\b/\b-\b\n", "\n"},
		{"overstrike", "N\bNA\bA\n", "NA\n"},
		{"backspace at the start", "\b\bx", "x"},
	} {
		if got := Clean([]byte(c.in)); got != c.want {
			t.Errorf("%s: %q came to %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestCleanIsNotSwallowed(t *testing.T) {
	got := Clean([]byte("\x1b]0;" + strings.Repeat("x", 100_000) + "end"))
	if len(got) < 90_000 || !strings.HasSuffix(got, "end") {
		t.Errorf("an open string hid output: %d bytes left", len(got))
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\x07x", "x\r\ny", "\xe2\x82", "\u009b1m", "\x1b\x1b]\x1b\\", "日\b本"} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, p []byte, cut int) {
		var c cleaner
		whole := c.Flush(c.Append(nil, p))
		if !utf8.Valid(whole) {
			t.Fatalf("not UTF-8: %q", whole)
		}
		for _, r := range string(whole) {
			if r < ' ' && !strings.ContainsRune("\n\t\r\b", r) || r >= 0x7f && r < 0xa0 || turnsDirection(r) {
				t.Fatalf("%q is left in %q", r, whole)
			}
		}
		// However the input is cut, the result is the same.
		step := max(1, cut%7)
		var parts cleaner
		var pieces []byte
		for rest := p; len(rest) > 0; {
			n := min(step, len(rest))
			pieces = parts.Append(pieces, rest[:n])
			rest = rest[n:]
		}
		if pieces = parts.Flush(pieces); string(pieces) != string(whole) {
			t.Fatalf("in pieces of %d: %q, whole: %q", step, pieces, whole)
		}
		// Clean text is clean.
		text := Clean(p)
		if again := Clean([]byte(text)); again != text {
			t.Fatalf("%q came to %q the second time", text, again)
		}
	})
}
