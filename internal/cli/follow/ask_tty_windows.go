package follow

import (
	"os"

	"golang.org/x/sys/windows"
)

// Forget drops what was typed before anybody was asked.
func Forget(in *os.File) {
	if in != nil {
		_ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
	}
}
