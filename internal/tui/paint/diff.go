package paint

import (
	"strings"

	"github.com/clew-run/clew/internal/term"
)

// GoesOn stands in front of what did not fit into the line above.
const GoesOn = "↳ "

// Diff colours a unified diff. Long lines are cut, so that columns stay.
func Diff(unified string, width int) []Line {
	var lines []Line
	for _, s := range strings.Split(strings.TrimRight(unified, "\n"), "\n") {
		lines = append(lines, L(S(diffInk(s), s)).Cut(width))
	}
	return lines
}

// WholeDiff is Diff for a person who is asked: long lines go on below, and each
// character is shown as what it is.
func WholeDiff(unified string, width int) []Line {
	var lines []Line
	for _, s := range strings.Split(strings.TrimRight(unified, "\n"), "\n") {
		ink := diffInk(s)
		head, rest := term.Split(term.ExactLine(s), max(width, 4))
		lines = append(lines, L(S(ink, head)))
		for rest != "" {
			head, rest = term.Split(rest, max(width-2, 2))
			lines = append(lines, L(S(Past, GoesOn), S(ink, head)))
		}
	}
	return lines
}

func diffInk(s string) Ink {
	switch {
	case strings.HasPrefix(s, "+++"), strings.HasPrefix(s, "---"), strings.HasPrefix(s, "diff "), strings.HasPrefix(s, "index "):
		return Soft
	case strings.HasPrefix(s, "@@"):
		return Run
	case strings.HasPrefix(s, "+"):
		return Add
	case strings.HasPrefix(s, "-"):
		return Del
	}
	return Plain
}
