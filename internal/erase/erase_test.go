package erase_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/erase"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
)

type world struct {
	*erase.Eraser
	t       *testing.T
	host    *session.Host
	table   *journal.Erasures
	files   *failing
	values  settings.Values
	retired []clew.SessionID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOn(t, journal.Config{Dir: t.TempDir(), SyncInterval: time.Minute})
}

func newWorldOn(t *testing.T, cfg journal.Config) *world {
	t.Helper()
	log, dir := slog.New(slog.DiscardHandler), cfg.Dir
	w := &world{t: t, values: settings.Defaults()}
	j, err := journal.Open(t.Context(), cfg, log)
	must(t, err)
	index, err := j.OpenIndex(t.Context())
	must(t, err)
	inbox, err := j.OpenInbox(t.Context())
	must(t, err)
	drafts, err := j.OpenDrafts(t.Context())
	must(t, err)
	blobs, err := j.OpenBlobUse(t.Context(), func() int64 { return 0 })
	must(t, err)
	table, err := j.OpenErasures(t.Context())
	must(t, err)
	home := func(id clew.SessionID) string { return filepath.Join(dir, "workspaces", string(id)) }
	files, err := retention.Open(filepath.Join(dir, "checkpoints"), retention.Options{Home: home})
	must(t, err)
	w.table, w.files = table, &failing{Files: files}
	w.host = session.NewHost(session.Config{Journal: j, Peers: j.Peers(), Cluster: j.Cluster(), Index: index, Inbox: inbox, Erasures: table, Log: log, Retired: func(id clew.SessionID) { w.retired = append(w.retired, id) }})
	t.Cleanup(func() {
		w.host.Close(context.Background())
		j.Close(context.Background())
		_ = files.Close()
	})
	w.Eraser = erase.New(erase.Options{
		Host: w.host, Table: table, Files: w.files, Home: home, Log: log, Settings: func() settings.Values { return w.values },
		Store: journal.Eraser{Journal: j, Index: index, Inbox: inbox, Drafts: drafts, BlobUse: blobs, Seal: w.host.Seal, Own: w.host.Own},
	})
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func by(user clew.UserID) clew.Principal { return clew.Principal{User: user, Role: clew.RoleOwner} }

func (w *world) create(user clew.UserID, id clew.SessionID) {
	w.t.Helper()
	_, err := w.host.Create(w.t.Context(), by(user), session.NewSession{ID: id})
	must(w.t, err)
}

// there says which code a person hears of a session, "" if it is there.
func (w *world) there(user clew.UserID, id clew.SessionID) clew.Code {
	w.t.Helper()
	_, err := w.host.Access(w.t.Context(), id, by(user))
	if err == nil {
		return ""
	}
	return clew.CodeOf(err)
}

// Sessions in which nothing happened go when their time is over: the server's, or that
// of their owner. Without a retention time none ever does.
//
// Covers: C-77, WS-103
func TestRetention(t *testing.T) {
	w := newWorld(t)
	for _, user := range []clew.UserID{"ada", "bob", "eve"} {
		w.create(user, clew.SessionID("sess_"+user))
	}
	later := func(days int) time.Time { return time.Now().AddDate(0, 0, days) }
	must(t, w.Expire(t.Context(), later(1000)))
	is := func(when string, want ...clew.Code) {
		t.Helper()
		for i, user := range []clew.UserID{"ada", "bob", "eve"} {
			if got := w.there(user, clew.SessionID("sess_"+user)); got != want[i] {
				t.Errorf("%s: %s hears %q, want %q", when, user, got, want[i])
			}
		}
	}
	is("without a time", "", "", "")
	w.values.RetentionDays, w.values.RetentionUsers = 30, map[string]int{"bob": 90, "eve": 0}
	must(t, w.Expire(t.Context(), later(29)))
	is("too early", "", "", "")
	must(t, w.Expire(t.Context(), later(31)))
	is("after 31 days", clew.SessionExpired, "", "")
	must(t, w.Restore(t.Context(), "sess_ada", by("ada")))
	is("brought back", "", "", "")
	must(t, w.Expire(t.Context(), later(91)))
	must(t, w.Expire(t.Context(), later(91))) // it may be repeated
	is("after 91 days", clew.SessionExpired, clew.SessionExpired, "")
	if got := w.there("bob", "sess_ada"); got != clew.SessionNotFound {
		t.Errorf("a stranger hears %q", got)
	}
	must(t, w.Round(t.Context(), later(95)))
	must(t, w.Restore(t.Context(), "sess_bob", by("bob")))
	must(t, w.Expire(t.Context(), later(91)))
	must(t, w.Round(t.Context(), later(99)))
	err := w.Restore(t.Context(), "sess_bob", by("bob"))
	if clew.CodeOf(err) != clew.SessionInvalidState || !strings.Contains(err.Error(), "cannot be brought back") {
		t.Errorf("an erased one: %v", err)
	}
	is("erased", clew.SessionExpired, clew.SessionExpired, "")
	if _, err := w.host.Create(t.Context(), by("bob"), session.NewSession{ID: "sess_bob"}); err == nil {
		t.Error("an erased session's id was given again")
	}
}

// A session is deleted once, and nobody gets a second try at its grace time.
func TestDeleteOnce(t *testing.T) {
	w := newWorld(t)
	w.create("ada", "sess_1")
	first, err := w.Delete(t.Context(), "sess_1", "ada", false)
	must(t, err)
	if _, err := w.Delete(t.Context(), "sess_1", "ada", true); clew.CodeOf(err) != clew.SessionNotFound {
		t.Errorf("a second time: %v", err)
	}
	if !slices.Equal(w.retired, []clew.SessionID{"sess_1"}) { // what ran in it is told once
		t.Errorf("retired %v", w.retired)
	}
	d, err := w.Deleted(t.Context(), "sess_1", by("ada"))
	if err != nil || d == nil || d.EraseMS != first.EraseMS || d.By != "ada" || d.Owner != "ada" {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := w.Deleted(t.Context(), "sess_1", by("bob")); d != nil || err != nil {
		t.Errorf("bob hears %+v, %v", d, err)
	}
	w.values.EraseAfterDays = 0
	w.create("ada", "sess_2")
	d2, err := w.Delete(t.Context(), "sess_2", "ada", false)
	must(t, err)
	if d2.EraseMS != d2.AtMS {
		t.Errorf("0 days are %+v", d2)
	}
}

// A deletion whose server ended before the lists had it is gone on with: by whoever erases,
// once nobody can be at it any more.
func TestCutDeletion(t *testing.T) {
	w := newWorld(t)
	w.create("ada", "sess_1")
	listed := func(deleted bool) int {
		t.Helper()
		list, _, err := w.host.List(t.Context(), session.ListQuery{Owner: "ada", Deleted: deleted, Limit: 10})
		must(t, err)
		return len(list)
	}
	if listed(false) != 1 {
		t.Fatal("it is not listed")
	}
	now := time.Now()
	must(t, w.table.Delete(t.Context(), session.Erasure{Session: "sess_1", Owner: "ada", Listed: true, AtMS: now.UnixMilli(), EraseMS: now.AddDate(0, 0, 1).UnixMilli()}))
	must(t, w.Round(t.Context(), now.Add(time.Second)))
	if listed(false) != 1 {
		t.Error("somebody else may be at it")
	}
	must(t, w.Round(t.Context(), now.Add(time.Hour)))
	if listed(false) != 0 || listed(true) != 1 {
		t.Errorf("%d are listed, %d as deleted", listed(false), listed(true))
	}
	if d, err := w.table.Deleted(t.Context(), "sess_1"); err != nil || d.Listed {
		t.Errorf("%+v, %v", d, err)
	}
	must(t, w.Restore(t.Context(), "sess_1", by("ada")))
	if listed(false) != 1 {
		t.Error("it is not brought back")
	}
}

// failing fails to erase files as often as it is told.
type failing struct {
	erase.Files
	left int
}

func (f *failing) Erase(ctx context.Context, id clew.SessionID, heirs []clew.SessionID) error {
	if f.left--; f.left >= 0 {
		return errors.New("no")
	}
	return f.Files.Erase(ctx, id, heirs)
}

// A round that failed is repeated. A session of which something may be gone cannot be
// brought back, and is not called erased before all of it is.
func TestRoundIsRepeated(t *testing.T) {
	w := newWorld(t)
	w.files.left = 2
	w.create("ada", "sess_1")
	d, err := w.Delete(t.Context(), "sess_1", "ada", true)
	must(t, err)
	now := time.UnixMilli(d.EraseMS)
	for w.files.left > 0 {
		if w.Round(t.Context(), now) == nil {
			t.Fatal("it did not fail")
		}
		if d, err := w.Deleted(t.Context(), "sess_1", by("ada")); err != nil || d.DoneMS != 0 || !d.Begun {
			t.Errorf("%+v, %v", d, err)
		}
		if err := w.Restore(t.Context(), "sess_1", by("ada")); clew.CodeOf(err) != clew.SessionInvalidState {
			t.Errorf("brought back: %v", err)
		}
	}
	must(t, w.Round(t.Context(), now))
	must(t, w.Round(t.Context(), now))
	if d, err := w.Deleted(t.Context(), "sess_1", by("ada")); err != nil || d.DoneMS == 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// Erasing takes a while in proportion to the store, and disturbs nobody in it: all
// others are there afterwards, and can be changed meanwhile.
func TestEraseAmongMany(t *testing.T) {
	w := newWorld(t)
	n := nightly.Size(300, 10_000)
	id := func(i int) clew.SessionID { return clew.SessionID(fmt.Sprintf("sess_%d", i)) }
	for i := range n {
		w.create("ada", id(i))
	}
	for _, i := range []int{3, n / 2} {
		_, err := w.Delete(t.Context(), id(i), "ada", true)
		must(t, err)
	}
	erased := make(chan error, 1)
	began := time.Now()
	go func() { erased <- w.Round(t.Context(), time.Now()) }()
	changes := 0
	for done := false; !done; changes++ {
		cmd := clew.NewCommand(by("ada"), &clew.RenameSessionData{Title: fmt.Sprint("changed ", changes)})
		if _, err := w.host.Do(t.Context(), id(5), cmd); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-erased:
			must(t, err)
			done = true
		default:
		}
	}
	t.Logf("2 of %d sessions erased in %s, %d changes elsewhere meanwhile", n, time.Since(began).Round(time.Millisecond), changes)
	listed := 0
	for q := (session.ListQuery{Owner: "ada", Limit: 200}); ; {
		list, next, err := w.host.List(t.Context(), q)
		must(t, err)
		listed += len(list)
		if q.Cursor = next; next == "" {
			break
		}
	}
	if listed != n-2 {
		t.Errorf("%d of %d are listed", listed, n-2)
	}
}
