package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/poll"
)

var diskKinds = []kind{
	{no: 9, group: "storage", savesFail: true, name: "disk full", brief: true, how: "a disk of 64 MB that another file fills", disk: "64m", fault: func(w *world) {
		for range 2 {
			w.events++
			free := w.fill()
			w.hold(2 * time.Second)
			free()
			w.load(20)
		}
	}},
	{no: 10, group: "storage", savesFail: true, name: "files may not grow", how: "prlimit --fsize on the running server: a write ends in the middle with EFBIG", fault: func(w *world) {
		w.events++
		pid := strconv.Itoa(w.nodes[0].Pid())
		w.run("prlimit", "--pid", pid, fmt.Sprintf("--fsize=%d:", w.largest()+1000))
		w.hold(2 * time.Second)
		select {
		case <-w.nodes[0].Exited():
			proc.Must(w.t, w.nodes[0].Start())
		default:
			w.run("prlimit", "--pid", pid, "--fsize=unlimited:")
		}
	}},
	{no: 11, group: "storage", savesFail: true, name: "flush fails", brief: true, how: "strace makes fsync fail with EIO", fault: func(w *world) {
		for range 2 { // a disk that fails more often is not trusted again for a while
			w.failFlush()
			w.load(20)
		}
	}},
	{no: 12, group: "storage", savesFail: true, name: "power cut", image: 512 << 20, how: "ext4 on a loop device is shut down as if the power were gone (FS_IOC_SHUTDOWN without a flush of its journal), with the server killed at that moment", fault: func(w *world) {
		for range 3 {
			w.load(40)
			w.cutPower()
		}
		if w.unflushed == 0 {
			w.t.Fatal("not one byte was lost: this was no power cut")
		}
	}},
	{no: 13, group: "storage", name: "file cut short", brief: true, how: "the last bytes of a block of records are cut off while the server is down", fault: func(w *world) {
		w.damage(func(b []byte) []byte { return b[:len(b)-1-w.random.IntN(min(4000, len(b)/2))] })
	}},
	{no: 14, group: "storage", name: "bit flipped in a record", how: "one bit in the text of a record", fault: func(w *world) {
		w.damage(func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte("title sess_writer_0-"))
			b[at+w.random.IntN(10)] ^= 1 << w.random.IntN(7)
			return b
		})
	}},
	{no: 15, group: "storage", name: "bit flipped in a length", how: "one bit in the four bytes before a record", fault: func(w *world) {
		w.damage(func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte("sess_writer_0"))
			start := bytes.LastIndex(b[:at], []byte("clew."))
			b[start-22+w.random.IntN(2)] ^= 1 << w.random.IntN(7)
			return b
		})
	}},
	{no: 16, group: "storage", name: "index missing", how: "the engine's index files are removed while the server is down", fault: func(w *world) {
		w.events++
		w.nodes[0].Kill()
		found, _ := filepath.Glob(filepath.Join(w.data, "engine/jetstream/*/streams/*/msgs/index.db"))
		for _, path := range found {
			proc.Must(w.t, os.Remove(path))
		}
		proc.Must(w.t, w.nodes[0].Start())
	}},
	{no: 17, group: "storage", name: "old block put back", how: "a block of records is replaced by an older copy of itself", fault: func(w *world) {
		block := w.block()
		old, err := os.ReadFile(block)
		proc.Must(w.t, err)
		w.load(60)
		w.damage(func([]byte) []byte { return old })
	}},
	{no: 18, group: "storage", savesFail: true, name: "disk goes read-only", fuse: true, how: "a FUSE file system answers every change with EROFS, also of files that are open, and is writable again", fault: func(w *world) {
		for range 2 {
			w.goReadOnly()
			w.load(20)
		}
	}},
}

// fill takes all the room that the disk has, and gives it back.
func (w *world) fill() (free func()) {
	w.t.Helper()
	path := filepath.Join(w.data, "ballast")
	f, err := os.Create(path)
	proc.Must(w.t, err)
	defer func() { _ = f.Close() }()
	for _, size := range []int{64 << 10, 512} {
		for piece := make([]byte, size); err == nil; {
			_, err = f.Write(piece)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			w.t.Fatal(err)
		}
		err = nil
	}
	return func() { proc.Must(w.t, os.Remove(path)) }
}

// largest is the size of the largest file of the store.
func (w *world) largest() (most int64) {
	found, _ := filepath.Glob(filepath.Join(w.data, "engine/jetstream/*/streams/*/msgs/*.blk"))
	for _, path := range found {
		if info, err := os.Stat(path); err == nil {
			most = max(most, info.Size())
		}
	}
	return most
}

// failFlush lets strace make a flush fail.
func (w *world) failFlush() {
	w.t.Helper()
	w.events++
	const said = "the store takes no more records"
	before := strings.Count(w.nodes[0].Out.String(), said)
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	trace := exec.CommandContext(ctx, "strace", "-f", "-qq", "-o", "/dev/null", "-p", strconv.Itoa(w.nodes[0].Pid()),
		"-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=5")
	trace.Cancel = func() error { return trace.Process.Signal(syscall.SIGINT) }
	trace.WaitDelay = 5 * time.Second // strace may never get rid of a process that was just being made
	if err := trace.Start(); err != nil {
		w.t.Skipf("not run: %v", err)
	}
	if !poll.Within(20*time.Second, func() bool { return strings.Count(w.nodes[0].Out.String(), said) > before }) {
		w.t.Skip("not run: the server cannot be traced here")
	}
	stop()
	_ = trace.Wait()
}

// block is the file that has the newest records of the first writer.
func (w *world) block() string {
	w.t.Helper()
	found, _ := filepath.Glob(filepath.Join(w.data, "engine/jetstream/*/streams/CLEW_J*/msgs/*.blk"))
	var newest string
	for _, path := range found {
		b, err := os.ReadFile(path)
		proc.Must(w.t, err)
		if bytes.Contains(b, []byte("title sess_writer_0-")) && (newest == "" || len(path) > len(newest) || path > newest) {
			newest = path
		}
	}
	if newest == "" {
		w.t.Fatal("no block has the writer's records")
	}
	return newest
}

// mustMiss reports whether the damage took a record that the writer had been promised,
// and not only one that the server had no time to acknowledge, or others' alone.
func (p *writer) mustMiss(before, after []byte) bool {
	mark := []byte("title " + string(p.id) + "-")
	at := bytes.LastIndex(before, mark)
	number, _, _ := bytes.Cut(before[at+len(mark):], []byte(`"`))
	p.mu.Lock()
	defer p.mu.Unlock()
	_, acked := p.acked[clew.ClientMessageID(string(p.id)+"-"+string(number))]
	last := bytes.LastIndex(before, []byte(p.id))-at < 300 // else records of an answer follow, which nobody was promised
	return acked && last && (len(after) == len(before) || len(after) <= at)
}

// damage changes the block with the newest records of the first writer while the
// server is down. If its records are hit, that session must be refused from then
// on; those beside it in the block may be, and must be whole if they are not.
func (w *world) damage(change func([]byte) []byte) {
	w.t.Helper()
	w.events++
	w.load(20)
	w.nodes[0].Kill()
	path := w.block()
	before, err := os.ReadFile(path)
	proc.Must(w.t, err)
	after := change(slices.Clone(before))
	hit := w.writers[0].mustMiss(before, after)
	proc.Must(w.t, os.WriteFile(path, after, 0o600))
	for _, id := range w.sessions() {
		if bytes.Contains(before, []byte(id)) {
			w.spoil(id, filepath.Base(path))
		}
	}
	proc.Must(w.t, w.nodes[0].Start())
	for _, id := range w.sessions() {
		if w.spoilt(id) == "" {
			continue
		}
		_, err := w.api(w.nodes[0]).Command(w.t.Context(), id, "after-damage", clew.CommandRenameSession, clew.RenameSessionData{Title: "after"})
		if clew.CodeOf(err) != clew.SessionDamaged {
			w.mend(id)
			w.holds(chainWhole, id != w.writers[0].id || !hit, "%s was damaged and is served: %v", id, err)
		}
	}
}
