package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// List gives the checkpoints of a session, oldest first; of all sessions of the
// workspace if session is "".
func (p *Place) List(ctx context.Context, session string) ([]Checkpoint, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return nil, failed(err, "the checkpoints could not be listed")
	}
	defer release()
	var list []Checkpoint
	for _, c := range p.repository.list {
		if session == "" || c.Session == session {
			c = p.repository.dated(c)
			c.Paths = slices.Clone(c.Paths)
			list = append(list, c)
		}
	}
	return list, nil
}

// Usage says how much room a place takes.
type Usage struct {
	Bytes       int64 // on disk, all told
	Quota       int64 // 0: no limit
	Checkpoints int
	Sessions    int
	Packs       int
	Objects     int
}

// Usage tells how much room the checkpoints take.
func (p *Place) Usage(ctx context.Context) (Usage, error) {
	release, err := p.repository.lock(ctx)
	if err != nil {
		return Usage{}, failed(err, "the checkpoints of the workspace cannot be opened")
	}
	defer release()
	d := p.repository
	u := Usage{Quota: d.store.quota.Load(), Checkpoints: len(d.list), Packs: len(d.objects.Packs)}
	sessions := map[string]bool{}
	for _, c := range d.list {
		sessions[c.Session] = true
	}
	u.Sessions = len(sessions)
	for _, x := range d.objects.Packs {
		u.Objects += x.Count
	}
	err = filepath.WalkDir(d.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			u.Bytes += info.Size()
		}
		return err
	})
	return u, failed(err, "the checkpoints cannot be measured")
}

// A Problem is something that Fsck found.
type Problem struct {
	Checkpoint string // its hash, "" if the store as a whole is concerned
	Text       string
}

// Fsck reads everything that is stored and tells what is damaged. It changes
// nothing but the index, which is given up when something is wrong.
func (p *Place) Fsck(ctx context.Context) ([]Problem, error) {
	release, err := p.repository.lock(ctx)
	if err != nil {
		return nil, failed(err, "the checkpoints of the workspace cannot be opened")
	}
	defer release()
	d := p.repository
	var problems []Problem
	said, err := d.fsck(ctx)
	if err != nil {
		problems = append(problems, Problem{Text: strings.TrimSpace(said + "\n" + err.Error())})
	}
	whole := err == nil
	list, err := d.readList(ctx)
	if err != nil {
		problems = append(problems, Problem{Text: err.Error()})
	}
	known := map[object.ID]bool{}
	for _, c := range list {
		if err := d.check(ctx, c, whole, known); err != nil {
			problems = append(problems, Problem{c.Hash, err.Error()})
		}
	}
	if len(problems) > 0 {
		d.tree, d.gen = nil, nonce()
		err = d.setState(true)
	}
	return problems, failed(err, "the checkpoints could not be checked")
}

// ignoredByFsck lists complaints of git fsck that are about names and contents
// of a person's files, not about the health of the store.
var ignoredByFsck = []string{
	"hasDotgit", "hasDot", "hasDotdot", "gitmodulesSymlink", "gitattributesSymlink", "gitignoreSymlink", "mailmapSymlink",
	"gitmodulesParse", "gitmodulesName", "gitmodulesUrl", "gitmodulesPath", "gitmodulesUpdate", "gitmodulesBlob",
	"gitmodulesLarge", "gitmodulesMissing", "gitattributesLineLength", "gitattributesLarge", "gitattributesBlob",
}

// fsck has git check the store. Versions of git know more or fewer of the
// complaints that are of no interest here.
func (d *repository) fsck(ctx context.Context) (string, error) {
	ids := slices.Clone(ignoredByFsck)
	for {
		var args []string
		for _, id := range ids {
			args = append(args, "-c", "fsck."+id+"=ignore")
		}
		var out bytes.Buffer
		args = append(args, "fsck", "--full", "--strict", "--no-dangling", "--no-reflogs", "--no-progress")
		err := object.Git(ctx, d.repo(), nil, &out, args...)
		if err == nil {
			return out.String(), nil
		}
		_, unknown, ok := strings.Cut(strings.ToLower(err.Error()), "unhandled message id: ")
		fewer := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return strings.ToLower(id) == strings.TrimSpace(unknown) })
		if !ok || len(fewer) == len(ids) {
			return out.String(), err
		}
		ids = fewer
	}
}

// check goes through the trees of a checkpoint. If git found all objects whole
// they only have to be there; else each is read, to find out whom it concerns.
func (d *repository) check(ctx context.Context, c Checkpoint, whole bool, known map[object.ID]bool) error {
	r := tree.Reader{Ctx: ctx, Objects: d.objects}
	top, err := r.Top(c.tree)
	if err != nil {
		return err
	}
	return checkItem(r, "", top, whole, known)
}

func checkItem(r tree.Reader, at string, it tree.Item, whole bool, known map[object.ID]bool) error {
	if it.Kind != tree.Directory {
		if !known[it.Oid] && !r.Objects.Has(it.Oid) {
			return fmt.Errorf("%w: %q is missing", object.ErrDamaged, at)
		}
		if !known[it.Oid] && !whole {
			if _, err := r.Objects.CopyTo(r.Ctx, it.Oid, object.Blob, io.Discard); err != nil {
				return fmt.Errorf("%q: %w", at, err)
			}
		}
		known[it.Oid] = true
		return nil
	}
	if known[it.Oid] && (it.Meta.Zero() || known[it.Meta]) {
		return nil
	}
	s, err := r.Open(it, nil)
	if err != nil {
		return fmt.Errorf("%q: %w", at, err)
	}
	for name, below := range s.Items {
		if err := checkItem(r, at+"/"+name, below, whole, known); err != nil {
			return err
		}
	}
	known[it.Oid], known[it.Meta] = true, true
	return nil
}
