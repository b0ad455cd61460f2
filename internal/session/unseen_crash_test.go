package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// Words that answer nothing answer nothing either when their sender says them
// again after a crash, and are said once.
//
// Covers: C-23
func TestUnseenWordsAfterACrash(t *testing.T) {
	for name, arm := range map[string]func(f *faults){
		"before they are stored": func(f *faults) { f.before = func([]clew.Record) error { f.kill(); return errDead } },
		"after they are stored":  func(f *faults) { f.after = func([]clew.Record) error { f.kill(); return errDead } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(journaltest.Memory)
				f := &faults{Journal: m.Node("a")}
				first := start(t, f, session.Config{Agent: wondering(time.Hour)})
				id, a := asked(t, first)
				words := say("m2", "use make")
				words.Data = &clew.UserMessageData{Text: "use make", Delivery: clew.ArrivalSteer, MayAnswer: []clew.RequestID{}}
				f.set(func() { arm(f) })
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, err := first.Do(ctx, id, words); err == nil {
					t.Fatal("they were taken by a node that died")
				}
				m.Down("a")
				stop(first)
				j := m.Node("b")
				next := start(t, j, session.Config{Agent: wondering(time.Hour)})
				next.TakeOver(t.Context(), []clew.SessionID{id})
				do(t, next, id, words)
				do(t, next, id, words)
				synctest.Wait()
				if st := stateOf(t, next, id); st.HitlPending == nil || st.HitlPending.RequestID() != a.RequestID {
					t.Errorf("open is %+v", st.HitlPending)
				}
				records := journaled(t, j, id)
				_, deliveries := heard(t, records)
				if deliveries[clew.DeliverySteer] != 1 || deliveries[clew.DeliveryAnswer] != 0 || len(of(t, j, id, clew.EventHitlResolved)) != 0 {
					t.Errorf("delivered %v", deliveries)
				}
				checkOnce(t, records, nil)
				checkFold(t, j, next, id)
			})
		})
	}
}
