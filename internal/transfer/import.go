package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
)

// An Importer makes sessions out of files. It is safe for concurrent use.
type Importer struct {
	Sessions    Sessions
	Blobs       session.Blobs // nil = images stay in the records
	Checkpoints Checkpoints   // nil = those of a bundle are left out
	Limits      Limits
	// Place says where the session may work, as session.Config.Place does; nil
	// takes every directory.
	Place func(by clew.Principal, dir string) (string, error)
	// Room is nil if something new may be begun, else why not; nil always has
	// room.
	Room func() error
	// Access gives a caller's role in a session; nil has no sessions of others.
	Access func(ctx context.Context, id clew.SessionID, by clew.Principal) (clew.Role, error)
	Dir    string       // for temporary files; "" is the system's
	Now    func() int64 // Unix ms

	yard diskQuota
}

// An Upload says how a file is to be taken.
type Upload struct {
	By     clew.Principal
	Format Format // "" = find out
	// NewID gives the session a new id. Else that of an administrator keeps its
	// own, and is refused if there is one of that name; that of others gets a new
	// one, unless they have it here already.
	NewID     bool
	Workspace string // the folder that its agents will work in
	Title     string // in place of its own
	Name      string // of the file; a notebook is called so
	// NoCheckpoints leaves those of a bundle out: a session is worth having
	// without them if they are refused.
	NoCheckpoints bool
}

// Imported is what came of it.
type Imported struct {
	SessionID clew.SessionID `json:"session_id"`
	Format    Format         `json:"format"`
	From      clew.SessionID `json:"from,omitempty"` // what it was called
	Records   uint64         `json:"records"`
}

// Import reads a file to its end and makes a session of it, or leaves nothing
// behind. It is durable on return.
func (x *Importer) Import(ctx context.Context, body io.Reader, u Upload) (Imported, error) {
	dir, err := x.place(u) // before anything is read, and before anything is kept there
	if err != nil {
		return Imported{}, err
	}
	u.Workspace = dir
	t := &importJob{Importer: x, ctx: ctx, up: u, limits: x.Limits.filled()}
	defer t.close()
	t.body = &capped{r: body, left: t.limits.Bytes}
	src := bufio.NewReaderSize(t.body, 64<<10)
	format, err := detect(src, u.Format)
	if err != nil {
		return Imported{}, err
	}
	t.format = format
	if t.lines, err = t.spool(); err != nil {
		return Imported{}, err
	}
	switch format {
	case Bundle:
		err = t.bundle(src)
	case MessageStore:
		err = t.store(src)
	case Notebook:
		err = t.notebook(src)
	case TaskFolder, SessionLog:
		err = t.folder(src)
	}
	if err != nil {
		return Imported{}, err
	}
	return t.found()
}

// place says where the session will work.
func (x *Importer) place(u Upload) (string, error) {
	if x.Place == nil {
		return u.Workspace, nil
	}
	return x.Place(u.By, u.Workspace)
}

func (x *Importer) newSpool(limits Limits) (*spool, error) {
	s, err := newSpool(x.Dir)
	if err == nil {
		s.yard, s.room = &x.yard, limits.Disk
	}
	return s, err
}

// A importJob is one import.
type importJob struct {
	*Importer
	ctx    context.Context
	up     Upload
	limits Limits
	format Format
	body   *capped

	spools []*spool
	// What was read: the session's records under its id here, and what else
	// came along.
	id     clew.SessionID
	from   clew.SessionID
	title  string
	lines  *spool
	survey archiveScan
	blobs  []blobPiece
	pack   *spool // checkpoints, nil without
	piled  int64  // room for what is unpacked elsewhere
}

func (t *importJob) spool() (*spool, error) {
	s, err := t.newSpool(t.limits)
	if err == nil {
		t.spools = append(t.spools, s)
	}
	return s, err
}

func (t *importJob) close() {
	t.yard.give(t.piled)
	for _, s := range t.spools {
		s.close()
	}
}

// name decides on the session's id.
func (t *importJob) name(own string) error {
	t.from = clew.SessionID(own)
	if !t.from.Valid() {
		t.from = ""
	}
	t.id = t.from
	if !t.up.NewID && t.seen() {
		return t.taken()
	}
	if t.up.NewID || t.id == "" || !t.keepsName() {
		t.id = clew.NewSessionID()
	}
	if own != "" && t.from == "" && t.format == Bundle {
		return bad("%q is not a session id", own)
	}
	t.survey = *newSurvey(t.id)
	return nil
}

// keepsName reports whether the session may have the id of the file. Who could not
// see a session of that name must not learn from a refusal that there is one.
func (t *importJob) keepsName() bool { return t.Access == nil || t.up.By.Role == clew.RoleAdmin }

// seen reports whether somebody who is no administrator has the session here.
func (t *importJob) seen() bool {
	if t.id == "" || t.keepsName() {
		return false
	}
	role, err := t.Access(t.ctx, t.id, t.up.By)
	return err == nil && role != clew.RoleNone
}

func (t *importJob) taken() error {
	return clew.Errorf(clew.SessionExists, "there is a session %s here already; a new id would do", t.id)
}

// by says for whom blobs are stored.
func (t *importJob) by() blob.For { return blob.For{User: t.up.By.User, Session: t.id} }

// found folds the records and makes the session.
func (t *importJob) found() (Imported, error) {
	f, err := t.foundation()
	if err != nil {
		return Imported{}, err
	}
	files, err := t.openPack()
	if err != nil {
		return Imported{}, err
	}
	if files != nil {
		defer files.Close()
	}
	missing, err := t.missingBlobs()
	if err == nil {
		err = t.keepBlobs()
	}
	if err != nil {
		return Imported{}, err
	}
	title := t.title
	if t.up.Title != "" {
		title = t.up.Title
	}
	err = t.Sessions.Import(t.ctx, t.up.By, t.id, f, clew.SessionImportedData{
		Owner: t.up.By.User, Workspace: t.up.Workspace, Title: title, From: t.from, Format: string(t.format), MissingBlobs: missing,
	})
	if errors.Is(err, session.ErrTaken) {
		return Imported{}, t.taken()
	}
	if err != nil {
		return Imported{}, err
	}
	done := Imported{SessionID: t.id, Format: t.format, From: t.from, Records: f.Head.Seq}
	if files != nil {
		// Not before: under a name that is taken they would be another's.
		if err := files.Keep(t.ctx, rewind.Workspace{Session: t.id, Owner: t.up.By.User, Dir: t.up.Workspace}); err != nil {
			return done, clew.WrapError(clew.CheckpointFailed, err, "session %s is there, but without the checkpoints of the bundle: %s", t.id, clew.AsError(err).Message)
		}
	}
	return done, nil
}

// openPack looks through the checkpoints that came along, nil if there are none.
func (t *importJob) openPack() (Unpacked, error) {
	if t.pack == nil {
		return nil, nil
	}
	if err := t.yard.take(2*t.pack.size, t.limits.Disk); err != nil { // a copy, and a repository made of it
		return nil, err
	}
	t.piled += 2 * t.pack.size
	r, err := t.pack.reader()
	if err != nil {
		return nil, err
	}
	files, err := t.Checkpoints.Unpack(t.ctx, r)
	if e := clew.AsError(err); err != nil && e.Code == clew.InvalidMessage {
		err = clew.WrapError(e.Code, err, "%s; without its checkpoints the session could be imported", e.Message)
	}
	return files, err
}

// notebookStart is how notebook files begin: with one of the few names that they have.
var notebookStart = regexp.MustCompile(`^[\s\x{feff}]*\{\s*"(cells|metadata|nbformat|nbformat_minor|worksheets)"`)

// detect finds out what a file is by how it begins.
func detect(src *bufio.Reader, want Format) (Format, error) {
	start, err := src.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", failed(err, "the file")
	}
	if want != "" {
		if !want.Valid() {
			return "", bad("format is one of %v", Formats())
		}
		return want, nil
	}
	switch {
	case bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}): // zstd
		return Bundle, nil
	case len(start) > 262 && string(start[257:262]) == "ustar":
		return TaskFolder, nil // or a session log: its names tell
	case bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n\ufeff"), []byte{'{'}):
		if notebookStart.Match(start) {
			return Notebook, nil
		}
		return MessageStore, nil
	}
	return "", bad("this is neither a bundle nor one of the other forms")
}

// failed tells a file that is wrong from a connection that is.
func failed(err error, what string) error {
	var e *clew.Error
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return badBecause(err, "%s is damaged or cut off", what)
}

// capped fails once more was read than is allowed.
type capped struct {
	r    io.Reader
	left int64
	n    int64 // what was read
}

// Read implements io.Reader.
func (c *capped) Read(b []byte) (int, error) {
	if c.left <= 0 {
		if n, err := c.r.Read(b[:min(1, len(b))]); n == 0 {
			return 0, err
		}
		return 0, tooLarge("the file is larger than this server takes")
	}
	n, err := c.r.Read(b[:min(int64(len(b)), c.left)])
	c.left, c.n = c.left-int64(n), c.n+int64(n)
	return n, err
}
