package shell

import (
	"strings"

	"golang.org/x/sys/unix"
)

// signalName names the signal that an exit code stands for, "" for none.
func signalName(code int) string {
	if code <= 128 || code > 128+31 {
		return ""
	}
	return strings.TrimPrefix(unix.SignalName(unix.Signal(code-128)), "SIG")
}
