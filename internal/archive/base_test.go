package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// found seals a session on the records of another.
func found(tb testing.TB, a *Archive, id clew.SessionID, base Base, state string) *Seal {
	tb.Helper()
	s, err := a.Put(tb.Context(), nil, Sealing{Session: id, Epoch: "e1", Head: base.Head, State: []byte(state), Base: base})
	if err == nil {
		err = a.Sync(tb.Context())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func testBase(t *testing.T, a *Archive) {
	parent, id := clew.SessionID("sess_parent"), clew.SessionID("sess_child")
	records := chain(parent, clew.Head{}, 300, 30)
	put(t, a, nil, parent, records, "parent")
	base := Base{parent, records[199].After()}
	s := found(t, a, id, base, "child")
	got := latest(t, a, id)
	if got.Base != base || got.Head != base.Head || string(got.State) != "child" {
		t.Fatalf("the seal is %+v", got)
	}
	if err := a.Verify(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(records[:200], chain(id, base.Head, 2*segmentRecords+10, 30))
	for at := 200; at < len(all); at += 1500 {
		s = put(t, a, s, id, all[at:min(at+1500, len(all))], "child")
		got := latest(t, a, id)
		if got.Base != base {
			t.Fatalf("the base is %+v", got.Base)
		}
		wantRecords(t, a, got, all, 201, got.Head.Seq)
		if err := a.Verify(t.Context(), got); err != nil {
			t.Fatal(err)
		}
	}
	if s.segments() != 2 {
		t.Fatalf("%d segments", s.segments())
	}
	wantRecords(t, a, s, all, 2000, 2500)
	for _, from := range []uint64{0, 1, 200} {
		if list, err := collect(t.Context(), a, s, from, 210); err == nil || len(list) > 0 {
			t.Errorf("records from %d were read without the parent", from)
		}
	}
	for name, bad := range map[string]Sealing{
		"itself":       {Head: base.Head, Base: Base{"sess_bad", base.Head}},
		"no name":      {Head: base.Head, Base: Base{"../x", base.Head}},
		"no records":   {Base: Base{parent, clew.Head{}}},
		"another head": {Head: records[200].After(), Base: base},
	} {
		bad.Session = "sess_bad"
		if _, err := a.Put(t.Context(), nil, bad); err == nil {
			t.Errorf("%s: sealed", name)
		}
	}
	other := sealing(s, id, nil, "x")
	other.Base = Base{parent, records[100].After()}
	if _, err := a.Put(t.Context(), s, other); err == nil {
		t.Error("the base was changed")
	}
}

func TestDamagedBaseIsFound(t *testing.T) {
	nightly.Alone(t)
	dir := t.TempDir()
	a := openDir(t, dir)
	records := chain("sess_parent", clew.Head{}, 20, 30)
	s := found(t, a, "sess_child", Base{"sess_parent", records[9].After()}, strings.Repeat("state ", 200))
	spoiled(t, dir+"/"+s.key, 1000, func(how string) {
		if got, err := a.Latest(t.Context(), s.Session); !isDamaged(err) || got != nil {
			t.Errorf("%s seal: %v, %v", how, got, err)
		}
	})
}

// Even with the right checksums a seal whose records do not follow its base, or
// whose base is after its head, is refused.
func TestBaseThatDoesNotFit(t *testing.T) {
	a := openDir(t, t.TempDir())
	parent, id := clew.SessionID("sess_parent"), clew.SessionID("sess_child")
	records := chain(parent, clew.Head{}, 20, 30)
	base := Base{parent, records[9].After()}
	for _, n := range []int{0, 5, segmentRecords + 5} {
		s := found(t, a, id, base, "")
		if n > 0 {
			s = put(t, a, s, id, chain(id, base.Head, n, 30), "")
		}
		for name, spoil := range map[string]func(*Base){
			"hash":  func(b *Base) { b.Head.Hash[3] ^= 1 },
			"seq":   func(b *Base) { b.Head.Seq++ },
			"none":  func(b *Base) { *b = Base{} },
			"after": func(b *Base) { b.Head.Seq = s.Head.Seq + 1 },
		} {
			bad := *s
			spoil(&bad.Base)
			got := new(Seal)
			err := got.parse(bad.encode())
			if err == nil { // only a segment can tell
				got.key = s.key
				_, err = collect(t.Context(), a, got, got.Base.Head.Seq+1, got.Head.Seq)
			}
			if err == nil {
				t.Errorf("%d records, %s: read", n, name)
			}
		}
	}
}

// A seal of the first version, written before there were bases, is read and
// sealed on. Seals without a base are still of that version.
func TestVersion1(t *testing.T) {
	data, err := os.ReadFile("testdata/seal_v1")
	if err != nil {
		t.Fatal(err)
	}
	id := clew.SessionID("sess_version1")
	records := chain(id, clew.Head{}, 5, 20)
	dir := t.TempDir()
	a := openDir(t, dir)
	key := dir + "/" + sealKey(id, 5, 0)
	if err := os.MkdirAll(key[:strings.LastIndexByte(key, '/')], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := latest(t, a, id)
	if string(s.State) != strings.Repeat("state ", 120) || s.Base != (Base{}) || s.Head != records[4].After() {
		t.Fatalf("read as %+v", s)
	}
	wantRecords(t, a, s, records, 1, 5)
	more := chain(id, s.Head, 3, 20)
	s = put(t, a, s, id, more, "")
	wantRecords(t, a, s, append(records, more...), 1, 8)
	if v := binary.LittleEndian.Uint32(s.encode()[len(sealMagic):]); v != sealVersion {
		t.Errorf("version %d", v)
	}
}

// A seal of a form that is still to come is no damage.
func TestSealOfTomorrow(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	s := put(t, a, nil, "sess_tomorrow", chain("sess_tomorrow", clew.Head{}, 5, 20), "state")
	data, err := os.ReadFile(dir + "/" + s.key)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(data[len(sealMagic):], baseVersion+1)
	body := preambleLen - sha256.Size
	sum := sha256.Sum256(data[:body])
	copy(data[body:], sum[:])
	if err := os.WriteFile(dir+"/"+s.key, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Latest(t.Context(), s.Session); !errors.Is(err, ErrTooNew) || isDamaged(err) || got != nil {
		t.Errorf("read as %v, %v", got, err)
	}
}
