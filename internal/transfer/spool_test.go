package transfer

import (
	"testing"

	"github.com/clew-run/clew"
)

// A disk that cannot be written to is not the fault of the file that comes.
func TestSpoolFails(t *testing.T) {
	s, err := newSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := s.f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(make([]byte, 1<<20)); clew.CodeOf(failed(err, "the file")) != clew.StorageFailed {
		t.Errorf("write: %v", err)
	}
	if err := s.flush(); clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("flush: %v", err)
	}
}
