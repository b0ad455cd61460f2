package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// What fell due while a session was cold is done before anyone sees it.
func TestDueAtLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Agent: wondering(5 * time.Minute), Clock: never()})
		id, a := asked(t, h)
		h.Unload(1 << 60)
		synctest.Wait()
		sleepUntil(a.DeadlineMS)
		if st := stateOf(t, h, id); st.HitlPending != nil {
			t.Errorf("still open: %+v", st.HitlPending)
		}
		checkTimedOut(t, j, id, a)
	})
}

// A wake-up that an answer made needless is taken back, though the host died
// before it could.
func TestCrashBeforeTakingBack(t *testing.T) {
	for _, sealed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := new(journaltest.Memory)
			f := &faults{Journal: m.Node("a")}
			j := &clockwork{Journal: f}
			h := start(t, j, session.Config{Agent: wondering(5 * time.Minute)})
			id, a := asked(t, h)
			if sealed {
				if err := h.Seal(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			j.setAway(true)
			answer(t, h, id, a.RequestID)
			f.kill()
			m.Down("a")
			stop(h)
			next := &clockwork{Journal: m.Node("b")}
			h = start(t, next, session.Config{Agent: wondering(5 * time.Minute)})
			h.TakeOver(t.Context(), []clew.SessionID{id})
			synctest.Wait()
			if got := next.times(); !slices.Equal(got, []int64{0}) {
				t.Errorf("sealed %v: the engine was asked for %v", sealed, got)
			}
		})
	}
}

// A node that lost a session does not move its wake-up any more.
func TestLostSessionIsNotWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &clockwork{Journal: new(journaltest.Memory).Node("a"), away: true}
		h := start(t, j, session.Config{Agent: wondering(5 * time.Minute)})
		id, _ := asked(t, h)
		h.Lost(session.ShardOf(id))
		j.setAway(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := j.times(); len(got) != 0 || h.Loaded() != 0 {
			t.Errorf("the engine was asked for %v, %d are loaded", got, h.Loaded())
		}
	})
}

// A session that leaves by a fault before its wake-up is stored is loaded again
// without anyone asking.
func TestFaultBeforeWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faults{Journal: new(journaltest.Memory).Node("a")}
		j := &clockwork{Journal: f, away: true}
		h := start(t, j, session.Config{Agent: wondering(5 * time.Minute)})
		id, a := asked(t, h)
		f.set(func() { f.before = times(1, session.ErrRefused) })
		if _, err := h.Do(t.Context(), id, rename("r1")); err == nil {
			t.Fatal("it was taken though it was refused")
		}
		sleepUntil(a.DeadlineMS)
		checkTimedOut(t, j, id, a)
	})
}

// marking counts the signs that sessions at work leave.
type marking struct {
	session.Journal
	marks atomic.Int64
}

func (m *marking) Open(ctx context.Context, l session.Lease, id clew.SessionID) (session.Log, core.Loaded, error) {
	log, loaded, err := m.Journal.Open(ctx, l, id)
	return &markingLog{log, m}, loaded, err
}

type markingLog struct {
	session.Log
	m *marking
}

func (l *markingLog) MarkBusy(ctx context.Context) error {
	l.m.marks.Add(1)
	return l.Log.MarkBusy(ctx)
}

// A session whose wake-up is not stored is found after a crash even if all its
// records were swept out of the engine.
func TestSweepBeforeWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &marking{Journal: new(journaltest.Memory).Node("a")}
		j := &clockwork{Journal: m, away: true}
		h := start(t, j, session.Config{Agent: wondering(time.Hour)})
		id, _ := asked(t, h)
		for _, away := range []bool{true, false} {
			j.setAway(away)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if err := h.Seal(t.Context(), id); err != nil || m.marks.Load() != 1 {
				t.Errorf("away %v: %d marks, %v", away, m.marks.Load(), err)
			}
		}
	})
}

// An engine that refuses the time-out gets it again with the wake-up.
func TestRefusedTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faults{Journal: new(journaltest.Memory).Node("a")}
		j := &clockwork{Journal: f}
		h := start(t, j, session.Config{Agent: wondering(5 * time.Minute), IdleAfter: time.Hour})
		id, a := asked(t, h)
		sleepUntil(a.DeadlineMS - 1)
		f.set(func() { f.before = times(3, session.ErrRefused) })
		sleepUntil(a.DeadlineMS)
		if n := len(of(t, j, id, clew.EventHitlResolved)); n != 0 {
			t.Fatal("it was stored though it was refused")
		}
		if err := h.Wake(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		checkTimedOut(t, j, id, a)
		synctest.Wait()
		checkFold(t, j, h, id)
	})
}

// A turn whose text does not fit one batch is cut when it ends at a deadline.
func TestTimeOutThatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{MaxRecord: 64 << 10, Agent: agentFunc(func(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			if err := hear(desk, "c1"); err != nil {
				return err
			}
			if err := progress(desk, "c1", clew.ToolRunning); err != nil {
				return err
			}
			for range 14 { // each fits alone
				text, err := desk.Open(clew.SayText, "")
				if err != nil {
					return err
				}
				if err := text.Write(strings.Repeat("x", 4500)); err != nil {
					return err
				}
			}
			_, err := desk.Ask(ctx, clew.HitlInputRequestData{
				Asking: clew.Asking{ToolCallID: "c1", TimeoutSec: 60}, Question: "which?", InputType: clew.InputText, Required: true,
			})
			return errors.Join(err, ctx.Err())
		})})
		id, a := asked(t, h)
		sleepUntil(a.DeadlineMS)
		checkTimedOut(t, j, id, a)
		if st := stateOf(t, h, id); st.Status != clew.StatusIdle {
			t.Errorf("the session is %s", st.Status)
		}
	})
}
