//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	readSide   = 1 // FREAD of sys/fcntl.h
)

// forget drops what was typed before anybody was asked.
func forget(in *os.File) {
	if in != nil {
		_ = unix.IoctlSetPointerInt(int(in.Fd()), unix.TIOCFLUSH, readSide)
	}
}
