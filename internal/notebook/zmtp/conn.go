package zmtp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// A Conn is one connection after the handshake. One goroutine may receive while
// any number send.
type Conn struct {
	raw    net.Conn
	reader *reader
	peer   Peer
	send   chan struct{} // holds a token while nobody writes
}

// A Peer is what the other side said of itself.
type Peer struct {
	Socket   Socket
	Identity string
}

// Dial connects to "unix" or "tcp" and shakes hands. A kernel's ROUTER sends
// replies to whoever has the identity, so with the same one a new process takes
// over from an old.
func Dial(ctx context.Context, network, address string, socket Socket, identity string) (*Conn, error) {
	var d net.Dialer
	raw, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return Handshake(ctx, raw, socket, identity)
}

// Handshake makes a Conn of a connection, on either side of it. It closes the
// connection if that fails.
func Handshake(ctx context.Context, raw net.Conn, socket Socket, identity string) (*Conn, error) {
	return handshake(ctx, raw, socket, identity, nil)
}

// Accept is Handshake on the side that was dialed. known is called with the connection
// before the peer can know that it is connected: from then on what is sent to it arrives.
func Accept(ctx context.Context, raw net.Conn, socket Socket, known func(*Conn)) (*Conn, error) {
	return handshake(ctx, raw, socket, "", known)
}

func handshake(ctx context.Context, raw net.Conn, socket Socket, identity string, known func(*Conn)) (*Conn, error) {
	if len(identity) > maxIdentity {
		_ = raw.Close()
		return nil, fmt.Errorf("an identity has at most %d bytes", maxIdentity)
	}
	c := &Conn{raw: raw, reader: newReader(raw), send: make(chan struct{}, 1)}
	if err := c.shake(ctx, socket, identity, known); err != nil {
		_ = raw.Close()
		return nil, err
	}
	c.send <- struct{}{}
	return c, nil
}

// Peer says who the other side is.
func (c *Conn) Peer() Peer { return c.peer }

// Close ends the connection. A call under way returns with an error.
func (c *Conn) Close() error { return c.raw.Close() }

// Receive gives the frames of the next message. When ctx ends first, the error is
// that of ctx, and what has arrived of the message is kept for the next call. After
// a *TooLargeError the connection goes on; every other error is its end.
func (c *Conn) Receive(ctx context.Context) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	done := during(ctx, c.raw.SetReadDeadline)
	frames, err := c.reader.message()
	if done() && isTimeout(err) {
		return nil, ctx.Err()
	}
	return frames, err
}

// Send writes a message. The error is an ErrNotSent if nothing of it has left;
// otherwise it is in doubt whether the peer has it, and the connection is closed,
// because half a frame stands on it.
func (c *Conn) Send(ctx context.Context, frames ...[]byte) error {
	select {
	case <-c.send:
		defer func() { c.send <- struct{}{} }()
	case <-ctx.Done():
		return errors.Join(ErrNotSent, ctx.Err())
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(ErrNotSent, err)
	}
	done := during(ctx, c.raw.SetWriteDeadline)
	n, err := c.raw.Write(Encode(frames))
	if done() && isTimeout(err) {
		err = ctx.Err()
	}
	switch {
	case err == nil:
		return nil
	case n == 0:
		return errors.Join(ErrNotSent, err)
	}
	return errors.Join(err, c.raw.Close())
}

// during lets the end of ctx end a call on a socket. The function that it gives
// is to be called after that call, and says whether ctx has ended.
func during(ctx context.Context, set func(time.Time) error) (done func() bool) {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		_ = set(time.Unix(1, 0))
	})
	return func() bool {
		if stop() {
			return false
		}
		<-ended
		_ = set(time.Time{})
		return true
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
