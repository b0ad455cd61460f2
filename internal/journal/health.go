package journal

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/session"
)

// A StorageState says what the store can do right now.
type StorageState string

// Healthy takes records and gives them. ReadOnly gives them only: the disk is
// full or failed a write, and the store waits for it. Failed will not come back
// in this process.
const (
	StorageHealthy  StorageState = "healthy"
	StorageReadOnly StorageState = "read-only"
	StorageFailed   StorageState = "failed"
)

// Storage is the state of the store.
type Storage struct {
	State StorageState
	Since time.Time
	// Why is the engine's or the kernel's own words, "" while it is healthy.
	Why string
	// Heals counts how often the store came back since the start.
	Heals int
}

// health is whether the store takes records. Whoever writes asks first, and is
// told at once when that changes while it waits: the engine gives no answer to a
// write that failed. Safe for concurrent use.
type health struct {
	embedded bool // with an outside engine it is not this node's disk that counts
	clock    clock.Clock

	mu      sync.Mutex
	now     Storage
	err     error         // what writers hear, nil while healthy
	changed chan struct{} // closed at the next change
	// well ends when the store stops taking records.
	well   context.Context
	unwell context.CancelFunc
	// life ends when the engine in this process is started anew: what it was asked
	// before gets no answer any more.
	life    context.Context
	endLife context.CancelFunc
	latched map[string]bool // streams that take no more writes until the engine starts anew
	healing chan struct{}   // kicks the healer
}

func newHealth(embedded bool, c clock.Clock) *health {
	h := &health{
		embedded: embedded, clock: c,
		now: Storage{State: StorageHealthy, Since: c.Now()}, changed: make(chan struct{}),
		latched: map[string]bool{}, healing: make(chan struct{}, 1),
	}
	h.well, h.unwell = context.WithCancel(context.Background())
	h.life, h.endLife = context.WithCancel(context.Background())
	return h
}

// restarted notes that the engine in this process was started anew.
func (h *health) restarted() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.endLife()
	h.life, h.endLife = context.WithCancel(context.Background())
}

// lifetime ends when the engine in this process is started anew.
func (h *health) lifetime() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.life
}

// read runs fn, which asks the engine something, and runs it again if the engine
// was started anew before it answered.
func (h *health) read(ctx context.Context, fn func(context.Context) error) error {
	for {
		life := h.lifetime()
		once, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(life, cancel)
		err := fn(once)
		stop()
		cancel()
		if err == nil || life.Err() == nil || ctx.Err() != nil {
			return err
		}
	}
}

// latch notes that a stream takes no more writes.
func (h *health) latch(stream, why string) {
	h.mu.Lock()
	h.latched[stream] = true
	h.mu.Unlock()
	h.set(StorageReadOnly, why)
}

// suspect notes a failed write of a file beside the engine, if it is the disk
// that failed it.
func (h *health) suspect(err error) {
	if h.embedded && diskFailed(err) {
		h.set(StorageReadOnly, err.Error())
	}
}

// diskFailed reports whether an error is the disk's and not the caller's.
func diskFailed(err error) bool {
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (h *health) set(state StorageState, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now.State == StorageFailed || h.now.State == state && state == StorageReadOnly { // the first reason counts
		return
	}
	h.now.State, h.now.Since, h.now.Why = state, h.clock.Now(), why
	h.err = clew.WrapError(clew.StorageFailed, errors.Join(session.ErrReadOnly, errors.New(why)), "%s", sentence(state, why))
	h.unwell()
	close(h.changed)
	h.changed = make(chan struct{})
	select {
	case h.healing <- struct{}{}:
	default: // the healer knows
	}
}

// healed notes that the store takes records again.
func (h *health) healed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now.State != StorageReadOnly {
		return
	}
	h.now.State, h.now.Since, h.now.Why = StorageHealthy, h.clock.Now(), ""
	h.now.Heals++
	h.err = nil
	clear(h.latched)
	h.well, h.unwell = context.WithCancel(context.Background())
	close(h.changed)
	h.changed = make(chan struct{})
}

// sentence tells people why nothing can be written.
func sentence(state StorageState, why string) string {
	what := "the server cannot write to its disk right now"
	if diskFull(why) {
		what = "the server's disk is full"
	}
	if state == StorageFailed {
		return what + " and has to be restarted; nothing that was acknowledged is lost"
	}
	return what + "; you can read, and it takes changes again by itself as soon as the disk does"
}

// diskFull reports whether these are the kernel's words for a full disk.
func diskFull(why string) bool {
	why = strings.ToLower(why)
	return strings.Contains(why, "no space left") || strings.Contains(why, "quota exceeded")
}

// writable is nil while records are taken.
func (h *health) writable() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

func (h *health) storage() (Storage, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.changed
}

func (h *health) latchedStreams() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for name := range h.latched {
		names = append(names, name)
	}
	return names
}

// write runs fn, which writes to the engine, unless the store takes nothing. fn
// is cut short when that happens meanwhile; its outcome is open then.
func (h *health) write(ctx context.Context, fn func(context.Context) error) error {
	h.mu.Lock()
	well, err := h.well, h.err
	h.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(well, cancel)()
	err = fn(ctx)
	if err != nil && well.Err() != nil {
		if unwell := h.writable(); unwell != nil {
			return unwell
		}
		return clew.WrapError(clew.StorageFailed, errors.Join(session.ErrReadOnly, err), "%s", sentence(StorageReadOnly, ""))
	}
	return err
}

// Storage gives the state of the store and a channel that is closed when it
// changes.
func (j *Journal) Storage() (Storage, <-chan struct{}) { return j.health.storage() }

// Writable implements session.Storage.
func (j *Journal) Writable() error { return j.health.writable() }

// Changed implements session.Storage.
func (j *Journal) Changed() <-chan struct{} {
	_, changed := j.health.storage()
	return changed
}
