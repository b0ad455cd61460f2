package archive

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

func files(tb testing.TB, dir, part string) (list []string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(path[len(dir):], part) {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// spoiled calls try with the file changed in many ways, one after the other.
func spoiled(t *testing.T, path string, samples int, try func(how string)) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step := max(1, len(sound)/samples)
	for i := 0; i < len(sound); i += step {
		b := append([]byte(nil), sound...)
		b[i] ^= 1 << (i % 8)
		write(b)
		try("flipped")
		write(sound[:i])
		try("cut")
	}
	write(append(sound[:len(sound):len(sound)], 0))
	try("longer")
	write(sound[:len(sound)-1])
	try("one byte cut")
	write(sound)
}

// Covers: STO-07, C-06
func TestDamageIsFound(t *testing.T) {
	nightly.Alone(t)
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_damage")
	records := chain(id, clew.Head{}, segmentRecords+300, 20)
	s := put(t, a, nil, id, records[:2200], "old")
	s = put(t, a, s, id, records[2200:], strings.Repeat("state ", 200))

	spoiled(t, dir+"/"+s.key, 700, func(how string) {
		if got, err := a.Latest(t.Context(), id); !isDamaged(err) || got != nil {
			t.Errorf("%s seal: %v, %v", how, got, err)
		}
	})
	if got := latest(t, a, id); got.Head != s.Head {
		t.Fatal("the sound seal is not found")
	}
	segment := files(t, dir, string(id)+segmentsDir)
	if len(segment) != 1 {
		t.Fatalf("segments: %v", segment)
	}
	spoiled(t, segment[0], 150, func(how string) {
		if err := a.Verify(t.Context(), s); !isDamaged(err) {
			t.Errorf("%s segment: verify says %v", how, err)
		}
		got, err := collect(t.Context(), a, s, 1, s.Head.Seq)
		if how != "longer" && !isDamaged(err) {
			t.Errorf("%s segment: read says %v", how, err)
		}
		if diff := equalLines(got, records[:len(got)]); diff != "" {
			t.Errorf("%s segment: a wrong record was yielded: %s", how, diff)
		}
	})
	if err := a.Verify(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// A seal under the name of another one is not taken for it.
func TestRenamedSealIsFound(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_renamed")
	s := put(t, a, nil, id, chain(id, clew.Head{}, 3, 20), "")
	if err := os.Rename(dir+"/"+s.key, dir+"/"+sealKey(id, 4, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Latest(t.Context(), id); !isDamaged(err) {
		t.Fatalf("renamed: %v", err)
	}
}

// The newest seal is damaged and an older one is sound: no fall-back.
func TestNoFallBack(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_fallback")
	records := chain(id, clew.Head{}, 20, 20)
	s := put(t, a, nil, id, records[:10], "")
	s = put(t, a, s, id, records[10:], "")
	if err := os.Truncate(dir+"/"+s.key, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Latest(t.Context(), id); !isDamaged(err) {
		t.Fatalf("%v, %v", got, err)
	}
}

// Covers: STO-04, STO-07, C-37
func TestCrashBeforeSync(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_crash")
	records := chain(id, clew.Head{}, 5000, 20)
	first := put(t, a, nil, id, records[:100], "first")
	lost, err := a.Put(t.Context(), first, sealing(first, id, records[100:], "lost"))
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, a, lost, records, 1, 5000) // the caller can go on with it
	if got := latest(t, a, id); got.Head != first.Head {
		t.Fatal("a seal is found before it is durable")
	}

	b := openDir(t, dir) // as after a crash: a is never synced nor closed
	got := latest(t, b, id)
	if got.Head != first.Head || string(got.State) != "first" {
		t.Fatalf("the former seal is gone: %+v", got)
	}
	wantRecords(t, b, got, records, 1, 100)
	got = put(t, b, got, id, records[100:], "again")
	wantRecords(t, b, latest(t, b, id), records, 1, 5000)
	if err := b.Verify(t.Context(), got); err != nil {
		t.Fatal(err)
	}
}

// The process dies after segments have their names and before the seal has.
//
// Covers: STO-07, C-37
func TestCrashBetweenSegmentAndSeal(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	id := clew.SessionID("sess_between")
	records := chain(id, clew.Head{}, 5000, 20)
	first := put(t, a, nil, id, records[:100], "first")
	if _, err := a.Put(t.Context(), first, sealing(first, id, records[100:], "lost")); err != nil {
		t.Fatal(err)
	}
	d := a.store.(*directory)
	for key, file := range d.pending {
		if isSealKey(key) {
			continue
		}
		if err := d.rename(file, key, os.Rename); err != nil {
			t.Fatal(err)
		}
	}
	b := openDir(t, dir)
	got := latest(t, b, id)
	if got.Head != first.Head {
		t.Fatal("the former seal is not the latest")
	}
	// The next owner cuts the records in another way; both segments can stay.
	got = put(t, b, got, id, records[100:1000], "")
	got = put(t, b, got, id, records[1000:], "")
	if err := b.Verify(t.Context(), latest(t, b, id)); err != nil {
		t.Fatal(err)
	}
	wantRecords(t, b, got, records, 1, 5000)
}

// Two processes seal the same head at the same time.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := openDir(t, dir), openDir(t, dir)
	id := clew.SessionID("sess_two")
	records := chain(id, clew.Head{}, 5, 20)
	for _, x := range []*Archive{a, b} {
		if _, err := x.Put(t.Context(), nil, sealing(nil, id, records, "s")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(a.Sync(t.Context()), b.Sync(t.Context())); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir, pendingDir); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	other := clew.SessionID("sess_split")
	for i, x := range []*Archive{a, b} {
		if _, err := x.Put(t.Context(), nil, sealing(nil, other, chain(other, clew.Head{}, 5, 20+i), "s")); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Sync(t.Context()); !errors.Is(err, ErrConflict) {
		t.Fatalf("two histories: %v", err)
	}
	if err := b.Sync(t.Context()); err == nil {
		t.Error("a failed sync was forgotten")
	}
	if _, err := b.Put(t.Context(), nil, sealing(nil, "sess_more", chain("sess_more", clew.Head{}, 1, 1), "")); err == nil {
		t.Error("the archive takes seals after a failed sync")
	}
}

// Only files that no live process can own are swept.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	openDir(t, dir)
	old, young := dir+"/pending/old", dir+"/pending/young"
	for _, f := range []string{old, young} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	openDir(t, dir)
	if left := files(t, dir, pendingDir); len(left) != 1 || left[0] != young {
		t.Errorf("left: %v", left)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{"", "/tmp", "ftp://x", "file://host/dir", "file:dir", "file:///d?x=1", "s3://key:secret@bucket"} {
		if a, err := Open(t.Context(), url); err == nil {
			_ = a.Close()
			t.Errorf("%q was opened", url)
		}
	}
}

// Random batches, prunes, reopenings and reads against a plain slice.
//
// Covers: C-06
func TestModel(t *testing.T) {
	nightly.Alone(t)
	base := t.TempDir()
	nightly.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(base, "model")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		a := openDir(t, dir)
		id := clew.NewSessionID()
		var all []clew.Record
		var prev *Seal
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			size := rapid.SampledFrom([]int{10, 10, 10, 3000}).Draw(rt, "size")
			n := rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(0, 300), rapid.IntRange(1500, 2600)).Draw(rt, "records")
			records := chain(id, headOf(prev), n, min(size, 600_000/(n+1)))
			all = append(all, records...)
			if prev, err = a.Put(t.Context(), prev, sealing(prev, id, records, rapid.String().Draw(rt, "state"))); err != nil {
				rt.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "sync") {
				if err := a.Sync(t.Context()); err != nil {
					rt.Fatal(err)
				}
				if got, err := a.Latest(t.Context(), id); err != nil || got.Head != prev.Head {
					rt.Fatalf("latest: %v, %v", got, err)
				}
				if err := a.Prune(t.Context(), prev); err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "reopen") {
					_ = a.Close()
					a = openDir(t, dir)
					prev, _ = a.Latest(t.Context(), id)
				}
			}
			if len(all) == 0 {
				continue
			}
			from := rapid.IntRange(1, len(all)).Draw(rt, "from")
			to := rapid.IntRange(from, len(all)).Draw(rt, "to")
			got, err := collect(t.Context(), a, prev, uint64(from), uint64(to))
			if err != nil {
				rt.Fatal(err)
			}
			if diff := equalLines(got, all[from-1:to]); diff != "" {
				rt.Fatalf("read %d to %d: %s", from, to, diff)
			}
			if n := len(prev.open.frames); n > 40 {
				rt.Fatalf("%d frames in the open segment", n)
			}
		}
		if err := a.Verify(t.Context(), prev); err != nil {
			rt.Fatal(err)
		}
	})
}

// FuzzParseSeal feeds arbitrary bytes and altered seals to the parser.
//
// Covers: C-06
func FuzzParseSeal(f *testing.F) {
	a := openDir(f, f.TempDir())
	a.now = func() int64 { return 1 } // every fuzzing process makes the same seal
	id := clew.SessionID("sess_fuzz")
	records := chain(id, clew.Head{}, segmentRecords+20, 10)
	s := put(f, a, nil, id, records, strings.Repeat("state ", 300))
	sound, err := a.store.read(f.Context(), s.key)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sound)
	forked := Seal{
		Session: id, Head: s.Head, key: s.key, State: []byte("state"), Base: Base{Session: "sess_base", Head: s.Head},
		open: index{first: s.Head.Seq + 1, before: s.Head.Hash},
	}
	f.Add(forked.encode())
	f.Add(sound[:preambleLen])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := parseSeal(id, s.key, data); err == nil && got.Base != forked.Base && string(data) != string(sound) {
			t.Fatal("altered bytes were accepted")
		}
		// Nothing may panic either when the checksums fit, and what is read
		// then is the true history or an error.
		if got := new(Seal); got.parse(resum(data)) == nil {
			got.key = s.key
			list, _ := collect(t.Context(), a, got, got.Base.Head.Seq+1, got.Head.Seq)
			if got.Session == id && got.Head == s.Head && got.Base == (Base{}) && equalLines(list, records[:min(len(list), len(records))]) != "" {
				t.Fatal("another history was read")
			}
		}
		if x, err := parseIndex(data); err == nil {
			x.span(1, 100)
		}
	})
}

// resum makes the checksums of a seal fit its content.
func resum(data []byte) []byte {
	b := slices.Clone(data)
	if len(b) < preambleLen {
		return b
	}
	at := [sections + 1]int{preambleLen}
	for i := range sections {
		n := int(binary.LittleEndian.Uint32(b[len(sealMagic)+4+4*i:]))
		at[i+1] = min(at[i]+n, len(b))
	}
	at[sections] = len(b)
	version := binary.LittleEndian.Uint32(b[len(sealMagic):])
	if version != baseVersion {
		version = sealVersion
	}
	writePreamble(b, version, at)
	return b
}
