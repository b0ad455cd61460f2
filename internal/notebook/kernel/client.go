package kernel

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// lastReads is how long sockets are read after the first of them has ended.
const lastReads = 5 * time.Second

// A Client is joined to one kernel. All methods may be called by any goroutine.
// Messages must be read at once: about 8 MiB wait here, then the kernel is held up
// and, unlike this Client, drops output.
type Client struct {
	signer signer
	log    *slog.Logger
	wait   time.Duration
	id     string // of this Client, in its headers and in the ids of its own requests

	channels  map[Channel]*zmtp.Conn
	silent    map[Channel]chan struct{} // closed when nothing more is read of one
	heartbeat heartbeat
	queue     *queue
	readers   sync.WaitGroup // one for each channel
	pump      sync.WaitGroup
	nudging   sync.WaitGroup
	again     func(context.Context) (*zmtp.Conn, error) // connects to shell as somebody else

	heard    chan struct{} // closed at the first message of iopub
	hearOnce sync.Once
	started  chan struct{} // closed at the first one that is no welcome
	saysOnce sync.Once
	done     chan struct{} // closed when a socket has ended, or by Close
	closed   chan struct{} // closed by Close

	mu       sync.Mutex
	err      error // why done is closed
	isClosed bool
	requests map[string]chan Message       // own requests without a reply, by msg_id
	nudges   map[string]context.CancelFunc // requests on shell of which nothing was heard yet
}

// Messages has all that comes over iopub, the replies to Execute, and the
// questions of stdin, of each channel in order of arrival. It is closed when the Client
// has ended and the last message was read. The replies to other calls of this Client are
// theirs and not here; the status messages which they cause are, and so are late
// replies. ParentID tells them apart.
func (c *Client) Messages() <-chan Message { return c.queue.out }

// Done is closed when the Client has ended: the kernel is gone, or broke the
// protocol, or Close was called.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err says why the Client has ended, nil before.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close leaves the kernel alone and ends the Client. Messages that nobody has
// read are gone.
func (c *Client) Close() error {
	c.end(ErrClosed)
	c.mu.Lock()
	if !c.isClosed {
		c.isClosed = true
		close(c.closed)
		for _, cancel := range c.nudges {
			cancel()
		}
	}
	c.mu.Unlock()
	var errs []error
	for _, conn := range c.channels {
		errs = append(errs, ignoreClosed(conn.Close()))
	}
	errs = append(errs, c.heartbeat.close())
	c.readers.Wait()
	c.pump.Wait()
	c.nudging.Wait()
	return errors.Join(errs...)
}

// end records the first reason.
func (c *Client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	close(c.done)
}

// begin begins to read a socket.
func (c *Client) begin(channel Channel, conn *zmtp.Conn) {
	silent := make(chan struct{})
	c.channels[channel], c.silent[channel] = conn, silent
	c.readers.Go(func() {
		defer close(silent)
		c.read(channel, conn)
	})
}

// pumpMessages begins to hand messages over, until all sockets have ended. It is called once.
func (c *Client) pumpMessages() {
	c.pump.Go(func() { c.queue.pump(c.closed) })
	c.pump.Go(func() {
		c.readers.Wait()
		c.queue.finish()
	})
}

// read takes messages from a socket, one wait at a time. A time-out just goes
// on. Any other error is the end of the Client; the other sockets are then read until
// they are silent, because the last words of a kernel that died are still in them.
func (c *Client) read(channel Channel, conn *zmtp.Conn) {
	var last time.Time // when to stop, once the Client has ended
	for last.IsZero() || time.Now().Before(last) {
		err := c.readOne(channel, conn)
		ended := c.Err() != nil
		switch {
		case err == nil, !ended && errors.Is(err, context.DeadlineExceeded):
		default:
			c.end(gone(channel, err)) // the first of them counts
			return
		}
		if ended && last.IsZero() {
			last = time.Now().Add(lastReads)
		}
	}
}

func (c *Client) readOne(channel Channel, conn *zmtp.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.wait)
	defer cancel()
	frames, err := conn.Receive(ctx)
	var large *zmtp.TooLargeError
	switch {
	case errors.As(err, &large):
		return c.take(Message{Channel: channel, Problem: large.Error()})
	case err != nil:
		return err
	}
	m, err := c.signer.decode(channel, frames)
	if err != nil {
		return err
	}
	return c.take(m)
}

// take gives a message to whoever waits for it.
func (c *Client) take(m Message) error {
	c.unexpect(m.ParentID)
	switch m.Channel {
	case IOPub:
		c.hearOnce.Do(func() { close(c.heard) })
		if m.Type == "iopub_welcome" {
			return nil
		}
		c.saysOnce.Do(func() { close(c.started) })
	case Shell, Control:
		if reply := c.waiter(m.ParentID); reply != nil {
			reply <- m
			return nil
		}
	}
	if m.Problem != "" {
		c.log.Warn("a message of the kernel was left out", "channel", m.Channel, "type", m.Type, "why", m.Problem)
	}
	if !c.queue.put(m, c.closed) {
		return ErrClosed
	}
	return nil
}

// waiter takes a request out of the list, so each has one reply.
func (c *Client) waiter(id string) chan<- Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	reply := c.requests[id]
	delete(c.requests, id)
	if reply == nil {
		return nil
	}
	return reply
}

// gone tells the end of a socket.
func gone(channel Channel, err error) error {
	switch {
	case errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return clew.WrapError(clew.ConnectionFailed, err, "the kernel is gone: it closed its channel %s", channel)
	}
	return clew.WrapError(clew.ConnectionFailed, err, "the kernel's channel %s broke", channel)
}

func newID() string { return fmt.Sprintf("%x", randomBytes()) }

func randomBytes() []byte {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails
	return b
}
