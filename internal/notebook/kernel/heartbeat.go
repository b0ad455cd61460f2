package kernel

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/zmtp"
)

// A heartbeat asks for an echo, one at a time.
type heartbeat struct {
	conn *zmtp.Conn
	busy chan struct{} // holds a token while one beats
	sent int
}

// Heartbeat asks the kernel's process for an echo, also while a cell runs. A
// kernel that is stopped or swapped out does not answer before ctx ends.
func (c *Client) Heartbeat(ctx context.Context) error {
	if err := c.heartbeat.beat(ctx); err != nil {
		return clew.WrapError(clew.ConnectionTimeout, err, "the kernel's heart does not beat")
	}
	return nil
}

func (h *heartbeat) beat(ctx context.Context) error {
	select {
	case h.busy <- struct{}{}:
		defer func() { <-h.busy }()
	case <-ctx.Done():
		return ctx.Err()
	}
	h.sent++
	word := strconv.Itoa(h.sent)
	if err := h.conn.Send(ctx, nil, []byte(word)); err != nil {
		return err
	}
	for {
		frames, err := h.conn.Receive(ctx)
		if err != nil {
			return err
		}
		// An echo to an earlier beat, which nobody waited for any more, is no echo to this one.
		if len(frames) == 2 && string(frames[1]) == word {
			return nil
		}
	}
}

func (h *heartbeat) close() error {
	if h.conn == nil {
		return nil
	}
	return ignoreClosed(h.conn.Close())
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
