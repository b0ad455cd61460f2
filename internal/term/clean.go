// Package term makes text from sessions safe to show at a terminal, and
// measures it.
//
// What an agent, a tool or a person said may hold anything: escape sequences
// that move the cursor, set the title or fill the clipboard, marks that turn the
// order of words around, characters that take no room. Clean turns all of that
// into text that is plainly there. Everything that is written to a terminal
// passes through it. Exact is stricter, for what a person is asked to allow.
package term

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Tab is the distance of tab stops.
const Tab = 4

// marksShown is how many combining marks a character may carry: more of them
// paint over the lines above and below.
const marksShown = 3

// Clean makes s safe to show. Lines stay apart by \n, tabs become spaces, and
// what would not be seen is spelled out: ␛ for an escape, ⟨202E⟩ for a mark that
// turns text around. Each character of the result has a width that terminals
// agree on.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for {
		c := cleaner{}
		c.out.Grow(len(s) + 16)
		for _, r := range norm.NFC.String(s) { // what is no text comes as U+FFFD
			c.add(r)
		}
		// What was left out may have stood between a letter and its accent.
		if s = c.out.String(); norm.NFC.IsNormalString(s) {
			return s
		}
	}
}

// CleanLine is Clean for a text that must stay on one line.
func CleanLine(s string) string {
	return strings.ReplaceAll(Clean(s), "\n", "⏎")
}

// plain reports that there is nothing to do, as with most texts.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' {
			return false
		}
	}
	return true
}

type cleaner struct {
	out    strings.Builder
	column int
	marks  int  // combining marks since the last character
	last   rune // the last character that was written
}

func (c *cleaner) add(r rune) {
	switch {
	case r == '\n':
		c.out.WriteByte('\n')
		c.column, c.marks, c.last = 0, 0, r
	case r == '\t':
		n := Tab - c.column%Tab
		c.out.WriteString(strings.Repeat(" ", n))
		c.column, c.marks, c.last = c.column+n, 0, ' '
	case r < ' ':
		c.write('␀' + r)
	case r == 0x7f:
		c.write('␡')
	case c.silent(r):
	case hidden(r):
		c.spell(r)
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
		c.mark(r)
	default:
		c.write(r)
	}
}

func (c *cleaner) write(r rune) {
	c.out.WriteRune(r)
	c.column += runeWidth(r)
	c.marks, c.last = 0, r
}

func (c *cleaner) spell(r rune) {
	for _, r := range fmt.Sprintf("⟨%04X⟩", r) {
		c.write(r)
	}
}

// mark adds a combining mark to the character before it, if there is one.
func (c *cleaner) mark(r rune) {
	switch {
	case c.last == 0 || c.last == '\n' || runeWidth(r) != 0:
		c.spell(r)
	case c.marks < marksShown:
		c.out.WriteRune(r)
		c.marks++
	}
}

// silent reports that r only says how a picture is drawn, on which terminals do
// not agree: a family becomes its members, a coloured hand a yellow one.
func (c *cleaner) silent(r rune) bool {
	picture := c.last >= 0x2000
	return r >= 0xFE00 && r <= 0xFE0F || // variation selectors
		picture && (r == 0x200D || r >= 0x1F3FB && r <= 0x1F3FF) || r == 0xAD
}

// hidden reports whether r shows nothing of itself, or changes what is around
// it.
func hidden(r rune) bool {
	switch {
	case r >= 0x80 && r <= 0x9f, // C1: they are escapes in one character
		r == 0x2028, r == 0x2029, r == 0x034F, r == 0x180E, r == 0x3164, r == 0xFFA0,
		r >= 0x115F && r <= 0x11FF, r >= 0xD7B0 && r <= 0xD7FF, // parts of syllables without a whole
		r >= 0x17B4 && r <= 0x17B5, r >= 0xFFF0 && r <= 0xFFFB,
		r >= 0xE0000: // tags, and what is for private use
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}
