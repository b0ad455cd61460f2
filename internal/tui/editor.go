package tui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// An editor shows a text that somebody writes. The terminal's own cursor stands
// in it, so that input methods show what they compose in the right place.
type editor struct{ term.Editor }

// key does what a key says, and reports whether it said anything to an editor.
func (e *editor) key(k tea.KeyPressMsg) bool {
	if e.Key(k.String()) {
		return true
	}
	e.Insert(k.Text)
	return k.Text != ""
}

// A layout is an editor's text as it stands on the screen.
type layout struct {
	lines    []string
	starts   []int // the rune that each line begins with
	row, col int   // of the cursor
}

// lay breaks the text into lines of at most width columns, between words where
// there are any. A space at the end of a full line stands behind it, in the column
// that is left free there.
func (e *editor) lay(width int) layout {
	l := layout{lines: []string{""}, starts: []int{0}}
	width = max(width, 2)
	used, word := 0, 0 // columns of this line; where its last word begins
	for i, r := range e.Text {
		shown := display(r)
		w := term.Width(shown)
		hangs := r == ' ' && used == width
		if r != '\n' && used+w > width && !hangs {
			used = l.breakBefore(e.Text, i, word)
		}
		switch r {
		case '\n':
			l.lines, l.starts, used, word = append(l.lines, ""), append(l.starts, i+1), 0, i+1
			continue
		case ' ', '\t':
			word = i + 1
		}
		l.lines[len(l.lines)-1] += shown
		used += w
	}
	if used > width || used == width && e.Cursor == len(e.Text) {
		l.lines, l.starts = append(l.lines, ""), append(l.starts, len(e.Text))
	}
	l.place(e)
	return l
}

// breakBefore begins a line with the word that does not fit, or with the character
// at i where the word fills a line by itself. It gives the columns that are used.
func (l *layout) breakBefore(text []rune, i, word int) (used int) {
	last := len(l.lines) - 1
	if word <= l.starts[last] || word > i {
		word = i
	}
	head, moved := "", ""
	for at := l.starts[last]; at < i; at++ {
		if at < word {
			head += display(text[at])
		} else {
			moved += display(text[at])
		}
	}
	l.lines[last] = head
	l.lines, l.starts = append(l.lines, moved), append(l.starts, word)
	return term.Width(moved)
}

// place finds the cursor.
func (l *layout) place(e *editor) {
	for l.row+1 < len(l.starts) && l.starts[l.row+1] <= e.Cursor {
		l.row++
	}
	for _, r := range e.Text[l.starts[l.row]:e.Cursor] {
		l.col += term.Width(display(r))
	}
}

// display is how a character of the text shows.
func display(r rune) string {
	if r == '\t' {
		return strings.Repeat(" ", term.Tab)
	}
	if unicode.Is(unicode.Mn, r) {
		return string(r) // it belongs to the one before
	}
	return term.CleanLine(string(r))
}

// vertical moves the cursor a line up or down, and reports whether there was one.
func (e *editor) vertical(by, width int) bool {
	l := e.lay(width)
	to := l.row + by
	if to < 0 || to >= len(l.lines) {
		return false
	}
	at, used := l.starts[to], 0
	end := len(e.Text)
	if to+1 < len(l.starts) {
		end = l.starts[to+1] - 1
	}
	for at < end && used < l.col {
		used += term.Width(display(e.Text[at]))
		at++
	}
	e.Cursor = at
	return true
}

// shown gives at most height lines around the cursor, and where the cursor is.
func (e *editor) shown(width, height int) (lines []paint.Line, row, col int) {
	l := e.lay(width)
	top := max(0, min(l.row-height+1, len(l.lines)-height))
	for _, s := range l.lines[top:min(top+height, len(l.lines))] {
		lines = append(lines, paint.L(paint.S(paint.Plain, s)))
	}
	return lines, l.row - top, l.col
}
