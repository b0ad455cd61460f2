package transfer

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/clew-run/clew"
)

// A spool is a temporary file of pieces. It is written by one goroutine and
// gone when it is closed.
type spool struct {
	f     *os.File
	w     *bufio.Writer
	size  int64
	dirty bool

	yard *diskQuota // what it takes it takes from here
	room int64
}

// A ref is the place of a piece.
type ref struct {
	off int64
	n   int
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "clew-transfer-*")
	if err != nil {
		return nil, fmt.Errorf("transfer: %w", err)
	}
	return &spool{f: f, w: bufio.NewWriterSize(f, 64<<10)}, nil
}

func (s *spool) close() {
	_ = s.f.Close()
	_ = os.Remove(s.f.Name())
	s.yard.give(s.size)
	s.yard = nil
}

// Write adds to the end.
func (s *spool) Write(b []byte) (int, error) {
	if err := s.yard.take(int64(len(b)), s.room); err != nil {
		return 0, err
	}
	s.size += int64(len(b))
	s.dirty = true
	n, err := s.w.Write(b)
	return n, noRoom(err)
}

// noRoom keeps a disk that is full from being taken for a file that is damaged.
func noRoom(err error) error {
	if err == nil {
		return nil
	}
	return clew.WrapError(clew.StorageFailed, err, "the server could not write a temporary file")
}

func (s *spool) put(b []byte) (ref, error) {
	r := ref{off: s.size, n: len(b)}
	_, err := s.Write(b)
	return r, err
}

func (s *spool) get(r ref) ([]byte, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	b := make([]byte, r.n)
	_, err := s.f.ReadAt(b, r.off)
	return b, err
}

func (s *spool) flush() error {
	if !s.dirty {
		return nil
	}
	s.dirty = false
	return noRoom(s.w.Flush())
}

// reader reads all of it from the start; any number may read at once.
func (s *spool) reader() (io.Reader, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(s.f, 0, s.size), nil
}
