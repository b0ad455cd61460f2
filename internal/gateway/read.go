package gateway

import (
	"errors"
	"io"
	"net"
	"slices"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// inbound is the socket's incoming side with a small buffer, enough for a
// header and a short message in one system call. A real bufio.Reader would
// cost an idle connection 4 KiB.
type inbound struct {
	early []byte // what came with the upgrade request
	r, w  uint16 // buf[r:w] is unread
	buf   [160]byte
}

// reader joins an inbound to its socket.
type reader struct {
	in   *inbound
	sock net.Conn
}

func (r reader) Read(p []byte) (int, error) {
	in := r.in
	switch {
	case len(in.early) > 0:
		n := copy(p, in.early)
		if in.early = in.early[n:]; len(in.early) == 0 {
			in.early = nil
		}
		return n, nil
	case in.r == in.w && len(p) >= len(in.buf):
		return r.sock.Read(p)
	case in.r == in.w:
		n, err := r.sock.Read(in.buf[:])
		in.r, in.w = 0, uint16(n)
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, in.buf[in.r:in.w])
	in.r += uint16(n)
	return n, nil
}

// readLoop is the reader goroutine.
func (c *conn) readLoop() {
	defer c.leave()
	defer c.catch("reader")
	err := c.readAll(reader{&c.in, c.sock})
	var bad *protocolError
	switch {
	case err == nil: // the peer said goodbye, and the writer answers
		return
	case errors.As(err, &bad):
		c.close(bad.code, bad.reason)
		c.drain()
	}
	c.die()
}

// A protocolError is a frame that ends the connection.
type protocolError struct {
	code   wire.CloseCode
	reason string
}

func (v *protocolError) Error() string { return v.reason }

var (
	errTooLarge = &protocolError{wire.CloseTooLarge, string(clew.MessageTooLarge)}
	errProtocol = &protocolError{wire.CloseProtocol, string(clew.InvalidMessage)}
	errNotText  = &protocolError{wire.CloseNotText, string(clew.InvalidMessage)}
	errTooMany  = &protocolError{wire.ClosePolicy, string(clew.RateLimited)}
	errNotUTF8  = &protocolError{wire.CloseNotUTF8, string(clew.InvalidMessage)}
)

// readAll takes frames until the peer closes (nil), breaks the rules
// (*violation) or is gone.
func (c *conn) readAll(r reader) error {
	for {
		h, err := ws.ReadHeader(r)
		if err != nil {
			if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
				return errProtocol
			}
			return err
		}
		if err := c.check(h); err != nil {
			return err
		}
		if h.OpCode.IsControl() {
			done, err := c.readControl(r, h)
			if done || err != nil {
				return err
			}
			continue
		}
		if err := c.readData(r, h); err != nil {
			return err
		}
	}
}

// check refuses a frame by its header, before any of it is stored.
func (c *conn) check(h ws.Header) error {
	state := ws.StateServerSide
	if c.midway {
		state |= ws.StateFragmented
	}
	limit := c.g.limits.Frame
	if c.waiting() {
		limit = c.g.limits.AuthFrame
	}
	switch {
	case ws.CheckHeader(h, state) != nil || !h.Masked:
		return errProtocol
	case h.OpCode == ws.OpBinary:
		return errNotText
	case !h.OpCode.IsControl() && h.Length > int64(limit-len(c.partial)):
		return errTooLarge
	}
	return nil
}

// readControl answers ping and close. done means that the peer has closed.
func (c *conn) readControl(r reader, h ws.Header) (done bool, err error) {
	payload, err := readPayload(r, nil, h)
	if err != nil {
		return false, err
	}
	c.count(len(payload))
	if ok, _ := c.control.allow(c.heard.Load(), c.g.limits.ControlPerMinute); !ok && h.OpCode != ws.OpClose {
		c.g.Counters.RateLimited.Add(1)
		return false, errTooMany // each costs an answer
	}
	switch h.OpCode {
	case ws.OpPing:
		c.push(appendFrame(nil, ws.OpPong, payload))
	case ws.OpClose:
		code, reason := ws.ParseCloseFrameData(payload)
		if len(payload) > 0 && ws.CheckCloseFrameData(code, reason) != nil {
			return false, errProtocol
		}
		c.peerClosed(wire.CloseCode(code))
		return true, nil
	}
	return false, nil
}

// readData adds a frame to the message under way and handles it when it is
// whole. A connection that is closing listens for the peer's close only.
func (c *conn) readData(r reader, h ws.Header) (err error) {
	if c.partial, err = readPayload(r, c.partial, h); err != nil {
		return err
	}
	c.count(int(h.Length))
	if c.midway = !h.Fin; c.midway {
		if c.pieces++; int(c.pieces) >= c.g.limits.Pieces { // they may be empty, so their size is no limit
			c.g.Counters.RateLimited.Add(1)
			return errTooMany
		}
		return nil
	}
	c.pieces = 0
	message := c.partial
	c.partial = nil
	if c.ending().state != stateOpen {
		return nil
	}
	if !utf8.Valid(message) {
		return errNotUTF8
	}
	c.onMessage(message)
	return nil
}

// count notes a whole frame: only that proves that the peer is alive.
func (c *conn) count(n int) {
	c.heard.Store(c.g.elapsed())
	c.g.Counters.FramesIn.Add(1)
	c.g.Counters.BytesIn.Add(int64(n))
}

// readPayload appends a frame's unmasked payload to b. Memory grows with what
// has really come, not with what the header promises.
func readPayload(r io.Reader, b []byte, h ws.Header) ([]byte, error) {
	const trust = 4096
	begin := len(b)
	for n := int(h.Length); n > 0; {
		from := len(b)
		step := min(n, max(trust, from-begin))
		b = slices.Grow(b, step)[:from+step]
		if _, err := io.ReadFull(r, b[from:]); err != nil {
			return nil, err
		}
		n -= step
	}
	ws.Cipher(b[begin:], h.Mask, 0)
	return b, nil
}

// drain throws away what still comes, so that the close frame is not lost to a
// reset. The writer sets the deadline.
func (c *conn) drain() {
	for {
		if _, err := c.sock.Read(c.in.buf[:]); err != nil {
			return
		}
	}
}
