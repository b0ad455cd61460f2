package gateway

import (
	"net"
	"time"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/wire"
)

type closeState uint8

const (
	stateOpen    closeState = iota
	stateClosing            // a close frame is to be sent
	stateDead               // the socket is of no use any more
)

// An closeReason is how a connection ends; the first one asked for stands.
type closeReason struct {
	state    closeState
	peerDone bool // the peer has sent its close frame
	code     wire.CloseCode
	reason   string
}

// close asks the writer to send a close frame and end. It does not wait.
func (c *conn) close(code wire.CloseCode, reason string) {
	c.finishWith(closeReason{state: stateClosing, code: code, reason: reason})
}

// closeSlow is close for a client that does not keep up. It may come back and
// resume.
func (c *conn) closeSlow() {
	if c.finishWith(closeReason{state: stateClosing, code: wire.CloseTooSlow, reason: wire.ReasonTooSlow}) {
		c.g.Counters.SlowClosed.Add(1)
	}
}

func (c *conn) finishWith(e closeReason) (first bool) {
	c.mu.Lock()
	if first = c.end.state == stateOpen; first {
		c.end = e
		// A writer that is stuck in a write gets no more than this.
		_ = c.sock.SetWriteDeadline(socketDeadline(c.g.limits.CloseGrace))
	}
	c.mu.Unlock()
	c.wake()
	return first
}

// peerClosed notes the peer's close frame, which is answered if it came first.
func (c *conn) peerClosed(code wire.CloseCode) {
	c.finishWith(closeReason{state: stateClosing, code: code})
	c.mu.Lock()
	c.end.peerDone = true
	c.mu.Unlock()
}

// die ends the connection without a word: the socket failed.
func (c *conn) die() {
	c.mu.Lock()
	c.end.state = stateDead
	_ = c.sock.SetDeadline(time.Unix(1, 0)) // wakes whoever waits on it
	c.mu.Unlock()
	c.wake()
}

// cut is die for a server that cannot wait.
func (c *conn) cut() {
	c.die()
	_ = c.sock.Close()
}

func (c *conn) ending() closeReason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// sayGoodbye is the writer's last act: it sends what is in the outbox and the
// close frame, and gives the peer a moment to answer. Closing at once could
// make the peer's system throw away what it has not read yet.
func (c *conn) sayGoodbye() {
	e := c.ending()
	if e.state == stateOpen { // the writer ended by itself
		c.die()
		return
	}
	if e.state == stateDead {
		return
	}
	_ = c.sock.SetWriteDeadline(socketDeadline(c.g.limits.CloseGrace))
	bufs := net.Buffers{c.rest}
	if len(c.rest) == 0 {
		bufs = bufs[:0]
	}
	for _, o := range c.take(c.last) {
		bufs = append(bufs, o.frame)
	}
	bufs = append(bufs, closeFrame(e.code, e.reason))
	if _, err := bufs.WriteTo(c.sock); err != nil || c.ending().peerDone {
		c.die()
		return
	}
	if half, ok := c.sock.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	c.mu.Lock()
	if c.end.state != stateDead {
		_ = c.sock.SetReadDeadline(socketDeadline(c.g.limits.CloseGrace))
	}
	c.mu.Unlock()
}

func closeFrame(code wire.CloseCode, reason string) []byte {
	if code == wire.CloseCode(ws.StatusNoStatusRcvd) { // the peer gave no code, so it gets none
		return appendFrame(nil, ws.OpClose, nil)
	}
	return appendFrame(nil, ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(code), reason))
}

// leave is called by each of the two goroutines as it ends; the last one
// closes the socket.
func (c *conn) leave() {
	if c.left.Add(-1) == 0 && !planted.Bug("connection never let go") {
		_ = c.sock.Close()
		c.g.Counters.Connections.Add(-1)
		if c.waiting() {
			c.g.Counters.Waiting.Add(-1)
		}
		c.g.reg.remove(c)
	}
	c.g.reg.idle.Done()
}

// socketDeadline is a deadline for a socket, which goes by the machine's own time.
func socketDeadline(wait time.Duration) time.Time {
	return time.Now().Add(wait) //nolint:forbidigo // sockets know no other clock
}
