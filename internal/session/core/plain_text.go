package core

import (
	"regexp"
	"strings"
)

// What Markdown writes for looks, in a text that is shown in one line.
var (
	fenceLine = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~).*$")
	lineMark  = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+`)
	linkMark  = regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`)
	codeMark  = regexp.MustCompile("`+([^`\n]+)`+")
	boldMarks = []*regexp.Regexp{
		regexp.MustCompile(`\*\*([^*\s](?:[^*\n]*[^*\s])?)\*\*`), regexp.MustCompile(`\b__([^_\s](?:[^_\n]*[^_\s])?)__\b`), regexp.MustCompile(`~~([^~\s](?:[^~\n]*[^~\s])?)~~`),
	}
	leanMark = regexp.MustCompile(`(^|[\s(])[*_]([^*_\s](?:[^*_\n]*[^*_\s])?)[*_]($|[\s.,;:!?)])`)
)

const shortRunes = 200 // of what a person said

// ShortForm is what a list or a line shows of a person's words, "" if that is the words
// themselves.
func ShortForm(words string) string {
	if line := PlainLine(words, shortRunes); line != strings.TrimSpace(words) {
		return line
	}
	return ""
}

// PlainLine is the beginning of what somebody said, in one line and without the marks of
// Markdown: they are for a text that is set, and noise in a title or a list.
func PlainLine(text string, runes int) string {
	if most := 8 * runes; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	if strings.ContainsAny(text, "#>-+*_~`[0123456789") { // most short texts have none
		text = fenceLine.ReplaceAllString(text, "")
		for range 2 { // a quoted list
			text = lineMark.ReplaceAllString(text, "")
		}
		text = linkMark.ReplaceAllString(text, "$1")
		for _, bold := range boldMarks {
			text = bold.ReplaceAllString(text, "$1")
		}
		text = codeMark.ReplaceAllString(leanMark.ReplaceAllString(text, "$1$2$3"), "$1")
	}
	return FirstLine(text, runes)
}
