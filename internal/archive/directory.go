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
// even after a power cut. A directory serves one node; several nodes share a
// bucket.
type directory struct {
	root  string
	agree func(key string, have, want []byte) error
	tag   string // tells this process's files in pending/ from others'
	count atomic.Uint64
	flush sync.Mutex // held by the one sync under way

	mu      sync.RWMutex
	pending map[string]string // key to file, until the name is durable
	relied  []string          // names that were there already, to be flushed too
	failed  error             // the first failed flush; final
	dirs    map[string]bool   // of blobs, whose names are durable: this process flushed them
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
	d := &directory{root: filepath.Clean(u.Path), agree: agree, tag: rand.Text()[:12], pending: map[string]string{}, dirs: map[string]bool{}}
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
		// Another process may have given the name and not flushed it yet.
		d.mu.Lock()
		d.relied = append(d.relied, key)
		d.mu.Unlock()
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
	var walked []string
	for dir := filepath.Dir(d.path(key)); ; dir = filepath.Dir(dir) {
		if err := syncDir(dir); err != nil {
			return err
		}
		if dir == d.root || d.named(dir) {
			break
		}
		walked = append(walked, dir)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range walked {
		d.dirs[dir] = true
	}
	return nil
}

// named says whether the name of a directory is durable. Those that blobs are in stay.
func (d *directory) named(dir string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.dirs[dir]
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
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
	d.unstage(key)
	err := os.Remove(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unstage takes back an object that no sync has begun to name.
func (d *directory) unstage(key string) {
	if _, waiting := d.waiting(key); !waiting {
		return
	}
	d.flush.Lock()
	defer d.flush.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	if file, waiting := d.pending[key]; waiting {
		_ = os.Remove(file)
		delete(d.pending, key)
	}
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
