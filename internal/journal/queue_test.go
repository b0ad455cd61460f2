package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
)

// A change that was not taken comes again and is given up in the end; a row that
// goes is a change; and one row's changes are taken one after the other.
func TestChanges(t *testing.T) {
	j := openDir(t, t.TempDir())
	t.Cleanup(func() { j.Close(context.Background()) })
	x := openInbox(t, j)
	ctx, cancel := context.WithCancel(t.Context())
	got, done := make(chan string, 100), make(chan error, 1)
	hold := make(chan struct{})
	var at atomic.Int64
	go func() {
		done <- x.Changes(ctx, "test", func(_ context.Context, c journal.Change) (time.Duration, error) {
			if at.Add(1) != 1 {
				t.Error("two at once for one row")
			}
			defer at.Add(-1)
			said := "gone"
			if c.Item != nil {
				said = fmt.Sprint(c.User, " ", c.Item.RemindedMS)
			}
			got <- fmt.Sprint(said, " ", c.Attempt)
			switch {
			case c.Item != nil && c.Item.RemindedMS == 1 && c.Attempt < 3:
				return time.Millisecond, errors.New("not now")
			case c.Item != nil && c.Item.RemindedMS == 2:
				<-hold
				return 0, errors.New("never")
			}
			return 0, nil
		})
	}()
	hear := func(want string) {
		t.Helper()
		select {
		case said := <-got:
			if said != want {
				t.Fatalf("heard %q, want %q", said, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q never came", want)
		}
	}
	set := func(items ...session.InboxItem) { t.Helper(); syncRows(t, x, "s1", inboxRows{"ann": items}) }
	set(question("s1", "q1", 1))
	hear("ann 1 1")
	hear("ann 1 2")
	hear("ann 1 3")
	set(question("s1", "q1", 2))
	hear("ann 2 1")
	set() // while the one before is under way
	if open, err := x.HasRow(t.Context(), "nobody.s1.q1"); open || err != nil {
		t.Error(open, err)
	}
	close(hold)
	hear("gone 1")
	cancel()
	if err := <-done; err != nil || len(got) != 0 {
		t.Errorf("ended with %v and %d more", err, len(got))
	}
}
