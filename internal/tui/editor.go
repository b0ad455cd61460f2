package tui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/text/unicode/norm"

	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// An editor holds a text that somebody writes. The terminal's own cursor stands
// in it, so that input methods show what they compose in the right place.
type editor struct {
	text   []rune
	cursor int
	single bool // it stays on one line
}

func (e *editor) String() string { return string(e.text) }

func (e *editor) empty() bool { return strings.TrimSpace(string(e.text)) == "" }

func (e *editor) set(s string) {
	e.text = e.text[:0]
	e.cursor = 0
	e.insert(s)
}

// insert puts text in, as typed or pasted: control characters are left out, so
// that a paste cannot press keys.
func (e *editor) insert(s string) {
	s = norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	in := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case r == '\n' && e.single:
			in = append(in, ' ')
		case r == '\n' || r == '\t' || !unicode.IsControl(r) && r != unicode.ReplacementChar:
			in = append(in, r)
		}
	}
	e.text = append(e.text[:e.cursor:e.cursor], append(in, e.text[e.cursor:]...)...)
	e.cursor += len(in)
}

// key does what a key says, and reports whether it said anything to an editor.
func (e *editor) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "backspace", "ctrl+h":
		e.remove(e.cursor - 1)
	case "delete", "ctrl+d":
		e.remove(e.cursor)
	case "left", "ctrl+b":
		e.cursor = max(e.cursor-1, 0)
	case "right", "ctrl+f":
		e.cursor = min(e.cursor+1, len(e.text))
	case "alt+left", "ctrl+left", "alt+b":
		e.cursor = e.wordBefore()
	case "alt+right", "ctrl+right", "alt+f":
		e.cursor = e.wordAfter()
	case "home", "ctrl+a":
		e.cursor = e.lineStart()
	case "end", "ctrl+e":
		e.cursor = e.lineEnd()
	case "ctrl+w", "alt+backspace":
		e.drop(e.wordBefore(), e.cursor)
	case "ctrl+u":
		e.drop(e.lineStart(), e.cursor)
	case "shift+enter", "alt+enter", "ctrl+j":
		if e.single {
			return false
		}
		e.insert("\n")
	default:
		if k.Text == "" {
			return false
		}
		e.insert(k.Text)
	}
	return true
}

func (e *editor) remove(at int) {
	if at >= 0 && at < len(e.text) {
		e.drop(at, at+1)
	}
}

func (e *editor) drop(from, to int) {
	e.text = append(e.text[:from:from], e.text[to:]...)
	e.cursor = from
}

func (e *editor) lineStart() int {
	at := e.cursor
	for at > 0 && e.text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *editor) lineEnd() int {
	at := e.cursor
	for at < len(e.text) && e.text[at] != '\n' {
		at++
	}
	return at
}

func (e *editor) wordBefore() int {
	at := e.cursor
	for at > 0 && unicode.IsSpace(e.text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(e.text[at-1]) {
		at--
	}
	return at
}

func (e *editor) wordAfter() int {
	at := e.cursor
	for at < len(e.text) && unicode.IsSpace(e.text[at]) {
		at++
	}
	for at < len(e.text) && !unicode.IsSpace(e.text[at]) {
		at++
	}
	return at
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
	for i, r := range e.text {
		shown := display(r)
		w := term.Width(shown)
		hangs := r == ' ' && used == width
		if r != '\n' && used+w > width && !hangs {
			used = l.breakBefore(e.text, i, word)
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
	if used > width || used == width && e.cursor == len(e.text) {
		l.lines, l.starts = append(l.lines, ""), append(l.starts, len(e.text))
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
	for l.row+1 < len(l.starts) && l.starts[l.row+1] <= e.cursor {
		l.row++
	}
	for _, r := range e.text[l.starts[l.row]:e.cursor] {
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
	end := len(e.text)
	if to+1 < len(l.starts) {
		end = l.starts[to+1] - 1
	}
	for at < end && used < l.col {
		used += term.Width(display(e.text[at]))
		at++
	}
	e.cursor = at
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
