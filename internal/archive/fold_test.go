package archive

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// keep keeps a fold and flushes.
func keep(tb testing.TB, a *Archive, id clew.SessionID, head clew.Head, state string) {
	tb.Helper()
	err := a.PutState(tb.Context(), id, head, []byte(state))
	if err == nil {
		err = a.Sync(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
}

func wantFold(tb testing.TB, a *Archive, id clew.SessionID, seq uint64, at clew.Head, state string) {
	tb.Helper()
	got, head, err := a.StateBefore(tb.Context(), id, seq)
	if err != nil || string(got) != state || head != at {
		tb.Errorf("the fold before %d is %.20q at %+v, %v; want %.20q at %+v", seq, got, head, err, state, at)
	}
}

func testFolds(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_folds")
	records := chain(id, clew.Head{}, 30, 10)
	wantFold(t, a, id, 30, clew.Head{}, "")
	for _, seq := range []int{20, 5, 10} {
		keep(t, a, id, records[seq-1].After(), strings.Repeat("f", seq))
	}
	keep(t, a, id+"2", records[14].After(), "a neighbour's")
	wantFold(t, a, id, 4, clew.Head{}, "")
	wantFold(t, a, id, 5, records[4].After(), "fffff")
	wantFold(t, a, id, 9, records[4].After(), "fffff")
	wantFold(t, a, id, 10, records[9].After(), strings.Repeat("f", 10))
	wantFold(t, a, id, 1<<60, records[19].After(), strings.Repeat("f", 20))
	if s := latest(t, a, id); s != nil {
		t.Errorf("a fold was taken for a seal: %+v", s)
	}
	if err := a.PutState(t.Context(), "../x", records[0].After(), nil); err == nil {
		t.Error("a path was taken for a session id")
	}
	if _, _, err := a.StateBefore(t.Context(), "../x", 1); err == nil {
		t.Error("a path was taken for a session id")
	}
}

// A fold that is damaged, cut, renamed or another session's is passed over for
// the one before it, and the seals do not suffer.
//
// Covers: C-06
func TestDamagedFoldIsPassedOver(t *testing.T) {
	nightly.Alone(t)
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_fold_damage")
	records := chain(id, clew.Head{}, 30, 10)
	s := put(t, a, nil, id, records, "state")
	keep(t, a, id, records[9].After(), "ten")
	keep(t, a, id, records[19].After(), strings.Repeat("twenty ", 50))
	newest := dir + "/" + foldKey(id, 20)
	spoiled(t, newest, 400, func(how string) {
		if got, head, err := a.StateBefore(t.Context(), id, 25); string(got) != "ten" || head != records[9].After() || err != nil {
			t.Errorf("%s: %.20q at %d, %v", how, got, head.Seq, err)
		}
		if list, err := a.CheckStates(t.Context(), id, func(clew.Head, []byte) {}); len(list) != 1 || err != nil {
			t.Errorf("%s: the check says %v, %v", how, list, err)
		}
	})
	if list, err := a.CheckStates(t.Context(), id, func(clew.Head, []byte) {}); len(list) != 0 || err != nil {
		t.Errorf("sound folds: %v, %v", list, err)
	}
	if err := os.Rename(newest, dir+"/"+foldKey(id, 22)); err != nil {
		t.Fatal(err)
	}
	wantFold(t, a, id, 25, records[9].After(), "ten")
	for _, stray := range []string{"x", strings.Repeat("F", 16), "0000000000000016.tmp"} {
		if err := os.WriteFile(dir+"/"+foldPrefix(id)+stray, []byte("no fold"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := a.folds(t.Context(), id); len(list) != 2 || err != nil {
		t.Errorf("folds %v, %v", list, err)
	}
	if got := latest(t, a, id); got.Head != s.Head {
		t.Error("the seal is not found")
	}
}

// A fold that no Sync has covered is not found, and closing leaves nothing.
func TestFoldBeforeSync(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_fold_sync")
	r := chain(id, clew.Head{}, 1, 10)[0]
	if err := a.PutState(t.Context(), id, r.After(), []byte("state")); err != nil {
		t.Fatal(err)
	}
	wantFold(t, a, id, 1, clew.Head{}, "")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if list := files(t, dir, ""); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

// A fold whose name cannot be given does not fail the seals of the same round.
func TestFoldInTheWay(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_fold_stuck")
	records := chain(id, clew.Head{}, 2, 10)
	s := put(t, a, nil, id, records[:1], "")
	if err := os.WriteFile(dir+"/"+strings.TrimSuffix(foldPrefix(id), "/"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := a.PutState(t.Context(), id, records[0].After(), []byte("state")); err != nil {
		t.Fatal(err)
	}
	s = put(t, a, s, id, records[1:], "")
	if got := latest(t, a, id); got.Head != s.Head {
		t.Error("the seal is not found")
	}
	if list := files(t, dir, "/"+pendingDir+"/"); len(list) != 0 {
		t.Errorf("left: %v", list)
	}
}

func testFiling(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_filing")
	records := chain(id, clew.Head{}, 2*segmentRecords+77, 30)
	f, err := a.File(id, "e1")
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(records); at += 1000 {
		if err := f.Add(t.Context(), records[at:min(at+1000, len(records))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(t.Context(), records[:1]); !errors.Is(err, clew.ErrChain) {
		t.Errorf("a record out of place: %v", err)
	}
	for _, seq := range []uint64{1, 2048, 2049, 4000, 4173} {
		if err := f.Keep(t.Context(), seq, []byte("fold")); err != nil {
			t.Fatal(err)
		}
	}
	for _, seq := range []uint64{0, 4174} {
		if err := f.Keep(t.Context(), seq, nil); err == nil {
			t.Errorf("a fold at %d was kept", seq)
		}
	}
	if got := latest(t, a, id); got != nil {
		t.Fatalf("there is a seal before the end: %+v", got)
	}
	head := records[len(records)-1].After()
	if _, err := f.Seal(t.Context(), records[5].After(), nil); !errors.Is(err, clew.ErrChain) {
		t.Errorf("sealed at another head: %v", err)
	}
	if _, err := f.Seal(t.Context(), head, []byte("state")); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := latest(t, a, id)
	if s.Head != head || string(s.State) != "state" || s.Epoch != "e1" {
		t.Fatalf("the seal is %+v", s)
	}
	wantRecords(t, a, s, records, 1, head.Seq)
	if err := a.Verify(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	wantFold(t, a, id, 3999, records[2048].After(), "fold")
	more := chain(id, head, 5, 10)
	s = put(t, a, s, id, more, "")
	wantRecords(t, a, s, append(records, more...), 4000, s.Head.Seq)
}

func testAbandon(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_abandon")
	records := chain(id, clew.Head{}, 2*segmentRecords, 10)
	f, err := a.File(id, "e1")
	if err != nil {
		t.Fatal(err)
	}
	step := func(list []clew.Record) {
		t.Helper()
		if err := f.Add(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(t.Context(), list[0].Seq, []byte("fold")); err != nil {
			t.Fatal(err)
		}
	}
	step(records[:segmentRecords])
	if err := a.Sync(t.Context()); err != nil { // somebody else's flush
		t.Fatal(err)
	}
	step(records[segmentRecords:])
	if err := f.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := latest(t, a, id); got != nil {
		t.Fatalf("there is a seal: %+v", got)
	}
	for _, prefix := range []string{foldPrefix(id), strings.Replace(foldPrefix(id), foldsDir, segmentsDir, 1)} {
		if keys, err := a.store.list(t.Context(), prefix); len(keys) != 0 || err != nil {
			t.Errorf("left: %v, %v", keys, err)
		}
	}
}
