package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// A watcher sees a session through one node as a client does, and counts how
// often it hears of the end of each question.
type watcher struct {
	t    testing.TB
	host *session.Host
	id   clew.SessionID

	mu   sync.Mutex
	last uint64
	ends map[clew.RequestID]int
}

// run watches until ctx ends.
func (w *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.attach(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, feed.ErrClosed) && !errors.Is(err, feed.ErrBehind) {
			w.t.Errorf("watching %s: %v", w.id, err)
			return
		}
	}
}

// attach reads what came meanwhile from the journal and then follows the feed.
func (w *watcher) attach(ctx context.Context) error {
	watch, err := w.host.Watch(ctx, w.id)
	if err != nil {
		return err
	}
	defer watch.Close()
	pos, seq := watch.Feed().End()
	for r, err := range watch.Read(ctx, w.last+1, seq) {
		if err != nil {
			return err
		}
		w.hear(r.Seq, r.Type, r.Envelope())
	}
	buf := make([]*feed.Item, 64)
	for {
		n, _, wait, err := watch.Feed().Next(pos, buf)
		if err != nil {
			return err
		}
		for _, it := range buf[:n] {
			pos++
			if it.Seq > 0 {
				w.hear(it.Seq, it.Type, it.Envelope)
			}
		}
		if n == 0 {
			select {
			case <-wait:
			case <-ctx.Done():
				return nil
			}
		}
	}
}

func (w *watcher) hear(seq uint64, typ clew.EventType, envelope []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seq != w.last+1 {
		w.t.Errorf("session %s: record %d came after %d", w.id, seq, w.last)
	}
	w.last = seq
	if typ == clew.EventHitlResolved {
		w.ends[decode[envelopeOf[clew.HitlResolvedData]](w.t, envelope).Data.RequestID]++
	}
}

// upTo reports whether the watcher has seen a record.
func (w *watcher) upTo(seq uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last >= seq
}

// envelopeOf is an envelope with data of a known type.
type envelopeOf[T any] struct {
	Data T `json:"data"`
}

func decode[T any](t testing.TB, b []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		t.Errorf("%s: %v", b, err)
	}
	return v
}
