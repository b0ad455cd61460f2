package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// Covers: STO-04, STO-07, C-37, C-06, C-74
func TestDirectory(t *testing.T) {
	testStore(t, func(t *testing.T) *Archive { return openDir(t, t.TempDir()+"/made/here") })
}

// testStore is what every kind of store must pass.
func testStore(t *testing.T, open func(*testing.T) *Archive) {
	for name, test := range map[string]func(*testing.T, *Archive){
		"empty": testEmpty, "grow": testGrow, "refuse": testRefuse, "same head": testSameHead,
		"stale owner": testStaleOwner, "conflict": testConflict, "prune": testPrune, "sessions": testSessions,
		"blobs": testBlobs, "ranges": testRanges, "missing segment": testMissingSegment,
		"folds": testFolds, "base": testBase, "filing": testFiling, "abandoned filing": testAbandon,
		"erase": testErase, "own": testOwn,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testEmpty(t *testing.T, a *Archive) {
	if s := latest(t, a, "sess_none"); s != nil {
		t.Fatalf("got %+v", s)
	}
	if _, err := a.Latest(t.Context(), "../x"); err == nil {
		t.Fatal("a path was taken for a session id")
	}
	if err := a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := put(t, a, nil, "sess_zero", nil, "")
	if got := latest(t, a, "sess_zero"); got == nil || got.Head != s.Head {
		t.Fatalf("a session without records: %+v", got)
	}
}

// testGrow seals a session again and again, past several segments.
func testGrow(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_grow")
	var all []clew.Record
	var prev *Seal
	for i, n := range []int{1, 1, 2, 5, 300, 1, 2000, 1, 1, 5000, 40} {
		records := chain(id, headOf(prev), n, 60)
		all = append(all, records...)
		state := strings.Repeat(fmt.Sprintf("state %d ", i), i*20)
		prev = put(t, a, prev, id, records, state)
		if i%2 == 0 {
			prev = latest(t, a, id)
		}
		got := latest(t, a, id)
		if got.Head != headOf(prev) || got.Mark != prev.Mark || string(got.State) != state || got.Epoch != "e1" {
			t.Fatalf("seal %d does not come back: %+v", i, got)
		}
		wantRecords(t, a, got, all, 1, got.Head.Seq)
		if err := a.Verify(t.Context(), got); err != nil {
			t.Fatal(err)
		}
	}
	if prev.segments() != 3 {
		t.Fatalf("%d segments for %d records", prev.segments(), len(all))
	}
}

func headOf(s *Seal) clew.Head {
	if s == nil {
		return clew.Head{}
	}
	return s.Head
}

func testRefuse(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_refuse")
	records := chain(id, clew.Head{}, 10, 30)
	s := put(t, a, nil, id, records[:5], "")
	good := sealing(s, id, records[5:], "")
	for name, spoil := range map[string]func(*Sealing){
		"gap":           func(x *Sealing) { x.Records = x.Records[1:] },
		"short":         func(x *Sealing) { x.Records = x.Records[:4] },
		"repeat":        func(x *Sealing) { x.Records = records },
		"other head":    func(x *Sealing) { x.Head.Hash[3]++ },
		"other ts":      func(x *Sealing) { x.Head.TS++ },
		"other session": func(x *Sealing) { x.Session = "sess_other" },
		"bad session":   func(x *Sealing) { x.Session = "a/b" },
		"swapped": func(x *Sealing) {
			x.Records = slices.Clone(x.Records)
			x.Records[1], x.Records[2] = x.Records[2], x.Records[1]
		},
	} {
		bad := good
		spoil(&bad)
		if _, err := a.Put(t.Context(), s, bad); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for _, r := range [][2]uint64{{0, 3}, {1, 6}, {6, 7}} {
		if _, err := collect(t.Context(), a, s, r[0], r[1]); err == nil {
			t.Errorf("read %v of 5 records gave no error", r)
		}
	}
	if got, err := collect(t.Context(), a, s, 4, 3); err != nil || len(got) != 0 {
		t.Errorf("an empty range gave %d records, %v", len(got), err)
	}
}

func testSameHead(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_same")
	records := chain(id, clew.Head{}, 3, 30)
	first := put(t, a, nil, id, records, "one")
	if again := put(t, a, first, id, nil, "one"); again != first {
		t.Error("nothing new was sealed again")
	}
	second := put(t, a, first, id, nil, "two")
	if got := latest(t, a, id); string(got.State) != "two" || got.Head != first.Head {
		t.Errorf("a newer state at the same head is not found: %q", got.State)
	}
	wantRecords(t, a, second, records, 1, 3)
}

// A former owner writes an old seal after the new owner has gone on.
func testStaleOwner(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_stale")
	records := chain(id, clew.Head{}, 3000, 30)
	first := put(t, a, nil, id, records[:10], "10")
	put(t, a, first, id, records[10:], "3000")
	put(t, a, first, id, records[10:2500], "stale")
	put(t, a, first, id, records[10:], "3000 by the stale one")
	got := latest(t, a, id)
	if got.Head.Seq != 3000 || string(got.State) != "3000" {
		t.Fatalf("latest is %d, %q", got.Head.Seq, got.State)
	}
	if err := a.Verify(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	wantRecords(t, a, got, records, 1, 3000)
}

func testConflict(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_conflict")
	put(t, a, nil, id, chain(id, clew.Head{}, 4, 30), "mine")
	other := chain(id, clew.Head{}, 4, 31)
	if _, err := a.Put(t.Context(), nil, sealing(nil, id, other, "theirs")); !errors.Is(err, ErrConflict) {
		t.Fatalf("another history of the same length: %v", err)
	}
	if got := latest(t, a, id); string(got.State) != "mine" {
		t.Fatalf("state %q", got.State)
	}
}

func testPrune(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_prune")
	records := chain(id, clew.Head{}, 50, 30)
	neighbour := put(t, a, nil, id+"2", chain(id+"2", clew.Head{}, 3, 30), "")
	var prev *Seal
	var seals []*Seal
	for i := range 5 {
		prev = put(t, a, prev, id, records[i*10:i*10+10], "")
		keep(t, a, id, prev.Head, "fold")
		seals = append(seals, prev)
	}
	if err := a.Prune(t.Context(), seals[3]); err != nil {
		t.Fatal(err)
	}
	keys, err := a.seals(t.Context(), id)
	if want := []string{seals[2].key, seals[3].key, seals[4].key}; err != nil || !slices.Equal(keys, want) {
		t.Fatalf("%v, %v; want %v", keys, err, want)
	}
	if list, err := a.folds(t.Context(), id); err != nil || len(list) != 5 {
		t.Fatalf("folds %v, %v", list, err)
	}
	wantRecords(t, a, seals[0], records, 1, 10) // held by a reader
	wantRecords(t, a, latest(t, a, id), records, 1, 50)
	if got := latest(t, a, id+"2"); got == nil || got.Head != neighbour.Head {
		t.Fatal("another session's seal was pruned")
	}
}

func testSessions(t *testing.T, a *Archive) {
	want := map[clew.SessionID]bool{}
	for i := range 40 {
		id := clew.SessionID(fmt.Sprintf("sess-%d", i))
		want[id] = true
		s := put(t, a, nil, id, chain(id, clew.Head{}, 1, 10), "")
		keep(t, a, id, s.Head, "fold")
		put(t, a, s, id, chain(id, s.Head, 1, 10), "")
	}
	if _, err := a.PutBlob(t.Context(), []byte("not a session")); err != nil {
		t.Fatal(err)
	}
	for id, err := range a.Sessions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !want[id] {
			t.Errorf("%q is not wanted, or came twice", id)
		}
		delete(want, id)
	}
	if len(want) != 0 {
		t.Errorf("%d sessions are not listed", len(want))
	}
	for _, err := range a.Sessions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
}

func testBlobs(t *testing.T, a *Archive) {
	data := []byte(strings.Repeat("an image ", 1000))
	ref, err := a.PutBlob(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.PutBlob(t.Context(), data)
	if err != nil || again != ref {
		t.Fatalf("%s, %v", again, err)
	}
	if got, err := a.Blob(t.Context(), ref); err != nil || string(got) != string(data) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if _, err := a.Blob(t.Context(), strings.Repeat("0", 64)); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such blob: %v", err)
	}
	for _, bad := range []string{"", "ab", "../" + ref[3:], strings.ToUpper(ref)} {
		if _, err := a.Blob(t.Context(), bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := a.store.put(t.Context(), blobKey(ref), []byte("something else")); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Blob(t.Context(), ref); !isDamaged(err) {
		t.Errorf("a changed blob: %v", err)
	}
	if _, err := a.PutBlob(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Blob(t.Context(), ref); err != nil {
		t.Errorf("the blob is not healed: %v", err)
	}
	empty, err := a.PutBlob(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Blob(t.Context(), empty); err != nil || len(got) != 0 {
		t.Errorf("empty blob: %d bytes, %v", len(got), err)
	}
}

// testRanges reads across every kind of border.
func testRanges(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_ranges")
	records := chain(id, clew.Head{}, 2*segmentRecords+300, 40)
	s := put(t, a, nil, id, records, "")
	edges := []uint64{1, 2, 255, 256, 257, 258, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 4352, 4353, 4395, 4396}
	for _, from := range edges {
		for _, to := range edges {
			if from <= to && (to-from < 600 || from == 2 && to > 4300) {
				wantRecords(t, a, s, records, from, to)
			}
		}
	}
	n := 0
	for r, err := range a.Read(t.Context(), s, 1, 4000) {
		if n++; err != nil || r.Seq != uint64(n) {
			t.Fatal(r.Seq, err)
		}
		if n == 2500 {
			break
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := collect(ctx, a, s, 1, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func testMissingSegment(t *testing.T, a *Archive) {
	id := clew.SessionID("sess_missing")
	records := chain(id, clew.Head{}, 2*segmentRecords+5, 40)
	s := put(t, a, nil, id, records, "")
	ref := s.segment(1)
	if err := a.store.remove(t.Context(), segmentKey(id, ref.first, ref.digest)); err != nil {
		t.Fatal(err)
	}
	got, err := collect(t.Context(), a, s, 1, s.Head.Seq)
	if !isDamaged(err) {
		t.Errorf("a missing segment: %v", err)
	}
	if diff := equalLines(got, records[:segmentRecords]); diff != "" {
		t.Errorf("before the missing segment: %s", diff)
	}
	if err := a.Verify(t.Context(), s); !isDamaged(err) {
		t.Errorf("verify: %v", err)
	}
}
