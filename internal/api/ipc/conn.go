package ipc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A conn is one client's connection. The goroutine of serve reads; another one
// writes; followers come in through push. What they share is under mu.
type conn struct {
	s    *Socket
	id   clew.ClientID
	sock *net.UnixConn

	ctx    context.Context // ends when the reader has; followers live by it
	cancel context.CancelFunc
	gone   chan struct{} // closed when the writer has ended

	current clew.SessionID // the reader's: what the client started or named last
	invalid int            // the reader's: lines that were no commands

	mu       sync.Mutex
	pending  []byte        // lines for the writer
	room     chan struct{} // closed and made anew when the writer takes pending
	stopping bool          // the reader takes no further command
	closing  bool          // the writer ends once pending is empty
	signal   chan struct{} // something for the writer

	fmu      sync.Mutex
	scope    clew.FollowScope
	follows  map[clew.SessionID]*follower
	resting  map[clew.SessionID]place // own ones that nothing is to be expected of
	left     map[clew.SessionID]place // where others were let go of lately
	hears    bool                     // it counts in the socket's hearing
	leaving  bool
	follower sync.WaitGroup
}

const (
	maxPending = 128 << 10 // then who has something for the client waits
	writeSize  = 64 << 10  // what a client must take within the time limit
	keepBuffer = 16 << 10  // a quiet connection holds no more
	// maxLogged bounds what one client can write into the log.
	maxLogged = 20
)

func newConn(s *Socket, sock *net.UnixConn) *conn {
	c := &conn{
		s: s, sock: sock, gone: make(chan struct{}), room: make(chan struct{}), signal: make(chan struct{}, 1),
		scope: clew.FollowAll, follows: map[clew.SessionID]*follower{}, resting: map[clew.SessionID]place{}, left: map[clew.SessionID]place{},
	}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	return c
}

// serve reads until the client or the socket is done, and returns when nothing
// of the connection is left. What was pushed by then is still written; if the
// server stops, its last line says so.
func (c *conn) serve() {
	go func() {
		defer close(c.gone)
		c.write()
	}()
	c.read()
	c.cancel()
	c.leaveAll()
	c.mu.Lock()
	if c.stopping {
		c.pending = append(c.pending, eventLine("", "", errStopping, clew.ErrorContext{})...)
	}
	c.closing = true
	c.mu.Unlock()
	c.wake()
	<-c.gone
	_ = c.sock.Close()
	if c.invalid > maxLogged {
		c.s.o.Log.Warn("local socket: lines were dropped", "client_id", c.id, "count", c.invalid)
	}
}

// stop lets the reader finish the command it is at, and with that the
// connection. It may be called twice.
func (c *conn) stop() {
	c.mu.Lock()
	c.stopping = true
	c.mu.Unlock()
	_ = c.sock.SetReadDeadline(time.Unix(1, 0))
}

func (c *conn) wake() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

var errStopping = clew.Errorf(clew.Unavailable, "the server is stopping; come back later")

// errGone says that nobody is there any more.
var errGone = errors.New("the client is gone")

// offer gives an envelope to the writer, who wants to be woken then. If the
// client has much to take already, it gives a channel that is closed when there
// is room, and keeps nothing.
func (c *conn) offer(envelope []byte) (room <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) >= maxPending {
		return c.room
	}
	if !c.closing {
		c.pending = wire.AppendTaskEvent(c.pending, "", envelope)
	}
	return nil
}

// push gives a line to the writer. It waits while the client has much to take,
// and fails when the connection ends.
func (c *conn) push(line []byte) error {
	for {
		c.mu.Lock()
		room := c.room
		full := len(c.pending) >= maxPending
		if !full && !c.closing {
			c.pending = append(c.pending, line...)
		}
		c.mu.Unlock()
		if !full {
			c.wake()
			return nil
		}
		select {
		case <-room:
		case <-c.gone:
			return errGone
		case <-c.ctx.Done():
			return errGone
		}
	}
}

// append is push for what waits for nobody.
func (c *conn) append(line []byte) {
	c.mu.Lock()
	if !c.closing {
		c.pending = append(c.pending, line...)
	}
	c.mu.Unlock()
	c.wake()
}

// write is the writer.
func (c *conn) write() {
	var buf []byte
	for {
		c.mu.Lock()
		if cap(buf) > keepBuffer {
			buf = nil
		}
		buf, c.pending = c.pending, buf[:0]
		close(c.room)
		c.room = make(chan struct{})
		done := c.closing && len(buf) == 0
		c.mu.Unlock()
		switch {
		case done:
			return
		case len(buf) == 0:
			<-c.signal
			continue
		}
		if err := c.send(buf); err != nil {
			_ = c.sock.Close() // which ends the reader
			return
		}
	}
}

// send writes lines. A client that takes nothing for too long is told so, as far
// as it still listens, and closed: it comes back and resumes.
func (c *conn) send(lines []byte) error {
	for sent := 0; sent < len(lines); {
		_ = c.sock.SetWriteDeadline(time.Now().Add(c.s.o.WriteTimeout))
		n, err := c.sock.Write(lines[sent:min(len(lines), sent+writeSize)])
		sent += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.s.o.Log.Warn("local socket: a client does not read and is closed", "client_id", c.id)
			last := restOfLine(lines, sent)
			last = append(last, eventLine("", c.id, clew.Errorf(clew.ConnectionTimeout, "you did not read in time; connect again and follow with resume_from"), clew.ErrorContext{})...)
			_ = c.sock.SetWriteDeadline(time.Now().Add(c.s.o.Linger))
			_, _ = c.sock.Write(last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restOfLine is what is missing of the line that was cut after sent bytes.
func restOfLine(lines []byte, sent int) []byte {
	if sent == 0 || lines[sent-1] == '\n' {
		return nil
	}
	rest := lines[sent:]
	return bytes.Clone(rest[:bytes.IndexByte(rest, '\n')+1])
}

func errorEnvelope(id clew.SessionID, err error, about clew.ErrorContext) []byte {
	return wire.EncodeError(id, time.Now().UnixMilli(), err, about)
}

// eventLine is the line of an error for one client.
func eventLine(id clew.SessionID, relay clew.ClientID, err error, about clew.ErrorContext) []byte {
	return wire.AppendTaskEvent(nil, relay, errorEnvelope(id, err, about))
}
