package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"github.com/clew-run/clew/internal/tool"
)

// linkedDirs are where package managers put files that are also files of a cache
// of theirs: hard links. Who writes to one changes every other project of the
// person, those that run outside the sandbox too.
var linkedDirs = []string{".venv", "venv", "node_modules/.pnpm"}

// sharedText says why a directory can only be read, and what to do about it.
func sharedText(dir string) string {
	return fmt.Sprintf("%s shares files with a cache outside the workspace, so commands can read it only. \"clew unlink %s\" gives the project its own copies.", dir, dir)
}

// A linkSearch remembers which directories have no such file: those take a while
// to look through. The zero value is ready.
type linkSearch struct {
	mu    sync.Mutex
	clean map[string]time.Time // when a directory was last changed that has none
}

// directories lists those of a sandboxed command's workspace that have files with
// more than one name.
func (l *linkSearch) directories(p plan) []string {
	if p.sandbox != SandboxBwrap || p.ws == nil {
		return nil
	}
	var list []string
	for _, dir := range linkedDirs {
		if l.shares(p.ws, dir) {
			list = append(list, dir)
		}
	}
	return list
}

func (l *linkSearch) shares(ws *tool.Workspace, dir string) bool {
	info, err := ws.Root.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	key, changed := ws.Dir+"\x00"+dir, lastChange(ws, dir)
	l.mu.Lock()
	known, ok := l.clean[key]
	l.mu.Unlock()
	if ok && known.Equal(changed) {
		return false
	}
	if HasLinks(ws.Root.FS(), dir) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clean == nil {
		l.clean = map[string]time.Time{}
	}
	l.clean[key] = changed
	return false
}

// lastChange is when a package was last put there: installing one makes a
// directory.
func lastChange(ws *tool.Workspace, dir string) time.Time {
	var newest time.Time
	for _, pattern := range []string{dir, dir + "/lib/*/site-packages", dir + "/bin"} {
		found, _ := fs.Glob(ws.Root.FS(), pattern)
		for _, name := range found {
			if info, err := ws.Root.Lstat(name); err == nil && info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
	}
	return newest
}

var errFound = errors.New("found")

// HasLinks reports whether a file below a directory has more than one name. What
// cannot be looked at counts as one.
func HasLinks(fsys fs.FS, dir string) bool {
	err := fs.WalkDir(fsys, dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 1 {
			return errFound
		}
		return nil
	})
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}
