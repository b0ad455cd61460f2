package cli

import (
	"bytes"
	"errors"
	"os"
	"unicode/utf8"

	"github.com/muesli/cancelreader"
)

// A keyboard reads what a person types. It is opened anew for each question: what
// was typed before was not meant as the answer.
type keyboard struct {
	restore func()
	reader  cancelreader.CancelReader
	done    chan struct{}
}

// openKeyboard hands what is typed from now on to keys until it is closed. A nil
// slice says that there is nothing more to read.
func openKeyboard(in *os.File, keys chan<- []byte) (*keyboard, error) {
	forget(in)
	restore, err := byKey(in)
	if err != nil {
		return nil, err
	}
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		restore()
		return nil, err
	}
	k := &keyboard{restore: restore, reader: reader, done: make(chan struct{})}
	go k.read(keys)
	return k, nil
}

func (k *keyboard) read(keys chan<- []byte) {
	defer close(k.done)
	for {
		b := make([]byte, 4096) // as much as a terminal holds: a paste should come in one piece
		n, err := k.reader.Read(b)
		if n > 0 {
			keys <- b[:n] // the one who opened it takes all until close
		}
		if err != nil {
			if !errors.Is(err, cancelreader.ErrCanceled) {
				keys <- nil
			}
			return
		}
	}
}

// close gives the terminal back as it was. It reports whether something was typed
// that nobody had taken yet.
func (k *keyboard) close(keys <-chan []byte) (typed bool) {
	k.reader.Cancel()
	for open := true; open; {
		select {
		case b := <-keys:
			typed = typed || len(b) > 0
		case <-k.done:
			open = false
		}
	}
	_ = k.reader.Close()
	k.restore()
	return typed
}

// A typed line grows by keys. There is no cursor to move: arrows are ignored.
type typedLine struct {
	text   []rune
	rest   []byte // a character that came in part
	escape int    // how far we are in a sequence of a special key
}

// What a key asks for.
type keyDeed int

const (
	keyNothing keyDeed = iota
	keyEnter
	keyLeave
)

// several reports whether keys that came together are lines of a paste. An Enter at
// the end alone is one that was meant.
func several(b []byte) bool { return bytes.ContainsAny(bytes.Trim(b, "\r\n"), "\r\n") }

// feed takes keys until one of them asks for something. What comes after that
// key is dropped: one paste is one answer. With lines the keys are a text of some
// lines, which Enter ends later.
func (t *typedLine) feed(b []byte, lines bool) keyDeed {
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
			t.text = append(t.text, '\n')
		case deed != keyNothing:
			t.rest = nil
			return deed
		}
	}
	return keyNothing
}

func (t *typedLine) key(r rune) keyDeed {
	if t.escape > 0 {
		t.sequence(r)
		return keyNothing
	}
	switch {
	case r == '\r' || r == '\n':
		return keyEnter
	case r == 3, r == 4 && len(t.text) == 0: // Ctrl-C, Ctrl-D
		return keyLeave
	case r == 0x7f || r == 8:
		if n := len(t.text); n > 0 {
			t.text = t.text[:n-1]
		}
	case r == 21: // Ctrl-U
		t.text = nil
	case r == 27:
		t.escape = 1
	case r >= ' ':
		t.text = append(t.text, r)
	}
	return keyNothing
}

// sequence swallows what a special key sends: ESC [ … letter, or ESC and one
// more.
func (t *typedLine) sequence(r rune) {
	switch {
	case t.escape == 1 && (r == '[' || r == 'O'):
		t.escape = 2
	case t.escape == 2 && (r < '@' || r > '~'): // it goes on
	default:
		t.escape = 0
	}
}
