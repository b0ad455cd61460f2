//go:build !windows

package env

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// ownSession has a program outlive this one and its terminal: no SIGHUP, no Ctrl-C.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// lockFile locks a file for this process, waiting for others for so long.
func lockFile(ctx context.Context, name string, within time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	limit := time.After(within)
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, err
		}
		select {
		case <-time.After(startLook): // there is no lock that waits for a while
		case <-limit:
			_ = f.Close()
			return nil, err
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		}
	}
}

// terminate asks a process to end. One that is gone has done so.
func terminate(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// foreignRoot reports whether somebody acts as root who is usually another one: a
// server would leave files of root in their home. Root at home, as in a container, is
// like everybody.
func foreignRoot(sudo, home string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	if sudo != "" {
		return true
	}
	info, err := os.Stat(home)
	if err != nil {
		return true
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	return !ok || owner.Uid != 0
}
