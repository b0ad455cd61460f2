package notebook

import (
	"context"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// A server is killed when the deletion of a session is on record and nothing else has come of
// it. The next one ends the kernel, and takes the session out of lists and inboxes. Brought
// back, it is there again, and says what became of its cell.
func TestKilledWhileDeleting(t *testing.T) {
	s := newStory(t)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	s.Start("CLEW_CRASH_AT=session.deleted:1")
	s.live(ctx, func(t tale) bool { return t.question != "" })
	s.kernel()
	s.listed(ctx, 1, 1)
	_, err := s.API().DeleteSession(ctx, s.Session, false)
	if err == nil {
		t.Fatal("the server was not killed")
	}
	<-s.Srv.Exited()
	s.Start()
	s.nobodyLeft()
	s.listed(ctx, 0, 0)
	proc.Must(t, s.API().RestoreSession(ctx, s.Session))
	s.listed(ctx, 1, 0)
	s.live(ctx, func(t tale) bool { return t.over() && !t.kernel.State.Alive() })
	for run, d := range s.tale(ctx).finished {
		if d.Status != clew.CellAborted && d.Status != clew.CellInDoubt {
			t.Errorf("%s ended with %+v", run, d)
		}
	}
}

// listed waits until the lists have so many sessions and the inbox so many questions.
func (s *story) listed(ctx context.Context, sessions, questions int) {
	s.T.Helper()
	proc.Eventually(s.T, "the lists", within, func() bool {
		page, err := s.API().ListSessions(ctx, "", "", 10)
		proc.Must(s.T, err)
		inbox, err := s.API().Inbox(ctx, "", 10)
		proc.Must(s.T, err)
		return len(page.Sessions) == sessions && len(inbox.Items) == questions
	})
}
