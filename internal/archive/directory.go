package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A directory is a store on a local file system.
//
// An object is first written under pending/. Only sync gives it its name, after
// its content is on the disk, so a name never stands for half an object, not
// even after a power cut.
type directory struct {
	root  string
	agree func(key string, have, want []byte) error
	tag   string // tells this process's files in pending/ from others'
	count atomic.Uint64
	flush sync.Mutex // held by the one sync under way

	mu      sync.RWMutex
	pending map[string]string // key to file, until the name is durable
	failed  error             // the first failed flush; final
}

const pendingDir = "pending"

func openDirectory(rawURL string, agree func(string, []byte, []byte) error) (*directory, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is not of the form file:///absolute/path", rawURL)
	}
	d := &directory{root: filepath.Clean(u.Path), agree: agree, tag: rand.Text()[:12], pending: map[string]string{}}
	if err := os.MkdirAll(filepath.Join(d.root, pendingDir), 0o700); err != nil {
		return nil, err
	}
	d.sweep()
	return d, nil
}

// sweep removes what a crashed process left in pending/. Young files may be
// another live process's, so they stay.
func (d *directory) sweep() {
	dir := filepath.Join(d.root, pendingDir)
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func (d *directory) path(key string) string { return d.root + "/" + key }

func (d *directory) create(_ context.Context, key string, data []byte) (existed bool, err error) {
	if _, waiting := d.waiting(key); waiting {
		return true, nil
	}
	if _, err := os.Lstat(d.path(key)); err == nil {
		return true, nil
	}
	return false, d.stage(key, data)
}

func (d *directory) put(_ context.Context, key string, data []byte) error {
	if _, waiting := d.waiting(key); waiting {
		return nil
	}
	return d.stage(key, data)
}

func (d *directory) waiting(key string) (file string, ok bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	file, ok = d.pending[key]
	return file, ok
}

// stage writes data aside for the next sync.
func (d *directory) stage(key string, data []byte) error {
	file, err := d.writeAside(data, false)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, taken := d.pending[key]; taken || d.failed != nil {
		_ = os.Remove(file)
		return d.failed
	}
	d.pending[key] = file
	return nil
}

func (d *directory) writeAside(data []byte, flush bool) (file string, err error) {
	file = fmt.Sprintf("%s/%s/%s-%x", d.root, pendingDir, d.tag, d.count.Add(1))
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil && flush {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file)
		return "", err
	}
	return file, nil
}

func (d *directory) keep(ctx context.Context, key string, data []byte) error {
	have, err := d.read(ctx, key)
	if err != nil || !bytes.Equal(have, data) {
		file, err := d.writeAside(data, true)
		if err != nil {
			return err
		}
		if err := d.rename(file, key, os.Rename); err != nil {
			return err
		}
	}
	// Also a copy that was there may still be on its way to the disk: its
	// content was flushed before it had the name, the name perhaps not yet.
	for dir := filepath.Dir(d.path(key)); ; dir = filepath.Dir(dir) {
		if err := syncDir(dir); err != nil || dir == d.root {
			return err
		}
	}
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// rename gives a file its name and makes the directory if need be.
func (d *directory) rename(file, key string, move func(from, to string) error) error {
	to := d.path(key)
	err := move(file, to)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		err = move(file, to)
	}
	return err
}

func (d *directory) sync(ctx context.Context) error {
	d.flush.Lock()
	defer d.flush.Unlock()
	d.mu.RLock()
	failed := d.failed
	var segments, seals []string
	files := make(map[string]string, len(d.pending))
	for key, file := range d.pending {
		files[key] = file
		if isSealKey(key) {
			seals = append(seals, key)
		} else {
			segments = append(segments, key)
		}
	}
	d.mu.RUnlock()
	if failed != nil || len(files) == 0 {
		return failed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := d.publish(files, segments, seals)
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range files {
		delete(d.pending, key)
	}
	if err != nil {
		// A flush that failed once may succeed next time without having
		// written anything, so there is no second try.
		d.failed = err
	}
	return err
}

// publish flushes the files and then gives them their names. Segments come
// first: a seal must not be there before what it refers to.
func (d *directory) publish(files map[string]string, segments, seals []string) error {
	if err := d.flushFiles(files); err != nil {
		return err
	}
	for _, key := range segments {
		if err := d.rename(files[key], key, os.Rename); err != nil {
			return err
		}
	}
	if len(segments) > 0 {
		if err := d.flushNames(segments); err != nil {
			return err
		}
	}
	for _, key := range seals {
		err := d.rename(files[key], key, renameNew)
		if errors.Is(err, fs.ErrExist) {
			err = d.settle(files[key], key)
		}
		if err != nil {
			return err
		}
	}
	return d.flushNames(seals)
}

// settle deals with a seal that another process wrote first.
func (d *directory) settle(file, key string) error {
	want, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(d.path(key))
	if err != nil {
		return err
	}
	if err := d.agree(key, have, want); err != nil {
		return err
	}
	return os.Remove(file)
}

func (d *directory) read(_ context.Context, key string) ([]byte, error) {
	f, err := d.open(key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}

func (d *directory) readRange(_ context.Context, key string, off, n int64) ([]byte, error) {
	f, err := d.open(key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	got, err := f.ReadAt(b, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:got], err
}

// open finds an object under its name, or where it waits for one.
func (d *directory) open(key string) (*os.File, error) {
	f, err := os.Open(d.path(key))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if file, ok := d.waiting(key); ok {
		if f, err := os.Open(file); err == nil {
			return f, nil
		}
	}
	return os.Open(d.path(key)) // it may have got its name meanwhile
}

func (d *directory) list(_ context.Context, prefix string) ([]string, error) {
	slash := strings.LastIndexByte(prefix, '/') + 1
	leaf, start := prefix[:slash], prefix[slash:]
	names, err := readNames(d.path(leaf))
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, name := range names {
		if !strings.HasPrefix(name, start) {
			continue
		}
		// A name that waits for its flush could still be lost.
		if _, waiting := d.waiting(leaf + name); !waiting {
			keys = append(keys, leaf+name)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *directory) walk(ctx context.Context, fn func(key string) bool) error {
	for shard := range shards {
		for x := range 16 {
			if err := ctx.Err(); err != nil {
				return err
			}
			leaf := fmt.Sprintf("%03x/%x/", shard, x)
			names, err := readNames(d.path(leaf))
			if err != nil {
				return err
			}
			for _, name := range names {
				if !fn(leaf + name) {
					return nil
				}
			}
		}
	}
	return nil
}

func (d *directory) remove(_ context.Context, key string) error {
	err := os.Remove(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *directory) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, file := range d.pending {
		errs = append(errs, os.Remove(file))
	}
	clear(d.pending)
	d.failed = errors.New("closed")
	return errors.Join(errs...)
}

// linkNew gives a file a second name, which fails if it is taken, and drops
// the first.
func linkNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
