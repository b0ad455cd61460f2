package gateway

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// Covers: WS-010, WS-014, WS-021, WS-096, G-02
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		r.host.add("s1", "ann")
		p := r.join("/ws/s1", "ann")
		start := time.Now()
		for i := 1; i <= 3; i++ {
			m := p.expect(clew.EventPing)
			if m.MessageID != "" || m.Data != nil || m.SessionID != "s1" || m.Timestamp == "" {
				t.Errorf("ping %s", m.raw)
			}
			if d := time.Since(start).Round(5 * time.Second); d != time.Duration(i)*30*time.Second {
				t.Errorf("ping %d after %v", i, d)
			}
			if i <= 2 {
				p.send(`{"type":"pong"}`)
			}
		}
		p.expectClose(wire.CloseGoing, string(clew.ConnectionTimeout))
		if d := time.Since(start); d < 120*time.Second || d > 123*time.Second {
			t.Errorf("closed after %v", d)
		}
	})
}

// A client that stops reading is closed, and told so if it comes back soon.
// Covers: G-17, C-60, WS-123
func TestSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		s := r.host.add("s1", "ann")
		slow := r.join("/ws/s1?client_id=slow", "ann")
		gone := r.join("/ws/s1?client_id=gone", "ann")
		good := r.join("/ws/s1?client_id=good", "ann")
		s.append(400)
		good.records(1, 400)        // nobody waits for the slow ones
		time.Sleep(4 * time.Second) // longer than a write may be held up with that much behind
		slow.expectClose(wire.CloseTooSlow, wire.ReasonTooSlow)
		time.Sleep(10 * time.Second)
		if _, err := gone.next(); !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want the end", err)
		}
		if n := r.g.Counters.SlowClosed.Load(); n != 2 {
			t.Errorf("%d closed as slow", n)
		}
		again := r.connect("/ws/s1?client_id=slow&resume_from=start", "ann")
		again.expect(clew.EventSessionState)
		again.records(1, 400)
	})
}

// With little behind it, a client has the whole time-out.
// Covers: G-17
func TestStalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		s := r.host.add("s1", "ann")
		p, q := r.join("/ws/s1?client_id=p", "ann"), r.join("/ws/s1?client_id=q", "ann")
		s.append(100)
		time.Sleep(8 * time.Second)
		p.records(1, 100) // just in time
		time.Sleep(3 * time.Second)
		q.expectClose(wire.CloseTooSlow, wire.ReasonTooSlow)
	})
}

// One write that takes long, with more than the queue's limit behind it.
// Covers: G-17
func TestSlowQueue(t *testing.T) {
	for _, tc := range []struct {
		queue int
		slow  bool
	}{{256, true}, {0, false}} {
		synctest.Test(t, func(t *testing.T) {
			r := newPipeRig(t, func(o *Options) { o.Limits.Queue = tc.queue })
			s := r.host.add("s1", "ann")
			p := r.join("/ws/s1", "ann")
			s.append(1)
			synctest.Wait()
			time.Sleep(3 * time.Second)
			s.append(400)
			if tc.slow {
				p.records(1, 1)
				p.expectClose(wire.CloseTooSlow, wire.ReasonTooSlow)
				return
			}
			p.records(1, 401)
		})
	}
}

// Covers: WS-097
func TestSessionDoesNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		s := r.host.add("s1", "ann")
		p := r.join("/ws/s1", "ann")
		start := time.Now()
		r.host.failWatch(clew.Errorf(clew.Unavailable, "nobody has it"))
		s.move()
		p.expectError(clew.Unavailable)
		p.expectClose(wire.CloseInternal, string(clew.Unavailable))
		if d := time.Since(start); d < 10*time.Second || d > 16*time.Second {
			t.Errorf("gave up after %v", d)
		}
	})
}

// Covers: C-60
func TestShutdown(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p, w := r.join("/ws/s1", "ann"), r.connect("/ws/s1", "")
	done := make(chan error, 1)
	go func() { done <- r.g.Shutdown(context.Background()) }()
	p.expectClose(wire.CloseGoing, wire.ReasonStopping)
	w.expectClose(wire.CloseGoing, wire.ReasonStopping)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, no := r.request("/ws/s1", "ann", nil); no == nil || no.status != 503 {
		t.Errorf("a new one: %+v", no)
	}
}

// A client that does not answer must not hold up the end.
// Covers: C-60
func TestShutdownCuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		s := r.host.add("s1", "ann")
		r.join("/ws/s1", "ann")
		s.append(100)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := r.g.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

// Covers: WS-121, G-17
func TestOutboxIsBounded(t *testing.T) {
	c := &conn{g: &Gateway{limits: DefaultLimits()}, signal: make(chan struct{}, 1)}
	c.sock = nopConn{}
	for range maxOutFrames + 1 {
		c.push([]byte("x"))
	}
	if e := c.ending(); e.code != wire.CloseTooSlow || len(c.out) != maxOutFrames {
		t.Errorf("ending %+v with %d frames", e, len(c.out))
	}
}

func TestWindow(t *testing.T) {
	var w window
	const now = 1_000_000
	for range 3 {
		if ok, _ := w.allow(now, 3); !ok {
			t.Fatal("refused within the limit")
		}
	}
	if ok, retry := w.allow(now+20_000, 3); ok || retry != 40_000 {
		t.Errorf("over the limit: %v, %d", ok, retry)
	}
	if ok, _ := w.allow(now+60_000, 3); !ok {
		t.Error("refused in the next minute")
	}
	if ok, _ := w.allow(now, 0); !ok {
		t.Error("refused without a limit")
	}
	var first window // in the first millisecond of a server
	first.allow(0, 1)
	if ok, retry := first.allow(0, 1); ok || retry != 60_000 {
		t.Errorf("over the limit at the very start: %v, %d", ok, retry)
	}
}

func TestFrame(t *testing.T) {
	for _, n := range []int{0, 1, 125, 126, 65535, 65536} {
		for _, monitor := range []string{"", "monitor-1"} {
			env := []byte(`{"data":{"monitor_id":"` + monitor + `"},"pad":"` + strings.Repeat("x", n) + `"}`)
			f := Frame(env)
			got, err := readWhole(f)
			if err != nil || string(got) != string(env) {
				t.Errorf("%d bytes: %v", n, err)
			}
			if string(monitorOf(f)) != monitor {
				t.Errorf("monitor %q", monitorOf(f))
			}
		}
	}
}
