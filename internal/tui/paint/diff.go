package paint

import "strings"

// Diff colours a unified diff. Long lines are cut, so that columns stay.
func Diff(unified string, width int) []Line {
	var lines []Line
	for _, s := range strings.Split(strings.TrimRight(unified, "\n"), "\n") {
		lines = append(lines, L(S(diffInk(s), s)).Cut(width))
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
