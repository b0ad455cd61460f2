package client

// A State says how the connection stands.
type State string

// The states. Pausing a run does not change them.
const (
	Disconnected State = "disconnected" // not connected, and not trying
	Connecting   State = "connecting"   // the first attempt is under way
	Connected    State = "connected"    // the socket is open, the past is coming in
	Active       State = "active"       // in sync and live
	Reconnecting State = "reconnecting" // the connection broke and is being opened again
	Failed       State = "failed"       // given up; Err says why
)

// State gives the connection's present state.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Err says why the client gave up, nil as long as it has not.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// setState is called by Dial before the client's goroutine starts and by that
// goroutine afterwards, so that changes are reported in order.
func (c *Client) setState(s State, why error) {
	c.mu.Lock()
	changed := c.state != s
	c.state = s
	if s == Failed {
		c.err = why
	}
	c.mu.Unlock()
	if changed && c.opts.OnState != nil {
		c.opts.OnState(s, why)
	}
}
