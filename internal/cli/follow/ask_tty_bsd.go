//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package follow

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	readSide   = 1 // FREAD of sys/fcntl.h
)

// Forget drops what was typed before anybody was asked.
func Forget(in *os.File) {
	if in != nil {
		_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, readSide)
	}
}
