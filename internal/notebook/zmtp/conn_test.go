package zmtp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const patience = 30 * time.Second

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// sockets gives both ends of a Unix socket.
func sockets(t testing.TB) (a, b net.Conn) {
	t.Helper()
	dir, err := os.MkdirTemp("", "z")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err = net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(); _ = b.Close() })
	return a, b
}

type joined struct {
	conn *Conn
	err  error
}

// join shakes hands on both ends.
func join(t testing.TB, one, other Socket) (a, b joined) {
	t.Helper()
	x, y := sockets(t)
	second := make(chan joined)
	go func() {
		c, err := Handshake(within(t), y, other, "")
		second <- joined{c, err}
	}()
	c, err := Handshake(within(t), x, one, "who I am")
	return joined{c, err}, <-second
}

func TestHandshake(t *testing.T) {
	for _, c := range []struct {
		one, other Socket
		fits       bool
	}{
		{Dealer, Router, true}, {Sub, Pub, true}, {Sub, "XPUB", true}, {Req, Rep, true}, {Req, Router, true},
		{Dealer, Pub, false}, {Sub, Router, false}, {Dealer, "", false},
	} {
		a, b := join(t, c.one, c.other)
		if (a.err == nil) != c.fits || (!c.fits && !errors.Is(a.err, ErrProtocol)) {
			t.Errorf("%s to %s: %v", c.one, c.other, a.err)
		}
		if c.fits && a.conn.Peer().Socket != c.other {
			t.Errorf("%s to %s: peer %+v", c.one, c.other, a.conn.Peer())
		}
		if c.one == Dealer && c.fits && b.conn.Peer().Identity != "who I am" {
			t.Errorf("%s has the identity %q", c.one, b.conn.Peer().Identity)
		}
	}
}

func TestHandshakeRefuses(t *testing.T) {
	good := string(greeting())
	frame := func(flags byte, body string) string { return string(encodeFrame(nil, flags, []byte(body))) }
	for name, said := range map[string]string{
		"another protocol":  "HTTP/1.1 400 Bad Request\r\n\r\n",
		"an older version":  good[:10] + "\x01" + good[11:],
		"another mechanism": strings.Replace(good, "NULL", "CURV", 1),
		"a message first":   good + frame(0, "hello"),
		"a huge message":    good + "\x02\x00\x00\x00\x00\x40\x00\x00\x00",
		"a huge command":    good + "\x06\x00\x00\x00\x00\x40\x00\x00\x00",
		"an error":          good + frame(flagCommand, "\x05ERROR\x03why"),
		"no name":           good + frame(flagCommand, ""),
		"a cut property":    good + frame(flagCommand, "\x05READY\x0bSocket-Type\x00\x00\x00\xffROUTER"),
		"a cut name":        good + frame(flagCommand, "\x05READY\x0bSock"),
		"a long identity":   good + frame(flagCommand, string(ready(Router, strings.Repeat("i", 256)))),
		"unknown flags":     good + "\x80\x00",
	} {
		t.Run(name, func(t *testing.T) {
			x, y := sockets(t)
			if _, err := y.Write([]byte(said)); err != nil {
				t.Fatal(err)
			}
			if _, err := Handshake(within(t), x, Dealer, ""); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v", err)
			}
			if _, err := x.Write([]byte{0}); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the connection is open: %v", err)
			}
		})
	}
}

func TestHandshakeEndsWithItsContext(t *testing.T) {
	x, _ := sockets(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Handshake(ctx, x, Dealer, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	x, _ = sockets(t)
	if _, err := Handshake(within(t), x, Dealer, strings.Repeat("i", 256)); err == nil {
		t.Error("an identity of 256 bytes was taken")
	}
	if _, err := Dial(within(t), "unix", "/nowhere/at-all", Dealer, ""); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestMessages(t *testing.T) {
	a, b := join(t, Dealer, Router)
	many := make([][]byte, MaxFrames)
	for i := range many {
		many[i] = []byte{byte(i)}
	}
	for name, frames := range map[string][][]byte{
		"empty":     {{}},
		"delimiter": {{}, []byte("x")},
		"255":       {bytes.Repeat([]byte("a"), 255)},
		"256":       {bytes.Repeat([]byte("b"), 256), {}},
		"5 MiB":     {[]byte("head"), bytes.Repeat([]byte("0123456789"), 1<<19)},
		"64 frames": many,
	} {
		sent := make(chan error)
		go func() { sent <- a.conn.Send(within(t), frames...) }()
		got, err := b.conn.Receive(within(t))
		if err := errors.Join(err, <-sent); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !equal(got, frames) {
			t.Errorf("%s: %d frames came of %d, or they differ", name, len(got), len(frames))
		}
	}
}

func equal(a, b [][]byte) bool {
	return len(a) == len(b) && bytes.Equal(bytes.Join(a, []byte{0}), bytes.Join(b, []byte{0}))
}

// TestTimeoutKeepsWhatCame lets a message come in parts with a time-out after each.
func TestTimeoutKeepsWhatCame(t *testing.T) {
	x, y := sockets(t)
	c := &Conn{raw: x, reader: newReader(x)}
	frames := [][]byte{[]byte("first"), bytes.Repeat([]byte("z"), 100_000), {}, []byte("last")}
	all := Encode(frames)
	for at, step := 0, 0; at < len(all); step++ {
		n := min(1+step*step*200, len(all)-at)
		if _, err := y.Write(all[at : at+n]); err != nil {
			t.Fatal(err)
		}
		if at += n; at == len(all) {
			break
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Millisecond)
		if got, err := c.Receive(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("after %d bytes: %d frames, %v", at, len(got), err)
		}
		cancel()
	}
	got, err := c.Receive(within(t))
	if err != nil || !equal(got, frames) {
		t.Errorf("%d frames came: %v", len(got), err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Receive(over); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		want error
	}{
		"between messages": {"\x00\x01a", io.EOF},
		"in a head":        {"\x02\x00", io.ErrUnexpectedEOF},
		"in a body":        {"\x00\x05abc", io.ErrUnexpectedEOF},
		"between frames":   {"\x01\x01a", io.ErrUnexpectedEOF},
	} {
		r := newReader(strings.NewReader(c.said))
		var err error
		for err == nil {
			_, err = r.message()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSendInDoubt ends a context when the peer has the first byte of a message that
// its buffers cannot hold.
func TestSendInDoubt(t *testing.T) {
	x, y := sockets(t)
	c := &Conn{raw: x, reader: newReader(x), send: make(chan struct{}, 1)}
	c.send <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = y.Read(make([]byte, 1))
		cancel()
	}()
	err := c.Send(ctx, make([]byte, 16<<20))
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrNotSent) {
		t.Errorf("half a message: %v", err)
	}
	if err := c.Send(within(t), []byte("x")); !errors.Is(err, ErrNotSent) || !errors.Is(err, net.ErrClosed) {
		t.Errorf("after half a message: %v", err)
	}
	if err := c.Send(ctx, []byte("x")); !errors.Is(err, ErrNotSent) {
		t.Errorf("after the end of the context: %v", err)
	}
}
