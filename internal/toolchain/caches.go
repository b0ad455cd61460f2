package toolchain

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// OwnerFile is the file in a workspace's cache that names the workspace.
const OwnerFile = "workspace"

// A Cache is what commands keep for one workspace.
type Cache struct {
	Dir       string    `json:"dir"`
	Workspace string    `json:"workspace"`
	Bytes     int64     `json:"bytes"`
	Used      time.Time `json:"used"` // when a command last ran there
}

// Caches lists those of a directory, the largest first.
func Caches(dir string) ([]Cache, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Cache{}, nil
	}
	list := []Cache{}
	for _, e := range entries {
		c := Cache{Dir: filepath.Join(dir, e.Name())}
		owner := filepath.Join(c.Dir, OwnerFile)
		info, err := os.Stat(owner)
		if err != nil {
			continue // no cache, or one that is being cleared
		}
		text, err := os.ReadFile(owner)
		if err != nil {
			return nil, err
		}
		c.Workspace, c.Used, c.Bytes = strings.TrimSpace(string(text)), info.ModTime(), size(c.Dir)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Cache) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Dir, b.Dir)) })
	return list, err
}

// size counts the bytes of what is there; files come and go meanwhile.
func size(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone, or nobody's business
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// Clear removes a cache. Go's module cache has directories that nobody may write
// to, which are made writable first.
func (c Cache) Clear() error {
	_ = filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a directory needs x
		}
		return nil
	})
	return os.RemoveAll(c.Dir)
}
