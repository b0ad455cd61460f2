package checkpoint

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
)

// A copying is the note of a copy to a directory outside of the store. Whoever
// makes the copy holds a lock on its file. After a crash it tells what has to go,
// or that the copy is whole: then a second call for it finds its work done.
type copyLock struct {
	Hash string `json:"hash"`
	Dir  string `json:"dir"`
	// Stage is where the copy is made. The directory keeps its inode when it
	// takes the place of Dir, which is how it is known again.
	Stage  string `json:"stage"`
	Device uint64 `json:"device,omitempty"`
	Inode  uint64 `json:"inode,omitempty"`

	file *os.File
}

const (
	copyNote  = "copying."
	stageName = ".clew-copy-"
	// copyKept is how long the note of a copy that was made is kept.
	copyKept = 24 * time.Hour
)

// openCopying takes the note of a copy for the caller alone.
func (s *Store) openCopying(name string) (*copyLock, error) {
	if !validName.MatchString(name) {
		return nil, clew.Errorf(clew.InvalidMessage, "%q cannot name a copy", name)
	}
	c, err := lockCopying(filepath.Join(s.dir, copyNote+name), os.O_CREATE)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, clew.Errorf(clew.Unavailable, "the copy is being made already: try again in a moment")
	}
	return c, err
}

func lockCopying(path string, flag int) (*copyLock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		mine, err := f.Stat()
		if now, gone := os.Lstat(path); err == nil && gone == nil && os.SameFile(mine, now) {
			c := &copyLock{file: f}
			_ = json.NewDecoder(f).Decode(c) // one that was cut short speaks of nothing yet
			return c, nil
		}
		_ = f.Close() // somebody removed it in between
		if err != nil {
			return nil, err
		}
	}
}

func (c *copyLock) write() error {
	data, err := json.Marshal(c)
	if err == nil {
		err = c.file.Truncate(0)
	}
	if err == nil {
		_, err = c.file.WriteAt(data, 0)
	}
	return err
}

func (c *copyLock) close() { _ = c.file.Close() }

// and with it the lock

func (c *copyLock) forget() { _ = os.Remove(c.file.Name()) }

// made reports whether the copy is in its place.
func (c *copyLock) made() bool {
	var st unix.Stat_t
	if c.Inode == 0 || unix.Lstat(c.Dir, &st) != nil || st.Ino != c.Inode || uint64(st.Dev) != c.Device { //nolint:unconvert // its size depends on the system
		return false
	}
	_, gone := os.Lstat(c.Stage)
	names, err := os.ReadDir(c.Dir)
	return gone != nil && err == nil && len(names) > 0
}

// clean removes what a copy that was cut off has left.
func (c *copyLock) clean() {
	if filepath.IsAbs(c.Stage) && filepath.Dir(c.Stage) == filepath.Dir(c.Dir) && strings.HasPrefix(filepath.Base(c.Stage), stageName) {
		discard(c.Stage)
	}
}

// begin makes the directory that the copy is written to, for the owner of the
// place where it will be. The note speaks of it before it is there.
func (c *copyLock) begin(hash, dir string) error {
	up := filepath.Dir(dir)
	if err := os.MkdirAll(up, 0o700); err != nil {
		return err
	}
	c.Hash, c.Dir, c.Stage, c.Device, c.Inode = hash, dir, filepath.Join(up, stageName+nonce()), 0, 0
	if err := c.write(); err != nil {
		return err
	}
	if err := os.Mkdir(c.Stage, 0o700); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(c.Stage, &st); err != nil {
		return err
	}
	c.Device, c.Inode = uint64(st.Dev), st.Ino //nolint:unconvert // as above
	if err := errors.Join(c.write(), c.file.Sync()); err != nil || os.Geteuid() != 0 {
		return err
	}
	if unix.Lstat(dir, &st) != nil {
		if err := unix.Lstat(up, &st); err != nil {
			return err
		}
	}
	return os.Lchown(c.Stage, int(st.Uid), int(st.Gid))
}

// sweepCopies removes what copies left behind whose process died. Those under way
// in another process are locked.
func (s *Store) sweepCopies() {
	names, _ := filepath.Glob(filepath.Join(s.dir, copyNote+"*")) // the pattern is a valid one
	for _, name := range names {
		c, err := lockCopying(name, 0)
		if err != nil {
			continue
		}
		info, err := c.file.Stat()
		if made := c.made(); !made || err == nil && s.options.Now().Sub(info.ModTime()) > copyKept {
			if !made {
				c.clean()
			}
			c.forget()
		}
		c.close()
	}
}
