package shell

import (
	"math"
	"os"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal that passes bytes on as they are. The
// master can be closed and given deadlines while it is read.
func openTerminal() (master, tty *os.File, err error) {
	m, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = m.Close() }()
	if err := prepareTerminal(m, tty); err != nil {
		_ = tty.Close()
		return nil, nil, err
	}
	// pty leaves the master in blocking mode, where nothing ends a Read.
	fd, err := unix.FcntlInt(m.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		_ = tty.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), m.Name()), tty, nil
}

func prepareTerminal(master, tty *os.File) error {
	if err := pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		return err
	}
	t, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, t)
}

// closeInherited keeps from commands what the server itself was started with.
// The runtime opens its own files so; those of a careless parent are not.
func closeInherited() {
	_ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}
