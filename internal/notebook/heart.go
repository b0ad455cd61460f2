package notebook

import (
	"context"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

const (
	beatEvery = 3 * time.Second
	maxMissed = 3
	// stopWithin is how long a cell may take to end after an interrupt until people are
	// told that it goes on.
	stopWithin = 10 * time.Second
)

// A heart listens to the kernel's heart while a cell runs. It belongs to the execution's
// goroutine, but for the beat under way.
type heart struct {
	next     <-chan time.Time // nil while a beat is under way
	stopNext func()
	beaten   chan error
	cancel   context.CancelFunc // of the beat under way
	missed   int
	half     <-chan time.Time // see otherHalf
	stopHalf func()
}

func newHeart() heart { return heart{beaten: make(chan error, 1)} }

// due fires when the next beat is.
func (h *heart) due(c clock.Clock) <-chan time.Time {
	if h.next == nil && h.cancel == nil {
		h.next, h.stopNext = c.After(beatEvery)
	}
	return h.next
}

// beat asks for an echo. What comes of it is in beaten.
func (h *heart) beat(ctx context.Context, _ time.Time, client *kernel.Client) {
	h.next = nil
	ctx, h.cancel = context.WithTimeout(ctx, beatEvery)
	go func(ctx context.Context, beaten chan<- error) { beaten <- client.Heartbeat(ctx) }(ctx, h.beaten)
}

func (h *heart) waitHalf(c clock.Clock) {
	if h.half == nil {
		h.half, h.stopHalf = c.After(otherHalf)
	}
}

// stop waits for the beat under way.
func (h *heart) stop() {
	if h.cancel != nil {
		h.cancel()
		<-h.beaten
	}
	if h.next != nil {
		h.stopNext()
	}
	if h.half != nil {
		h.stopHalf()
	}
}

// beaten counts the beats that were missed. A kernel that is alive and does not answer
// is shown as such; people may interrupt or restart it.
func (e *execution) beaten(ctx context.Context, err error) error {
	h := &e.heart
	h.cancel()
	h.cancel = nil
	before := h.missed
	if h.missed++; err == nil {
		h.missed = 0
	}
	n := &e.view.Notebook
	switch {
	case e.stopped > 0 && n.Kernel.Wanted == clew.WishInterrupt && e.elapsed()-e.stopped >= stopWithin && !e.told:
		e.told = true
		return e.change(ctx, n, clew.KernelChangedData{KernelID: e.kernel.id, State: clew.KernelBusy, Reason: "the cell still runs after the interrupt; the kernel can be restarted"}, "")
	case h.missed == maxMissed:
		return e.change(ctx, n, clew.KernelChangedData{KernelID: e.kernel.id, State: clew.KernelBusy, Reason: unanswered}, "")
	case h.missed == 0 && before >= maxMissed:
		return e.change(ctx, n, clew.KernelChangedData{KernelID: e.kernel.id, State: clew.KernelBusy, Reason: "the kernel answers again"}, "")
	}
	return nil
}
