package supervisor

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/tool/shell"
)

// Mark is what every process of a program has in its environment (shell.MarkVariable),
// so that those are found which outlive a supervisor that was killed.
func Mark(dir string) string { return shell.KeptMark(dir) }

// lockFile opens a file of a directory and locks it. Closing it gives the lock back.
func lockFile(dir, name string, how int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, how); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// lockAlive takes the lock that a supervisor keeps. Somebody who looks whether it is
// taken has it for a moment.
func lockAlive(dir string) (*os.File, error) {
	for tries := 0; ; tries++ {
		f, err := lockFile(dir, "alive", unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || tries == 100 {
			return f, err
		}
		<-time.After(time.Millisecond)
	}
}

// supervised reports whether there is a supervisor, though it may not listen yet.
func supervised(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "alive"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(flock(f, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// writeJSON writes a file all or nothing.
func writeJSON(name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

func readJSON(name string, into any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, into)
}

func readEnded(dir string) (ended Ended, err error) {
	err = readJSON(filepath.Join(dir, "ended.json"), &ended)
	return ended, err
}
