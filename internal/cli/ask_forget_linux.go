package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget drops what was typed before anybody was asked.
func forget(in *os.File) { _ = unix.IoctlSetInt(int(in.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
