package gateway

import (
	"bytes"
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/feed"
)

// batchSize is how many frames go out with one system call at most.
const batchSize = 64

// errClosing says that the connection is to be closed; conn.end says how.
var errClosing = errors.New("connection is closing")

// A batch is what one write sends. Batches are shared by all connections: an
// idle one has none.
type batch struct {
	items [batchSize]*feed.Item
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

// pieces gives the frames as a write takes them. TLS takes one piece at a time
// and would make a record of each, so for that they are put together first.
func (b *batch) pieces(vectored bool) *net.Buffers {
	n := copy(b.work[:], b.src[:b.n])
	if !vectored && n > 1 {
		b.work[0] = bytes.Join(b.src[:b.n], nil)
		n = 1
	}
	b.vec = b.work[:n]
	return &b.vec
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
	live := c.follow
	if c.source != nil {
		live = c.listen
	}
	go func() { c.endWriter(live()) }()
}

func (c *conn) prepare() (err error) {
	defer c.catchInto("sync", &err)
	if err := c.awaitAdmission(); err != nil {
		return err
	}
	if c.source != nil {
		return nil
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
			runtime.Gosched()
			continue
		}
		select {
		case <-wait:
			// To the end of the line: otherwise those just woken go before those
			// that have waited longer, and under load these fall far behind.
			runtime.Gosched()
		case <-c.signal:
		}
	}
}

// step sends what the feed has, or gives the channel to wait on.
func (c *conn) step() (wait <-chan struct{}, err error) {
	if err := c.recheckAccess(); err != nil {
		return nil, err
	}
	b := batches.Get().(*batch)
	defer b.free()
	n, behind, wait, err := c.feed.Next(c.pos, b.items[:])
	switch {
	case errors.Is(err, feed.ErrClosed):
		return nil, c.reattach()
	case errors.Is(err, feed.ErrBehind):
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
	missing, gap := c.collect(b, n)
	if err := c.write(b); err != nil {
		return nil, err
	}
	if gap {
		return nil, c.resync()
	}
	if missing > 0 {
		return nil, c.fill(missing)
	}
	return nil, nil
}

// collect picks what to send of the n items in b and moves the position past
// them. If records are missing before an item, it stops there and returns the
// seq of the last missing one: a client never sees a gap.
func (c *conn) collect(b *batch, n int) (missing uint64, gap bool) {
	if c.view == clew.ViewState {
		return 0, c.collectState(b, n)
	}
	f := c.filter.Load()
	for _, it := range b.items[:n] {
		switch {
		case it.Change != nil:
			c.pos++
			continue
		case it.Seq > c.last+1:
			return it.Seq - 1, false
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
		if !f.hides(monitorOf(it.Frame())) {
			b.add(it.Frame())
		}
		if it.Type == clew.EventAccessChanged { // who lost it hears nothing more
			break
		}
	}
	return 0, false
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
			b := batches.Get().(*batch)
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

// write sends a batch, with one system call if the socket takes it all.
func (c *conn) write(b *batch) error {
	if b.n == 0 {
		return nil
	}
	sent, err := c.writeVec(b.pieces(c.vectored))
	c.g.Counters.FramesOut.Add(int64(b.n))
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
	sent, err := c.writeVec(&net.Buffers{p})
	c.g.Counters.FramesOut.Add(int64(frames))
	if err != nil {
		if sent > 0 {
			c.rest = append([]byte(nil), p[sent:]...)
		}
		return &socketError{err}
	}
	return nil
}

// writeVec writes all of vec. A client that takes nothing for a while, with
// more than the queue's limit waiting behind, is too slow; without that it has
// the whole time-out.
//
// The second, short try is there because on a busy machine the first one's
// time can be over before it began: closing connections because the server is
// busy would make it busier.
func (c *conn) writeVec(vec *net.Buffers) (sent int64, err error) {
	if planted.Bug("slow reader holds everybody up") {
		planted.Everybody.Lock()
		defer planted.Everybody.Unlock()
	}
	whole := c.g.limits.WriteTimeout
	slow := whole / 5
	c.blocked = false
	for try, wait := range [...]time.Duration{slow, slow / 10, whole - slow} {
		if err := c.setWriteDeadline(wait, try == 0); err != nil {
			return sent, err
		}
		n, err := vec.WriteTo(c.sock)
		sent += n
		c.g.Counters.BytesOut.Add(n)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return sent, err
		}
		if try == 1 {
			if c.blocked = true; c.lags() {
				break
			}
		}
	}
	return sent, os.ErrDeadlineExceeded
}

// lags reports whether more is waiting in the feed than the queue's limit.
func (c *conn) lags() bool {
	if c.feed == nil || c.g.limits.Queue <= 0 {
		return false
	}
	end, _ := c.feed.End()
	return end > c.pos+uint64(c.g.limits.Queue)
}

// setWriteDeadline gives the next write so much time. A lazy one moves the
// deadline only if it has come noticeably nearer: setting it costs more than a
// small write. It is under the lock because close and die shorten it; what is
// under way when close comes still goes out.
func (c *conn) setWriteDeadline(wait time.Duration, lazy bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.end.state {
	case stateClosing:
		return nil
	case stateDead:
		return errClosing
	}
	by := c.g.elapsed() + wait.Milliseconds()
	if lazy && by-c.wroteBy <= wait.Milliseconds()/10 && by >= c.wroteBy {
		return nil
	}
	c.wroteBy = by
	return c.sock.SetWriteDeadline(socketDeadline(wait))
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
