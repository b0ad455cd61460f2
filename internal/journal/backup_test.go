package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
)

func objectsIn(t *testing.T, dir string) *archive.Objects {
	t.Helper()
	o, err := archive.OpenObjects(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o
}

func (g *ground) backup(to *archive.Objects) BackupReport {
	g.t.Helper()
	r, err := g.j.Backup(g.t.Context(), to)
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

func restore(t *testing.T, dir string, from *archive.Objects) RestoreReport {
	t.Helper()
	r, err := Restore(t.Context(), Config{Dir: dir}, from, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings)+len(r.Wrong) > 0 {
		t.Fatalf("what was restored is not sound: %+v", r.Report)
	}
	return r
}

// position is where a client says that it is.
type position struct {
	id    clew.SessionID
	epoch string
	seq   uint64
}

// note takes down what a store has at each position, and fails if another store
// had something else there.
func (g *ground) note(seen map[position]clew.Hash, ids []clew.SessionID) (heads map[clew.SessionID]uint64) {
	g.t.Helper()
	heads = map[clew.SessionID]uint64{}
	for _, id := range ids {
		for r, err := range g.j.Read(g.t.Context(), id, 1, 1<<40) {
			if err != nil {
				g.t.Fatal(err)
			}
			at := position{id, g.j.epoch, r.Seq}
			if was, ok := seen[at]; ok && was != r.Hash() {
				g.t.Fatalf("two records at %+v", at)
			}
			seen[at] = r.Hash()
			heads[id] = r.Seq
		}
	}
	return heads
}

// A history is written, backed up in one or several runs, gone on with, restored
// elsewhere, and gone on with there. What is restored is what was there at the
// backup, and no position has two contents, ever.
func TestRestoredHistories(t *testing.T) {
	n := nightly.Size(6, 1000)
	seed := nightly.Seed(t)
	for i := range n {
		t.Run(fmt.Sprint(i), func(t *testing.T) { restoredHistory(t, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
}

func restoredHistory(t *testing.T, rng *rand.Rand) {
	g := newGround(t, t.TempDir())
	to := objectsIn(t, t.TempDir())
	seen := map[position]clew.Hash{}
	var ids []clew.SessionID
	for i := range 2 + rng.IntN(4) {
		ids = append(ids, clew.SessionID(fmt.Sprint("sess_", i)))
		g.create(ids[i], 1+rng.IntN(8))
	}
	write := func(g *ground) {
		for range rng.IntN(12) {
			switch id := ids[rng.IntN(len(ids))]; rng.IntN(6) {
			case 0:
				r, err := g.h.Do(t.Context(), id, clew.Command{Type: clew.CommandForkSession, By: owner, Data: &clew.ForkSessionData{}})
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, r.SessionID)
			case 1:
				if err := g.sweep(); err != nil {
					t.Fatal(err)
				}
			default:
				g.rename(id, 1+rng.IntN(4))
			}
		}
	}
	var then map[clew.SessionID]uint64
	var made []clew.SessionID
	for range 1 + rng.IntN(3) {
		write(g)
		g.backup(to)
		made, then = ids, g.note(seen, ids)
	}
	write(g)
	g.note(seen, ids)
	ids = made
	dir := t.TempDir()
	again := restore(t, dir, to)
	h := newGround(t, dir)
	if h.j.epoch != again.Epoch || h.j.epoch == g.j.epoch {
		t.Fatalf("the epoch is %q, was %q, and the restore says %q", h.j.epoch, g.j.epoch, again.Epoch)
	}
	for id, seq := range h.note(seen, ids) {
		if seq != then[id] {
			t.Fatalf("%s was restored up to %d, want %d", id, seq, then[id])
		}
	}
	for _, id := range ids {
		if err := sameRecords(h, id, then[id], seen, g.j.epoch); err != nil {
			t.Fatal(err)
		}
		h.rename(id, 1+rng.IntN(3))
	}
	write(h)
	h.note(seen, ids)
}

// sameRecords compares what was restored with what the first store had.
func sameRecords(h *ground, id clew.SessionID, upTo uint64, seen map[position]clew.Hash, epoch string) error {
	for seq := uint64(1); seq <= upTo; seq++ {
		if seen[position{id, epoch, seq}] != seen[position{id, h.j.epoch, seq}] {
			return fmt.Errorf("record %d of %s is another one", seq, id)
		}
	}
	return nil
}

// A backup is made while people write, and each of its sessions is whole.
func TestBackupWhileWriting(t *testing.T) {
	g := newGround(t, t.TempDir())
	for i := range 20 {
		g.create(clew.SessionID(fmt.Sprint("sess_", i)), 2)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // somebody writes, forks and sweeps all the time
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			id := clew.SessionID(fmt.Sprint("sess_", i%20))
			_, _ = g.h.Do(ctx, id, clew.Command{Type: clew.CommandRenameSession, By: owner, Data: &clew.RenameSessionData{Title: fmt.Sprint(i)}})
			switch {
			case i%7 == 0:
				_, _ = g.h.Do(ctx, id, clew.Command{Type: clew.CommandForkSession, By: owner, Data: &clew.ForkSessionData{}})
			case i%31 == 0:
				_ = g.j.SweepPartition(ctx, 0, time.Now(), g.h.Seal)
			}
		}
	}()
	to := objectsIn(t, t.TempDir())
	for range nightly.Size(4, 40) {
		before := map[clew.SessionID]uint64{}
		for i := range 20 {
			id := clew.SessionID(fmt.Sprint("sess_", i))
			_, loaded, err := g.j.Open(t.Context(), session.Lease{}, id)
			if err != nil {
				t.Fatal(err)
			}
			before[id] = loaded.Head.Seq
		}
		g.backup(to)
		dir := t.TempDir()
		r := restore(t, dir, to)
		h := newGround(t, dir)
		for id, least := range before {
			if head := h.note(map[position]clew.Hash{}, []clew.SessionID{id})[id]; head < least {
				t.Errorf("%s was at %d before the backup, and is restored up to %d", id, least, head)
			}
		}
		t.Logf("%d sessions, %d records, %d that began meanwhile", r.Sessions, r.Records, r.Unfinished)
		h.close()
	}
	stop()
	<-done
}

// A second run copies what is new, keeps what the first one had, and drops what
// nobody needs any more.
func TestBackupIsIncremental(t *testing.T) {
	g := newGround(t, t.TempDir())
	for i := range 30 {
		g.create(clew.SessionID(fmt.Sprint("sess_", i)), 30)
	}
	dir := t.TempDir()
	to := objectsIn(t, dir)
	whole := g.backup(to)
	g.rename("sess_1", 1)
	next := g.backup(to)
	if next.Number != 2 || next.Bytes*4 > whole.Bytes {
		t.Errorf("the second run copied %d bytes, the first %d", next.Bytes, whole.Bytes)
	}
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	g.backup(to)
	if parts, _ := filepath.Glob(filepath.Join(dir, "records", "[0-9]-0-*")); len(parts) != 0 {
		t.Errorf("the archive has everything, and the backup keeps %v", parts)
	}
	restore(t, t.TempDir(), to)

	other := newGround(t, t.TempDir())
	if _, err := other.j.Backup(t.Context(), to); !errors.Is(err, ErrOtherBackup) {
		t.Errorf("another store's backup was written over: %v", err)
	}
}

// What cannot be restored is refused before or while it is, and a server does not
// start on half of it.
func TestRestoreRefuses(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("sess_1", 50)
	dir := t.TempDir()
	to := objectsIn(t, dir)
	quiet := slog.New(slog.DiscardHandler)
	if _, err := Restore(t.Context(), Config{Dir: t.TempDir()}, to, nil, quiet); !errors.Is(err, ErrNoBackup) {
		t.Errorf("an empty place: %v", err)
	}
	g.backup(to)
	if _, err := Restore(t.Context(), Config{Dir: g.j.cfg.Dir}, to, nil, quiet); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("a directory with a store: %v", err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "records", "1-0-*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	data, err := os.ReadFile(parts[0])
	if err != nil {
		t.Fatal(err)
	}
	hurt := bytes.Clone(data)
	hurt[len(hurt)/2] ^= 4
	if err := os.WriteFile(parts[0], hurt, 0o600); err != nil {
		t.Fatal(err)
	}
	half := t.TempDir()
	if _, err := Restore(t.Context(), Config{Dir: half}, to, nil, quiet); err == nil || !strings.Contains(err.Error(), "records/") {
		t.Errorf("a damaged part: %v", err)
	}
	if _, err := Open(t.Context(), Config{Dir: half}, quiet); !errors.Is(err, ErrRestoring) {
		t.Errorf("a store that is restored by half: %v", err)
	}
}

// A backup of many sessions, and then of what few of them wrote.
func TestBackupOfMany(t *testing.T) {
	sessions := nightly.Size(200, 10_000)
	g := newGround(t, t.TempDir())
	id := func(i int) clew.SessionID { return clew.SessionID(fmt.Sprint("sess_", i)) }
	for i := range sessions {
		g.create(id(i), 20)
	}
	dir := t.TempDir()
	to := objectsIn(t, dir)
	began := time.Now()
	whole := g.backup(to)
	took := time.Since(began)
	for i := range sessions / 100 {
		g.rename(id(i*7), 20)
	}
	began = time.Now()
	next := g.backup(to)
	again := time.Since(began)
	began = time.Now()
	r := restore(t, t.TempDir(), to)
	t.Logf("%d sessions of 20 records: %s and %.1f MB; %d of them write 20 more: %s and %.1f MB; restored and verified in %s",
		whole.Sessions, took.Round(time.Millisecond), float64(whole.Bytes)/1e6, sessions/100, again.Round(time.Millisecond), float64(next.Bytes)/1e6, time.Since(began).Round(time.Millisecond))
	if r.Sessions != sessions || next.Bytes*2 > whole.Bytes {
		t.Errorf("%d sessions were restored, want %d; the second run copied %d bytes, the first %d", r.Sessions, sessions, next.Bytes, whole.Bytes)
	}
}
