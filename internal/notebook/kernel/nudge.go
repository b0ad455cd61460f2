package kernel

import (
	"context"
	"time"

	"github.com/clew-run/clew/internal/notebook/zmtp"
)

const (
	// firstNudge is how long a kernel may say nothing about a request.
	firstNudge = 300 * time.Millisecond
	// lastNudge ends the nudges: a pause is twice the one before.
	lastNudge = 40 * time.Second
)

// ipykernel 7 may overlook a request that arrives while it sends on the same socket: it lies
// there unread, with all that follow it, until somebody else connects. (From 7.4 on that is
// so on control only.) So who hears nothing about a request connects once more. A kernel that
// only has other things to do takes no notice.

// expect nudges the kernel until something is heard about a request, or for long.
func (c *Client) expect(id string, channel Channel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.nudges[id] = cancel
	c.nudging.Go(func() {
		defer c.unexpect(id)
		c.nudge(ctx, channel)
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

func (c *Client) nudge(ctx context.Context, channel Channel) {
	for pause := firstNudge; pause < lastNudge; pause *= 2 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		conn, err := zmtp.Dial(ctx, c.network, c.addresses[channel], zmtp.Dealer, "")
		if err != nil {
			continue
		}
		defer func() { _ = conn.Close() }() // it stays until something is heard
	}
}
