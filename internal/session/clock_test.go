package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// A question's deadline is a time of day, which people see and other nodes share. It
// is settled once when that has come, whatever the clock did before: never twice, and
// never lost.
func TestDeadlineWithAWrongClock(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(*clocktest.Clock)
		open  time.Duration // it is open after that
		over  time.Duration // and settled after so much more
	}{
		"right":         {func(*clocktest.Clock) {}, 299 * time.Second, 2 * time.Second},
		"an hour ahead": {func(c *clocktest.Clock) { c.Jump(time.Hour) }, 0, 5 * time.Minute},
		"an hour back":  {func(c *clocktest.Clock) { c.Jump(-time.Hour) }, 64 * time.Minute, 2 * time.Minute},
		"it stood":      {func(c *clocktest.Clock) { c.Run(0); c.Advance(2 * time.Hour); c.Run(1) }, 4 * time.Minute, 5 * time.Minute},
		"too fast":      {func(c *clocktest.Clock) { c.Run(1.5) }, 199 * time.Second, 5 * time.Minute},
		"too slow":      {func(c *clocktest.Clock) { c.Run(0.5) }, 599 * time.Second, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hands := clocktest.New(time.Now())
				j := new(journaltest.Memory).Node("a")
				h := start(t, j, session.Config{Agent: wondering(5 * time.Minute), Clock: hands})
				id, a := asked(t, h)
				advance := func(d time.Duration) {
					for ; d > 0; d -= time.Second {
						hands.Advance(min(d, time.Second))
						synctest.Wait()
					}
				}
				c.wrong(hands)
				advance(c.open)
				if n := len(of(t, j, id, clew.EventHitlResolved)); n != 0 {
					t.Fatalf("settled too early, %v after it was asked", hands.Elapsed())
				}
				advance(c.over)
				checkTimedOut(t, j, id, a)
				advance(time.Hour)
				checkTimedOut(t, j, id, a)
			})
		})
	}
}

// Sessions stay in memory for as long as they should, and people stay present: a jump
// is no time that went by.
func TestJumpIsNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong := clocktest.NewWrong(clocktest.New(time.Now()))
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{Agent: wondering(0), Clock: wrong, IdleAfter: 5 * time.Minute})
		id := create(t, h, "")
		if err := h.Present(t.Context(), id, []clew.Viewer{{UserID: "ann", Clients: 1}}); err != nil {
			t.Fatal(err)
		}
		for _, jump := range []time.Duration{time.Hour, -2 * time.Hour} {
			wrong.Jump(jump)
			time.Sleep(2 * time.Minute) // the host looks whom it can let go
			synctest.Wait()
			if n := h.Loaded(); n != 1 {
				t.Errorf("after a jump of %v %d sessions are in memory", jump, n)
			}
			st := stateOf(t, h, id)
			if len(st.Viewers) != 1 {
				t.Errorf("after a jump of %v %v are present", jump, st.Viewers)
			}
		}
	})
}
