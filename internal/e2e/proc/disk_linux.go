package proc

import (
	"syscall"
	"testing"
)

// SmallDisk is a file system of its own that a test can fill.
func SmallDisk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("not run: no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { Unmount(dir) })
	return dir
}

// Unmount removes a file system at once, whoever has files of it open.
func Unmount(dir string) { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }
