package journal_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/poll"
)

func openDrafts(t *testing.T, j *journal.Journal) *journal.Drafts {
	t.Helper()
	d, err := j.OpenDrafts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// draftSuite checks what holds on one node and between two: here and there are
// the same table.
func draftSuite(t *testing.T, here, there *journal.Drafts) {
	ctx := t.Context()
	get := func(d *journal.Drafts, user clew.UserID, id clew.SessionID) journal.Draft {
		t.Helper()
		got, err := d.Get(ctx, user, id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	put := func(d *journal.Drafts, text string, revision uint64) (uint64, error) {
		return d.Put(ctx, "ann", "s1", journal.Draft{Text: text, Images: []string{"data:x"}, UpdatedMS: 5}, revision)
	}
	if got := get(here, "ann", "s1"); !reflect.DeepEqual(got, journal.Draft{}) {
		t.Errorf("at first there is %+v", got)
	}
	one, err := put(here, "one", 0)
	if err != nil || one == 0 {
		t.Fatal(one, err)
	}
	if got := get(there, "ann", "s1"); !reflect.DeepEqual(got, journal.Draft{Text: "one", Images: []string{"data:x"}, UpdatedMS: 5, Revision: one}) {
		t.Errorf("elsewhere it is %+v", got)
	}
	for _, other := range []journal.Draft{get(there, "bob", "s1"), get(there, "ann", "s2")} {
		if other.Revision != 0 || other.Text != "" {
			t.Errorf("somebody else has %+v", other)
		}
	}
	two, err := put(there, "two", one)
	if err != nil || two <= one {
		t.Fatal(two, err)
	}
	for _, late := range []uint64{0, one, two + 1} {
		if _, err := put(here, "late", late); !errors.Is(err, journal.ErrDraftChanged) {
			t.Errorf("over revision %d: %v", late, err)
		}
	}
	if err := here.Delete(ctx, "ann", "s1", one); !errors.Is(err, journal.ErrDraftChanged) {
		t.Errorf("an old one was deleted: %v", err)
	}
	if err := here.Delete(ctx, "ann", "s1", two); err != nil {
		t.Fatal(err)
	}
	if err := there.Delete(ctx, "ann", "s1", two); err != nil { // said again
		t.Error(err)
	}
	if got := get(there, "ann", "s1"); got.Revision != 0 || got.Text != "" {
		t.Errorf("what was deleted is %+v", got)
	}
	if _, err := put(there, "late", two); !errors.Is(err, journal.ErrDraftChanged) {
		t.Errorf("over one that was deleted: %v", err)
	}
	three, err := put(there, "three", 0)
	if err != nil || three <= two || get(here, "ann", "s1").Text != "three" {
		t.Errorf("a new one after it: %d, %v", three, err)
	}
	// Of many who write at once over the same one, one wins.
	var won atomic.Int64
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			switch _, err := put([]*journal.Drafts{here, there}[i%2], fmt.Sprint(i), three); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, journal.ErrDraftChanged):
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if won.Load() != 1 {
		t.Errorf("%d have won", won.Load())
	}
}

func TestDrafts(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	d := openDrafts(t, j)
	draftSuite(t, d, d)
	large := journal.Draft{Text: strings.Repeat("x", 64<<10), Images: []string{strings.Repeat("y", 1<<20)}}
	revision, err := d.Put(t.Context(), "zoe", "s1", large, 0)
	if err != nil {
		t.Fatal(err)
	}
	j.Close(context.Background())
	j = openDir(t, dir)
	t.Cleanup(func() { j.Close(context.Background()) })
	large.Revision = revision
	if got, err := openDrafts(t, j).Get(t.Context(), "zoe", "s1"); err != nil || !reflect.DeepEqual(got, large) {
		t.Errorf("after a restart revision %d of %d bytes, %v", got.Revision, len(got.Text), err)
	}
}

func TestDraftsOfACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three nats-server processes")
	}
	c := journaltest.StartCluster(t)
	archive := "file://" + t.TempDir()
	open := func() *journal.Drafts {
		j, err := journal.Open(t.Context(), journal.Config{Dir: t.TempDir(), Engine: c.URL(), Partitions: 2, Replicas: 3, Archive: archive}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close(context.Background()) })
		return openDrafts(t, j)
	}
	here, there := open(), open()
	draftSuite(t, here, there)
	huge := journal.Draft{Images: []string{strings.Repeat("y", 9<<20)}}
	if _, err := here.Put(t.Context(), "zoe", "s1", huge, 0); clew.CodeOf(err) != clew.MessageTooLarge {
		t.Errorf("what the engine does not take: %v", err)
	}
}

// A fading table forgets what nobody has written for a while, and a row that
// went, or was deleted, can be made again.
func TestFadingTable(t *testing.T) {
	j := openDir(t, t.TempDir())
	t.Cleanup(func() { j.Close(context.Background()) })
	table, err := j.FadingTable(t.Context(), "LASTING", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	set := func(value string) {
		t.Helper()
		err := table.Change(t.Context(), "a.b", func(old []byte) ([]byte, error) {
			if old != nil && value != "" {
				t.Errorf("there is %q", old)
			}
			if value == "" {
				return nil, nil
			}
			return []byte(value), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	set("one")
	set("") // deletes it
	if rows, err := table.Below(t.Context(), "a"); err != nil || len(rows) != 0 {
		t.Errorf("deleted, and there is %v, %v", rows, err)
	}
	if rows, err := table.List(t.Context()); err != nil || len(rows) != 0 {
		t.Errorf("deleted, and there is %v, %v", rows, err)
	}
	set("") // nothing to delete
	set("two")
	if rows, err := table.Below(t.Context(), "a"); err != nil || string(rows["a.b"]) != "two" {
		t.Errorf("there is %v, %v", rows, err)
	}
	brief, err := j.FadingTable(t.Context(), "BRIEF", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	table = brief
	for range 2 { // once more after it has gone
		set("three")
		poll.Until(t, "the row goes", func() bool { _, _, err := table.Get(t.Context(), "a.b"); return errors.Is(err, journal.ErrNoRow) })
	}
}
