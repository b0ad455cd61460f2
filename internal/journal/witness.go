package journal

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
)

// A witness remembers the last acknowledged head of each session that is not
// yet sealed, in a file of its own. The engine drops what it cannot read, and a
// log that lost its end looks like a shorter log; only somebody who saw the end
// can tell. It is a lower bound: an entry may be old, never too new, because it
// is written after the acknowledgement.
//
// A line is written before the append returns, and without a flush, which takes
// microseconds. It survives the death of the process at any point; a power failure
// may take the last ones, in which case the engine's own flushed data stands
// unwitnessed for those seconds.
type witness struct {
	dir    string
	health *health
	log    *slog.Logger

	mu     sync.Mutex
	file   io.WriteCloser
	size   int64
	heads  map[clew.SessionID]recordedHead
	lines  []byte // to be written; may begin within a line, after a write that broke off
	closed bool
}

type recordedHead struct {
	seq  uint64
	hash clew.Hash
}

const (
	witnessFile = "witness"
	witnessMax  = 32 << 20 // rewritten with what is still unsealed beyond this
)

func openWitness(dir string, health *health, log *slog.Logger) (*witness, error) {
	w := &witness{dir: dir, health: health, log: log}
	if err := w.load(); err != nil {
		return nil, err
	}
	return w, nil
}

// load reads what the file says and writes it anew, without what was torn.
func (w *witness) load() error {
	w.heads = map[clew.SessionID]recordedHead{}
	b, err := os.ReadFile(filepath.Join(w.dir, witnessFile))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	w.read(b)
	return w.rewrite()
}

func (w *witness) read(b []byte) {
	for line := range strings.SplitSeq(string(b), "\n") { // damage may make a line of any length
		switch id, h, ok := parseWitness(line); {
		case !ok: // a torn or damaged line says nothing
		case h.seq == 0: // sealed: the archive knows
			delete(w.heads, id)
		case h.seq >= w.heads[id].seq:
			w.heads[id] = h
		}
	}
}

// appendWitness writes a line: checksum, seq, hash, session.
func appendWitness(b []byte, id clew.SessionID, h recordedHead) []byte {
	start := len(b)
	b = append(b, "00000000 "...)
	body := len(b)
	b = strconv.AppendUint(b, h.seq, 10)
	b = append(b, ' ')
	b = append(b, h.hash.String()...)
	b = append(b, ' ')
	b = append(b, id...)
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE(b[body:]))
	hex.Encode(b[start:], sum[:])
	return append(b, '\n')
}

// parseWitness reads a line, if it is to the byte what appendWitness writes.
func parseWitness(line string) (clew.SessionID, recordedHead, bool) {
	_, body, _ := strings.Cut(line, " ")
	seq, rest, _ := strings.Cut(body, " ")
	hash, id, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(seq, 10, 64)
	if err != nil {
		return "", recordedHead{}, false
	}
	parsed, err := clew.ParseHash(hash)
	if err != nil {
		return "", recordedHead{}, false
	}
	h := recordedHead{n, parsed}
	written := appendWitness(make([]byte, 0, 128), clew.SessionID(id), h)
	return clew.SessionID(id), h, line == string(written[:len(written)-1])
}

// saw notes an acknowledged head.
func (w *witness) saw(id clew.SessionID, head clew.Head) {
	if err := w.note(id, recordedHead{head.Seq, head.Hash}); err != nil {
		w.failed(err)
		w.health.suspect(err)
	}
}

func (w *witness) note(id clew.SessionID, h recordedHead) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.heads[id] = h
	w.lines = appendWitness(w.lines, id, h)
	return w.writeLines()
}

func (w *witness) failed(err error) {
	w.log.Error("the witness cannot be written; a damaged tail may go unnoticed", "err", err)
}

// renew writes the file anew, after lines could not be written.
func (w *witness) renew() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	return w.rewrite()
}

// writeLines writes what is left to write. The caller holds mu.
func (w *witness) writeLines() error {
	n, err := w.file.Write(w.lines)
	// What a full disk did not take comes first when there is room again: a line
	// that broke off in the file is gone on with, and none is lost.
	w.lines = append(w.lines[:0], w.lines[n:]...)
	w.size += int64(n)
	if err == nil && w.size > witnessMax && w.size > 4*w.estimate() {
		err = w.rewrite()
	}
	return err
}

func (w *witness) estimate() int64 { return int64(len(w.heads)) * 120 }

// sealed forgets a session whose records up to seq are safe in the archive.
func (w *witness) sealed(id clew.SessionID, seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if h, ok := w.heads[id]; ok && h.seq <= seq {
		delete(w.heads, id)
		w.lines = appendWitness(w.lines, id, recordedHead{}) // it goes with the next head
	}
}

// of gives the session's witnessed head, zero if there is none.
func (w *witness) of(id clew.SessionID) recordedHead {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heads[id]
}

// check compares what was read with what had been witnessed before.
func (seen recordedHead) check(id clew.SessionID, head clew.Head, tail []clew.Record) error {
	switch {
	case seen.seq == 0:
		return nil
	case head.Seq < seen.seq:
		return session.DamagedError(id, fmt.Errorf("record %d was acknowledged, but the store ends at %d", seen.seq, head.Seq))
	case head.Seq == seen.seq && head.Hash != seen.hash:
		return session.DamagedError(id, fmt.Errorf("record %d is not the one that was acknowledged", seen.seq))
	case head.Seq > seen.seq && len(tail) > 0 && tail[0].Seq <= seen.seq:
		if r := tail[seen.seq-tail[0].Seq]; r.Hash() != seen.hash {
			return session.DamagedError(id, fmt.Errorf("record %d is not the one that was acknowledged", seen.seq))
		}
	}
	return nil
}

// acknowledged cuts what was read to what was acknowledged: while the store
// takes no records, the engine may show one that is not on its disk and will be
// gone when it starts anew.
func (seen recordedHead) acknowledged(seal *archive.Seal, tail []clew.Record) ([]clew.Record, clew.Head) {
	var head clew.Head
	if seal != nil {
		head = seal.Head
	}
	for i, r := range tail {
		if r.Seq > seen.seq {
			return tail[:i], head
		}
		head = r.After()
	}
	return tail, head
}

// sessions lists who is witnessed.
func (w *witness) sessions() []clew.SessionID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]clew.SessionID, 0, len(w.heads))
	for id := range w.heads {
		ids = append(ids, id)
	}
	return ids
}

// rewrite replaces the file with one line per head. The caller holds mu, or is
// alone.
func (w *witness) rewrite() error {
	path := filepath.Join(w.dir, witnessFile)
	f, err := os.CreateTemp(w.dir, witnessFile+".*")
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(f)
	var line []byte
	for id, h := range w.heads {
		line = appendWitness(line[:0], id, h)
		_, _ = buf.Write(line) // Flush reports
	}
	err = buf.Flush()
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return err
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	w.file, w.lines = f, w.lines[:0] // the heads are what the lines say
	w.size, _ = f.Seek(0, 2)
	return nil
}

func (w *witness) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if err := w.writeLines(); err != nil {
		w.failed(err)
	}
	_ = w.file.Close()
}
