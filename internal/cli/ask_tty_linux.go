package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// forget drops what was typed before anybody was asked.
func forget(in *os.File) {
	if in != nil {
		_ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
