package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
)

// Somebody swaps directories and files for links that lead out, all the time,
// during saves and restores: nothing outside is read or written.
func TestSwappedLinks(t *testing.T) {
	dir := memoryDir(t)
	root := filepath.Join(dir, "work")
	const secret = "outside, and not to be read"
	put(t, dir, "outside/file", secret)
	put(t, dir, "outside/sub/file", secret)
	put(t, root, "d/file", "inside")
	put(t, root, "d/sub/file", "inside")
	put(t, root, "spare/file", "spare")
	put(t, root, "f", "inside")
	outside := readTree(t, filepath.Join(dir, "outside"), nil)
	p, err := store(t, filepath.Join(dir, "data"), checkpoint.Options{}).Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	good := save(t, p)

	stop := make(chan struct{})
	var wait sync.WaitGroup
	swap := func(name, target string) {
		real, bad := filepath.Join(root, name), filepath.Join(dir, "bad-"+filepath.Base(name))
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Symlink(target, bad)
			if unix.Renameat2(unix.AT_FDCWD, bad, unix.AT_FDCWD, real, unix.RENAME_EXCHANGE) == nil {
				_ = unix.Renameat2(unix.AT_FDCWD, bad, unix.AT_FDCWD, real, unix.RENAME_EXCHANGE)
			}
			_ = os.RemoveAll(bad)
		}
	}
	for name, target := range map[string]string{"d": "../outside", "spare": "../outside", "f": "../outside/file"} {
		wait.Go(func() { swap(name, target) })
	}
	for i := range 60 {
		put(t, root, "tick", fmt.Sprint(i))
		_, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()})
		must(t, err)
		// A restore may find its path swapped and say so; it must not go through.
		_, _ = p.Restore(t.Context(), good.Hash, checkpoint.RestoreOptions{Session: "sess", ID: nextID()})
	}
	close(stop)
	wait.Wait()
	if d := differ(outside, readTree(t, filepath.Join(dir, "outside"), nil)); d != "" {
		t.Errorf("outside was written to:\n%s", d)
	}
	list, err := p.List(t.Context(), "")
	must(t, err)
	for _, c := range list {
		diffs, _, err := p.Diff(t.Context(), good.Hash, c.Hash, checkpoint.DiffLimits{})
		must(t, err)
		for _, f := range diffs {
			if strings.Contains(f.Before+f.After, secret) {
				t.Fatalf("%s was read through a link", f.Path)
			}
		}
	}
}
