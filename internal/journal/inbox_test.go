package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

func openInbox(t *testing.T, j *journal.Journal) *journal.Inbox {
	t.Helper()
	x, err := j.OpenInbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func question(id clew.SessionID, request string, reminded int64) core.InboxItem {
	return core.InboxItem{
		SessionID: id, Title: "Work", Owner: "ann", AskedMS: 5, RemindedMS: reminded, Seq: 3,
		Question: clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
			Asking: clew.Asking{RequestID: clew.RequestID(request)}, Ask: clew.AskCommand, Reason: "run it?",
		}},
	}
}

type inboxRows = map[clew.UserID][]core.InboxItem

func syncRows(t *testing.T, x *journal.Inbox, id clew.SessionID, rows inboxRows) {
	t.Helper()
	if err := x.Sync(t.Context(), id, rows); err != nil {
		t.Fatal(err)
	}
}

// listed names what is in somebody's inbox.
func listed(t *testing.T, x *journal.Inbox, user clew.UserID) string {
	t.Helper()
	list, err := x.List(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return names(list)
}

func names(list []core.InboxItem) string {
	var out []string
	for _, it := range list {
		out = append(out, fmt.Sprintf("%s/%s/%s/%d", it.SessionID, it.Question.RequestID(), it.Title, it.RemindedMS))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// A person's rows are those of all sessions, whatever the user is called; a
// row that changes or goes is seen, after a restart too.
//
// Covers: C-20
func TestInboxRows(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	x := openInbox(t, j)
	odd := clew.UserID("jürgen@example.org *.> ")
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q1", 0), question("s1", "q2", 0)}, odd: {question("s1", "q2", 0)}})
	syncRows(t, x, "s2", inboxRows{"ann": {question("s2", "q3", 0)}})
	if got := listed(t, x, "ann"); got != "s1/q1/Work/0 s1/q2/Work/0 s2/q3/Work/0" {
		t.Errorf("ann has %s", got)
	}
	if got := listed(t, x, odd); got != "s1/q2/Work/0" {
		t.Errorf("%s has %s", odd, got)
	}
	if got := listed(t, x, "bob"); got != "" {
		t.Errorf("bob has %s", got)
	}
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q2", 9)}})
	j.Close(context.Background())
	j = openDir(t, dir)
	defer j.Close(context.Background())
	x = openInbox(t, j)
	if got := listed(t, x, "ann"); got != "s1/q2/Work/9 s2/q3/Work/0" {
		t.Errorf("after a restart ann has %s", got)
	}
	if got := listed(t, x, odd); got != "" {
		t.Errorf("%s still has %s", odd, got)
	}
	it, ok, err := x.Find(t.Context(), "ann", "q3")
	if err != nil || !ok || it.SessionID != "s2" || it.Question.Data.(*clew.HitlApprovalRequestData).Reason != "run it?" {
		t.Errorf("found %+v, %v, %v", it, ok, err)
	}
	for _, id := range []clew.RequestID{"q1", "", "*", ">", "q3.x", "q 3"} {
		if _, ok, err := x.Find(t.Context(), "ann", id); ok || err != nil {
			t.Errorf("found %q: %v, %v", id, ok, err)
		}
	}
	syncRows(t, x, "s1", nil) // it never saw what the former process wrote
	if got := listed(t, x, "ann"); got != "s2/q3/Work/0" {
		t.Errorf("in the end ann has %s", got)
	}
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q2", 0)}}) // over the mark of the deleted row
	if got := listed(t, x, "ann"); got != "s1/q2/Work/0 s2/q3/Work/0" {
		t.Errorf("a row that came again: %s", got)
	}
}

// Rows are what the last Sync said, whatever came before and whoever forgot it.
func TestInboxSyncAtRandom(t *testing.T) {
	x := openInbox(t, openLax(t, t.TempDir()))
	users := []clew.UserID{"ann", "bob", "eve"}
	want := map[clew.UserID]map[clew.SessionID][]core.InboxItem{"ann": {}, "bob": {}, "eve": {}}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		id := clew.SessionID(fmt.Sprint("s", rnd.IntN(3)))
		rows := inboxRows{}
		for _, u := range users {
			var items []core.InboxItem
			for q := range 3 {
				if rnd.IntN(2) == 0 {
					items = append(items, question(id, fmt.Sprint("q", q), int64(rnd.IntN(2))))
				}
			}
			want[u][id] = items
			if items != nil {
				rows[u] = items
			}
		}
		if rnd.IntN(5) == 0 {
			x.Forget(id)
		}
		syncRows(t, x, id, rows)
		if i%20 > 0 {
			continue
		}
		for _, u := range users {
			var all []core.InboxItem
			for _, items := range want[u] {
				all = append(all, items...)
			}
			if got := listed(t, x, u); got != names(all) {
				t.Fatalf("after %d %s has %s, want %s", i, u, got, names(all))
			}
		}
	}
}

// watchInbox hears what happens to somebody's rows.
func watchInbox(t *testing.T, x *journal.Inbox, user clew.UserID) <-chan string {
	t.Helper()
	heard := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- x.Watch(ctx, user, func(c session.InboxChange) {
			switch {
			case c.Current:
				heard <- "current"
			case c.Item == nil:
				heard <- "-" + string(c.RequestID)
			default:
				heard <- "+" + string(c.RequestID)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("watch: %v", err)
		}
	})
	return heard
}

func expect(t *testing.T, heard <-chan string, want ...string) {
	t.Helper()
	for _, w := range want {
		select {
		case got := <-heard:
			if got != w {
				t.Fatalf("heard %s, want %s", got, w)
			}
		case <-time.After(time.Minute):
			t.Fatalf("did not hear %s", w)
		}
	}
}

func TestInboxWatch(t *testing.T) {
	x := openInbox(t, openLax(t, t.TempDir()))
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q0", 0), question("s1", "q1", 0)}})
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q1", 0)}})
	heard := watchInbox(t, x, "ann")
	expect(t, heard, "+q1", "current")
	syncRows(t, x, "s2", inboxRows{"bob": {question("s2", "q9", 0)}})
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q1", 7)}})
	expect(t, heard, "+q1")
	syncRows(t, x, "s1", nil)
	expect(t, heard, "-q1")
}

// On two nodes: both see the same rows, and who lost the session changes none.
//
// Covers: C-79
func TestInboxOfTwoNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three nats-server processes")
	}
	c := journaltest.StartCluster(t)
	archive := "file://" + t.TempDir()
	open := func() (*journal.Journal, *journal.Inbox) {
		j, err := journal.Open(t.Context(), journal.Config{Dir: t.TempDir(), Engine: c.URL(), Partitions: 2, Archive: archive, NodeTTL: 3 * time.Second}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close(context.Background()) })
		return j, openInbox(t, j)
	}
	ja, a := open()
	jb, b := open()
	const id = clew.SessionID("s1")
	shard := session.ShardOf(id)
	if _, err := ja.Claim(t.Context(), shard); err != nil {
		t.Fatal(err)
	}
	heard := watchInbox(t, b, "ann")
	expect(t, heard, "current")
	syncRows(t, b, id, inboxRows{"ann": {question(id, "q9", 0)}}) // it is not b's
	syncRows(t, a, id, inboxRows{"ann": {question(id, "q1", 0), question(id, "q2", 0)}})
	expect(t, heard, "+q1", "+q2")
	ja.Close(context.Background()) // it gives its shards up
	poll.Until(t, "the shard is free", func() bool { _, err := jb.Claim(t.Context(), shard); return err == nil })
	syncRows(t, b, id, inboxRows{"ann": {question(id, "q2", 0)}})
	expect(t, heard, "-q1")
	poll.Until(t, "ann has one question", func() bool { return listed(t, b, "ann") == "s1/q2/Work/0" }) // a replica that is behind may answer
}

// ringing hears notices and answers them as told.
type ringing struct {
	mu    sync.Mutex
	heard chan journal.Notice
	fail  func(journal.Notice) (time.Duration, error)
	stop  func()
}

func ring(t *testing.T, x *journal.Inbox, fail func(journal.Notice) (time.Duration, error)) *ringing {
	t.Helper()
	r := &ringing{heard: make(chan journal.Notice, 100), fail: fail}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- x.Notices(ctx, func(_ context.Context, n journal.Notice) (again time.Duration, err error) {
			r.mu.Lock()
			if r.fail != nil {
				again, err = r.fail(n)
			}
			r.mu.Unlock()
			r.heard <- n
			return again, err
		})
	}()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

func (r *ringing) next(t *testing.T, request string, reminder bool) journal.Notice {
	t.Helper()
	select {
	case n := <-r.heard:
		if n.Item.Question.RequestID() != clew.RequestID(request) || n.Reminder != reminder {
			t.Fatalf("notice %s of %s (reminder %v), want %s (%v)", n.ID, n.Item.Question.RequestID(), n.Reminder, request, reminder)
		}
		return n
	case <-time.After(time.Minute):
		t.Fatalf("no notice of %s", request)
		return journal.Notice{}
	}
}

// Each person hears once of a question and once of its reminder, and nothing of
// other changes, over restarts.
func TestNotices(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	x := openInbox(t, j)
	r := ring(t, x, nil)
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q1", 0)}})
	if n := r.next(t, "q1", false); n.User != "ann" || n.Attempt != 1 || n.Item.SessionID != "s1" {
		t.Errorf("notice %+v", n)
	}
	renamed := question("s1", "q1", 0)
	renamed.Title = "Other work"
	syncRows(t, x, "s1", inboxRows{"ann": {renamed}})
	renamed.RemindedMS = 77
	syncRows(t, x, "s1", inboxRows{"ann": {renamed}})
	first := r.next(t, "q1", true)
	syncRows(t, x, "s1", inboxRows{"ann": {renamed}, "bob": {renamed}})
	if n := r.next(t, "q1", false); n.User != "bob" || n.ID == first.ID {
		t.Errorf("notice %+v", n)
	}
	r.stop()
	syncRows(t, x, "s2", inboxRows{"ann": {question("s2", "gone", 0), question("s2", "late", 0)}})
	syncRows(t, x, "s2", inboxRows{"ann": {question("s2", "late", 0)}}) // the other was answered meanwhile
	j.Close(context.Background())
	j = openDir(t, dir)
	defer j.Close(context.Background())
	x = openInbox(t, j)
	r = ring(t, x, nil)
	r.next(t, "late", false)
	syncRows(t, x, "s3", inboxRows{"ann": {question("s3", "end", 0)}})
	r.next(t, "end", false) // and nothing in between
	r.stop()
	if len(r.heard) != 0 {
		t.Errorf("%d further notices", len(r.heard))
	}
}

// What is not taken comes again with the same id until it is, or is given up.
func TestNoticesComeAgain(t *testing.T) {
	x := openInbox(t, openLax(t, t.TempDir()))
	r := ring(t, x, func(n journal.Notice) (time.Duration, error) {
		switch {
		case n.Item.Question.RequestID() == "bad" && n.Attempt == 2:
			return 0, errors.New("never")
		case n.Attempt < 3:
			return 20 * time.Millisecond, errors.New("not now")
		}
		return 0, nil
	})
	syncRows(t, x, "s1", inboxRows{"ann": {question("s1", "q1", 0)}})
	ids := map[string]bool{}
	for i := range 3 {
		n := r.next(t, "q1", false)
		ids[n.ID] = true
		if n.Attempt != i+1 {
			t.Errorf("attempt %d, want %d", n.Attempt, i+1)
		}
	}
	if len(ids) != 1 {
		t.Errorf("ids %v", ids)
	}
	syncRows(t, x, "s2", inboxRows{"ann": {question("s2", "bad", 0)}})
	r.next(t, "bad", false)
	r.next(t, "bad", false)
	syncRows(t, x, "s3", inboxRows{"ann": {question("s3", "end", 0)}})
	for range 3 {
		r.next(t, "end", false)
	}
}

// A row is plain JSON with the question as the protocol writes it.
func TestInboxItemJSON(t *testing.T) {
	b, err := json.Marshal(question("s1", "q1", 0))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"question":{"type":"hitl_approval_request","request_id":"q1"`) {
		t.Error(string(b))
	}
}

// As many people as like follow their inboxes: the engine has one consumer for
// all of them (P1: at about a thousand it had no more).
func TestManyInboxes(t *testing.T) {
	const people = 10_000
	x := openInbox(t, openLax(t, t.TempDir()))
	ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Minute, errors.New("it took too long"))
	defer cancel()
	current, told := make(chan bool, people), make(chan bool, people)
	all := func(of <-chan bool) time.Duration {
		t.Helper()
		began := time.Now()
		for i := range people {
			select {
			case <-of:
			case <-ctx.Done():
				t.Fatalf("%d of %d, then: %v", i, people, context.Cause(ctx))
			}
		}
		return time.Since(began).Round(time.Millisecond)
	}
	rows := inboxRows{}
	for i := range people {
		user := clew.UserID(fmt.Sprintf("user%d", i))
		rows[user] = []core.InboxItem{question("sess_1", "r1", 0)}
		go func() {
			err := x.Watch(ctx, user, func(c session.InboxChange) {
				if c.Current {
					current <- true
				} else {
					told <- true
				}
			})
			if ctx.Err() == nil {
				t.Errorf("%s: %v", user, err)
				cancel()
			}
		}()
	}
	opened := all(current)
	syncRows(t, x, "sess_1", rows)
	t.Logf("%d inboxes were opened in %s; a change of each was told %s after it was written", people, opened, all(told))
}
