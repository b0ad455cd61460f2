package term

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// An Editor holds a text that somebody writes, and where in it they are.
type Editor struct {
	Text   []rune
	Cursor int
	Single bool // it stays on one line
}

func (e *Editor) String() string { return string(e.Text) }

// Empty reports whether nothing but spaces is written.
func (e *Editor) Empty() bool { return strings.TrimSpace(string(e.Text)) == "" }

// Set puts a text in the place of what is written, with the cursor behind it.
func (e *Editor) Set(s string) {
	e.Text = e.Text[:0]
	e.Cursor = 0
	e.Insert(s)
}

// Insert puts text in, as typed or pasted: control characters are left out, so
// that a paste cannot press keys.
func (e *Editor) Insert(s string) {
	s = norm.NFC.String(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	in := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case r == '\n' && e.Single:
			in = append(in, ' ')
		case r == '\n' || r == '\t' || !unicode.IsControl(r) && r != unicode.ReplacementChar:
			in = append(in, r)
		}
	}
	e.Text = append(e.Text[:e.Cursor:e.Cursor], append(in, e.Text[e.Cursor:]...)...)
	e.Cursor += len(in)
}

// Key does what a key says, by the name that terminal libraries give it, and
// reports whether it said anything to an editor.
func (e *Editor) Key(name string) bool {
	switch name {
	case "backspace", "ctrl+h":
		e.remove(e.Cursor - 1)
	case "delete", "ctrl+d":
		e.remove(e.Cursor)
	case "left", "ctrl+b":
		e.Cursor = max(e.Cursor-1, 0)
	case "right", "ctrl+f":
		e.Cursor = min(e.Cursor+1, len(e.Text))
	case "alt+left", "ctrl+left", "alt+b":
		e.Cursor = e.wordBefore()
	case "alt+right", "ctrl+right", "alt+f":
		e.Cursor = e.wordAfter()
	case "home", "ctrl+a":
		e.Cursor = e.lineStart()
	case "end", "ctrl+e":
		e.Cursor = e.lineEnd()
	case "ctrl+w", "alt+backspace":
		e.drop(e.wordBefore(), e.Cursor)
	case "ctrl+u":
		e.drop(e.lineStart(), e.Cursor)
	case "shift+enter", "alt+enter", "ctrl+j":
		if e.Single {
			return false
		}
		e.Insert("\n")
	default:
		return false
	}
	return true
}

func (e *Editor) remove(at int) {
	if at >= 0 && at < len(e.Text) {
		e.drop(at, at+1)
	}
}

func (e *Editor) drop(from, to int) {
	e.Text = append(e.Text[:from:from], e.Text[to:]...)
	e.Cursor = from
}

func (e *Editor) lineStart() int {
	at := e.Cursor
	for at > 0 && e.Text[at-1] != '\n' {
		at--
	}
	return at
}

func (e *Editor) lineEnd() int {
	at := e.Cursor
	for at < len(e.Text) && e.Text[at] != '\n' {
		at++
	}
	return at
}

func (e *Editor) wordBefore() int {
	at := e.Cursor
	for at > 0 && unicode.IsSpace(e.Text[at-1]) {
		at--
	}
	for at > 0 && !unicode.IsSpace(e.Text[at-1]) {
		at--
	}
	return at
}

func (e *Editor) wordAfter() int {
	at := e.Cursor
	for at < len(e.Text) && unicode.IsSpace(e.Text[at]) {
		at++
	}
	for at < len(e.Text) && !unicode.IsSpace(e.Text[at]) {
		at++
	}
	return at
}
