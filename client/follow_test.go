package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/client/clienttest"
	"github.com/clew-run/clew/wire"
)

// A bench is a fake server with one session and a client to it.
type bench struct {
	*clienttest.Server
	id clew.SessionID

	mu     sync.Mutex
	states []client.State
	why    []error
	sleeps []time.Duration
}

func newBench(t *testing.T) *bench {
	b := &bench{Server: clienttest.New(t)}
	b.id = b.CreateSession("alice")
	return b
}

// options make a client without jitter, whose states and waits are noted.
func (b *bench) options() client.Options {
	return client.Options{
		URL: "ws://clew.test", Session: b.id, Token: "token-alice", HTTPClient: b.HTTPClient(),
		Random: func() float64 { return 1 },
		OnState: func(s client.State, why error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.states = append(b.states, s)
			b.why = append(b.why, why)
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			b.mu.Lock()
			b.sleeps = append(b.sleeps, d)
			b.mu.Unlock()
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	}
}

func (b *bench) dial(t *testing.T, change ...func(*client.Options)) *client.Client {
	t.Helper()
	opts := b.options()
	for _, f := range change {
		f(&opts)
	}
	c, err := client.Dial(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func (b *bench) seen() ([]client.State, []time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.states), slices.Clone(b.sleeps)
}

// add appends n records.
func (b *bench) add(n int) {
	for i := range n {
		b.Append(b.id, &clew.SessionRenamedData{Title: fmt.Sprintf("title %d", i)})
	}
}

func from(id string) func(*client.Options) {
	return func(o *client.Options) { o.ResumeFrom = id }
}

// take follows until stop says so and returns what it heard.
func take(t *testing.T, c *client.Client, stop func(wire.Envelope) bool) []wire.Envelope {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	var out []wire.Envelope
	for env, err := range c.Follow(ctx) {
		if err != nil {
			t.Fatalf("after %d envelopes: %v", len(out), err)
		}
		out = append(out, env)
		if stop(env) {
			break
		}
	}
	return out
}

func isType(want clew.EventType) func(wire.Envelope) bool {
	return func(env wire.Envelope) bool { return clew.EventType(env.Type) == want }
}

func isRecord(seq uint64) func(wire.Envelope) bool {
	return func(env wire.Envelope) bool { return env.MessageID == string(clew.MessageIDOf(seq)) }
}

func types(envs []wire.Envelope) string {
	var s []string
	for _, e := range envs {
		s = append(s, e.Type)
	}
	return strings.Join(s, " ")
}

// records gives the message ids of the records among envs.
func records(envs []wire.Envelope) []string {
	var ids []string
	for _, e := range envs {
		if strings.HasPrefix(e.MessageID, "msg_") {
			ids = append(ids, e.MessageID)
		}
	}
	return ids
}

func ids(first, last uint64) []string {
	var out []string
	for seq := first; seq <= last; seq++ {
		out = append(out, string(clew.MessageIDOf(seq)))
	}
	return out
}

// Covers: WS-007, WS-094, WS-130
func TestFollowFromThePresent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add(3)
		c := b.dial(t)
		got := take(t, c, isType(clew.EventSyncComplete))
		if types(got) != "session_state sync_complete" {
			t.Fatalf("heard %s", types(got))
		}
		if id, epoch := c.Cursor(); id != clew.MessageIDOf(4) || epoch != "epoch1" {
			t.Fatalf("cursor %s %s", id, epoch)
		}
		b.add(2)
		got = take(t, c, isRecord(6))
		if want := ids(5, 6); !slices.Equal(records(got), want) {
			t.Fatalf("records %v, want %v", records(got), want)
		}
	})
}

// Covers: WS-094
func TestFollowFromStartAndFromACursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add(5)
		for from1, first := range map[string]uint64{client.FromStart: 1, "msg_000000000002": 3, "msg_000000000006": 7} {
			c := b.dial(t, from(from1))
			got := take(t, c, isType(clew.EventSyncComplete))
			if want := ids(first, 6); !slices.Equal(records(got), want) {
				t.Errorf("from %s: %v, want %v", from1, records(got), want)
			}
			if clew.EventType(got[0].Type) != clew.EventSessionState {
				t.Errorf("first is %s", got[0].Type)
			}
			c.Close()
		}
	})
}

// Covers: WS-094, C-31, C-81
func TestResumeAfterADrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.DropAll()
		b.add(4) // nobody is connected
		got := take(t, c, isType(clew.EventSyncComplete))
		if want := "session_state session_renamed session_renamed session_renamed session_renamed sync_complete"; types(got) != want {
			t.Fatalf("heard %s", types(got))
		}
		if want := ids(2, 5); !slices.Equal(records(got), want) {
			t.Fatalf("records %v, want %v", records(got), want)
		}
		q := b.Attempts()[1].URL.Query()
		if q.Get("resume_from") != "msg_000000000001" || q.Get("epoch") != "epoch1" {
			t.Fatalf("reconnected with %v", q)
		}
		if first := b.Attempts()[0].URL.Query(); first.Get("client_id") != q.Get("client_id") {
			t.Fatalf("client id changed from %s to %s", first.Get("client_id"), q.Get("client_id"))
		}
	})
}

// Covers: WS-095
func TestCursorLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add(9)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.Restore(b.id, 4, "epoch2")
		b.DropAll()
		got := take(t, c, isType(clew.EventSyncComplete))
		if types(got) != "session_state error sync_complete" {
			t.Fatalf("heard %s", types(got))
		}
		if id, epoch := c.Cursor(); id != clew.MessageIDOf(4) || epoch != "epoch2" {
			t.Fatalf("cursor %s %s", id, epoch)
		}
		b.add(1)
		if got := take(t, c, isRecord(5)); len(got) != 1 {
			t.Fatalf("heard %s", types(got))
		}
	})
}

// A fault of the connection never shows: no gap, no repeat, no disorder.
//
// Covers: WS-094
func TestFaultsAreHealed(t *testing.T) {
	for name, kind := range map[string]clienttest.FaultKind{
		"drop": clienttest.Drop, "stall": clienttest.Stall, "duplicate": clienttest.Duplicate,
		"skip": clienttest.Skip, "late": clienttest.Late,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.add(3)
				b.SetPlan(func(conn, frame int) clienttest.Fault {
					if conn == 0 && frame == 3 {
						return clienttest.Fault{Kind: kind}
					}
					return clienttest.Fault{}
				})
				c := b.dial(t, from(client.FromStart))
				b.add(3)
				got := take(t, c, isRecord(7))
				if want := ids(1, 7); !slices.Equal(records(got), want) {
					t.Fatalf("records %v, want %v", records(got), want)
				}
			})
		})
	}
}

// With a monitor filter records may be left out, and the filter is said again
// on a new connection.
func TestMonitorFilterAllowsGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		if _, err := c.Send(t.Context(), clew.CommandSubscribeMonitor, clew.SubscribeMonitorData{MonitorID: "monitor-1"}); err != nil {
			t.Fatal(err)
		}
		b.SetPlan(func(_, frame int) clienttest.Fault {
			if frame == 3 {
				return clienttest.Fault{Kind: clienttest.Skip}
			}
			return clienttest.Fault{}
		})
		b.add(3)
		got := take(t, c, isRecord(4))
		if want := []string{"msg_000000000002", "msg_000000000004"}; !slices.Equal(records(got), want) {
			t.Fatalf("records %v, want %v", records(got), want)
		}
		b.SetPlan(nil)
		synctest.Wait()
		b.DropAll()
		take(t, c, isType(clew.EventSyncComplete))
		synctest.Wait()
		if n := b.Heard(clew.CommandSubscribeMonitor); n != 2 {
			t.Fatalf("subscribed %d times, want 2", n)
		}
	})
}

// A reader that stands still stops the client from reading; nothing is lost.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t, from(client.FromStart))
		b.add(2000)
		synctest.Wait()
		if sent := b.Sent(); sent > 600 {
			t.Fatalf("%d frames were read ahead", sent)
		}
		time.Sleep(5 * time.Minute) // of the bubble's clock: the reader is away
		got := take(t, c, isRecord(2001))
		if want := ids(1, 2001); !slices.Equal(records(got), want) {
			t.Fatalf("%d records", len(records(got)))
		}
	})
}

func TestFollowEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var last error
		for _, err := range c.Follow(ctx) {
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Fatalf("ended with %v", last)
		}
		b.add(1)
		if got := take(t, c, isRecord(2)); len(got) != 1 { // a later Follow goes on
			t.Fatalf("heard %s", types(got))
		}
	})
}

func TestOneFollowAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		for _, err := range c.Follow(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range c.Follow(t.Context()) {
				if !errors.Is(err, client.ErrFollowing) {
					t.Fatalf("second Follow: %v", err)
				}
			}
			break
		}
	})
}

func TestCloseEndsFollowQuietly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		go func() {
			time.Sleep(time.Second)
			c.Close()
		}()
		for _, err := range c.Follow(t.Context()) {
			if err != nil {
				t.Errorf("Follow: %v", err)
			}
		}
		synctest.Wait()
		if c.State() != client.Disconnected {
			t.Fatalf("state %s", c.State())
		}
	})
}
