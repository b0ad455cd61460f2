package transfer

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// An Exporter writes sessions to files. It is safe for concurrent use.
type Exporter struct {
	Records     Records
	Blobs       session.Blobs // nil = references stay references
	Checkpoints Checkpoints   // nil = bundles have none
	Dir         string        // for temporary files; "" is the system's
}

// What says what to export.
type What struct {
	Session clew.SessionID
	Head    uint64 // the last record that counts
	Format  Format
	Agent   clew.AgentID // with session-log: only what this agent said and heard
	All     bool         // with message-store: not only the newest
	// Notebook is which one, with notebook; "" is the first.
	Notebook string
}

// An Export is ready to be written.
type Export struct {
	x    *Exporter
	what What
	s    *archiveScan
	// Of a notebook: the file, and what it is called.
	file []byte
	name string
}

// FileName is what a file with the export is called.
func (e *Export) FileName() string {
	if e.what.Format == Notebook && core.ValidNotebookPath(e.name) {
		return e.name
	}
	return e.what.Format.FileName(e.what.Session)
}

// Prepare looks the session over. What can fail fails here, before a byte is
// written.
func (x *Exporter) Prepare(ctx context.Context, what What) (*Export, error) {
	if !what.Format.Valid() {
		return nil, bad("format is one of %v", Formats())
	}
	s, err := take(ctx, x.Records, what.Session, what.Head)
	if err != nil {
		return nil, err
	}
	e := &Export{x: x, what: what, s: s}
	if what.Format == Notebook {
		err = e.makeNotebook(ctx)
	}
	return e, err
}

// Write writes the export. A file that was cut off is not mistaken for a whole
// one by Import.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	switch e.what.Format {
	case Bundle:
		return e.writeBundle(ctx, w)
	case TaskFolder:
		return e.writeTasks(ctx, w)
	case SessionLog:
		return e.writeLog(ctx, w)
	case MessageStore:
		return e.writeStore(ctx, w)
	case Notebook:
		_, err := w.Write(e.file)
		return err
	}
	return errors.New("transfer: no such format")
}

// records yields the records that count, decoded.
func (e *Export) records(ctx context.Context, fn func(r clew.Record, data any) error) error {
	for r, err := range e.x.Records.Read(ctx, e.what.Session, 1, e.what.Head) {
		if err != nil {
			return err
		}
		if !e.s.visible(r.Seq) {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return unreadable(r, err)
		}
		if err := fn(r, ev.Data); err != nil {
			return err
		}
	}
	return nil
}

// A tarWriter is a tar in the making. All entries have the session's own time, so
// that the same session gives the same bytes.
type tarWriter struct {
	*tar.Writer
	dir  string
	when time.Time
}

func (t *tarWriter) header(name string, size int64) error {
	return t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: size, ModTime: t.when, Format: tar.FormatPAX,
	})
}

func (t *tarWriter) file(name string, content []byte) error {
	if err := t.header(name, int64(len(content))); err != nil {
		return err
	}
	_, err := t.Write(content)
	return err
}

// json writes a small file as the source programs do: two spaces, and no
// escapes that only HTML needs.
func (t *tarWriter) json(name string, v any) error {
	b, err := indented(v, "")
	if err != nil {
		return err
	}
	return t.file(name, append(b, '\n'))
}

// grown writes a file whose size is known only at its end.
func (t *tarWriter) grown(name string, fill func(w io.Writer) error) error {
	_, err := t.grownOver(-1, name, fill)
	return err
}

// grownOver is grown for a file that is only written if it is larger than least.
func (t *tarWriter) grownOver(least int64, name string, fill func(w io.Writer) error) (written bool, err error) {
	s, err := newSpool(t.dir)
	if err != nil {
		return false, err
	}
	defer s.close()
	if err := fill(s); err != nil || s.size <= least {
		return false, err
	}
	r, err := s.reader()
	if err != nil {
		return false, err
	}
	if err := t.header(name, s.size); err != nil {
		return false, err
	}
	_, err = io.Copy(t, r)
	return true, err
}

// list writes a JSON list, an element at a time.
type list struct {
	w      io.Writer
	indent string // of the list itself
	n      int
}

func (l *list) add(v any) error {
	b, err := indented(v, l.indent+"  ")
	if err != nil {
		return err
	}
	start := ",\n  "
	if l.n == 0 {
		start = "[\n  "
	}
	start += l.indent
	l.n++
	_, err = l.w.Write(append([]byte(start), b...))
	return err
}

func (l *list) end() error {
	text := "\n" + l.indent + "]"
	if l.n == 0 {
		text = "[]"
	}
	if l.indent == "" { // it is a file of its own
		text += "\n"
	}
	_, err := io.WriteString(l.w, text)
	return err
}

func indented(v any, prefix string) ([]byte, error) {
	b, err := clew.MarshalData(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, prefix, "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
