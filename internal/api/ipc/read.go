package ipc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// read takes one line after the other.
func (c *conn) read() {
	r := bufio.NewReaderSize(c.sock, 4<<10)
	for {
		line, about, err := readLine(r, c.s.o.Frame)
		switch {
		case errors.Is(err, errTooLong):
			c.reject(about, clew.Errorf(clew.MessageTooLarge, "the line is longer than %d bytes", c.s.o.Frame))
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0: // half a line is none
			c.reject(wire.GlanceAt(line), clew.Errorf(clew.InvalidMessage, "the line has no end, so nothing was done"))
			return
		case err != nil:
			return
		case len(bytes.TrimSpace(line)) > 0:
			c.onLine(line)
		}
		c.mu.Lock()
		stopping := c.stopping
		c.mu.Unlock()
		if stopping {
			return
		}
	}
}

var errTooLong = errors.New("line too long")

// readLine reads up to the end of a line, or gives half a one beside an error.
// One that is too long is read to its end and thrown away, so that the next one
// is a line again; what it was about is kept.
func readLine(r *bufio.Reader, most int) (line []byte, about wire.Glance, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > most+1 {
			about, err = skipLine(r, line, err)
			return nil, about, err
		}
		switch {
		case err == nil:
			return line[:len(line)-1], about, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, about, err
		}
	}
}

// skipLine reads on to the end of a line whose beginning was read with err.
func skipLine(r *bufio.Reader, begun []byte, err error) (wire.Glance, error) {
	about := wire.GlanceAt(begun)
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = r.ReadSlice('\n')
		about.Add(part)
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = errTooLong
	}
	return about, err
}

// reject answers a line that is no command, and logs what is wrong. It has no
// effect; the connection stays. A server's own frame is not answered: it may be
// the echo of an answer.
func (c *conn) reject(about wire.Glance, issue error) {
	if c.invalid++; c.invalid <= maxLogged {
		c.s.o.Log.Warn("local socket: a line was dropped", "client_id", c.id, "issue", issue.Error())
	}
	if about.FromServer() {
		return
	}
	cmd := wire.LocalCommand{Name: about.Name(), SessionID: about.SessionID(), ClientMessageID: about.ClientMessageID()}
	c.leaveCurrent(cmd)
	c.refuse(cmd, cmd.SessionID, issue)
}
