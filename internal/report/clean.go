package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a text safe to look at: what is invisible, or changes how the
// text around it is shown, is written out. Line ends become \n.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(visible(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a reader would not see this character for what it is.
// The two joiners stay: Persian, Indic scripts and emoji need them, and alone
// they do no harm.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0': // letters without a shape
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func visible(r rune) string {
	switch r {
	case '\r', '\u2028', '\u2029', '\u0085':
		return "\n"
	}
	return fmt.Sprintf("‹U+%04X›", r)
}

// cut shortens a text to about n bytes and says how much it left out.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%s bytes more)", s[:n], thousands(int64(len(s)-n)))
}

// cutLines does the same by lines.
func cutLines(s string, n int) string {
	at := 0
	for range n {
		next := strings.IndexByte(s[at:], '\n')
		if next < 0 {
			return s
		}
		at += next + 1
	}
	return cut(s, at)
}

// line is a text on one line.
func line(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// short cuts a label to a number of columns, of which Korean, Chinese and
// Japanese characters take two.
func short(s string, columns int) string {
	used, end := 0, 0
	for i, r := range s {
		used += width(r)
		if used > columns {
			return strings.TrimRight(s[:end], " ") + "…"
		}
		if used < columns {
			end = i + utf8.RuneLen(r)
		}
	}
	return s
}

func width(r rune) int {
	if r >= 0x1100 && unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x1f000 || r >= 0xff01 && r <= 0xff60 {
		return 2
	}
	return 1
}

// thousands writes a number with separators.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
