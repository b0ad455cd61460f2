package session_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// Whoever is told that a session exists already finds it: a refusal, too, waits
// until its reason is durable.
func TestRefusalIsDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { createAtOnce(t) })
}

// createAtOnce has many create the same sessions.
func createAtOnce(t *testing.T) {
	f := &faults{Journal: new(journaltest.Memory).Node("n1")}
	f.set(func() {
		f.before = func([]clew.Record) error { time.Sleep(time.Millisecond); return nil } // as a disk does
	})
	h := start(t, f, session.Config{})
	for i := range 200 {
		id := clew.SessionID(fmt.Sprintf("s%d", i))
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, err := h.Create(t.Context(), ann, session.NewSession{ID: id})
				if err != nil && clew.CodeOf(err) != clew.SessionExists {
					t.Error(err)
				}
				if _, err := h.Access(t.Context(), id, ann); err != nil {
					t.Errorf("it exists already, and then: %v", err)
				}
			})
		}
		group.Wait()
	}
}
