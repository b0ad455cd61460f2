package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxWritten = 16 << 20  // bytes that a call may write
	maxKept    = 16 << 20  // bytes of an old file that are kept in memory
	maxOldFile = 256 << 20 // bytes of an old file that are hashed
)

// A state is what a file held at some moment.
type state struct {
	exists bool
	sum    [sha256.Size]byte
	size   int64
	mode   fs.FileMode
	data   []byte // nil if larger than maxKept
}

func (s state) same(t state) bool { return s.exists == t.exists && s.sum == t.sum }

// look reads a file's state. A file that is not there is a state too.
func look(ctx context.Context, root *os.Root, real string) (state, error) {
	dir, err := enter(root, path.Dir(real), false)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	defer func() { _ = dir.Close() }()
	return lookIn(ctx, dir, path.Base(real))
}

func lookIn(ctx context.Context, dir *os.Root, name string) (state, error) {
	f, info, err := openIn(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > maxOldFile {
		return state{}, invalid("%s is too large to be changed (%d bytes)", show(name), info.Size())
	}
	s := state{exists: true, size: info.Size(), mode: info.Mode()}
	if s.size <= maxKept {
		if s.data, err = io.ReadAll(io.LimitReader(f, maxKept+1)); err != nil {
			return state{}, err
		}
		s.sum, s.size = sha256.Sum256(s.data), int64(len(s.data))
		return s, nil
	}
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return state{}, err
		}
		if _, err := io.CopyN(h, f, 8<<20); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return state{}, err
		}
	}
	h.Sum(s.sum[:0])
	return s, nil
}

// A change is a new content for one file, bound to the content it replaces.
type change struct {
	ws     *tool.Workspace
	at     place
	callID string
	before state
	after  []byte
	sum    [sha256.Size]byte
}

// writable finds the place of a file that may be written, whether it is there
// or not, and says whether a person has to be asked.
func writable(ws *tool.Workspace, name string) (p place, protected bool, err error) {
	p, err = locate(ws, name)
	switch {
	case err != nil:
		return p, false, err
	case name[len(name)-1] == '/' || p.real == ".":
		return p, false, invalid("%s names a directory, not a file", show(name))
	case p.exists() && p.info.IsDir():
		return p, false, invalid("%s is a directory", show(p.asked))
	case p.exists() && !p.info.Mode().IsRegular():
		return p, false, refuse("%s is %s, not a file", show(p.asked), kind(p.info.Mode()))
	case p.exists() && p.info.Mode().Perm()&0o200 == 0:
		return p, false, refuse("%s is marked read-only", show(p.asked))
	}
	switch max(guardOf(p.asked), guardOf(p.real)) {
	case guardRefuse:
		return p, false, refuse("%s makes git run programs and is not written by agents", show(p.real))
	case guardAsk:
		return p, true, nil
	}
	return p, false, nil
}

func newChange(call tool.Call, p place, before state, after []byte) (*change, error) {
	if len(after) > maxWritten {
		return nil, invalid("the file would have %d bytes; at most %d can be written", len(after), maxWritten)
	}
	return &change{ws: call.Workspace, at: p, callID: call.ID, before: before, after: after, sum: sha256.Sum256(after)}, nil
}

func (c *change) effect(verb string) clew.Effect {
	summary := fmt.Sprintf("%s %s (%d → %d bytes)", verb, c.at.label(), c.before.size, len(c.after))
	switch {
	case !c.before.exists:
		summary = fmt.Sprintf("Create %s (%d bytes)", c.at.label(), len(c.after))
	case c.before.sum == c.sum:
		summary = fmt.Sprintf("Leave %s as it is", c.at.label())
	}
	diff, cut := c.diff()
	return clew.Effect{Summary: summary, Paths: []string{c.at.real}, Diff: diff, DiffCut: cut}
}

// run carries the change out, if the file is still what it was bound to.
func (c *change) run(ctx context.Context) error {
	if c.ws.Ignored(c.at.real, false) {
		return invalid("%s is kept from agents by now", show(c.at.asked))
	}
	if err := c.ws.Share.Room(int64(len(c.after)) - c.before.size); err != nil {
		return err
	}
	if err := c.commit(ctx); err != nil {
		return explain(c.at.asked, err)
	}
	return nil
}

// commit writes beside the file and renames, so that whoever reads sees the old
// content or the new one, also after a crash. All of it happens in one opened
// directory: what its path means in the meantime does not matter.
func (c *change) commit(ctx context.Context) error {
	dir, err := enter(c.ws.Root, path.Dir(c.at.real), !c.before.exists)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	temp, name := c.temp(), path.Base(c.at.real)
	if err := c.writeTemp(dir, temp); err != nil {
		_ = dir.Remove(temp)
		return err
	}
	now, err := lookIn(ctx, dir, name)
	if err == nil && !now.same(c.before) {
		err = invalid("%s changed after this call was prepared, so nothing was written; read it again", show(c.at.asked))
	}
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp)
		return err
	}
	return syncDir(dir)
}

// temp names the file beside. The name follows from the call, so what a crash
// left behind is found again.
func (c *change) temp() string {
	sum := sha256.Sum256([]byte(c.callID + "\x00" + c.at.real))
	return ".clew-" + hex.EncodeToString(sum[:8]) + ".tmp"
}

func (c *change) writeTemp(dir *os.Root, temp string) error {
	_ = dir.Remove(temp) // of an earlier start
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(c.after)
	if err == nil && c.before.exists {
		err = f.Chmod(c.before.mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	// Some file systems know no sync of directories; the rename holds there too.
	_ = f.Sync()
	return f.Close()
}

// tidy removes what an earlier start may have left beside the file.
func (c *change) tidy() {
	dir, err := enter(c.ws.Root, path.Dir(c.at.real), false)
	if err != nil {
		return
	}
	_ = dir.Remove(c.temp())
	_ = dir.Close()
}
