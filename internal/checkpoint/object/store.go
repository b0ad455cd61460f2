package object

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A Store reads objects. Packs that this package wrote are read directly; those
// that git made hold differences and are read through git. It is safe for
// concurrent use, but for the list Packs, which changes when packs come or go.
type Store struct {
	dir string // the bare repository

	mu    sync.Mutex
	Packs []*Pack
	open  map[string]*os.File
	cat   *catFile
	buf   *bufio.Reader
	copy  []byte
	z     io.ReadCloser // with zlib.Resetter
}

// Open opens the store in a bare repository.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, open: map[string]*os.File{}}
	return s, s.Reload()
}

// PackDir is the directory of the packs.
func (s *Store) PackDir() string { return filepath.Join(s.dir, "objects", "pack") }

// Reload looks at the disk again: others may have repacked.
func (s *Store) Reload() error {
	names, err := filepath.Glob(filepath.Join(s.PackDir(), "pack-*.idx"))
	if err != nil {
		return err
	}
	s.Release()
	known := map[string]*Pack{}
	for _, x := range s.Packs {
		known[x.File] = x
	}
	s.Packs = nil
	for _, name := range names {
		if x := known[strings.TrimSuffix(name, "idx")+"pack"]; x != nil {
			s.Packs = append(s.Packs, x)
			continue
		}
		if err := s.load(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s *Store) load(name string) error {
	x, err := readIdx(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.Packs {
		if p.File == x.File {
			return nil
		}
	}
	s.Packs = append(s.Packs, x)
	return nil
}

// Rest ends the git process and closes files if there are many.
func (s *Store) Rest() {
	if s.cat != nil || len(s.open) > restFiles {
		s.Release()
	}
}

// restFiles is the number of files that stay open between two calls.
const restFiles = 4

// Release closes files and the git process. The next read opens them again.
func (s *Store) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.open {
		_ = f.Close()
	}
	clear(s.open)
	if s.cat != nil {
		s.cat.close()
		s.cat = nil
	}
}

// Size is what the packs take on disk.
func (s *Store) Size() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var n int64
	for _, x := range s.Packs {
		n += x.Size + int64(len(x.data))
	}
	return n
}

func (s *Store) find(h ID) (*Pack, int64) {
	for i := len(s.Packs) - 1; i >= 0; i-- { // the newest are asked for most
		if at, ok := s.Packs[i].find(h); ok {
			return s.Packs[i], at
		}
	}
	return nil, 0
}

// Has reports whether an object is stored.
func (s *Store) Has(h ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, _ := s.find(h)
	return x != nil
}

// CopyTo writes an object's bytes and checks that they are the ones it is named
// after.
func (s *Store) CopyTo(ctx context.Context, h ID, want Kind, w io.Writer) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, at := s.find(h)
	if x == nil {
		return 0, fmt.Errorf("%w: %s is missing", ErrDamaged, h)
	}
	kind, size, r, err := s.direct(x, at)
	if err != nil {
		return 0, err
	}
	if r == nil {
		return s.throughGit(ctx, h, want, w)
	}
	return s.copyChecked(h, want, kind, size, r, w)
}

func (s *Store) copyChecked(h ID, want, kind Kind, size int64, r io.Reader, w io.Writer) (int64, error) {
	if kind != want {
		return 0, fmt.Errorf("%w: %s is a %s, not a %s", ErrDamaged, h, kind, want)
	}
	sum := sha256.New()
	sum.Write(header(kind, size))
	src := &source{r: r}
	if s.copy == nil {
		s.copy = make([]byte, 1<<15)
	}
	n, err := io.CopyBuffer(io.MultiWriter(sum, w), src, s.copy)
	if src.err != nil {
		return n, fmt.Errorf("%w: %s: %w", ErrDamaged, h, src.err)
	}
	if err != nil {
		return n, err
	}
	if n != size || ID(sum.Sum(nil)) != h {
		return n, fmt.Errorf("%w: %s does not have the bytes it is named after", ErrDamaged, h)
	}
	return n, nil
}

// source remembers an error of reading, to tell it from one of writing.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// direct opens an object that is stored whole; the reader is nil if it is not.
func (s *Store) direct(x *Pack, at int64) (Kind, int64, io.Reader, error) {
	f := s.open[x.File]
	if f == nil {
		var err error
		if f, err = os.Open(x.File); err != nil {
			return 0, 0, nil, err
		}
		s.open[x.File] = f
	}
	if s.buf == nil {
		s.buf = bufio.NewReaderSize(nil, 1<<14)
	}
	r := s.buf
	r.Reset(io.NewSectionReader(f, at, x.Size-at))
	b, err := r.ReadByte()
	kind, size, shift := Kind(b>>4&7), int64(b&15), 4
	for err == nil && b&0x80 != 0 && shift < 60 {
		b, err = r.ReadByte()
		size |= int64(b&0x7f) << shift
		shift += 7
	}
	if err != nil {
		return 0, 0, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if kind != Commit && kind != Tree && kind != Blob {
		return 0, 0, nil, nil
	}
	if s.z == nil {
		s.z, err = zlib.NewReader(r)
	} else {
		err = s.z.(zlib.Resetter).Reset(r, nil)
	}
	if err != nil {
		s.z = nil
		return 0, 0, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return kind, size, s.z, nil
}

func (s *Store) throughGit(ctx context.Context, h ID, want Kind, w io.Writer) (int64, error) {
	if s.cat == nil {
		c, err := startCatFile(ctx, s.dir)
		if err != nil {
			return 0, err
		}
		s.cat = c
	}
	kind, size, r, err := s.cat.open(h)
	if err != nil {
		return 0, err
	}
	n, err := s.copyChecked(h, want, kind, size, r, w)
	if err == nil {
		err = s.cat.end()
	}
	if err != nil { // the pipe may stand in the middle of an object
		s.cat.close()
		s.cat = nil
	}
	return n, err
}

func (s *Store) Read(ctx context.Context, h ID, want Kind) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, 1<<13))
	_, err := s.CopyTo(ctx, h, want, b)
	return b.Bytes(), err
}

// Tree reads a tree; only those names that are in only, if it is not nil.
func (s *Store) Tree(ctx context.Context, h ID, only map[string]bool) ([]Entry, error) {
	if h.Zero() {
		return nil, nil
	}
	data, err := s.Read(ctx, h, Tree)
	if err != nil {
		return nil, err
	}
	return parseTree(data, only)
}
