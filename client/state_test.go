package client_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/client/clienttest"
	"github.com/clew-run/clew/wire"
)

// drain follows to the end and gives the last error.
func drain(ctx context.Context, c *client.Client) (last error) {
	for _, err := range c.Follow(ctx) {
		last = err
	}
	return last
}

func wantStates(t *testing.T, b *bench, want string) {
	t.Helper()
	var got []string
	states, _ := b.seen()
	for _, s := range states {
		got = append(got, string(s))
	}
	if g := strings.Join(got, " "); g != want {
		t.Fatalf("states:\n got %s\nwant %s", g, want)
	}
}

// closeOnce closes the first connection with a code at frame 2, right after
// sync_complete.
func closeOnce(code int, reason string) clienttest.Plan {
	return func(conn, frame int) clienttest.Fault {
		if conn == 0 && frame == 2 {
			return clienttest.Fault{Kind: clienttest.Close, Code: code, Reason: reason}
		}
		return clienttest.Fault{}
	}
}

// Covers: WS-090, WS-091
func TestStatesOfALife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.DropAll()
		take(t, c, isType(clew.EventSyncComplete))
		c.Close()
		wantStates(t, b, "connecting connected active reconnecting connected active disconnected")
	})
}

// Covers: WS-091, WS-092, WS-093, C-31
func TestBackoffThenFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.SetDown(true)
		err := drain(t.Context(), c)
		if clew.CodeOf(err) != clew.ConnectionFailed || c.State() != client.Failed || c.Err() == nil {
			t.Fatalf("ended with %v in state %s", err, c.State())
		}
		s := time.Second
		if _, sleeps := b.seen(); !slices.Equal(sleeps, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s}) {
			t.Fatalf("waited %v", sleeps)
		}
		wantStates(t, b, "connecting connected active reconnecting failed")
	})
}

// The count starts over after a successful sync, and not before it.
//
// Covers: WS-092
func TestRetriesStartOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		b.SetPlan(func(conn, frame int) clienttest.Fault {
			if conn < 4 && frame == 1 { // before sync_complete
				return clienttest.Fault{Kind: clienttest.Drop}
			}
			return clienttest.Fault{}
		})
		b.DropAll()
		take(t, c, isType(clew.EventSyncComplete))
		b.DropAll()
		take(t, c, isType(clew.EventSyncComplete))
		s := time.Second
		if _, sleeps := b.seen(); !slices.Equal(sleeps, []time.Duration{s, 2 * s, 4 * s, 8 * s, s}) {
			t.Fatalf("waited %v", sleeps)
		}
	})
}

// Covers: WS-093
func TestDelayTable(t *testing.T) {
	want := []time.Duration{1, 2, 4, 8, 16, 30, 30}
	for n, w := range want {
		if got := client.DefaultRetry.Delay(n); got != w*time.Second {
			t.Errorf("attempt %d waits %v, want %v s", n, got, w)
		}
	}
}

// Covers: WS-093
func TestJitterIsHalfToAll(t *testing.T) {
	for random, want := range map[float64]time.Duration{0: 500 * time.Millisecond, 0.5: 750 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			c := b.dial(t, func(o *client.Options) { o.Random = func() float64 { return random } })
			take(t, c, isType(clew.EventSyncComplete))
			b.DropAll()
			take(t, c, isType(clew.EventSyncComplete))
			if _, sleeps := b.seen(); sleeps[0] != want {
				t.Fatalf("random %v waited %v, want %v", random, sleeps[0], want)
			}
		})
	}
}

// Covers: WS-091, WS-133, C-60
func TestCloseCodes(t *testing.T) {
	for _, tc := range []struct {
		code   int
		reason string
		want   client.State // after the close
	}{
		{1000, wire.ReasonBye, client.Disconnected},
		{1000, wire.ReasonTakenOver, client.Failed},
		{1001, wire.ReasonStopping, client.Active},
		{1008, string(clew.AuthFailed), client.Failed},
		{1008, string(clew.Forbidden), client.Failed},
		{1008, string(clew.RateLimited), client.Active},
		{1009, string(clew.MessageTooLarge), client.Failed},
		{1011, string(clew.Internal), client.Active},
		{1011, string(clew.SessionDamaged), client.Failed},
		{1013, wire.ReasonTooSlow, client.Active},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.SetPlan(closeOnce(tc.code, tc.reason))
				c := b.dial(t)
				take(t, c, isType(clew.EventSyncComplete))
				b.add(1)
				if tc.want == client.Active {
					take(t, c, isRecord(2))
					synctest.Wait()
				} else {
					checkEnd(t, drain(t.Context(), c), tc.want, tc.code, tc.reason)
				}
				if c.State() != tc.want {
					t.Fatalf("state %s, want %s", c.State(), tc.want)
				}
			})
		})
	}
}

func checkEnd(t *testing.T, err error, state client.State, code int, reason string) {
	t.Helper()
	if state == client.Disconnected {
		if err != nil {
			t.Fatalf("ended with %v", err)
		}
		return
	}
	var closed *client.ClosedError
	if !errors.As(err, &closed) || closed.Code != code || closed.Reason != reason {
		t.Fatalf("ended with %v", err)
	}
}

// Covers: G-02, WS-096
func TestSilenceIsALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.SetPlan(func(conn, frame int) clienttest.Fault {
			if conn == 0 && frame == 2 {
				return clienttest.Fault{Kind: clienttest.Stall}
			}
			return clienttest.Fault{}
		})
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		start := time.Now()
		b.add(1)
		take(t, c, isRecord(2))
		if d := time.Since(start); d < 60*time.Second || d > 62*time.Second {
			t.Fatalf("came back after %v", d)
		}
	})
}

// A quiet session stays connected by ping and pong.
//
// Covers: WS-021, WS-060
func TestPingIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		c := b.dial(t)
		take(t, c, isType(clew.EventSyncComplete))
		time.Sleep(10*time.Minute + time.Second) // of the bubble's clock
		synctest.Wait()
		if n := b.Heard(clew.CommandPong); n != 20 {
			t.Fatalf("%d pongs, want 20", n)
		}
		if len(b.Attempts()) != 1 || c.State() != client.Active {
			t.Fatalf("%d connections, state %s", len(b.Attempts()), c.State())
		}
	})
}

// A server that sends the same nonsense again and again is given up.
func TestLastingFaultFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.add(5)
		b.SetPlan(func(_, frame int) clienttest.Fault {
			if frame == 1 {
				return clienttest.Fault{Kind: clienttest.Skip} // always the next record
			}
			return clienttest.Fault{}
		})
		c := b.dial(t, from("msg_000000000002"))
		err := drain(t.Context(), c)
		if err == nil || c.State() != client.Failed {
			t.Fatalf("ended with %v in state %s", err, c.State())
		}
		if n := len(b.Attempts()); n != 6 {
			t.Fatalf("%d attempts, want 6", n)
		}
	})
}

func TestDialIsRefused(t *testing.T) {
	for status, want := range map[int]clew.Code{
		http.StatusUnauthorized: clew.AuthFailed, http.StatusForbidden: clew.Forbidden,
		http.StatusNotFound: clew.SessionNotFound, http.StatusServiceUnavailable: clew.Unavailable,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.Refuse(func(int) int { return status })
			if _, err := client.Dial(t.Context(), b.options()); clew.CodeOf(err) != want {
				t.Errorf("%d: %v, want %s", status, err, want)
			}
			wantStates(t, b, "connecting failed")
		})
	}
}

// A refusal for good ends the reconnecting; a passing one does not.
//
// Covers: WS-091
func TestReconnectIsRefused(t *testing.T) {
	for status, want := range map[int]client.State{
		http.StatusUnauthorized: client.Failed, http.StatusBadGateway: client.Active, http.StatusTooManyRequests: client.Active,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.Refuse(func(attempt int) int {
				if attempt == 1 {
					return status
				}
				return 0
			})
			c := b.dial(t)
			take(t, c, isType(clew.EventSyncComplete))
			b.DropAll()
			if want == client.Failed {
				if err := drain(t.Context(), c); clew.CodeOf(err) != clew.AuthFailed {
					t.Errorf("%d: %v", status, err)
				}
				return
			}
			take(t, c, isType(clew.EventSyncComplete))
			if c.State() != want {
				t.Errorf("%d: state %s", status, c.State())
			}
			wait := 2 * time.Second
			if status == http.StatusTooManyRequests { // the server says how long
				wait = 7 * time.Second
			}
			if _, sleeps := b.seen(); sleeps[1] != wait {
				t.Errorf("%d: waited %v, want %v", status, sleeps[1], wait)
			}
		})
	}
}

func TestDialWaitsForTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.SetDown(true)
		if _, err := client.Dial(t.Context(), b.options()); clew.CodeOf(err) != clew.ConnectionFailed {
			t.Fatalf("without waiting: %v", err)
		}
		time.AfterFunc(5*time.Second, func() { b.SetDown(false) })
		c := b.dial(t, func(o *client.Options) { o.WaitForServer = true })
		take(t, c, isType(clew.EventSyncComplete))
	})
}

func TestDialEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.SetDown(true)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		opts := b.options()
		opts.WaitForServer = true
		if _, err := client.Dial(ctx, opts); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Dial: %v", err)
		}
	})
}

func TestTokenIsInTheHeaderOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.dial(t)
		r := b.Attempts()[0]
		if r.Header.Get("Authorization") != "Bearer token-alice" || strings.Contains(r.RequestURI, "token") {
			t.Fatalf("%s with %v", r.RequestURI, r.Header)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]client.Options{
		"url":     {URL: "ftp://x", Session: "s"},
		"no host": {URL: "localhost", Session: "s"},
		"session": {URL: "http://x", Session: "a/b"},
		"cursor":  {URL: "http://x", Session: "s", ResumeFrom: "msg_1"},
	} {
		if _, err := client.Dial(t.Context(), o); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
