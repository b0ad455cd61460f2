package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// What checkpoints stand beside: git, a walk that only looks, and bare writes.

// plainGit is a repository of a tree, with its own directory elsewhere and
// nothing of the person's configuration.
type plainGit struct{ tree, dir string }

func (g plainGit) run(args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = g.tree
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR=" + g.dir, "GIT_WORK_TREE=" + g.tree,
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// commit saves the tree as a person would.
func (g plainGit) commit() error {
	if err := g.run("add", "-A"); err != nil {
		return err
	}
	return g.run("commit", "-q", "--allow-empty", "-m", "bench")
}

// statWalk looks at every file and does nothing else, with all processors.
func statWalk(root string) error {
	w := walk{dirs: make(chan string, 1<<16)}
	w.open.Add(1)
	w.dirs <- root
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for dir := range w.dirs {
				if err := w.look(dir); err != nil {
					w.failed.CompareAndSwap(nil, &err)
				}
				w.open.Done()
			}
		})
	}
	w.open.Wait()
	close(w.dirs)
	workers.Wait()
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// walk is a statWalk under way. The channel has room for more directories than
// any tree of the bench has, so that workers never wait for each other.
type walk struct {
	dirs   chan string
	open   sync.WaitGroup // directories that are not done
	failed atomic.Pointer[error]
}

func (w *walk) look(dir string) error {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), dir)
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			w.open.Add(1)
			w.dirs <- dir + "/" + name
		}
	}
	return nil
}

// writeObject stores one file's bytes as git would, flushed.
func writeObject(dir string, data []byte) error {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return writeFlushed(filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(data))), b.Bytes())
}

// writeFlushed writes a file beside its place, flushes it and moves it there.
func writeFlushed(name string, data []byte) error {
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
