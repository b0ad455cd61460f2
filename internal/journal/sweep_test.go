package journal

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// ground is a journal with a host on it.
type ground struct {
	t *testing.T
	j *Journal
	h *session.Host
}

var owner = clew.Principal{User: "ann", Role: clew.RoleOwner}

func newGround(t *testing.T, dir string) *ground {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	j, err := Open(t.Context(), Config{Dir: dir, Partitions: 1, SyncInterval: time.Minute}, log)
	if err != nil {
		t.Fatal(err)
	}
	x, err := j.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t, j, session.NewHost(session.Config{Journal: j, Index: x, Log: log})}
	t.Cleanup(g.close)
	return g
}

func (g *ground) close() {
	g.h.Close(context.Background())
	g.j.Close(context.Background())
}

func (g *ground) create(id clew.SessionID, records int) {
	g.t.Helper()
	if _, err := g.h.Create(g.t.Context(), owner, session.NewSession{ID: id}); err != nil {
		g.t.Fatal(err)
	}
	g.rename(id, records-1)
}

func (g *ground) rename(id clew.SessionID, n int) {
	g.t.Helper()
	for i := range n {
		cmd := clew.Command{Type: clew.CommandRenameSession, By: owner, Data: &clew.RenameSessionData{Title: fmt.Sprint("t", i)}}
		if _, err := g.h.Do(g.t.Context(), id, cmd); err != nil {
			g.t.Fatal(err)
		}
	}
}

// sweep sweeps what was written up to now.
func (g *ground) sweep() error {
	return g.j.SweepPartition(g.t.Context(), 0, time.Now().Add(time.Hour), g.h.Seal)
}

func (g *ground) stored() (messages, first uint64) {
	g.t.Helper()
	info, err := g.j.streams[0].Info(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	return info.State.Msgs, info.State.FirstSeq
}

// whole checks that all records of a session can be read, in one chain.
func (g *ground) whole(id clew.SessionID, n int) {
	g.t.Helper()
	var head clew.Head
	for r, err := range g.j.Read(g.t.Context(), id, 1, 1<<40) {
		if err != nil {
			g.t.Fatal(err)
		}
		if err := r.Follows(head); err != nil {
			g.t.Fatal(err)
		}
		head = r.After()
	}
	if head.Seq != uint64(n) {
		g.t.Errorf("%s has %d records, want %d", id, head.Seq, n)
	}
}

// Covers: C-09
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	g := newGround(t, dir)
	g.create("one", 30)
	g.create("two", 1)
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	if n, _ := g.stored(); n != 0 {
		t.Errorf("%d messages stay in the stream", n)
	}
	if left := g.j.witness.sessions(); len(left) != 0 {
		t.Errorf("the witness still has %v", left)
	}
	g.whole("one", 30)
	g.whole("two", 1)

	// The fences went with the rest; live sessions go on all the same.
	g.rename("one", 5)
	g.rename("two", 2)
	g.whole("one", 35)
	g.whole("two", 3)

	// Again, with records on both sides of the seal.
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	g.rename("one", 1)
	g.whole("one", 36)
	g.close()

	g = newGround(t, dir)
	g.whole("one", 36)
	g.rename("one", 1)
	g.whole("one", 37)
	g.whole("two", 3)
	w, err := g.h.Watch(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if st, err := w.State(t.Context()); err != nil || st.Title != "t0" || st.LastMessageID != clew.MessageIDOf(37) {
		t.Errorf("state %q at %s, %v", st.Title, st.LastMessageID, err)
	}
}

// What is younger than the given time stays in the stream.
func TestSweepLeavesTheYoung(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("one", 3)
	before, first := g.stored()
	if err := g.j.SweepPartition(t.Context(), 0, time.Now().Add(-time.Hour), g.h.Seal); err != nil {
		t.Fatal(err)
	}
	if n, now := g.stored(); n < before || now != first {
		t.Errorf("%d messages from %d on, before %d from %d on", n, now, before, first)
	}
}

// A message that cannot be read stays, and does not hold up the sessions around
// it.
func TestSweepPassesDamage(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("good", 3)
	_, subject := g.j.sessionSubject("bad")
	if _, err := g.j.js.Publish(t.Context(), subject, []byte(`{"seq":1,"term`)); err != nil {
		t.Fatal(err)
	}
	g.create("later", 3)
	for range 3 { // and stays that way
		if err := g.sweep(); err != nil {
			t.Errorf("the sweep says %v", err)
		}
		ids, err := g.j.subjectsOf(t.Context(), 0, g.j.subject("j", "0", "s", ">"))
		if err != nil || !slices.Equal(ids, []clew.SessionID{"bad"}) {
			t.Errorf("the stream still has %v, %v", ids, err)
		}
	}
	if _, err := g.h.Watch(t.Context(), "bad"); clew.CodeOf(err) != clew.SessionDamaged {
		t.Errorf("the damaged session: %v", err)
	}
	g.rename("good", 1)
	g.whole("good", 4)
	g.whole("later", 3)

	report, err := g.j.Examine(t.Context())
	if err != nil || report.Sessions != 3 || len(report.Findings) != 1 || report.Findings[0].Session != "bad" {
		t.Errorf("the doctor says %+v, %v", report, err)
	}
}

// What is not sealed stays, whatever the sealer says.
func TestSweepNeedsTheSeal(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("one", 3)
	n, first := g.stored()
	lazy := func(context.Context, clew.SessionID) error { return nil }
	if err := g.j.SweepPartition(t.Context(), 0, time.Now().Add(time.Hour), lazy); err != nil {
		t.Error(err)
	}
	if still, now := g.stored(); now != first || still != n {
		t.Errorf("the stream was cut from %d to %d", first, now)
	}
	g.whole("one", 3)
}

// A session that was marked as busy is found in the stream when all its records
// are sealed and gone, and reads as before.
func TestMarkOutlivesTheSweep(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("one", 3)
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	lease, err := g.j.Claim(t.Context(), session.ShardOf("one"))
	if err != nil {
		t.Fatal(err)
	}
	log, _, err := g.j.Open(t.Context(), lease, "one")
	if err != nil {
		t.Fatal(err)
	}
	if err := log.MarkBusy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, err := g.j.Recent(t.Context()); err != nil || !slices.Equal(ids, []clew.SessionID{"one"}) {
		t.Errorf("recent are %v, %v", ids, err)
	}
	g.whole("one", 3)
	g.rename("one", 2)
	g.whole("one", 5)
}

// A batch whose acknowledgement was lost is sent again, and the first copy may
// arrive long after it, behind later ones.
//
// Covers: C-79
func TestLateCopy(t *testing.T) {
	g := newGround(t, t.TempDir())
	id := clew.SessionID("late")
	lease, err := g.j.Claim(t.Context(), session.ShardOf(id))
	if err != nil {
		t.Fatal(err)
	}
	handle, _, err := g.j.Open(t.Context(), lease, id)
	if err != nil {
		t.Fatal(err)
	}
	var head clew.Head
	var first clew.Record
	for i := range 3 {
		r := head.Next(id, lease.Term, 1, "owner", clew.EventSessionRenamed, []byte(`{"title":"x"}`))
		if err := handle.Append(t.Context(), []clew.Record{r}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r
		}
		head = r.After()
	}
	if err := handle.(*log).publish(t.Context(), first.Line()); err != nil {
		t.Fatal(err)
	}
	_, loaded, err := g.j.Open(t.Context(), lease, id)
	if err != nil || loaded.Head != head {
		t.Errorf("loaded up to %d, %v; want %d", loaded.Head.Seq, err, head.Seq)
	}
}

func TestExamineHealthy(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("sealed", 12)
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	g.create("fresh", 4)
	g.create("both", 3)
	if err := g.h.Seal(t.Context(), "both"); err != nil {
		t.Fatal(err)
	}
	g.rename("both", 3)
	report, err := g.j.Examine(t.Context())
	if err != nil || report.Sessions != 3 || report.Records != 22 || len(report.Findings) != 0 || len(report.Engine) != 0 {
		t.Errorf("the doctor says %+v, %v", report, err)
	}
}
