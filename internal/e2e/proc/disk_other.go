//go:build !linux

package proc

import "testing"

// SmallDisk skips the test: tests mount file systems on Linux alone.
func SmallDisk(t testing.TB, _ string) string {
	t.Helper()
	t.Skip("not run: no small file system can be mounted here")
	return ""
}

// Unmount does nothing: nothing was mounted.
func Unmount(string) {}
