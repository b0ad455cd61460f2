package term

import (
	"regexp"
	"strings"
)

// slashCall is a first word that looks like a command. Paths have more slashes, or
// other signs.
var slashCall = regexp.MustCompile(`^/([\p{L}\p{N}][\p{L}\p{N}_.:-]*)(\s|$)`)

// Slash tells whether a text calls a command: /name, and then its arguments. A path
// such as /etc/hosts does not, nor does a text with a space in front.
func Slash(text string) (name, arguments string, ok bool) {
	m := slashCall.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], strings.TrimSpace(text[len(m[0]):]), true
}

// NoCommand says that there is no such command, and which one was probably meant.
func NoCommand(name string, known []string) string {
	text := "There is no command /" + name + "."
	if like := Suggest(strings.ToLower(name), known); len(like) > 0 {
		text += " Did you mean /" + like[0] + "?"
	}
	return text + " Nothing was sent."
}
