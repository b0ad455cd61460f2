package gateway

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
)

// A conn is one WebSocket connection. It is kept small: there are thousands,
// and most are idle.
//
// Two goroutines serve it. The reader owns the fields marked so; the writer
// owns the socket's outgoing side and its own fields; all others come in
// through push and close, which never wait.
type conn struct {
	g    *Gateway
	sock net.Conn
	addr string // remote address, while it counts as waiting for auth

	session clew.SessionID
	source  Source        // in place of a session; see tell.go
	arrival uint64        // its place among all requests
	client  clew.ClientID // what the client calls itself; settled at admission
	view    clew.View

	// Reader's, and the accepting handler's before there is a reader.
	in      inbound
	by      clew.Principal // user and role never change
	rate    window
	control window  // of control frames
	pieces  int32   // frames of a message so far
	partial []byte  // fragments of a message so far
	midway  bool    // a message has begun and not ended
	want    *cursor // where it wants to go on, until it is admitted

	// Writer's.
	watch    Watch
	feed     *feed.Feed
	pos      uint64 // next position in feed
	last     uint64 // seq of the last record sent, or hidden by the filter
	gate     uint64 // until this record has passed, streamed text is old news
	wroteBy  int64  // the write deadline in force, in ms that elapsed
	blocked  bool   // the last write had to wait for the client
	recheck  bool   // access to the session has changed
	vectored bool   // the socket takes many pieces in one system call
	rest     []byte // of a frame that was cut short by a time-out

	// The ticker's.
	pinged int64

	// The registry's, under its lock.
	next, prev *conn
	user       clew.UserID
	keyID      string
	filed      bool  // in the registry's index under session and client
	since      int64 // Unix ms

	filter  atomic.Pointer[filter]
	heard   atomic.Int64 // Unix ms of the last frame
	expires atomic.Int64 // Unix ms when the credentials end, 0 = never
	authBy  atomic.Int64 // Unix ms until when it must authenticate, 0 = it has
	left    atomic.Int32 // goroutines still serving

	signal chan struct{} // something for the writer: outbox, admission, close

	mu       sync.Mutex
	role     clew.Role // in this session
	out      []outgoing
	outBytes int
	early    int     // how many of out go before session_state
	sync     *cursor // set at admission, taken by the writer
	end      closeReason
}

// An outgoing is a frame for this client alone.
type outgoing struct {
	frame []byte
	// after holds the frame back until the client has this record: a state it
	// asked for must not run ahead of the records that led to it.
	after uint64
}

// A cursor is where a client wants to go on.
type cursor struct {
	resumeFrom string
	epoch      string
}

const (
	maxOutFrames = 1024
	maxOutBytes  = 8 << 20
)

// push adds a frame to the outbox. A client that asks much and reads nothing
// is closed as too slow.
func (c *conn) push(frame []byte) { c.pushAfter(frame, 0) }

func (c *conn) pushAfter(frame []byte, after uint64) {
	c.mu.Lock()
	full := len(c.out) >= maxOutFrames || c.outBytes+len(frame) > maxOutBytes && len(c.out) > 0
	if !full && c.end.state == stateOpen {
		c.out = append(c.out, outgoing{frame, after})
		c.outBytes += len(frame)
	}
	c.mu.Unlock()
	if full {
		c.closeSlow()
		return
	}
	c.wake()
}

// take removes what may be sent now from the outbox.
func (c *conn) take(last uint64) []outgoing {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for n < len(c.out) && c.out[n].after <= last {
		c.outBytes -= len(c.out[n].frame)
		n++
	}
	return c.cutOut(n)
}

// cutOut removes the first n frames. An empty outbox holds no memory.
func (c *conn) cutOut(n int) []outgoing {
	taken := c.out[:n:n]
	c.out = c.out[n:]
	c.early = max(0, c.early-n)
	if len(c.out) == 0 {
		c.out, c.outBytes = nil, 0
	}
	return taken
}

// admit lets the writer start: everything pushed so far goes out before
// session_state, everything after it follows.
func (c *conn) admit(at cursor) {
	c.mu.Lock()
	c.early = len(c.out)
	c.sync = &at
	c.mu.Unlock()
	c.wake()
}

func (c *conn) roleNow() clew.Role {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.role
}

// setRole reports whether it is another one than before.
func (c *conn) setRole(role clew.Role) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	other := c.role != role
	c.role = role
	return other
}

// wake lets the writer look around.
func (c *conn) wake() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}
