//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package follow

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

// notifyAside has Ctrl-Z tell us instead of stopping us at once: the terminal is to
// be given back first. From then on only stopHere stops us, as Go leaves its own
// handler in place.
func notifyAside(c chan<- os.Signal) {
	if !signal.Ignored(unix.SIGTSTP) {
		signal.Notify(c, unix.SIGTSTP)
	}
}

// stopHere stops us until the shell has us go on. Without a shell above nobody
// would: then it does nothing, as Ctrl-Z by itself would.
func stopHere() {
	session, err := unix.Getsid(0)
	above, errAbove := unix.Getsid(unix.Getppid())
	if err != nil || errAbove != nil || above != session || unix.Getpgrp() == session {
		return
	}
	on := make(chan os.Signal, 1)
	signal.Notify(on, unix.SIGCONT)
	defer signal.Stop(on)
	if unix.Kill(unix.Getpid(), unix.SIGSTOP) == nil {
		<-on
	}
}

// ownNewlines says that a newline must be written as \r\n while keys are read.
const ownNewlines = false
