package shell

import (
	"strconv"
	"strings"
	"unicode"
)

// visible writes out what a reader would not see, or would see in another place
// than it stands: escape codes, marks that turn the direction of text.
func visible(text string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
