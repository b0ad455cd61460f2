package policy

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// hidden says what in a text a person could not see or would see in another
// place than it stands, "" if there is nothing. Such a text is never approved
// by itself.
func hidden(text string) string {
	if !utf8.ValidString(text) {
		return "bytes that are not UTF-8"
	}
	for _, r := range text {
		if what := hiddenRune(r); what != "" {
			return fmt.Sprintf("%s U+%04X", what, r)
		}
	}
	return ""
}

func hiddenRune(r rune) string {
	switch {
	case r == '\n' || r == '\t' || r == ' ':
		return ""
	case unicode.Is(unicode.Bidi_Control, r):
		return "the text direction character"
	case unicode.IsControl(r):
		return "the control character"
	case r >= 0xE0000 && r <= 0xE007F:
		return "the invisible tag character"
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return "the invisible character"
	case unicode.In(r, unicode.Z) || r == 0x2800:
		return "the unusual space"
	case unicode.In(r, unicode.Co):
		return "the private character"
	}
	return ""
}
