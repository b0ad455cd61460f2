package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":          "plain\ttext\n",
		"a\r\nb\rc\u2028d":       "a\nb\nc\nd",
		"\u202Egnp.exe":          "‹U+202E›gnp.exe",
		"\x1b[31m\x00\x7f":       "‹U+001B›[31m‹U+0000›‹U+007F›",
		"a\u200bb\ufeff":         "a‹U+200B›b‹U+FEFF›",
		"👩\u200d💻 می\u200cخواهم": "👩\u200d💻 می\u200cخواهم",
		"\xff\xfe":               "\uFFFD",
		"\U000E0041":             "‹U+E0041›",
		"한\u3164글":               "한‹U+3164›글",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestCut(t *testing.T) {
	if got := cut("한국어", 4); got != "한… (6 bytes more)" || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
	if got := cutLines("a\nb\nc\n", 2); got != "a\nb\n… (2 bytes more)" {
		t.Errorf("%q", got)
	}
	if got := cutLines("a\nb", 2); got != "a\nb" {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{"abcdef": "abc…", "한국어": "한…", "abcd": "abcd", "한국": "한국", "": ""} {
		if got := short(in, 4); got != want {
			t.Errorf("short %q: %q", in, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_999: "59.9 s", 60_000: "1 min 00 s", 3_599_000: "59 min 59 s",
		3_660_000: "1 h 01 min", 90_000_000: "1 d 1 h", -1: "unknown",
	} {
		if got := duration(ms); got != want {
			t.Errorf("%d ms: %q", ms, got)
		}
	}
	if got := thousands(1234567) + " " + thousands(-1234) + " " + thousands(-123) + " " + thousands(12); got != "1,234,567 -1,234 -123 12" {
		t.Error(got)
	}
}

func TestLinks(t *testing.T) {
	for in, want := range map[string]bool{
		"https://example.com/a?b=c#d": true, "http://example.com": true, "HTTPS://EXAMPLE.COM": true, "mailto:a@example.com": true,
		"javascript:alert(1)": false, "JavaScript:x": false, "\njavascript:x": false, "java\tscript:x": false, "data:text/html,x": false, "//evil.example": false,
		"/path": false, "file:///etc/passwd": false, "https:///x": false, "http:evil": false, "vbscript:x": false, "mailto:": false,
		"https://example.com/\u202e": false, strings.Repeat("https://x/", 300): false,
	} {
		if got := safeLink(in) != ""; got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
	for in, want := range map[string]bool{
		"/reports/ses_1/a.png": true, "//evil.example/x": false, `/\evil.example`: false, "https://example.com": true, "javascript:x": false, "a.png": false,
	} {
		if got := fileURL(in) != ""; got != want {
			t.Errorf("file %q: %v", in, got)
		}
	}
}

// A Korean particle follows a bold word without a space, where Markdown's rules
// see no end of it.
func TestKoreanBold(t *testing.T) {
	for in, want := range map[string]string{
		"**세션(session)**을 연다": "<strong>세션(session)</strong>을 연다",
		"`a**b(c)**을`":        "<code>a**b(c)**을</code>",
		"**“인용”**은 **(가)**나":  "<strong>“인용”</strong>은 <strong>(가)</strong>나",
	} {
		got := strings.TrimSpace(answerHTML(parse(in)))
		if got != `<p dir="auto">`+want+"</p>" {
			t.Errorf("%q: %s", in, got)
		}
	}
}
