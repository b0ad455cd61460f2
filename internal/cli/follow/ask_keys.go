package follow

import (
	"errors"
	"io"
	"os"

	"github.com/muesli/cancelreader"
)

// A keyboard reads what a person types. It is opened anew for each question: what
// was typed before was not meant as the answer.
type keyboard struct {
	in      *os.File
	out     io.Writer // of the same terminal
	restore func()
	reader  cancelreader.CancelReader
	done    chan struct{}
}

// A terminal that is told to puts marks around what is pasted. So a newline in it
// is not taken for Enter.
const (
	PasteMarksOn  = "\x1b[?2004h"
	PasteMarksOff = "\x1b[?2004l"
)

// openKeyboard hands what is typed from now on to keys until it is closed. A nil
// slice says that there is nothing more to read.
func openKeyboard(in *os.File, out io.Writer, keys chan<- []byte) (*keyboard, error) {
	restore, err := byKey(in)
	if err != nil {
		return nil, err
	}
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		restore()
		return nil, err
	}
	_, _ = io.WriteString(out, PasteMarksOn) // where it fails, all that is written does
	k := &keyboard{in: in, out: out, restore: restore, reader: reader, done: make(chan struct{})}
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

// close gives the terminal back as it was, and what was typed that nobody had
// taken yet. A terminal that is the shell's is left as the shell has set it.
func (k *keyboard) close(keys <-chan []byte) (left []byte) {
	k.reader.Cancel()
	for open := true; open; {
		select {
		case b := <-keys:
			left = append(left, b...)
		case <-k.done:
			open = false
		}
	}
	_ = k.reader.Close()
	if foreground(k.in) {
		_, _ = io.WriteString(k.out, PasteMarksOff)
	}
	k.restore()
	return left
}

// What a key asks for.
type keyAction int

const (
	keyNothing keyAction = iota
	keyEnter
	keyLeave
)
