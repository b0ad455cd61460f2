package session_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// clockwork is a journal that remembers the wake-ups it was asked for.
type clockwork struct {
	session.Journal

	mu   sync.Mutex
	away bool
	log  []int64 // all times, in order
}

func (c *clockwork) Wake(ctx context.Context, id clew.SessionID, at int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		return errDead
	}
	c.log = append(c.log, at)
	return c.Journal.Wake(ctx, id, at)
}

func (c *clockwork) setAway(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

func (c *clockwork) times() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.log)
}

// wondering is an agent that asks for a value about its first call, and rests once
// it has it.
func wondering(timeout time.Duration) agentFunc {
	return func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
		v, err := desk.View()
		if err != nil {
			return err
		}
		if len(decide.Waiting(&v.Task)) == 0 {
			return rest(desk)
		}
		if err := hear(desk, "c1"); err != nil {
			return err
		}
		_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.AskInput(tx, s, t, clew.HitlInputRequestData{
				Asking: clew.Asking{ToolCallID: "c1", TimeoutSec: int(timeout.Seconds())}, Question: "which?", InputType: clew.InputText,
			})
		})
		return err
	}
}

// asked starts a turn that asks, and gives the question.
func asked(t *testing.T, h *session.Host) (clew.SessionID, clew.Asking) {
	t.Helper()
	id := create(t, h, "")
	do(t, h, id, say("m1", "go"))
	synctest.Wait()
	st := stateOf(t, h, id)
	if st.HitlPending == nil {
		t.Fatalf("nothing was asked: %+v", st)
	}
	return id, *st.HitlPending.Asking()
}

// answer answers it.
func answer(t *testing.T, h *session.Host, id clew.SessionID, q clew.RequestID) {
	t.Helper()
	do(t, h, id, clew.Command{Type: clew.CommandHitlInputResponse, By: ann, Data: &clew.HitlInputResponseData{RequestID: q, Value: "x"}})
	synctest.Wait()
}

// of gives the session's records of a type.
func of(t *testing.T, j session.Journal, id clew.SessionID, typ clew.EventType) []clew.Record {
	t.Helper()
	return slices.DeleteFunc(journaled(t, j, id), func(r clew.Record) bool { return r.Type != typ })
}

// checkTimedOut checks that the question was settled once, by itself.
func checkTimedOut(t *testing.T, j session.Journal, id clew.SessionID, a clew.Asking) {
	t.Helper()
	list := of(t, j, id, clew.EventHitlResolved)
	if len(list) != 1 || list[0].TS < a.DeadlineMS || list[0].By != "" || !strings.Contains(string(list[0].Data()), `"by_timeout":true`) {
		t.Errorf("settled by %d records: %v", len(list), list)
	}
	if errs := of(t, j, id, clew.EventError); len(errs) != 1 || !strings.Contains(string(errs[0].Data()), `"number":5001`) {
		t.Errorf("errors %v", errs)
	}
}

// sleepUntil sleeps up to a time of the test's clock, in Unix ms.
func sleepUntil(ms int64) {
	time.Sleep(time.Until(time.UnixMilli(ms)))
	synctest.Wait()
}

// Covers: RUN-21
func TestDeadlineOfLoadedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a")}
		h := start(t, j, session.Config{Agent: wondering(5 * time.Minute), IdleAfter: time.Hour})
		id, a := asked(t, h)
		reminder := a.DeadlineMS - 60_000
		sleepUntil(reminder - 1)
		if n := len(of(t, j, id, clew.EventHitlReminder)); n != 0 {
			t.Errorf("%d reminders too early", n)
		}
		sleepUntil(reminder)
		if list := of(t, j, id, clew.EventHitlReminder); len(list) != 1 || list[0].TS != reminder {
			t.Errorf("reminders %v, want one at %d", list, reminder)
		}
		sleepUntil(a.DeadlineMS - 1)
		if n := len(of(t, j, id, clew.EventHitlResolved)); n != 0 {
			t.Error("settled before the deadline")
		}
		sleepUntil(a.DeadlineMS)
		checkTimedOut(t, j, id, a)
		if st := stateOf(t, h, id); st.Status != clew.StatusIdle || st.HitlPending != nil {
			t.Errorf("the session is %s: its agent did not go on", st.Status)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got, want := fmt.Sprint(j.times()), fmt.Sprint([]int64{reminder, a.DeadlineMS, 0}); got != want {
			t.Errorf("the engine was asked for %s, want %s", got, want)
		}
		checkTimedOut(t, j, id, a)
		checkFold(t, j, h, id)
	})
}

// A session that left memory is woken by the engine, as often as it likes.
func TestDeadlineOfColdSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a")}
		h := start(t, j, session.Config{Agent: wondering(time.Hour), IdleAfter: time.Minute})
		id, a := asked(t, h)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if got := j.times(); h.Loaded() != 0 || len(got) != 1 || got[0] != a.DeadlineMS-60_000 {
			t.Fatalf("%d loaded, the engine was asked for %v", h.Loaded(), got)
		}
		sleepUntil(a.DeadlineMS - 60_000)
		if err := h.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if n := len(of(t, j, id, clew.EventHitlReminder)); n != 1 {
			t.Errorf("%d reminders when Wake is back", n)
		}
		h.Unload(1 << 60)
		synctest.Wait()
		sleepUntil(a.DeadlineMS + 5000)
		var callers sync.WaitGroup
		for range 5 {
			callers.Go(func() {
				if err := h.Wake(t.Context(), id); err != nil {
					t.Error(err)
				}
				checkTimedOut(t, j, id, a)
			})
		}
		callers.Wait()
		synctest.Wait()
		checkTimedOut(t, j, id, a)
		if got := j.times(); got[len(got)-1] != 0 || len(of(t, j, id, clew.EventHitlReminder)) != 1 {
			t.Errorf("the engine was asked for %v", got)
		}
	})
}

// A host that dies between a question and its wake-up leaves a session that is
// found by the next owner: before the deadline or after it.
func TestCrashBeforeWakeUp(t *testing.T) {
	for name, later := range map[string]time.Duration{"before the deadline": time.Minute, "after it": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(journaltest.Memory)
				f := &faults{Journal: m.Node("a"), dropSeals: true}
				broken := &clockwork{Journal: f, away: true}
				first := start(t, broken, session.Config{Agent: wondering(5 * time.Minute)})
				id, a := asked(t, first)
				f.kill()
				m.Down("a")
				stop(first)
				if n := len(broken.times()); n != 0 {
					t.Fatalf("%d wake-ups were stored", n)
				}
				time.Sleep(later)
				j := &clockwork{Journal: m.Node("b")}
				next := start(t, j, session.Config{Agent: wondering(5 * time.Minute), IdleAfter: 10 * time.Second})
				next.TakeOver(t.Context(), []clew.SessionID{id})
				synctest.Wait()
				if later > 5*time.Minute {
					checkTimedOut(t, j, id, a)
				} else {
					if got := j.times(); len(got) == 0 || slices.Max(got) != a.DeadlineMS-60_000 {
						t.Fatalf("the engine was asked for %v", got)
					}
					sleepUntil(a.DeadlineMS + 500) // it is cold by then
					if err := next.Wake(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Hour)
				if err := next.Wake(t.Context(), id); err != nil {
					t.Fatal(err)
				}
				checkTimedOut(t, j, id, a)
			})
		})
	}
}

// While the engine does not take the wake-up, the session stays in memory.
func TestUnstoredWakeUpKeepsSessionLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a"), away: true}
		h := start(t, j, session.Config{Agent: wondering(10 * time.Hour), IdleAfter: time.Minute})
		id, a := asked(t, h)
		time.Sleep(time.Hour)
		synctest.Wait()
		if h.Loaded() != 1 {
			t.Fatal("it was unloaded without a wake-up")
		}
		j.setAway(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := j.times(); len(got) != 1 || got[0] != a.DeadlineMS-60_000 {
			t.Errorf("the engine was asked for %v", got)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if h.Loaded() != 0 {
			t.Error("it stays though its wake-up is stored")
		}
		answer(t, h, id, a.RequestID)
		if got := j.times(); got[len(got)-1] != 0 {
			t.Errorf("the wake-up was not taken back: %v", got)
		}
		h.Unload(1 << 60)
		synctest.Wait()
		n := len(j.times())
		_ = stateOf(t, h, id) // loads it
		synctest.Wait()
		if got := j.times(); len(got) != n {
			t.Errorf("a session without deadlines asks for %v", got[n:])
		}
	})
}

// A session without deadlines costs the engine nothing.
func TestNoWakeUpWithoutDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a")}
		h := start(t, j, session.Config{Agent: wondering(0)})
		id, _ := asked(t, h)
		for range 3 {
			h.Unload(1 << 60)
			synctest.Wait()
			if err := h.Wake(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if got := j.times(); len(got) != 0 {
			t.Errorf("the engine was asked for %v", got)
		}
	})
}

// A wake-up that comes early is asked for again; if it keeps coming early, later
// and later, so that a fast clock in the engine is no storm.
func TestEarlyWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a")}
		h := start(t, j, session.Config{Agent: wondering(time.Hour), IdleAfter: 2 * time.Hour})
		id, a := asked(t, h)
		at := a.DeadlineMS - 60_000
		want := []int64{at}
		for _, more := range []int64{0, 1000, 2000, 4000, 8000, 16000, 32000, 32000} {
			if err := h.Wake(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			want = append(want, at+more)
		}
		if got := j.times(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the engine was asked for %v, want %v", got, want)
		}
		sleepUntil(at)
		if got := j.times(); got[len(got)-1] != a.DeadlineMS || len(of(t, j, id, clew.EventHitlReminder)) != 1 {
			t.Errorf("then for %v", got[len(want):])
		}
	})
}

// The timer is the caller's if it brings one: one at a time, and stopped when
// nothing is due any more.
func TestTimerIsInjected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, set, stopped := int64(1_700_000_000_000), []time.Duration(nil), 0
		fire := make(chan time.Time)
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{
			Agent: wondering(5 * time.Minute),
			Clock: timerClock{
				Clock: clock.System(),
				now:   func() time.Time { mu.Lock(); defer mu.Unlock(); return time.UnixMilli(now) },
				after: func(d time.Duration) (<-chan time.Time, func()) {
					mu.Lock()
					defer mu.Unlock()
					set = append(set, d)
					return fire, func() { mu.Lock(); defer mu.Unlock(); stopped++ }
				},
			},
		})
		id, a := asked(t, h)
		jump := func(ms int64) {
			mu.Lock()
			now = ms
			mu.Unlock()
			fire <- time.Time{}
			synctest.Wait()
		}
		jump(a.DeadlineMS - 60_001) // the timer is early by a millisecond
		if n := len(of(t, j, id, clew.EventHitlReminder)); n != 0 {
			t.Errorf("%d reminders too early", n)
		}
		jump(a.DeadlineMS - 60_000)
		jump(a.DeadlineMS)
		checkTimedOut(t, j, id, a)
		check := func(n int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if len(set) != n || set[1] != time.Millisecond || set[2] != time.Minute || stopped != n {
				t.Errorf("timers of %v, %d stopped", set, stopped)
			}
		}
		check(3)
		do(t, h, id, say("m2", "once more"))
		synctest.Wait()
		answer(t, h, id, stateOf(t, h, id).HitlPending.RequestID())
		check(4)
	})
}

// A timerClock has timers of its own, and the time of day if it is given.
type timerClock struct {
	clock.Clock
	now   func() time.Time
	after func(time.Duration) (<-chan time.Time, func())
}

func (c timerClock) After(d time.Duration) (<-chan time.Time, func()) { return c.after(d) }

func (c timerClock) Now() time.Time {
	if c.now == nil {
		return c.Clock.Now()
	}
	return c.now()
}

// never is a clock whose timers do not come.
func never() clock.Clock {
	return timerClock{Clock: clock.System(), after: func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }}
}

// Whichever node the wake-up comes to, the owner has done what is due when it is
// acknowledged.
func TestWakeUpAtAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, net := new(journaltest.Memory), newNetwork()
		a := start(t, m.Node("a"), session.Config{Peers: net.join("a"), Agent: wondering(5 * time.Minute), Clock: never(), IdleAfter: time.Hour})
		b := start(t, m.Node("b"), session.Config{Peers: net.join("b"), Agent: wondering(5 * time.Minute), Clock: never()})
		synctest.Wait()
		id, q := asked(t, a)
		sleepUntil(q.DeadlineMS + 10)
		if n := len(of(t, m.Node("b"), id, clew.EventHitlResolved)); n != 0 {
			t.Fatal("it was settled without a timer")
		}
		if err := b.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		checkTimedOut(t, m.Node("b"), id, q)
	})
}
