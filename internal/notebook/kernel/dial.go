package kernel

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

const (
	// firstProbe is how long a kernel may take to say welcome before it is asked.
	firstProbe = 200 * time.Millisecond
	maxProbe   = 2 * time.Second
	// startWithin is how long it may take from the first socket of a kernel until it says
	// that it starts.
	startWithin = 10 * time.Second
	// nextTry is how long to wait for sockets that are not there yet.
	nextTry = 25 * time.Millisecond
)

// Options say how to join a kernel.
type Options struct {
	// Identity is the name by which the kernel knows this client, at most 255 bytes.
	// With the same one after a restart the replies to the old requests arrive, and
	// open questions can be answered. A new one each time if empty.
	Identity string
	// Starting waits for sockets that are not there yet, as of a kernel that was
	// just started.
	Starting bool
	// SaysStarting waits until a kernel that was just started says so. It is for ipykernel,
	// which has sockets long before; others may have said it before anybody can hear it.
	SaysStarting bool
	// ReadTimeout is how long one read of a socket lasts, 1 s if zero.
	ReadTimeout time.Duration
	// Log takes what is wrong with the kernel's messages; nothing is logged if nil.
	Log *slog.Logger
}

// Dial joins a kernel and returns when its output is sure to arrive: when it has
// said welcome, or, as kernels before ipykernel 7 do not, when it has published
// anything, for which it is asked again and again. It does not wait for a cell that
// runs. The Client must be closed.
func Dial(ctx context.Context, at Connection, o Options) (*Client, error) {
	if err := at.Check(); err != nil {
		return nil, err
	}
	c := newClient(at, o)
	if err := c.connect(ctx, at, o); err != nil {
		_ = c.Close()
		return nil, clew.WrapError(clew.ConnectionFailed, err, "the kernel cannot be reached")
	}
	c.pumpMessages()
	if err := c.listen(ctx); err != nil {
		_ = c.Close()
		return nil, clew.WrapError(clew.ConnectionFailed, err, "the kernel does not answer")
	}
	return c, nil
}

func newClient(at Connection, o Options) *Client {
	return &Client{
		signer:    signer(at.Key),
		log:       cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		wait:      cmp.Or(o.ReadTimeout, time.Second),
		id:        newID(),
		channels:  make(map[Channel]*zmtp.Conn),
		heartbeat: heartbeat{busy: make(chan struct{}, 1)},
		silent:    make(map[Channel]chan struct{}),
		queue:     newQueue(),
		heard:     make(chan struct{}),
		started:   make(chan struct{}),
		done:      make(chan struct{}),
		closed:    make(chan struct{}),
		requests:  make(map[string]chan Message),
		nudges:    make(map[string]context.CancelFunc),
	}
}

func (c *Client) connect(ctx context.Context, at Connection, o Options) error {
	identity := cmp.Or(o.Identity, c.id)
	dial := func(port int, socket zmtp.Socket, identity string) (*zmtp.Conn, error) {
		network, address := at.address(port)
		for {
			conn, err := zmtp.Dial(ctx, network, address, socket, identity)
			if !o.Starting || !notYet(err) {
				return conn, err
			}
			select {
			case <-time.After(nextTry):
			case <-ctx.Done():
				return nil, errors.Join(ctx.Err(), err)
			}
		}
	}
	open := func(channel Channel, port int, socket zmtp.Socket) error {
		conn, err := dial(port, socket, identity)
		if err != nil {
			return err
		}
		c.begin(channel, conn)
		return nil
	}
	if err := open(IOPub, at.IOPubPort, zmtp.Sub); err != nil {
		return err
	}
	if err := c.channels[IOPub].Send(ctx, []byte{1}); err != nil { // subscribe to everything
		return err
	}
	if o.SaysStarting {
		if err := c.awaitStart(ctx); err != nil {
			return err
		}
	}
	// A kernel sends its questions to the identity that a request came from, so
	// stdin has the one of shell, and is there before it.
	for _, s := range []struct {
		channel Channel
		port    int
	}{{Stdin, at.StdinPort}, {Control, at.ControlPort}, {Shell, at.ShellPort}} {
		if err := open(s.channel, s.port, zmtp.Dealer); err != nil {
			return err
		}
	}
	c.again = func(ctx context.Context) (*zmtp.Conn, error) {
		network, address := at.address(at.ShellPort)
		return zmtp.Dial(ctx, network, address, zmtp.Dealer, "")
	}
	conn, err := dial(at.HBPort, zmtp.Req, "")
	c.heartbeat.conn = conn
	return err
}

// awaitStart waits until a kernel says that it starts, for a while: in ipykernel 7, two
// threads use the sockets of shell and control while it starts, and of what arrives by then
// it may lose the rest of the connection.
func (c *Client) awaitStart(ctx context.Context) error {
	select {
	case <-c.started:
	case <-time.After(startWithin):
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// notYet says whether a socket may only not be there yet.
func notYet(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || (errors.As(err, &n) && n.Timeout() && !errors.Is(err, context.DeadlineExceeded))
}

// listen waits until something was published. A kernel which runs a cell answers
// on control; some know only a few requests there, so shell is asked too, later.
func (c *Client) listen(ctx context.Context) error {
	pause := firstProbe
	for try := 0; ; try++ {
		select {
		case <-c.heard:
			return nil
		case <-c.done:
			return c.Err()
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		channel := Control
		if try%4 == 2 {
			channel = Shell
		}
		if err := c.send(ctx, channel, header{MsgID: c.nextID(), Type: "kernel_info_request"}, nil, struct{}{}); err != nil {
			return err
		}
		pause = min(pause*2, maxProbe)
	}
}
