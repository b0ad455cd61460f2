package transfer

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// A Format is a form in which a session leaves or comes.
type Format string

// The formats.
const (
	Bundle       Format = "bundle"        // all of it; tar under zstd
	TaskFolder   Format = "task-folder"   // a folder for each task; tar
	SessionLog   Format = "session-log"   // one log of what was said; tar
	MessageStore Format = "message-store" // the newest messages in short; JSON
	Notebook     Format = "notebook"      // one of its notebooks; Jupyter's .ipynb
)

// Formats lists them.
func Formats() []Format { return []Format{Bundle, TaskFolder, SessionLog, MessageStore, Notebook} }

// Valid reports whether there is such a format.
func (f Format) Valid() bool { return slices.Contains(Formats(), f) }

// FileName is what a file with the session is called.
func (f Format) FileName(id clew.SessionID) string {
	switch f {
	case Bundle:
		return string(id) + ".clew"
	case MessageStore:
		return string(id) + ".json"
	case Notebook:
		return string(id) + ".ipynb"
	case TaskFolder, SessionLog:
	}
	return string(id) + "." + string(f) + ".tar"
}

// MediaType is what such a file is on the web.
func (f Format) MediaType() string {
	switch f {
	case Bundle:
		return "application/zstd"
	case MessageStore:
		return "application/json"
	case Notebook:
		return "application/x-ipynb+json"
	case TaskFolder, SessionLog:
	}
	return "application/x-tar"
}

// Records reads a session's journal; see session.Journal.
type Records interface {
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]
}

// Checkpoints moves what a session saved of its workspace's files.
type Checkpoints interface {
	// Pack writes the checkpoints with these hashes and gives those that are
	// not there. If that is all of them it writes nothing.
	Pack(ctx context.Context, w rewind.Workspace, hashes []string, to io.Writer) (missing []string, err error)
	// Unpack looks through what Pack wrote and keeps nothing of it yet. What it
	// reads comes from strangers.
	Unpack(ctx context.Context, from io.Reader) (Unpacked, error)
}

// Unpacked is checkpoints that are good to be kept.
type Unpacked interface {
	// Keep stores them for a session.
	Keep(ctx context.Context, w rewind.Workspace) error
	Close()
}

// Sessions makes sessions out of what was imported.
type Sessions interface {
	// Import makes a session that begins with the foundation's records, and
	// records session_imported behind them. It belongs to the caller alone:
	// whom it was shared with, its own settings and what its agents were about
	// to do stay behind, because a stranger may have written the records. A
	// session that exists is refused with session.ErrTaken.
	Import(ctx context.Context, by clew.Principal, id clew.SessionID, f session.InitialHistory, d clew.SessionImportedData) error
}

// Limits bounds what an import may cost. The zero value has the defaults.
type Limits struct {
	Bytes    int64  // what is uploaded; 1 GiB
	Unpacked int64  // what that unpacks to; 8 GiB
	Entries  int    // files in an archive; 100,000
	Records  uint64 // 10 million
	Element  int    // one record or message; 32 MiB
	Blob     int64  // one blob; 256 MiB
	// Jumps bounds the states that have to be read for records that took the
	// session back: each is read whole, for a record of a few bytes. 4 GiB, or
	// eight times what was uploaded if that is more.
	Jumps int64
	Disk  int64 // temporary files of all imports at once; 48 GiB
}

func (l Limits) filled() Limits {
	l.Bytes = or(l.Bytes, 1<<30)
	l.Unpacked = or(l.Unpacked, 8<<30)
	l.Entries = or(l.Entries, 100_000)
	l.Records = or(l.Records, 10_000_000)
	l.Element = or(l.Element, 32<<20)
	l.Blob = or(l.Blob, 256<<20)
	l.Jumps = or(l.Jumps, 4<<30)
	l.Disk = or(l.Disk, 48<<30)
	return l
}

func or[T int | int64 | uint64](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// bad says what is wrong with a file that somebody brought.
func bad(format string, args ...any) error {
	return clew.Errorf(clew.InvalidMessage, format, args...)
}

func badBecause(err error, format string, args ...any) error {
	return clew.WrapError(clew.InvalidMessage, err, format, args...)
}

// unreadable tells a record of a newer server from one that is nonsense.
func unreadable(r clew.Record, err error) error {
	if errors.Is(err, clew.ErrUnknownEvent) {
		return clew.WrapError(clew.SessionTooNew, err, "record %d is a %.50s, which only a newer server knows", r.Seq, r.Type)
	}
	return badBecause(err, "record %d is not readable", r.Seq)
}

func tooLarge(format string, args ...any) error {
	return clew.Errorf(clew.MessageTooLarge, format, args...)
}
