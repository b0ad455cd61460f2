package faults

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

// A switchDisk is a directory behind a file system of its own that can be made
// read-only while files are open for writing, as the kernel does after an error.
// Ext4 cannot be made writable again from there while a program has its files open.
type switchDisk struct {
	dir      string // where it is mounted
	readOnly atomic.Bool
	refused  atomic.Int64 // changes, while it was read-only
}

func newSwitchDisk(t testing.TB) *switchDisk {
	t.Helper()
	d := &switchDisk{dir: t.TempDir()}
	root, err := fs.NewLoopbackRoot(t.TempDir())
	proc.Must(t, err)
	node := &switchNode{LoopbackNode: root.(*fs.LoopbackNode), disk: d}
	node.RootData.RootNode = node
	server, err := fs.Mount(d.dir, node, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "clew-faults"}})
	if err != nil {
		t.Skipf("not run: no file system of one's own can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if server.Unmount() != nil {
			proc.Unmount(d.dir)
		}
	})
	return d
}

// refuses gives the error for a change.
func (d *switchDisk) refuses() syscall.Errno {
	if !d.readOnly.Load() {
		return fs.OK
	}
	d.refused.Add(1)
	return syscall.EROFS
}

// A switchNode is a file or directory of a switchDisk.
type switchNode struct {
	*fs.LoopbackNode
	disk *switchDisk
}

// A switchFile is an open file. The kernel must not go past us to the file behind
// it.
type switchFile struct{ *fs.LoopbackFile }

func (*switchFile) PassthroughFd() (int, bool) { return 0, false }

func ours(fh fs.FileHandle) fs.FileHandle {
	if f, ok := fh.(*fs.LoopbackFile); ok {
		return &switchFile{f}
	}
	return fh
}

func (n *switchNode) WrapChild(_ context.Context, ops fs.InodeEmbedder) fs.InodeEmbedder {
	return &switchNode{LoopbackNode: ops.(*fs.LoopbackNode), disk: n.disk}
}

func (n *switchNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&(syscall.O_WRONLY|syscall.O_RDWR|syscall.O_TRUNC) != 0 {
		if e := n.disk.refuses(); e != fs.OK {
			return nil, 0, e
		}
	}
	fh, more, e := n.LoopbackNode.Open(ctx, flags)
	return ours(fh), more, e
}

func (n *switchNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if e := n.disk.refuses(); e != fs.OK {
		return nil, nil, 0, e
	}
	inode, fh, more, e := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	return inode, ours(fh), more, e
}

func (n *switchNode) Write(ctx context.Context, f fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if e := n.disk.refuses(); e != fs.OK {
		return 0, e
	}
	return f.(*switchFile).Write(ctx, data, off)
}

func (n *switchNode) Fsync(ctx context.Context, f fs.FileHandle, flags uint32) syscall.Errno {
	if e := n.disk.refuses(); e != fs.OK {
		return e
	}
	if file, ok := f.(fs.FileFsyncer); ok {
		return file.Fsync(ctx, flags)
	}
	return fs.OK // a directory: what is behind it is on no disk that loses its power here
}

func (n *switchNode) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if e := n.disk.refuses(); e != fs.OK {
		return e
	}
	return n.LoopbackNode.Setattr(ctx, f, in, out)
}

func (n *switchNode) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if e := n.disk.refuses(); e != fs.OK {
		return nil, e
	}
	return n.LoopbackNode.Mkdir(ctx, name, mode, out)
}

func (n *switchNode) Rmdir(ctx context.Context, name string) syscall.Errno {
	if e := n.disk.refuses(); e != fs.OK {
		return e
	}
	return n.LoopbackNode.Rmdir(ctx, name)
}

func (n *switchNode) Unlink(ctx context.Context, name string) syscall.Errno {
	if e := n.disk.refuses(); e != fs.OK {
		return e
	}
	return n.LoopbackNode.Unlink(ctx, name)
}

func (n *switchNode) Rename(ctx context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	if e := n.disk.refuses(); e != fs.OK {
		return e
	}
	return n.LoopbackNode.Rename(ctx, name, to, newName, flags)
}

func (n *switchNode) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if e := n.disk.refuses(); e != fs.OK {
		return nil, e
	}
	return n.LoopbackNode.Link(ctx, target, name, out)
}

// goReadOnly makes the disk read-only for a while. Whoever only reads is served,
// and whoever writes is again within the promised time, by the same process.
func (w *world) goReadOnly() {
	w.t.Helper()
	w.events++
	pid := w.nodes[0].Pid()
	w.lockable.readOnly.Store(true)
	w.hold(2 * time.Second)
	began := time.Now()
	_, err := w.api(w.nodes[0]).Command(w.t.Context(), w.writers[0].id, clew.ClientMessageID(fmt.Sprint("while-read-only-", w.events)), clew.CommandRenameSession, clew.RenameSessionData{Title: "refused"})
	w.holds(liveAgain, clew.CodeOf(err) == clew.StorageFailed, "a writer heard %v", err)
	nightly.Promise(w.t, "a refusal", time.Since(began), time.Second)
	for _, id := range w.sessions() {
		_, err := w.api(w.nodes[0]).GetSession(w.t.Context(), id)
		w.holds(liveAgain, err == nil, "%s cannot be read while the disk is read-only: %v", id, err)
	}
	refused := w.lockable.refused.Swap(0)
	w.lockable.readOnly.Store(false)
	if refused == 0 {
		w.t.Fatal("no change was refused: nothing was read-only")
	}
	began = time.Now()
	w.load(20)
	took := time.Since(began)
	nightly.Promise(w.t, "taking records again after the disk is writable", took, 10*time.Second)
	w.holds(liveAgain, w.nodes[0].Pid() == pid, "the server was started again")
	w.t.Logf("%d changes were refused; records were taken again after %s", refused, took.Round(time.Millisecond))
}
