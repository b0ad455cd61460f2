package journal

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
)

// A fullDisk takes so many bytes of the next write and refuses the rest.
type fullDisk struct {
	io.WriteCloser
	room int // -1 for all
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.room < 0 || d.room >= len(b) {
		return d.WriteCloser.Write(b)
	}
	n, err := d.WriteCloser.Write(b[:d.room])
	d.room = -1
	if err == nil {
		err = syscall.ENOSPC
	}
	return n, err
}

// A witnessModel is what a witness was told, in the order in which it was.
type witnessModel struct {
	w    *witness
	disk *fullDisk
	// told is what each session's head was after each call; flushed counts those
	// that a write without an error, or a new file, covers.
	told    map[clew.SessionID][]recordedHead
	flushed map[clew.SessionID]int
	seq     uint64
}

func newWitnessModel(t *testing.T, dir string) *witnessModel {
	t.Helper()
	m := &witnessModel{
		w:    &witness{dir: dir, health: newHealth(true, clock.System()), log: slog.New(slog.DiscardHandler)},
		told: map[clew.SessionID][]recordedHead{}, flushed: map[clew.SessionID]int{},
	}
	m.reopen(t)
	return m
}

// reopen is the death of the process and its next life.
func (m *witnessModel) reopen(t *testing.T) {
	t.Helper()
	if m.w.file != nil {
		_ = m.w.file.Close()
	}
	m.w.lines = nil
	if err := m.w.load(); err != nil {
		t.Fatal(err)
	}
	for id, told := range m.told {
		got := m.w.of(id)
		known := false
		for i := m.flushed[id]; i <= len(told); i++ {
			known = known || headBefore(told, i) == got
		}
		if !known {
			t.Fatalf("%s is witnessed at %d; it was told %v, of which %d were flushed", id, got.seq, told, m.flushed[id])
		}
		m.told[id], m.flushed[id] = []recordedHead{got}, 1
	}
	m.onDisk()
}

func headBefore(told []recordedHead, i int) recordedHead {
	if i == 0 {
		return recordedHead{}
	}
	return told[i-1]
}

// onDisk puts the disk that can be full under a file that was begun anew.
func (m *witnessModel) onDisk() {
	m.disk = &fullDisk{m.w.file, -1}
	m.w.file = m.disk
}

func (m *witnessModel) allFlushed() {
	for id, told := range m.told {
		m.flushed[id] = len(told)
	}
}

// step does what two bytes say.
func (m *witnessModel) step(t *testing.T, op, arg byte) {
	t.Helper()
	id := clew.SessionID(fmt.Sprint("sess_", arg%4))
	switch op % 8 {
	case 0, 1, 2:
		m.seq++
		head := clew.Head{Seq: m.seq, Hash: clew.Hash{op, arg, byte(m.seq)}}
		m.w.saw(id, head)
		m.told[id] = append(m.told[id], recordedHead{head.Seq, head.Hash})
	case 3:
		had := m.w.of(id).seq
		upTo := m.seq - min(m.seq, uint64(arg/4)%3)
		m.w.sealed(id, upTo)
		if had > 0 && had <= upTo {
			m.told[id] = append(m.told[id], recordedHead{})
		}
	case 4:
		if m.w.writeLines() == nil {
			m.allFlushed()
		}
	case 5:
		m.disk.room = int(arg) * 3
	case 6:
		if err := m.w.renew(); err != nil {
			t.Fatal(err)
		}
		m.allFlushed()
		m.onDisk()
	case 7:
		m.reopen(t)
	}
}

// What a witness has written it knows in its next life, whatever the disk did in
// between: for each session a head that it was told, never one before the last
// that was written. Any bytes in its file are a line that it writes, or nothing.
//
// Covers: C-09
func FuzzWitness(f *testing.F) {
	line := string(appendWitness(nil, "sess_1", recordedHead{10, clew.Hash{1}}))
	f.Add([]byte(line+line[:20]), []byte("\x00\x01\x04\x00\x07\x00"))
	f.Add([]byte(strings.Replace(line, " ", "  ", 1)), []byte("\x00\x01\x05\x08\x00\x02\x04\x00\x00\x01\x04\x00\x07\x00"))
	f.Add([]byte("0x"+line), []byte("\x00\x01\x00\x02\x03\x01\x04\x00\x05\x02\x00\x01\x04\x00\x06\x00\x00\x01\x04\x00\x07\x00"))
	f.Add([]byte("\x00\n\n +1 - x"), []byte{})
	f.Fuzz(func(t *testing.T, file, script []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, witnessFile), file, 0o600); err != nil {
			t.Fatal(err)
		}
		m := newWitnessModel(t, dir)
		for id, h := range m.w.heads {
			if !strings.Contains("\n"+string(file)+"\n", "\n"+string(appendWitness(nil, id, h))) {
				t.Fatalf("%q at %d is no line of the file", id, h.seq)
			}
			m.told[id], m.flushed[id] = []recordedHead{h}, 1
			m.seq = max(m.seq, h.seq)
		}
		if m.seq > 1<<62 {
			return
		}
		for script = script[:min(len(script), 80)]; len(script) >= 2; script = script[2:] {
			m.step(t, script[0], script[1])
		}
		m.reopen(t)
		_ = m.w.file.Close()
	})
}
