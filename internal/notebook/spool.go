package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session/blob"
)

const (
	// maxSpooled bounds what is kept of all that a run puts out.
	maxSpooled = 100 << 20
	// inMemory is what most runs put out at most: they need no file.
	inMemory = 256 << 10
)

// A spool keeps all that a run puts out, in order: a list of outputs as a notebook file
// has it, with update_display_data and clear_output where they came. Beyond a little it lies in a file without a name, so that a
// crash leaves nothing behind. It belongs to one goroutine.
type spool struct {
	dir   string
	early bytes.Buffer // until there is a file
	file  *os.File
	size  int
	full  bool // something had no place any more
}

// add appends one output.
func (s *spool) add(output nbfile.RunOutput) error {
	b, err := json.Marshal(output)
	if err != nil {
		return err
	}
	line := append([]byte(s.separator()), b...)
	if s.full || s.size+len(line) > maxSpooled {
		s.full = true
		return nil
	}
	s.size += len(line)
	if s.file == nil && s.early.Len()+len(line) <= inMemory {
		s.early.Write(line)
		return nil
	}
	if err := s.write(line); err != nil { // such as a full disk: the cell goes on
		s.size -= len(line)
		s.full = true
	}
	return nil
}

func (s *spool) write(line []byte) error {
	if s.file == nil {
		if err := s.openFile(); err != nil {
			return err
		}
	}
	_, err := s.file.Write(line)
	return err
}

// separator stands before the next output.
func (s *spool) separator() string {
	if s.size == 0 {
		return "["
	}
	return ",\n"
}

func (s *spool) openFile() error {
	f, err := os.CreateTemp(s.dir, "outputs-*")
	if err != nil {
		return err
	}
	_, err = f.Write(s.early.Bytes())
	if err = errors.Join(os.Remove(f.Name()), err); err != nil { // then all that there is stays in memory
		_ = f.Close()
		return err
	}
	s.file, s.early = f, bytes.Buffer{}
	return nil
}

// keep stores what there is as one blob. putting bounds how many are in memory at a
// time.
func (s *spool) keep(ctx context.Context, blobs Blobs, by blob.For, putting chan struct{}) (string, error) {
	if s.file == nil {
		return blobs.PutBlob(ctx, by, append(s.early.Bytes(), ']'))
	}
	select {
	case putting <- struct{}{}:
		defer func() { <-putting }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	data := make([]byte, s.size+1)
	if _, err := s.file.ReadAt(data[:s.size], 0); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	data[s.size] = ']'
	return blobs.PutBlob(ctx, by, data)
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
