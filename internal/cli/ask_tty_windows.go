package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// forget drops what was typed before anybody was asked.
func forget(in *os.File) {
	if in != nil {
		_ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
	}
}
