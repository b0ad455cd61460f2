package follow

import (
	"bytes"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/term"
)

// A typed line grows by keys. There is no cursor to move: arrows are ignored.
type lineEditor struct {
	term.Editor
	rest   []byte // a character that came in part
	escape int    // how far we are in a sequence of a special key
	code   []rune // what the sequence says
	next   *lineEditor

	pasting bool // between the marks of a paste
	dropped bool // what is pasted is for nobody any more
	cr      bool // the paste's last character was \r: a \n ends the same line
}

// emptied is the line after this one. The rest of a paste that began in this one
// is dropped.
func (t *lineEditor) emptied() lineEditor {
	if t.next != nil {
		return *t.next
	}
	return lineEditor{pasting: t.pasting, dropped: t.pasting}
}

// without is the line after this one if nobody takes these keys.
func (t *lineEditor) without(b []byte) lineEditor {
	t.feed(b, false)
	return t.emptied()
}

// end is as much of the line as there is room for on a terminal at most.
func (t *lineEditor) end() string { return string(t.Text[max(0, len(t.Text)-5*widest):]) }

// several reports whether keys that came together are lines of a paste, at a
// terminal that does not mark pastes. An Enter at the end alone is one that was
// meant.
func several(b []byte) bool { return bytes.ContainsAny(bytes.Trim(b, "\r\n"), "\r\n") }

// feed takes keys until one of them asks for something. What comes after that
// key is dropped: one paste is one answer. With lines the keys are a text of some
// lines, which Enter ends later, unless the terminal marks what is pasted.
func (t *lineEditor) feed(b []byte, lines bool) keyAction {
	lines = lines && !t.pasting && t.escape == 0 && !bytes.ContainsRune(b, escapeKey)
	if lines {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	}
	t.rest = append(t.rest, b...)
	for len(t.rest) > 0 {
		r, size := utf8.DecodeRune(t.rest)
		if r == utf8.RuneError && size <= 1 && !utf8.FullRune(t.rest) {
			return keyNothing
		}
		t.rest = t.rest[size:]
		switch deed := t.key(r); {
		case deed == keyEnter && lines:
			t.Insert("\n")
		case deed != keyNothing:
			var next lineEditor
			next = next.without(t.rest)
			t.rest, t.next = nil, &next
			return deed
		}
	}
	return keyNothing
}

const escapeKey = 27

func (t *lineEditor) key(r rune) keyAction {
	switch {
	case t.escape > 0:
		t.sequence(r)
	case r == 3: // Ctrl-C
		return keyLeave
	case r == escapeKey:
		t.escape, t.code = 1, nil
	case t.pasting:
		t.paste(r)
	case r == '\r' || r == '\n':
		return keyEnter
	case r == 4 && len(t.Text) == 0: // Ctrl-D
		return keyLeave
	case r == 0x7f || r == 8:
		t.Key("backspace")
	case r == 21:
		t.Key("ctrl+u")
	case r == 23:
		t.Key("ctrl+w")
	case r >= ' ':
		t.Insert(string(r))
	}
	return keyNothing
}

// paste takes a character of a pasted text, whose newlines are no Enter.
func (t *lineEditor) paste(r rune) {
	ended := t.cr
	t.cr = r == '\r'
	switch {
	case t.dropped || r == '\n' && ended:
	case r == '\r' || r == '\n':
		t.Insert("\n")
	case r == '\t' || r >= ' ' && r != 0x7f:
		t.Insert(string(r))
	}
}

// sequence swallows what a special key sends: ESC [ … letter, or ESC and one
// more. Two of them are the marks of a paste.
func (t *lineEditor) sequence(r rune) {
	switch {
	case t.escape == 1 && (r == '[' || r == 'O'):
		t.escape = 2
		return
	case t.escape == 2 && (r < '@' || r > '~'): // it goes on
		if len(t.code) < 8 { // longer than those that matter
			t.code = append(t.code, r)
		}
		return
	}
	t.escape = 0
	if r != '~' {
		return
	}
	switch string(t.code) {
	case "200":
		t.pasting, t.cr = true, false
	case "201":
		t.pasting, t.dropped = false, false
	}
}
