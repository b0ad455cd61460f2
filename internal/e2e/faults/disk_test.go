package faults

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// An imageDisk is ext4 on a loop device over a file. Unlike a directory it can lose
// its power: what the kernel has not brought to the device is gone.
type imageDisk struct {
	t     testing.TB
	image string
	dir   string // where it is mounted
}

// newImageDisk makes and mounts one.
func newImageDisk(t testing.TB, size int64) *imageDisk {
	t.Helper()
	d := &imageDisk{t: t, image: filepath.Join(t.TempDir(), "disk"), dir: filepath.Join(t.TempDir(), "mounted")}
	proc.Must(t, os.Mkdir(d.dir, 0o700))
	f, err := os.Create(d.image)
	proc.Must(t, err)
	proc.Must(t, f.Truncate(size))
	proc.Must(t, f.Close())
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-F", d.image).CombinedOutput(); err != nil {
		t.Skipf("not run: no ext4 can be made here: %v %s", err, out)
	}
	if err := d.mount(); err != nil {
		t.Skipf("not run: no file can be mounted as a disk here: %v", err)
	}
	t.Cleanup(func() { proc.Unmount(d.dir) })
	return d
}

// mount mounts it so that nothing but a flush brings a change to the device, or the
// kernel's own habit of writing back what is half a minute old.
func (d *imageDisk) mount() error {
	out, err := exec.Command("mount", "-t", "ext4", "-o", "loop,commit=600", d.image, d.dir).CombinedOutput()
	if err != nil {
		return &fs.PathError{Op: strings.TrimSpace(string(out)), Path: d.image, Err: err}
	}
	return nil
}

// The call that tells ext4 to stop as if the power were gone, without its journal
// being written (FS_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH).
const (
	shutDown = 0x8004587d
	powerOff = 2
)

// cutPower ends the disk at once and mounts what is left of it, which nobody may
// use meanwhile. It gives how many bytes are gone, and of how many files.
func (d *imageDisk) cutPower() (lost, files int) {
	d.t.Helper()
	before := contents(d.t, d.dir)
	at, err := os.Open(d.dir)
	proc.Must(d.t, err)
	how := uint32(powerOff)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, at.Fd(), shutDown, uintptr(unsafe.Pointer(&how)))
	_ = at.Close()
	if errno != 0 {
		d.t.Skipf("not run: this kernel cannot cut the power of a file system: %v", errno)
	}
	proc.Eventually(d.t, "the disk comes free", 10*time.Second, func() bool { return syscall.Unmount(d.dir, 0) == nil })
	proc.Must(d.t, d.mount())
	after := contents(d.t, d.dir)
	for name, b := range before {
		if n := missing(b, after[name]); n > 0 {
			lost, files = lost+n, files+1
		}
	}
	return lost, files
}

// contents reads all files below a directory.
func contents(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	proc.Must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		all[path], err = os.ReadFile(path)
		return err
	}))
	return all
}

// missing counts the bytes that are not what they were.
func missing(before, after []byte) (n int) {
	for i, b := range before {
		if i >= len(after) || after[i] != b {
			n++
		}
	}
	return n
}

// cutPower ends the server and its disk at one moment, and starts what is left.
func (w *world) cutPower() {
	w.t.Helper()
	w.events++
	w.nodes[0].Kill()
	lost, files := w.image.cutPower()
	w.unflushed += lost
	w.t.Logf("the power was cut: %d bytes of %d files had not been flushed", lost, files)
	proc.Must(w.t, w.nodes[0].Start())
}

// A server that acknowledges before it flushes loses what it acknowledged when the
// power is cut: the campaign would notice if the default did so.
func TestPowerCutFindsWhatIsNotFlushed(t *testing.T) {
	if !nightly.On() {
		t.Skip("make nightly runs it")
	}
	k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.no == 12 })]
	k.env = map[string]string{"CLEW_JOURNAL_SYNC_INTERVAL": "1h"}
	found := &finder{TB: t}
	if w := found.play(k, seeds(t, 1)[0]); len(w.broken[nothingLost])+len(w.broken[chainWhole])+len(w.broken[liveAgain]) == 0 {
		t.Errorf("nobody noticed: %s", strings.Join(append(w.problems(), found.said...), "\n"))
	}
}
