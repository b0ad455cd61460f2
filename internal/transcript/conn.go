package transcript

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A conn is one client of a transcript. A goroutine reads its socket all the
// time, so that a test which looks at another client does not slow this one.
type conn struct {
	ws   *websocket.Conn
	done chan struct{} // closed when the reader has ended

	mu     sync.Mutex
	frames [][]byte // heard and not yet looked at
	closed error    // why the reader ended
	wake   chan struct{}
}

const maxFrame = 64 << 20

// dial opens a socket. If the server refuses, status is its answer.
func dial(ctx context.Context, base string, r request, token string) (c *conn, status int, err error) {
	h := r.header.Clone()
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	opts := &websocket.DialOptions{HTTPHeader: h, Host: h.Get("Host")}
	h.Del("Host")
	ws, resp, err := websocket.Dial(ctx, wsURL(base)+r.target, opts) //nolint:bodyclose // Dial has closed it
	if err != nil {
		if resp != nil {
			return nil, resp.StatusCode, err
		}
		return nil, 0, err
	}
	ws.SetReadLimit(maxFrame)
	c = &conn{ws: ws, done: make(chan struct{}), wake: make(chan struct{})}
	go c.read()
	return c, http.StatusSwitchingProtocols, nil
}

func wsURL(base string) string { return "ws" + strings.TrimPrefix(base, "http") }

func (c *conn) read() {
	defer close(c.done)
	for {
		_, b, err := c.ws.Read(context.Background()) // ended by stop
		c.mu.Lock()
		if err != nil {
			c.closed = err
		} else {
			c.frames = append(c.frames, b)
		}
		close(c.wake)
		c.wake = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// A closedError says that the server closed the connection and how.
type closedError struct{ err error }

func (e *closedError) Error() string {
	var ce websocket.CloseError
	if errors.As(e.err, &ce) {
		return fmt.Sprintf("the server closed: %d %s", int(ce.Code), ce.Reason)
	}
	return fmt.Sprintf("the connection broke: %v", e.err)
}

var errQuiet = errors.New("nothing was heard in time")

// next gives the next frame, or an error once there is none within patience.
func (c *conn) next(patience time.Duration) ([]byte, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		c.mu.Lock()
		if len(c.frames) > 0 {
			f := c.frames[0]
			c.frames = c.frames[1:]
			c.mu.Unlock()
			return f, nil
		}
		closed, wake := c.closed, c.wake
		c.mu.Unlock()
		if closed != nil {
			return nil, &closedError{closed}
		}
		select {
		case <-wake:
		case <-limit.C:
			return nil, errQuiet
		}
	}
}

// send writes one frame. A connection that is closed already swallows it: the
// transcript's next step says what should have come.
func (c *conn) send(ctx context.Context, text string) error {
	return c.ws.Write(ctx, websocket.MessageText, []byte(text))
}

// leave closes the connection properly and waits for the reader.
func (c *conn) leave() {
	_ = c.ws.Close(websocket.StatusNormalClosure, "") // the peer may be gone
	<-c.done
}

// stop ends the connection without a word and waits for the reader.
func (c *conn) stop() {
	_ = c.ws.CloseNow()
	<-c.done
}
