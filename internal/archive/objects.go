package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
)

// Objects is a plain view of a store: whole objects by name, for those who copy
// an archive or keep one. Safe for concurrent use.
type Objects struct{ store store }

// OpenObjects opens the directory or bucket at a URL of the form that Open takes,
// for objects of any names.
func OpenObjects(ctx context.Context, url string) (*Objects, error) {
	scheme, _, _ := strings.Cut(url, "://")
	var s store
	var err error
	switch scheme {
	case "file":
		s, err = openDirectory(url, sameBytes)
	case "s3":
		s, err = openBucket(ctx, url)
	default:
		return nil, fmt.Errorf("%q is neither a file:// nor an s3:// URL", url)
	}
	return &Objects{s}, err
}

func sameBytes(key string, have, want []byte) error {
	if !bytes.Equal(have, want) {
		return fmt.Errorf("%w: %s", ErrConflict, key)
	}
	return nil
}

// Objects gives what the archive keeps.
func (a *Archive) Objects() *Objects { return &Objects{a.store} }

// Names gives the names of all objects.
func (o *Objects) Names(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	err := o.store.all(ctx, func(key string) { names[key] = true })
	return names, err
}

// Read gives an object. One that is not there fails with fs.ErrNotExist.
func (o *Objects) Read(ctx context.Context, name string) ([]byte, error) {
	return o.store.read(ctx, name)
}

// Put writes an object under a name that says its content. It is durable after
// Sync.
func (o *Objects) Put(ctx context.Context, name string, data []byte) error {
	return o.store.put(ctx, name, data)
}

// Keep writes an object or replaces it, durable on return.
func (o *Objects) Keep(ctx context.Context, name string, data []byte) error {
	return o.store.keep(ctx, name, data)
}

// Remove deletes an object.
func (o *Objects) Remove(ctx context.Context, name string) error { return o.store.remove(ctx, name) }

// Sync makes durable what was put.
func (o *Objects) Sync(ctx context.Context) error { return o.store.sync(ctx) }

// Close lets go of a store that OpenObjects opened.
func (o *Objects) Close() error { return o.store.close() }

func (d *directory) all(ctx context.Context, fn func(key string)) error {
	return filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist): // it went meanwhile
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && path == filepath.Join(d.root, pendingDir):
			return fs.SkipDir
		case e.Type().IsRegular():
			fn(filepath.ToSlash(strings.TrimPrefix(path, d.root+string(filepath.Separator))))
		}
		return nil
	})
}

func (s *bucket) all(ctx context.Context, fn func(key string)) error {
	return s.each(ctx, "", func(key string) bool {
		fn(key)
		return true
	})
}

// SessionOf gives the session that an object of an archive belongs to, "" for a
// blob.
func SessionOf(name string) clew.SessionID {
	if strings.HasPrefix(name, blobPrefix) {
		return ""
	}
	id, _ := sessionOfKey(name)
	return id
}
