package core

import (
	"strings"
)

// Clip shortens text to a number of characters.
func Clip(text string, runes int) string {
	n := 0
	for i := range text {
		if n == runes {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// FirstLine is the beginning of a text in one line.
func FirstLine(text string, runes int) string {
	if most := 8 * runes; len(text) > most { // a long text is not gone through
		text = strings.ToValidUTF8(text[:most], "")
	}
	return Clip(strings.Join(strings.Fields(text), " "), runes)
}
