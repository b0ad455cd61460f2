package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of what is kept of a stream at once. One event holds at most a whole
// answer with its seals.
const (
	maxEvent = 16 << 20
	maxRest  = 64 << 10
)

var errLongEvent = errors.New("an event is larger than any answer")

// events reads server-sent events. Only their data counts: the API gives no names.
type events struct {
	lines *bufio.Scanner
	data  []byte // of the current event
	rest  []byte // lines that belong to no event
	err   error
}

func eventScanner(from io.Reader) *events {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxEvent)
	return &events{lines: lines}
}

// next goes to the next event that is complete.
func (e *events) next() bool {
	e.data = nil
	for e.lines.Scan() {
		line := bytes.TrimSuffix(e.lines.Bytes(), []byte("\r"))
		switch data, found := bytes.CutPrefix(line, []byte("data:")); {
		case found:
			if len(e.data)+len(data) > maxEvent {
				e.err = errLongEvent
				return false
			}
			e.data = append(append(e.data, bytes.TrimPrefix(data, []byte(" "))...), '\n')
		case len(line) == 0 && len(e.data) > 0:
			return true
		case len(line) > 0 && line[0] != ':' && len(e.rest)+len(line) < maxRest:
			e.rest = append(append(e.rest, line...), '\n')
		}
	}
	e.err = e.lines.Err()
	// The last event may come without the empty line after it; half of one is no JSON.
	return e.err == nil && len(e.data) > 0
}
