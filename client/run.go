package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// run is the client's goroutine: it keeps a connection until Close or until
// there is no point in trying again. opened is closed at the first success.
func (c *Client) run(opened chan struct{}) {
	defer close(c.done)
	defer c.queue.end()
	c.setState(Connecting, nil)
	retries := 0
	for first := true; ; {
		ws, err := c.open()
		if err == nil {
			var synced bool
			synced, err = c.serve(ws, func() {
				if first {
					first = false
					close(opened)
				}
			})
			if synced {
				retries = 0
			}
		} else if first && !c.opts.WaitForServer {
			c.setState(Failed, err)
			return
		}
		if c.over(err) {
			return
		}
		c.failed = err
		if retries >= c.opts.Retry.MaxRetries {
			c.setState(Failed, err)
			return
		}
		if !first {
			c.setState(Reconnecting, err)
		}
		delay := max(jitter(c.opts.Retry.Delay(retries), c.opts.Random()), retryAfter(err))
		retries++
		if c.opts.Sleep(c.soft, delay) != nil {
			c.setState(Disconnected, nil)
			return
		}
	}
}

// over settles an end that needs no further attempt.
func (c *Client) over(err error) bool {
	var e *ending
	switch {
	case c.soft.Err() != nil:
		c.setState(Disconnected, nil)
	case errors.As(err, &e) && e.normal:
		c.setState(Disconnected, nil)
	case errors.As(err, &e) && e.final:
		c.setState(Failed, e.Unwrap())
	default:
		return false
	}
	return true
}

// open makes one attempt to connect.
func (c *Client) open() (*websocket.Conn, error) { return c.openAt(c.address()) }

func (c *Client) openAt(address string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(c.soft, c.opts.Idle)
	defer cancel()
	h := c.opts.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if c.opts.Token != "" {
		h.Set("Authorization", "Bearer "+c.opts.Token)
	}
	opts := &websocket.DialOptions{HTTPClient: c.opts.HTTPClient, HTTPHeader: h}
	ws, resp, err := websocket.Dial(ctx, address, opts) //nolint:bodyclose // Dial has closed it
	if err != nil {
		return nil, refusal(resp, err)
	}
	ws.SetReadLimit(c.opts.ReadLimit)
	return ws, nil
}

func (c *Client) address() string {
	u := *c.base
	u.Path += "/ws/" + string(c.opts.Session)
	q := url.Values{"client_id": {string(c.opts.ClientID)}}
	if c.opts.View != "" {
		q.Set("view", string(c.opts.View))
	}
	if from, epoch := c.pos.resumeFrom(); from != "" {
		q.Set("resume_from", from)
		if epoch != "" {
			q.Set("epoch", epoch)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// serve reads a connection until it ends. synced says whether it came as far
// as to be worth a fresh count of retries.
func (c *Client) serve(ws *websocket.Conn, ready func()) (synced bool, err error) {
	defer func() { _ = ws.CloseNow() }() // nothing is left to say
	defer c.setConn(nil)
	if !c.setConn(ws) {
		return false, c.soft.Err()
	}
	c.setState(Connected, nil)
	ready() // from here on commands can be sent
	c.pos.connected()
	start := c.pos.seq
	synced, err = c.readAll(ws)
	var fault *protocolError
	if errors.As(err, &fault) && c.pos.seq == start {
		// A server that greets well and then sends nonsense, without ever
		// getting further, must not be asked for ever.
		synced = false
	}
	return synced, err
}

func (c *Client) readAll(ws *websocket.Conn) (synced bool, err error) {
	var last *clew.Error // what the server said right before it closed
	for {
		env, size, err := c.read(ws)
		if err != nil {
			return synced, closing(err, last)
		}
		done, err := c.handle(ws, env, size)
		synced = synced || done
		if err != nil {
			return synced, err
		}
		last = saidError(env)
	}
}

func (c *Client) setConn(ws *websocket.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ws != nil && c.soft.Err() != nil {
		return false
	}
	c.ws = ws
	return true
}

// read waits for the next frame, no longer than a live server may be silent.
func (c *Client) read(ws *websocket.Conn) (wire.Envelope, int, error) {
	ctx, cancel := context.WithTimeout(c.hard, c.opts.Idle)
	defer cancel()
	_, b, err := ws.Read(ctx)
	if err != nil {
		if ctx.Err() != nil && c.hard.Err() == nil {
			err = clew.WrapError(clew.ConnectionTimeout, err, "nothing heard for %s", c.opts.Idle)
		}
		return wire.Envelope{}, 0, err
	}
	// The data stays undecoded: callers look into few of the envelopes.
	var env wire.Envelope
	if err := json.Unmarshal(b, &env); err != nil || env.Type == "" {
		return wire.Envelope{}, 0, faultf("a frame is not an envelope")
	}
	return env, len(b), nil
}

// handle deals with one envelope. synced is true at the end of a replay.
func (c *Client) handle(ws *websocket.Conn, env wire.Envelope, size int) (synced bool, err error) {
	if clew.EventType(env.Type) == clew.EventPing {
		return false, c.write(c.hard, ws, c.pong())
	}
	c.pos.filtered = c.filtered.Load()
	fresh, err := c.pos.take(env)
	if err != nil {
		return false, err
	}
	c.settle(env)
	if clew.EventType(env.Type) == clew.EventSyncComplete {
		synced = true
		c.setState(Active, nil)
		if err := c.sayAgain(ws); err != nil {
			return synced, err
		}
	}
	if !fresh {
		return synced, nil
	}
	if c.opts.NoFollow {
		c.setCursor(c.pos.seq, c.pos.epoch)
		return synced, nil
	}
	return synced, c.queue.push(c.soft, item{env: env, seq: c.pos.seq, ep: c.pos.epoch, size: size})
}
