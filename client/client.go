package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"iter"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// Options say what to connect to and how.
type Options struct {
	URL     string         // of the server: http, https, ws or wss
	Session clew.SessionID //
	Token   string         // sent in the Authorization header, never in the URL

	// ClientID tells this connection apart from others of the session; "" lets
	// the client make one, which it keeps over reconnects.
	ClientID clew.ClientID

	// ResumeFrom is "" to start with the present, FromStart for everything, or
	// the message id of the last record that the caller has. Epoch is the one
	// that Cursor gave with it, "" if not known.
	ResumeFrom string
	Epoch      string

	// View is what the server sends: records, which is the default, or the state,
	// for a Replica. A resumed view of the state goes on from what a Replica held
	// at ResumeFrom.
	View clew.View

	// Retry is DefaultRetry if it is zero.
	Retry Retry
	// WaitForServer makes Dial retry too, instead of failing at once when the
	// server cannot be reached.
	WaitForServer bool
	// NoFollow says that the caller will not call Follow: envelopes are looked
	// at for Do and then dropped.
	NoFollow bool
	// OnState is told of every change of state, in order; why is the reason of
	// Reconnecting and Failed. It must not block.
	OnState func(s State, why error)

	Header     http.Header   // further headers of the handshake
	HTTPClient *http.Client  // http.DefaultClient if nil
	Idle       time.Duration // silence after which the connection counts as broken; 60 s
	ReadLimit  int64         // size of the largest frame; 64 MiB

	// Sleep, Random and NewID are there for tests. Random gives numbers in
	// [0, 1).
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
	NewID  func() clew.ClientMessageID
}

const (
	defaultIdle      = 60 * time.Second // two of the server's ping intervals
	defaultReadLimit = 64 << 20
	writeTimeout     = 10 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Retry == (Retry{}) {
		o.Retry = DefaultRetry
	}
	if o.ClientID == "" {
		o.ClientID = clew.NewClientID()
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	if o.ReadLimit == 0 {
		o.ReadLimit = defaultReadLimit
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Random == nil {
		o.Random = mathrand.Float64
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	return o
}

func newID() clew.ClientMessageID {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return clew.ClientMessageID("c_" + hex.EncodeToString(b))
}

// A Client is connected to one session, and stays so until Close or until it
// gives up. Its methods may be called by several goroutines at once, except
// that one Follow runs at a time.
//
// One goroutine owns the connection: it opens, reads and reopens it, and is
// the only one to use pos. What others share with it is under mu.
type Client struct {
	opts Options
	base *url.URL

	pos       position
	queue     *queue
	following atomic.Bool
	filtered  atomic.Bool // the client asked for some monitors only

	soft context.Context // ended by Close: no more waiting, no new connection
	stop context.CancelFunc
	hard context.Context // ended once the socket is closed
	kill context.CancelFunc
	done chan struct{} // closed when the goroutine has ended
	// failed is why the last attempt to connect failed; to be read when done.
	failed error

	mu     sync.Mutex
	state  State
	err    error
	ws     *websocket.Conn // nil while there is none
	calls  map[clew.ClientMessageID]*call
	cursor cursor

	// The monitors asked for, as frames; that holds for one connection only.
	monitors   [][]byte
	monitorsOn *websocket.Conn
}

type cursor struct {
	seq   uint64
	known bool
	epoch string
}

// ErrFollowing says that a second Follow was started while one is running.
var ErrFollowing = errors.New("client: Follow is running already")

// Dial connects to a session and returns once the socket is open. ctx bounds
// the dialing only; Close ends the client.
func Dial(ctx context.Context, opts Options) (*Client, error) {
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	opened := make(chan struct{})
	go c.run(opened)
	select {
	case <-opened:
		return c, nil
	case <-c.done:
		return nil, c.Err()
	case <-ctx.Done():
		c.Close()
		return nil, clew.WrapError(clew.ConnectionTimeout, errors.Join(ctx.Err(), c.failed), "no connection in time")
	}
}

func newClient(opts Options) (*Client, error) {
	base, err := parseBase(opts.URL)
	if err != nil {
		return nil, err
	}
	if !opts.Session.Valid() {
		return nil, clew.Errorf(clew.InvalidMessage, "%q is not a session id", opts.Session)
	}
	pos, err := newPosition(opts.View, opts.ResumeFrom, opts.Epoch)
	if err != nil {
		return nil, err
	}
	c := &Client{
		opts: opts.withDefaults(), base: base, pos: pos, queue: newQueue(),
		done: make(chan struct{}), state: Disconnected, calls: map[clew.ClientMessageID]*call{},
		cursor: cursor{pos.seq, pos.known, pos.epoch},
	}
	c.soft, c.stop = context.WithCancel(context.Background())
	c.hard, c.kill = context.WithCancel(context.Background())
	return c, nil
}

// parseBase takes the server's address in any of the four schemes.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSuffix(s, "/"))
	if err != nil || u.Host == "" {
		return nil, clew.Errorf(clew.InvalidMessage, "%q is not a server's URL", s)
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	case "http", "https":
	default:
		return nil, clew.Errorf(clew.InvalidMessage, "%q is not a server's URL", s)
	}
	return u, nil
}

// Follow yields every envelope of the session in order: session_state at each
// connect, records without gap or repeat, streamed text and answers as they
// come. In the view of the state it yields what a Replica takes in, without gap
// too: a change that does not go on from the last one is not yielded, and the
// client reconnects with its cursor. It ends without an error after Close or when the server ended the
// connection normally, and with one when ctx ends or the client gives up. A
// later Follow goes on where an earlier one stopped.
func (c *Client) Follow(ctx context.Context) iter.Seq2[wire.Envelope, error] {
	return func(yield func(wire.Envelope, error) bool) {
		if !c.following.CompareAndSwap(false, true) {
			yield(wire.Envelope{}, ErrFollowing)
			return
		}
		defer c.following.Store(false)
		for {
			it, ok, err := c.queue.pop(ctx)
			if err == nil && !ok {
				err = c.Err()
			}
			if err != nil {
				yield(wire.Envelope{}, err)
				return
			}
			if !ok {
				return
			}
			c.setCursor(it.seq, it.ep)
			if !yield(it.env, nil) {
				return
			}
		}
	}
}

func (c *Client) setCursor(seq uint64, epoch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cursor = cursor{seq, true, epoch}
}

// Cursor gives the message id of the newest record that Follow has yielded, or
// that the session_state or state_changed it yielded stands for, and the journal's epoch. As
// Options.ResumeFrom and Epoch they let a later client go on from there. The
// id is "" before anything is known, and FromStart for an empty journal.
func (c *Client) Cursor() (id clew.MessageID, epoch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.cursor.known:
		return "", ""
	case c.cursor.seq == 0:
		return FromStart, c.cursor.epoch
	default:
		return clew.MessageIDOf(c.cursor.seq), c.cursor.epoch
	}
}

// ClientID is the id that the connection goes by.
func (c *Client) ClientID() clew.ClientID { return c.opts.ClientID }

// Close ends the connection and waits until nothing of the client is running.
func (c *Client) Close() {
	c.stop()
	c.mu.Lock()
	ws := c.ws
	c.mu.Unlock()
	if ws != nil {
		_ = ws.Close(websocket.StatusNormalClosure, "") // the server may be gone
	}
	c.kill()
	<-c.done
}
