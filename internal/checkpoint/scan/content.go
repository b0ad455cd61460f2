package scan

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

const readTries = 5

func (s *Scan) readLink(w *worker, fd int, n *tree.Node, k *tree.Entry) error {
	began := time.Now().UnixNano() //nolint:forbidigo // as files have it
	target, err := beneath.Readlink(fd, k.Name)
	if errors.Is(err, unix.EINVAL) || err != nil && beneath.Gone(err) { // it is no link any more
		s.lost(n, k)
		return nil
	}
	if err != nil {
		return err
	}
	h, err := s.pack.Put(object.Blob, []byte(target), w.deflater)
	n.Know(k, h, k.Stamp, began)
	return err
}

// lost drops a name that became something else during the scan. It is seen as
// what it is the next time.
func (s *Scan) lost(n *tree.Node, k *tree.Entry) {
	n.Become(k, tree.Absent, tree.Kept)
	k.Ruled = false
	s.mu.Lock()
	n.Read = 0
	s.mu.Unlock()
}

// readFile stores a file's bytes. A file that changes meanwhile is read again;
// one that never holds still is stored as it was last read, and named.
func (s *Scan) readFile(w *worker, fd int, at string, n *tree.Node, k *tree.Entry) error {
	for try := 1; ; try++ {
		err := s.tryFile(w, fd, n, k, try == readTries)
		switch {
		case err == nil && k.Read == 0:
			s.mu.Lock()
			s.Moving = append(s.Moving, path.Join(at, k.Name))
			s.mu.Unlock()
			return nil
		case err == nil:
			return nil
		case errors.Is(err, object.ErrChanged) && try < readTries:
			continue
		case beneath.Gone(err) || errors.Is(err, object.ErrChanged):
			s.lost(n, k)
			return nil
		case beneath.Refused(err):
			n.Become(k, tree.LeftAlone, tree.Unreadable)
			return nil
		}
		return err
	}
}

// tryFile reads a file once. With last it takes what it got.
func (s *Scan) tryFile(w *worker, fd int, n *tree.Node, k *tree.Entry, last bool) error {
	h, err := unix.Openat(fd, k.Name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(h), "file")
	defer func() { _ = f.Close() }()
	before, err := beneath.Fstat(h)
	if err != nil {
		return err
	}
	if before.Format() != unix.S_IFREG {
		return unix.ENOENT
	}
	if before.Size >= object.LargeFile {
		return s.tryLarge(f, n, k, before, last)
	}
	return s.trySmall(w, f, n, k, before, last)
}

func (s *Scan) trySmall(w *worker, f *os.File, n *tree.Node, k *tree.Entry, before beneath.Stamp, last bool) error {
	began := time.Now().UnixNano() //nolint:forbidigo // as files have it
	data, err := w.read(f, before.Size)
	if err != nil {
		return err
	}
	still, err := s.still(w, f, before, began, data)
	if err != nil {
		return err
	}
	if !still {
		if !last {
			return object.ErrChanged
		}
		began = 0
		if data, err = w.read(f, before.Size); err != nil {
			return err
		}
		before.Size = int64(len(data))
	} else if int64(len(data)) != before.Size {
		return object.ErrChanged
	}
	h := object.Hash(object.Blob, data)
	if !s.pack.Known(h) {
		err = s.pack.Add(object.Blob, h, data, w.deflater)
	}
	n.Know(k, h, before, began)
	return err
}

// still reports whether the file is the one whose bytes were read. When its last
// change is so young that another one would not show, it is read again.
func (s *Scan) still(w *worker, f *os.File, before beneath.Stamp, began int64, data []byte) (bool, error) {
	after, err := beneath.Fstat(int(f.Fd()))
	if err != nil || after != before {
		return false, err
	}
	if before.Settled(began) {
		return true, nil
	}
	return w.same(f, data)
}

// same reports whether a file's bytes are these. To compare is cheaper than to
// take the hash again.
func (w *worker) same(f *os.File, data []byte) (bool, error) {
	if w.again == nil {
		w.again = make([]byte, 32<<10)
	}
	for at := int64(0); ; {
		n, err := f.ReadAt(w.again, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if n > len(data) || !bytes.Equal(w.again[:n], data[:n]) {
			return false, nil
		}
		if data = data[n:]; err != nil { // the end
			return len(data) == 0, nil
		}
		at += int64(n)
	}
}

// read gives a file's bytes from its start, at most size and one more. They are
// in the worker's buffer.
func (w *worker) read(f *os.File, size int64) ([]byte, error) {
	if int64(cap(w.buf)) < size+1 {
		w.buf = make([]byte, size+1+size/4)
	}
	n, err := io.ReadFull(io.NewSectionReader(f, 0, size+1), w.buf[:size+1])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return w.buf[:n], err
}

func (s *Scan) tryLarge(f *os.File, n *tree.Node, k *tree.Entry, before beneath.Stamp, last bool) error {
	began := time.Now().UnixNano() //nolint:forbidigo // as files have it
	large, err := s.pack.Stream(io.NewSectionReader(f, 0, before.Size), before.Size)
	if err != nil {
		return err
	}
	after, err := beneath.Fstat(int(f.Fd()))
	if err != nil || after != before && !last {
		large.Drop()
		return errors.Join(err, object.ErrChanged)
	}
	if after != before {
		began = 0
	}
	s.pack.Keep(large)
	n.Know(k, large.ID, before, began)
	return nil
}
