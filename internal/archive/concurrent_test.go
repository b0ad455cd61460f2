package archive

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/clew-run/clew"
)

// Many owners seal, flush, read and prune at the same time. After its own Sync
// each finds its own seal, whoever flushed it.
func TestConcurrentOwners(t *testing.T) {
	a := openDir(t, t.TempDir())
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			id := clew.SessionID(fmt.Sprintf("sess_%d", i))
			var prev *Seal
			for range 6 {
				s, err := a.Put(t.Context(), prev, sealing(prev, id, chain(id, headOf(prev), 700, 10), "s"))
				if err == nil {
					err = a.Sync(t.Context())
				}
				if err != nil {
					t.Error(err)
					return
				}
				got, err := a.Latest(t.Context(), id)
				if err != nil || got == nil || got.Head != s.Head {
					t.Errorf("%s: the seal at %d is not found: %v", id, s.Head.Seq, err)
					return
				}
				if err := a.Prune(t.Context(), got); err != nil {
					t.Error(err)
				}
				prev = got
			}
			if err := a.Verify(t.Context(), prev); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Nobody but the owner of the process can read what is stored.
func TestModes(t *testing.T) {
	dir := t.TempDir() + "/archive"
	a := openDir(t, dir)
	s := put(t, a, nil, "sess_mode", chain("sess_mode", clew.Head{}, segmentRecords, 10), "")
	ref, err := a.PutBlob(t.Context(), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	ref0 := s.segment(0)
	for path, want := range map[string]os.FileMode{
		"": 0o700, s.key: 0o600, s.key[:leafLen]: 0o700, blobKey(ref): 0o600,
		segmentKey(s.Session, ref0.first, ref0.digest): 0o600,
	} {
		info, err := os.Stat(dir + "/" + path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v, %v", path, info.Mode(), err)
		}
	}
}
