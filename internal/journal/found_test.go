package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// family is a parent with forks: child goes on after record 1500 of the parent,
// which is sealed, and late after one that is not.
type family struct {
	dir                       string
	parent, child, late       clew.SessionID
	ofParent, ofChild, ofLate []clew.Record
}

func newFamily(t *testing.T) family {
	t.Helper()
	f := family{dir: t.TempDir(), parent: clew.NewSessionID()}
	j := openDir(t, f.dir)
	defer j.Close(context.Background())
	f.ofParent = journaltest.Grow(t, j, f.parent, 3300, 800)
	f.child = journaltest.Fork(t, j, f.parent, f.ofParent[1499])
	f.ofChild = journaltest.GoOn(t, j, f.child, f.ofParent[:1500], 10)
	f.late = journaltest.Fork(t, j, f.parent, f.ofParent[3279])
	f.ofLate = journaltest.GoOn(t, j, f.late, f.ofParent[:3280], 10)
	return f
}

func read(t *testing.T, j *journal.Journal, id clew.SessionID, from, to uint64) (list []clew.Record, err error) {
	t.Helper()
	for r, err := range j.Read(t.Context(), id, from, to) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

func wantAll(t *testing.T, j *journal.Journal, id clew.SessionID, want []clew.Record) {
	t.Helper()
	got, err := read(t, j, id, 1, 1<<40)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d records, %v; want %d", len(got), err, len(want))
	}
	for i := range got {
		if string(got[i].Line()) != string(want[i].Line()) {
			t.Fatalf("record %d differs", i+1)
		}
	}
}

// objects lists the archive's files with this part in their path.
func objects(t *testing.T, dir, part string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "archive"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(path, part) {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lose removes these objects of the archive, and all that the engine has.
func lose(t *testing.T, dir, part string) {
	t.Helper()
	for _, path := range append(objects(t, dir, part), filepath.Join(dir, "engine"), filepath.Join(dir, "witness")) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

func flip(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func examine(t *testing.T, j *journal.Journal) (found, noted map[clew.SessionID]string, report journal.Report) {
	t.Helper()
	report, err := j.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, noted = map[clew.SessionID]string{}, map[clew.SessionID]string{}
	for _, f := range report.Findings {
		found[f.Session] += f.Problem
	}
	for _, f := range report.Notes {
		noted[f.Session] += f.Problem
	}
	return found, noted, report
}

func reopen(t *testing.T, dir string) *journal.Journal {
	t.Helper()
	j := openDir(t, dir)
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

// Covers: C-06
func TestForksSurviveRestart(t *testing.T) {
	f := newFamily(t)
	// Nothing of the parent's was copied: a seal and the fold at the seam.
	if list := objects(t, f.dir, string(f.late)); len(list) != 2 {
		t.Errorf("a fork has %v", list)
	}
	j := reopen(t, f.dir)
	wantAll(t, j, f.parent, f.ofParent)
	wantAll(t, j, f.child, f.ofChild)
	wantAll(t, j, f.late, f.ofLate)
	journaltest.GoOn(t, j, f.late, f.ofLate, 5)
	for _, id := range []clew.SessionID{f.parent, f.child, f.late} {
		for seq := uint64(1); seq < 3300; seq += 111 {
			journaltest.WantPast(t, j, id, seq)
		}
	}
	found, noted, report := examine(t, j)
	if len(found) != 0 || len(noted) != 0 || report.Sessions != 3 || report.Records != 3300+10+15 {
		t.Errorf("the doctor says %+v", report)
	}
}

// The streams are emptied into the archive, and forks are what they were.
func TestSweptFork(t *testing.T) {
	f := newFamily(t)
	j := reopen(t, f.dir)
	seal := func(ctx context.Context, id clew.SessionID) error {
		lease, err := j.Claim(ctx, session.ShardOf(id))
		if err != nil {
			return err
		}
		log, loaded, err := j.Open(ctx, lease, id)
		if err != nil {
			return err
		}
		return log.Seal(ctx, loaded.Head, []byte("{}"), loaded.Tail)
	}
	for p := range j.Partitions() {
		if err := j.SweepPartition(t.Context(), p, time.Now().Add(time.Hour), seal); err != nil {
			t.Fatal(err)
		}
	}
	j.Close(context.Background())
	if err := os.RemoveAll(filepath.Join(f.dir, "engine")); err != nil { // nothing is left there
		t.Fatal(err)
	}
	j = reopen(t, f.dir)
	wantAll(t, j, f.parent, f.ofParent)
	wantAll(t, j, f.child, f.ofChild)
	wantAll(t, j, f.late, f.ofLate)
	if found, _, report := examine(t, j); len(found) != 0 || report.Records != 3300+10+10 {
		t.Errorf("the doctor says %+v", report)
	}
}

// What is wrong with the parent below the seam is wrong with the fork, too; what
// is wrong after it is not.
func TestForkOfDamagedParent(t *testing.T) {
	f := newFamily(t)
	segments := objects(t, f.dir, string(f.parent)+".segments")
	if len(segments) != 1 { // records 1 to 2048
		t.Fatalf("segments: %v", segments)
	}
	flip(t, segments[0])
	j := reopen(t, f.dir)
	_, err := read(t, j, f.child, 1, 1<<40)
	if clew.CodeOf(err) != clew.SessionDamaged || !strings.Contains(err.Error(), string(f.child)) {
		t.Errorf("the child is read: %v", err)
	}
	found, _, _ := examine(t, j)
	if found[f.parent] == "" || !strings.Contains(found[f.child], string(f.parent)) || found[f.late] == "" {
		t.Errorf("the doctor says %v", found)
	}
	// It is still opened: its own records and its state are sound.
	lease, err := j.Claim(t.Context(), session.ShardOf(f.child))
	if err != nil {
		t.Fatal(err)
	}
	if _, loaded, err := j.Open(t.Context(), lease, f.child); err != nil || loaded.Head.Seq != 1510 {
		t.Errorf("opened up to %d, %v", loaded.Head.Seq, err)
	}
	if got, err := read(t, j, f.child, 1501, 1510); err != nil || len(got) != 10 {
		t.Errorf("%d records of its own, %v", len(got), err)
	}
}

// A parent that is gone, or has another record at the seam, is damage.
func TestForkWithoutParent(t *testing.T) {
	f := newFamily(t)
	lose(t, f.dir, string(f.parent))
	j := reopen(t, f.dir)
	for _, from := range []uint64{1, 1400, 1500} {
		if _, err := read(t, j, f.child, from, 1505); clew.CodeOf(err) != clew.SessionDamaged {
			t.Errorf("read from %d: %v", from, err)
		}
	}
	if found, _, _ := examine(t, j); found[f.child] == "" || found[f.late] == "" {
		t.Errorf("the doctor says %v", found)
	}
}

func TestOtherParentAtTheSeam(t *testing.T) {
	f := newFamily(t)
	lose(t, f.dir, string(f.parent))
	j := reopen(t, f.dir)
	records, head := journaltest.Records(clew.Head{}, f.parent, 99, 3300)
	err := j.Found(t.Context(), f.parent, session.InitialHistory{Head: head, State: []byte("{}"), Records: journaltest.Yield(records)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, j, f.child, 1400, 1500); clew.CodeOf(err) != clew.SessionDamaged {
		t.Errorf("read: %v", err)
	}
	if found, _, _ := examine(t, j); found[f.child] == "" || found[f.late] == "" || found[f.parent] != "" {
		t.Errorf("the doctor says %v", found)
	}
}

// A flipped bit in a kept fold costs time and nothing else.
//
// Covers: C-06
func TestDamagedFold(t *testing.T) {
	f := newFamily(t)
	folds := objects(t, f.dir, string(f.parent)+".states")
	if len(folds) != 3 { // 1600, 2400 and 3200
		t.Fatalf("folds: %v", folds)
	}
	flip(t, folds[2])
	j := reopen(t, f.dir)
	if _, at, err := j.Past(t.Context(), f.parent, 3300); at != 2400 || err != nil {
		t.Errorf("the fold is at %d, %v", at, err)
	}
	found, noted, _ := examine(t, j)
	if len(found) != 0 || len(noted) != 1 || noted[f.parent] == "" {
		t.Errorf("the doctor says %v and notes %v", found, noted)
	}
}

// A damaged seal of a fork is damage.
func TestDamagedFork(t *testing.T) {
	f := newFamily(t)
	flip(t, objects(t, f.dir, string(f.child)+"~")[0])
	j := reopen(t, f.dir)
	if _, err := read(t, j, f.child, 1, 10); clew.CodeOf(err) != clew.SessionDamaged {
		t.Errorf("read: %v", err)
	}
	found, _, _ := examine(t, j)
	if len(found) != 1 || found[f.child] == "" {
		t.Errorf("the doctor says %v", found)
	}
	wantAll(t, j, f.parent, f.ofParent)
}

// A fold of records that the session does not have is not used.
func TestFoldOfAnotherHistory(t *testing.T) {
	dir := t.TempDir()
	j := openDir(t, dir)
	id := clew.NewSessionID()
	journaltest.Grow(t, j, id, 2500, 1000)
	j.Close(context.Background())
	lose(t, dir, string(id)+"~")
	j = reopen(t, dir)
	records, head := journaltest.Records(clew.Head{}, id, 99, 2500)
	f := session.InitialHistory{Head: head, State: []byte("{}"), Records: journaltest.Yield(records)}
	if err := j.Found(t.Context(), id, f); err != nil {
		t.Fatal(err)
	}
	if state, at, err := j.Past(t.Context(), id, 2400); state != nil || err != nil {
		t.Errorf("past: %s at %d, %v", state, at, err)
	}
}

// Of several that found one session at once, one does.
func TestFoundOnce(t *testing.T) {
	j := reopen(t, t.TempDir())
	parent := clew.NewSessionID()
	records := journaltest.Grow(t, j, parent, 30, 30)
	id := clew.NewSessionID()
	imported, head := journaltest.Records(clew.Head{}, id, 1, 5000)
	results := make([]error, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			f := session.InitialHistory{Parent: parent, Head: records[9+i].After(), State: []byte("{}")}
			if i%2 == 0 {
				f = session.InitialHistory{Head: head, State: []byte("{}"), Records: journaltest.Yield(imported)}
			}
			results[i] = j.Found(context.Background(), id, f)
		})
	}
	wg.Wait()
	done := 0
	for _, err := range results {
		switch {
		case err == nil:
			done++
		case !errors.Is(err, session.ErrTaken):
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("founded %d times", done)
	}
	if found, _, _ := examine(t, j); len(found) != 0 {
		t.Errorf("the doctor says %v", found)
	}
	if got, err := read(t, j, id, 1, 1<<40); err != nil || len(got) < 10 {
		t.Errorf("%d records, %v", len(got), err)
	}
}
