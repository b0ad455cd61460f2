//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package cli

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// foreground reports whether the terminal is ours to read from, and not the
// shell's because we were put into the background.
func foreground(in *os.File) bool {
	group, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// byKey has a terminal give each key as it is typed, without showing it. Ctrl-C
// and Ctrl-Z do what they always do. Whoever reads in the background gets an
// error, and is not stopped: the work there goes on.
func byKey(in *os.File) (restore func(), err error) {
	fd := int(in.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	now := *was
	now.Lflag &^= unix.ICANON | unix.ECHO | unix.IEXTEN
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
		return nil, err
	}
	signal.Ignore(unix.SIGTTIN)
	return func() {
		if foreground(in) { // else the shell has set it as it likes
			_ = unix.IoctlSetTermios(fd, setTermios, was)
		}
	}, nil
}

// ownNewlines says that a newline must be written as \r\n while keys are read.
const ownNewlines = false
