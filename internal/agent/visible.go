package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// visible writes out characters that hide or move text, so that what a person
// agrees to is what the person sees. The form is that of JSON, so a text that is
// JSON stays the same one. Line ends, tabs and what joins letters stay.
func visible(text string) string {
	if !strings.ContainsFunc(text, sly) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !sly(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func sly(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
