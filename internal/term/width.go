package term

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

func runeWidth(r rune) int { return ansi.StringWidthWc(string(r)) }

// Width is how many columns a cleaned text takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return wide(s)
		}
	}
	return len(s)
}

func wide(s string) (n int) {
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// Cut gives the beginning of s that fits into width columns, with … at its end
// if something is missing.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	head, _ := Split(s, width-1)
	return head + "…"
}

// Split cuts s after the last character that fits into width columns.
func Split(s string, width int) (head, rest string) {
	used := 0
	for i, r := range s {
		w := runeWidth(r)
		if used+w > width {
			return s[:i], s[i:]
		}
		used += w
	}
	return s, ""
}

// Fill is Cut, with spaces up to width.
func Fill(s string, width int) string {
	s = Cut(s, width)
	if n := width - Width(s); n > 0 {
		s += strings.Repeat(" ", n)
	}
	return s
}

// Wrap breaks a cleaned text into lines of at most width columns, between words
// where there are any. Words that are too long are cut.
func Wrap(s string, width int) []string {
	if width < 1 {
		width = 1
	}
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		lines = append(lines, wrapLine(line, width)...)
	}
	return lines
}

func wrapLine(s string, width int) []string {
	var lines []string
	for Width(s) > width {
		head, rest := Split(s, width)
		if head == "" { // a wide character in a single column
			return append(lines, strings.Repeat("…", min(width, 1)))
		}
		if !strings.HasPrefix(rest, " ") {
			if at := strings.LastIndexByte(head, ' '); at > 0 && strings.TrimSpace(head[:at]) != "" {
				head, rest = head[:at], s[at:]
			}
		}
		lines = append(lines, strings.TrimRight(head, " "))
		s = strings.TrimPrefix(rest, " ")
	}
	return append(lines, s)
}
