package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// A session stands in the lists of those whom it is shared with, as long as it is,
// and in everybody's list once.
func TestSharedSessionsAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
		id := create(t, h, "s1")
		lists := func(q session.ListQuery) int {
			t.Helper()
			q.Limit = 10
			time.Sleep(time.Minute) // the bubble's clock: lists follow within seconds
			synctest.Wait()
			list, _, err := h.List(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				if s.ID != id || s.Owner != "ann" {
					t.Errorf("listed is %+v", s)
				}
			}
			return len(list)
		}
		access := func(role clew.Role) {
			t.Helper()
			if _, err := h.Do(t.Context(), id, clew.Command{Type: clew.CommandSetAccess, By: ann, Data: &clew.SetAccessData{UserID: "bob", Role: role}}); err != nil {
				t.Fatal(err)
			}
		}
		bobs, all := session.ListQuery{Owner: "bob"}, session.ListQuery{Everyone: true}
		if n := lists(bobs); n != 0 {
			t.Errorf("before, bob sees %d", n)
		}
		access(clew.RoleApprover)
		if n, m := lists(bobs), lists(all); n != 1 || m != 1 {
			t.Errorf("shared, bob sees %d, everybody's list has %d", n, m)
		}
		access(clew.RoleNone)
		if n, m := lists(bobs), lists(all); n != 0 || m != 1 {
			t.Errorf("taken back, bob sees %d, everybody's list has %d", n, m)
		}
		access(clew.RoleViewer)
		if n := lists(bobs); n != 1 {
			t.Errorf("shared again, bob sees %d", n)
		}
		stop(h)
	})
}

// A session that was put away is in no list but that of those that were, keeps all
// it has, and comes back.
func TestArchivedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{})
		id := create(t, h, "s1")
		archive := func(on bool) {
			t.Helper()
			if _, err := h.Do(t.Context(), id, clew.Command{Type: clew.CommandArchiveSession, By: ann, Data: &clew.ArchiveSessionData{Archived: on}}); err != nil {
				t.Fatal(err)
			}
		}
		listed := func(archived bool) int {
			t.Helper()
			time.Sleep(time.Minute)
			list, _, err := h.List(t.Context(), session.ListQuery{Owner: "ann", Archived: archived, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		archive(true)
		archive(true) // changes nothing
		if n, m := listed(false), listed(true); n != 0 || m != 1 {
			t.Errorf("put away: %d listed, %d among those put away", n, m)
		}
		archive(false)
		if n, m := listed(false), listed(true); n != 1 || m != 0 {
			t.Errorf("brought back: %d listed, %d among those put away", n, m)
		}
		stop(h)
	})
}
