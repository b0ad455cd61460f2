package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// A viewer watches a session's state by way of one node, as a connection does.
type viewer struct {
	h    *session.Host
	id   clew.SessionID
	w    *session.Watch
	pos  uint64
	last uint64
	client.Replica
	whole int // times that it got everything
}

// attach takes the state from where the viewer is.
func (v *viewer) attach(ctx context.Context) error {
	if v.w == nil {
		w, err := v.h.Watch(ctx, v.id)
		if err != nil {
			return err
		}
		v.w = w
	}
	c, pos, err := v.w.Since(ctx, v.last)
	if err != nil {
		return err
	}
	v.pos, v.last = pos, c.To
	if c.From == 0 {
		v.whole++
	}
	data, _ := c.Data(nil)
	return v.change(data)
}

func (v *viewer) change(data []byte) error {
	var d clew.StateChangedData
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	return v.Apply(&d)
}

// read takes in what the feed has, up to its end.
func (v *viewer) read(ctx context.Context) error {
	for {
		buf := make([]*feed.Item, 16)
		n, _, _, err := v.w.Feed().Next(v.pos, buf)
		switch {
		case errors.Is(err, feed.ErrClosed):
			v.w.Close()
			v.w = nil
			err = v.attach(ctx)
		case errors.Is(err, feed.ErrBehind):
			err = v.attach(ctx)
		case n == 0:
			return err
		}
		if err != nil {
			return err
		}
		for _, it := range buf[:n] {
			v.pos++
			if again, err := v.item(it); err != nil {
				return err
			} else if again {
				if err := v.attach(ctx); err != nil {
					return err
				}
				break
			}
		}
	}
}

// item takes one in, as the gateway's collectState sends it.
func (v *viewer) item(it *feed.Item) (again bool, err error) {
	c := it.Change
	switch {
	case it.Text != nil:
		if !v.Text(it.Text) {
			return false, fmt.Errorf("%+v does not fit %d messages", it.Text, len(v.Messages))
		}
	case c == nil, c.To < v.last:
	case c.From != v.last && (c.From == 0 || c.From > v.last || len(c.Del) > 0):
		return true, nil
	default:
		whole := *c
		whole.From, v.last = v.last, c.To
		data, _ := whole.Data(nil)
		return false, v.change(data)
	}
	return false, nil
}

// Who watches the state by way of another node than its owner holds the same,
// whatever notices are lost, with text that grows and nodes that join late.
//
// Covers: C-79
func TestRemoteStateThoughNoticesAreLost(t *testing.T) {
	nightly.Check(t, func(rt *rapid.T) {
		losses := rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(rt, "losses")
		// One message is worked on and ten may wait; if all come at once, none is refused.
		gaps := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{0, 300 * time.Millisecond, 1500 * time.Millisecond}), 1, 11).Draw(rt, "gaps")
		synctest.Test(t, func(t *testing.T) {
			p := newPair(t, pace(200*time.Millisecond, "so ", "far ", "and ", "further"))
			p.net.lose = func() bool { // called under the network's lock
				if len(losses) == 0 {
					return false
				}
				lost := losses[0]
				losses = losses[1:]
				return lost
			}
			viewers := []*viewer{{h: p.a, id: p.id}, {h: p.b, id: p.id}, {h: p.b, id: p.id}}
			for i, gap := range gaps {
				do(t, p.a, p.id, say(fmt.Sprint("m", i), "x"))
				time.Sleep(gap)
				for k, v := range viewers {
					if v.w == nil && i < k { // the last one joins late
						continue
					} else if v.w == nil {
						if err := v.attach(t.Context()); err != nil {
							rt.Fatal(err)
						}
					}
					if err := v.read(t.Context()); err != nil {
						rt.Fatalf("viewer %d: %v", k, err)
					}
				}
			}
			time.Sleep(time.Minute) // all turns are over, and every silence was noticed
			want := stateOf(t, p.a, p.id)
			for k, v := range viewers {
				if v.w == nil {
					continue
				}
				if err := v.read(t.Context()); err != nil {
					rt.Fatalf("viewer %d: %v", k, err)
				}
				got := v.SessionState(want.LastMessageID)
				got.Viewers, got.Epoch = want.Viewers, want.Epoch
				if a, b := asJSON(t, got), asJSON(t, want); a != b {
					rt.Fatalf("viewer %d has\n%s\nwant\n%s", k, a, b)
				}
				v.w.Close()
			}
			stop(p.b)
			stop(p.a)
		})
	})
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
