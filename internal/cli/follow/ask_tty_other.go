//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package follow

import (
	"os"

	xterm "github.com/charmbracelet/x/term"
)

// foreground reports whether the terminal is ours to read from.
func foreground(*os.File) bool { return true }

// byKey has a terminal give each key as it is typed, without showing it.
func byKey(in *os.File) (restore func(), err error) {
	was, err := xterm.MakeRaw(in.Fd())
	if err != nil {
		return nil, err
	}
	return func() { _ = xterm.Restore(in.Fd(), was) }, nil
}

// notifyAside and stopHere are for systems where a shell can put programs aside.
func notifyAside(chan<- os.Signal) {}

func stopHere() {}

// ownNewlines says that a newline must be written as \r\n while keys are read.
const ownNewlines = true
