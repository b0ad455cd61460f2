package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/core"
)

// One person's rows that nobody takes hold up nobody else's, however many they are,
// and come in the end, each once.
func TestOneUserHoldsUpNobodyElse(t *testing.T) {
	j := openDir(t, t.TempDir())
	t.Cleanup(func() { j.Close(context.Background()) })
	x := openInbox(t, j)
	ctx, cancel := context.WithCancel(t.Context())
	hold, others, mine, done := make(chan struct{}), make(chan clew.UserID, 100), make(chan string, 100), make(chan error, 1)
	var at atomic.Int64
	var most atomic.Int64
	go func() {
		done <- x.Changes(ctx, "test", func(_ context.Context, c journal.Change) (time.Duration, error) {
			if c.User != "eve" {
				others <- c.User
				return 0, nil
			}
			if n := at.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer at.Add(-1)
			<-hold
			mine <- c.Row
			return 0, nil
		})
	}()
	const rows = 30
	var items []core.InboxItem
	for i := range rows {
		items = append(items, question("s1", fmt.Sprint("q", i), 1))
	}
	syncRows(t, x, "s1", inboxRows{"eve": items})
	for _, user := range []clew.UserID{"ann", "bob"} {
		id := clew.SessionID("of-" + user)
		syncRows(t, x, id, inboxRows{user: {question(id, "q1", 1)}})
		select {
		case heard := <-others:
			if heard != user {
				t.Errorf("heard of %s, want %s", heard, user)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s is held up", user)
		}
	}
	close(hold)
	seen := map[string]bool{}
	for range rows {
		select {
		case row := <-mine:
			if seen[row] {
				t.Errorf("%s came twice", row)
			}
			seen[row] = true
		case <-time.After(time.Minute):
			t.Fatalf("%d of %d rows came", len(seen), rows)
		}
	}
	cancel()
	if err := <-done; err != nil || most.Load() > 2 {
		t.Errorf("ended with %v, %d at once", err, most.Load())
	}
}

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
	set := func(items ...core.InboxItem) { t.Helper(); syncRows(t, x, "s1", inboxRows{"ann": items}) }
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
