package gateway

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// batchSize is how many frames go out with one system call at most.
const batchSize = 64

// slowWrite says from when on a write counts as held up by the client. It is a
// part of the time-out that a busy machine alone does not use up: closing many
// connections because the server is busy would make it busier.
func (l Limits) slowWrite() time.Duration { return l.WriteTimeout / 5 }

// errClosing says that the connection is to be closed; conn.end says how.
var errClosing = errors.New("connection is closing")

// A batch is what one write sends. Batches are shared by all connections: an
// idle one has none.
type batch struct {
	items [batchSize]*session.Item
	src   [batchSize][]byte
	work  [batchSize][]byte // a copy that the write eats up
	vec   net.Buffers
	n     int
}

var batches = sync.Pool{New: func() any { return new(batch) }}

func (b *batch) add(frame []byte) {
	b.src[b.n] = frame
	b.n++
}

// reset lets go of everything that the batch refers to.
func (b *batch) reset() {
	clear(b.items[:])
	clear(b.src[:])
	clear(b.work[:])
	b.vec, b.n = nil, 0
}

func (b *batch) free() {
	b.reset()
	batches.Put(b)
}

// writeTo sends the frames with one system call, if the socket takes it all.
// TLS takes one piece only, so for that they are put together first.
func (b *batch) writeTo(sock net.Conn, vectored bool) (int64, error) {
	if b.n == 1 {
		n, err := sock.Write(b.src[0])
		return int64(n), err
	}
	if vectored {
		b.vec = b.work[:copy(b.work[:], b.src[:b.n])]
		return b.vec.WriteTo(sock)
	}
	var joined []byte
	for _, f := range b.src[:b.n] {
		joined = append(joined, f...)
	}
	n, err := sock.Write(joined)
	return int64(n), err
}

// rest gives what is missing of the frame in which a write of sent bytes
// stopped, nil if it stopped between two.
func (b *batch) rest(sent int64) []byte {
	for _, f := range b.src[:b.n] {
		if sent < int64(len(f)) {
			if sent == 0 {
				return nil
			}
			return append([]byte(nil), f[sent:]...)
		}
		sent -= int64(len(f))
	}
	return nil
}

// writeLoop is the writer goroutine up to the end of the sync. Then a fresh
// one takes its place: encoding a snapshot needs a deep stack, and an idle
// connection should not keep it.
func (c *conn) writeLoop() {
	if err := c.prepare(); err != nil {
		c.endWriter(err)
		return
	}
	go func() { c.endWriter(c.follow()) }()
}

func (c *conn) prepare() (err error) {
	defer c.catchInto("sync", &err)
	if err := c.awaitAdmission(); err != nil {
		return err
	}
	return c.synchronise()
}

// endWriter does what the writer owes whatever happened.
func (c *conn) endWriter(err error) {
	defer c.leave()
	defer c.catch("writer")
	if c.watch != nil {
		c.watch.Close()
	}
	if err != nil && !errors.Is(err, errClosing) {
		c.writerFailed(err)
	}
	c.sayGoodbye()
}

// awaitAdmission sends what there is to say before the session, which is
// about authentication only.
func (c *conn) awaitAdmission() error {
	for {
		c.mu.Lock()
		admitted := c.sync != nil
		c.mu.Unlock()
		if admitted {
			return nil
		}
		if err := c.flush(); err != nil {
			return err
		}
		<-c.signal
	}
}

// follow sends the session live until the connection ends.
func (c *conn) follow() (err error) {
	defer c.catchInto("writer", &err)
	for {
		if err := c.flush(); err != nil {
			return err
		}
		wait, err := c.step()
		if err != nil {
			return err
		}
		if wait == nil {
			continue
		}
		select {
		case <-wait:
		case <-c.signal:
		}
	}
}

// step sends what the feed has, or gives the channel to wait on.
func (c *conn) step() (wait <-chan struct{}, err error) {
	b := batches.Get().(*batch) //nolint:forcetypeassert // the pool holds nothing else
	defer b.free()
	n, behind, wait, err := c.feed.Next(c.pos, b.items[:])
	switch {
	case errors.Is(err, session.ErrFeedClosed):
		return nil, c.reattach()
	case errors.Is(err, session.ErrBehind):
		// Nobody's fault if the feed ran ahead of a busy machine: the journal
		// has it all. A client that does not read is another matter.
		if c.blocked {
			c.closeSlow()
			return nil, errClosing
		}
		return nil, c.catchUp()
	case err != nil || n == 0:
		return wait, err
	case c.blocked && c.g.limits.Queue > 0 && n+behind > c.g.limits.Queue:
		c.closeSlow()
		return nil, errClosing
	}
	missing := c.collect(b, n)
	if err := c.write(b); err != nil {
		return nil, err
	}
	if missing > 0 {
		return nil, c.fill(missing)
	}
	if c.recheck {
		c.recheck = false
		return nil, c.checkAccess()
	}
	return nil, nil
}

// collect picks what to send of the n items in b and moves the position past
// them. If records are missing before an item, it stops there and returns the
// seq of the last missing one: a client never sees a gap.
func (c *conn) collect(b *batch, n int) (missing uint64) {
	f := c.filter.Load()
	for _, it := range b.items[:n] {
		switch {
		case it.Seq > c.last+1:
			return it.Seq - 1
		case it.Seq > 0:
			if it.Seq >= c.gate {
				c.gate = 0
			}
			if it.Seq <= c.last {
				c.pos++
				continue // sent before
			}
			c.last = it.Seq
			c.recheck = c.recheck || it.Type == clew.EventAccessChanged
		case c.gate > 0:
			c.pos++
			continue
		}
		c.pos++
		if !f.hides(monitorOf(it.Frame)) {
			b.add(it.Frame)
		}
	}
	return 0
}

// flush sends the answers that are due.
func (c *conn) flush() error {
	for {
		out := c.take(c.last)
		if len(out) == 0 {
			return c.closing()
		}
		for len(out) > 0 {
			k := min(len(out), batchSize)
			b := batches.Get().(*batch) //nolint:forcetypeassert // the pool holds nothing else
			for _, o := range out[:k] {
				b.add(o.frame)
			}
			err := c.write(b)
			b.free()
			if err != nil {
				return err
			}
			out = out[k:]
		}
	}
}

// closing gives errClosing if the connection is to end.
func (c *conn) closing() error {
	if c.ending().state != stateOpen {
		return errClosing
	}
	return nil
}

// write sends a batch with one system call if the socket takes it all.
func (c *conn) write(b *batch) error {
	if b.n == 0 {
		return nil
	}
	start := time.Now()
	if err := c.setWriteDeadline(start); err != nil {
		return err
	}
	sent, err := b.writeTo(c.sock, c.vectored)
	c.noteWrite(start, int64(b.n), sent)
	if err != nil {
		c.rest = b.rest(sent)
		return &socketError{err}
	}
	return nil
}

// writeBytes sends frames that lie in one piece.
func (c *conn) writeBytes(p []byte, frames int) error {
	if len(p) == 0 {
		return nil
	}
	start := time.Now()
	if err := c.setWriteDeadline(start); err != nil {
		return err
	}
	sent, err := c.sock.Write(p)
	c.noteWrite(start, int64(frames), int64(sent))
	if err != nil {
		if sent > 0 {
			c.rest = append([]byte(nil), p[sent:]...)
		}
		return &socketError{err}
	}
	return nil
}

func (c *conn) noteWrite(start time.Time, frames, bytes int64) {
	c.blocked = time.Since(start) >= c.g.limits.slowWrite()
	c.g.Counters.FramesOut.Add(frames)
	c.g.Counters.BytesOut.Add(bytes)
}

// setWriteDeadline moves the deadline only if it has come noticeably nearer:
// setting it costs more than a small write. It is under the lock because close
// and die shorten it; what is under way when close comes still goes out.
func (c *conn) setWriteDeadline(now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.end.state {
	case stateClosing:
		return nil
	case stateDead:
		return errClosing
	}
	timeout := c.g.limits.WriteTimeout
	by := now.Add(timeout).UnixMilli()
	if by-c.wroteBy <= timeout.Milliseconds()/10 {
		return nil
	}
	c.wroteBy = by
	return c.sock.SetWriteDeadline(now.Add(timeout))
}

// A socketError is a failed write, as against a failure of the session.
type socketError struct{ err error }

func (e *socketError) Error() string { return "write: " + e.err.Error() }
func (e *socketError) Unwrap() error { return e.err }

// writerFailed decides how the connection ends after the writer's error.
func (c *conn) writerFailed(err error) {
	var broken *socketError
	switch {
	case !errors.As(err, &broken):
		c.fail(err)
	case errors.Is(broken.err, os.ErrDeadlineExceeded):
		c.closeSlow()
	default:
		c.die()
	}
}
