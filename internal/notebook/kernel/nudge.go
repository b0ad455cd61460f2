package kernel

import (
	"context"
	"time"
)

const (
	// firstNudge is how long a kernel may say nothing about a request.
	firstNudge = 300 * time.Millisecond
	// lastNudge ends the nudges: a pause is twice the one before.
	lastNudge = 40 * time.Second
)

// ipykernel 7.0 to 7.3 may overlook a request on shell that arrives while it sends there: it
// lies unread, with all that follow it, until somebody else connects. So who hears nothing
// about a request connects once more. A kernel that only has other things to do takes no
// notice.

// expect nudges the kernel until something is heard about a request, or for long.
func (c *Client) expect(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed {
		return
	}
	if cancel := c.nudges[id]; cancel != nil { // it is asked again
		cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.nudges[id] = cancel
	c.nudging.Go(func() {
		defer c.unexpect(id)
		c.nudge(ctx)
	})
}

// unexpect ends the nudges for a request.
func (c *Client) unexpect(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.nudges[id]; cancel != nil {
		cancel()
		delete(c.nudges, id)
	}
}

func (c *Client) nudge(ctx context.Context) {
	for pause := firstNudge; pause < lastNudge; pause *= 2 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		conn, err := c.again(ctx)
		if err != nil {
			continue
		}
		defer func() { _ = conn.Close() }() // it stays until something is heard
	}
}
