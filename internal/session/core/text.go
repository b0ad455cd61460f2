package core

import (
	"strings"

	"github.com/clew-run/clew"
)

// FirstLine is the beginning of a text in one line.
func FirstLine(text string, runes int) string {
	if most := 8 * runes; len(text) > most { // a long text is not gone through
		text = strings.ToValidUTF8(text[:most], "")
	}
	return clew.Clip(strings.Join(strings.Fields(text), " "), runes)
}
