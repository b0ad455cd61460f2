package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
)

// A Worktree is a session's own work tree of a person's repository.
type Worktree struct {
	Session    clew.SessionID `json:"session_id"`
	Repository string         `json:"repository" doc:"The work tree that it was made from"`
	Dir        string         `json:"directory" doc:"Where the session's files are"`
	Branch     string         `json:"branch" doc:"The session's"`
	From       string         `json:"from" doc:"The branch that it came from, and that clew merge merges into"`
	Base       string         `json:"base" doc:"The commit that it began with"`
	Below      string         `json:"below,omitempty" doc:"The workspace's path in the work tree"`
}

// Workspace is the directory that the session works in.
func (w Worktree) Workspace() string { return filepath.Join(w.Dir, filepath.FromSlash(w.Below)) }

func (k *Keeper) notes() string { return filepath.Join(k.dir, "worktrees") }

func (k *Keeper) note(id clew.SessionID) string {
	return filepath.Join(k.notes(), string(id)+".json")
}

// Add makes a work tree at an empty place, with a branch of its own, of the
// repository that a directory lies in. The directory's own work tree and index
// stay as they are. The note of it is on disk first: what a crash leaves behind is
// found by it.
func (k *Keeper) Add(ctx context.Context, dir, at string, id clew.SessionID) (Worktree, error) {
	r, err := Find(ctx, dir)
	if err != nil {
		return Worktree{}, err
	}
	defer k.lock(r.common)()
	switch {
	case r.Head == "":
		return Worktree{}, clew.Errorf(clew.SessionInvalidState, "%s has no commit yet, so there is nothing to begin with", r.Root)
	case r.Branch == "":
		return Worktree{}, clew.Errorf(clew.SessionInvalidState, "%s is on no branch, so there is none to come back to; choose one with git switch", r.Root)
	}
	if err := os.MkdirAll(k.notes(), 0o700); err != nil {
		return Worktree{}, clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made")
	}
	if old, found, err := k.Worktree(id); err != nil || found { // the caller tries again after a crash
		if err == nil {
			_, err = k.remove(ctx, old)
		}
		if err != nil {
			return Worktree{}, clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made: an earlier one is in the way")
		}
	}
	k.mu.Lock()
	k.added[id] = true
	k.mu.Unlock()
	w := Worktree{Session: id, Repository: r.Root, Dir: at, Branch: r.freeBranch(ctx, id), From: r.Branch, Base: r.Head, Below: r.below()}
	if err := r.plainRef("refs/heads/" + w.Branch); err != nil {
		return Worktree{}, err
	}
	if err := writeDurably(k.note(id), w); err != nil {
		return Worktree{}, clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made")
	}
	crash.At("git.worktree.noted")
	if err := k.make(ctx, r, w); err != nil {
		_, undo := k.remove(context.WithoutCancel(ctx), w)
		return Worktree{}, errors.Join(clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made: %s", said(err)), undo)
	}
	return w, nil
}

// freeBranch is a name for the session's branch that no branch has.
func (r *Repository) freeBranch(ctx context.Context, id clew.SessionID) string {
	long := strings.TrimPrefix(string(id), "sess_")
	for n := min(8, len(long)); ; n++ {
		name := "clew/" + strings.ToLower(long[:n])
		if _, err := r.ask(ctx, "show-ref", "--verify", "-q", "refs/heads/"+name); err != nil || n == len(long) {
			return name
		}
	}
}

func (k *Keeper) make(ctx context.Context, r *Repository, w Worktree) error {
	if err := os.MkdirAll(filepath.Dir(w.Dir), 0o700); err != nil {
		return err
	}
	if _, err := r.ask(ctx, "worktree", "add", "-q", "--no-checkout", "-b", w.Branch, w.Dir, w.Base); err != nil {
		return err
	}
	crash.At("git.worktree.added")
	own, err := Find(ctx, w.Dir)
	if err != nil {
		return err
	}
	s, err := k.shadow(ctx, own)
	if err != nil {
		return err
	}
	const index = "index"
	if err := s.run(ctx, index, nil, nil, "read-tree", w.Base); err != nil {
		return err
	}
	if err := s.run(ctx, index, nil, nil, "checkout-index", "-a", "-f", "-u", "-q"); err != nil {
		return err
	}
	crash.At("git.worktree.filled")
	if err := copyPlain(filepath.Join(s.dir, index), filepath.Join(own.gitDir, index)); err != nil {
		return err
	}
	return os.MkdirAll(w.Workspace(), 0o755) // the directory may have nothing in it that git knows
}

// find opens the work tree, which must still be one of its repository.
func (w Worktree) find(ctx context.Context) (*Repository, error) {
	r, err := Find(ctx, w.Dir)
	if err != nil {
		return nil, err
	}
	if r.Root != filepath.Clean(w.Dir) {
		return nil, errElsewhere("the session's work tree is gone")
	}
	main, err := Find(ctx, w.Repository)
	if err != nil {
		return nil, err
	}
	if main.common != r.common {
		return nil, errElsewhere("the session's work tree belongs to another repository")
	}
	return r, nil
}

// Worktree is that of a session, false if it has none.
func (k *Keeper) Worktree(id clew.SessionID) (Worktree, bool, error) {
	var w Worktree
	if !id.Valid() {
		return w, false, nil
	}
	b, err := os.ReadFile(k.note(id))
	if errors.Is(err, fs.ErrNotExist) {
		return w, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &w)
	}
	return w, err == nil, err
}

// Worktrees lists those of all sessions.
func (k *Keeper) Worktrees() ([]Worktree, error) {
	list := []Worktree{}
	names, err := os.ReadDir(k.notes())
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	for _, e := range names {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			err = errors.Join(err, os.Remove(filepath.Join(k.notes(), e.Name()))) // not written to its end
			continue
		}
		w, found, wrong := k.Worktree(clew.SessionID(id))
		if wrong != nil {
			err = errors.Join(err, wrong)
		} else if found {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b Worktree) int { return strings.Compare(string(a.Session), string(b.Session)) })
	return list, err
}

// A State is what a work tree has that its origin has not.
type State struct {
	Commits int  `json:"commits" doc:"That the branch it came from does not have"`
	Dirty   int  `json:"dirty" doc:"Files with changes that are not committed"`
	Gone    bool `json:"gone,omitempty" doc:"The work tree or its repository is not there"`
}

// State looks at a work tree.
func (k *Keeper) State(ctx context.Context, w Worktree) State {
	r, err := w.find(ctx)
	if err != nil {
		return State{Gone: true}
	}
	defer k.lock(r.common)()
	var st State
	if n, err := r.ask(ctx, "rev-list", "--count", "refs/heads/"+w.From+"..refs/heads/"+w.Branch); err == nil {
		st.Commits, _ = strconv.Atoi(n)
	}
	s, err := k.shadow(ctx, r)
	if err != nil {
		return State{Gone: true}
	}
	now, err := s.now(ctx)
	if err != nil {
		return State{Gone: true}
	}
	list, err := s.entries(ctx, r.Head, now)
	if err != nil {
		return State{Gone: true}
	}
	st.Dirty = len(list)
	return st
}

// Remove takes a session's work tree away. Its branch goes too, unless it has
// commits that the branch it came from does not have: then it stays, and is named.
func (k *Keeper) Remove(ctx context.Context, w Worktree) (kept string, err error) {
	r, err := Find(ctx, w.Repository)
	if err == nil {
		defer k.lock(r.common)()
	}
	return k.remove(ctx, w)
}

func (k *Keeper) remove(ctx context.Context, w Worktree) (kept string, err error) {
	return takeAway(ctx, w, k.note(w.Session), "git.worktree.emptied", func(r *Repository) (string, error) { return r.dropBranch(ctx, w) })
}

// takeAway removes a work tree, then what the repository has of it, and its note last:
// while that is there, an end that was cut off is tried again. drop decides about the
// branch.
func takeAway(ctx context.Context, w Worktree, note, emptied string, drop func(*Repository) (kept string, err error)) (kept string, err error) {
	r, err := Find(ctx, w.Repository)
	if err != nil && !errors.Is(err, ErrNone) {
		return "", err
	}
	if err := os.RemoveAll(w.Dir); err != nil {
		return "", err
	}
	crash.At(emptied)
	if r != nil {
		if err := r.forget(w); err != nil {
			return "", err
		}
		if kept, err = drop(r); err != nil {
			return "", err
		}
	}
	if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return kept, nil
}

// forget removes what the repository keeps of a work tree that is gone.
func (r *Repository) forget(w Worktree) error {
	all := filepath.Join(r.common, "worktrees")
	names, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range names {
		at := filepath.Join(all, e.Name())
		if where, err := readSmall(filepath.Join(at, "gitdir")); err == nil && e.IsDir() && where == filepath.Join(w.Dir, ".git") {
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
	}
	_ = os.Remove(all) // if it was the last one
	return nil
}

// dropBranch removes the session's branch if nothing would be lost with it.
func (r *Repository) dropBranch(ctx context.Context, w Worktree) (kept string, err error) {
	ref := "refs/heads/" + w.Branch
	tip, err := r.ask(ctx, "rev-parse", "-q", "--verify", ref+"^{commit}")
	if err != nil {
		return "", nil // it is not there
	}
	for _, other := range []string{w.Base, "refs/heads/" + w.From} {
		if _, err := r.ask(ctx, "merge-base", "--is-ancestor", tip, other); err == nil {
			if err := r.plainRef(ref); err != nil {
				return "", err
			}
			_, err = r.ask(ctx, "update-ref", "-d", ref, tip)
			return "", err
		}
	}
	return w.Branch, nil
}

// removeOld removes a work tree of an earlier run, unless it was made anew.
func (k *Keeper) removeOld(ctx context.Context, w Worktree) error {
	if r, err := Find(ctx, w.Repository); err == nil {
		defer k.lock(r.common)()
	}
	k.mu.Lock()
	anew := k.added[w.Session]
	k.mu.Unlock()
	if anew {
		return nil
	}
	_, err := k.remove(ctx, w)
	return err
}

// Inherit gives a work tree to another session that works in it.
func (k *Keeper) Inherit(w Worktree, to clew.SessionID) error {
	old := k.note(w.Session)
	w.Session = to
	if err := writeDurably(k.note(to), w); err != nil {
		return err
	}
	return os.Remove(old)
}

// Clean removes those of some work trees whose sessions are not there: of one whose
// making was cut short, and of those that were erased.
func (k *Keeper) Clean(ctx context.Context, list []Worktree, there func(clew.SessionID) (bool, error)) (err error) {
	for _, w := range list {
		ok, wrong := there(w.Session)
		if wrong == nil && !ok {
			wrong = k.removeOld(ctx, w)
		}
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("work tree %s: %w", w.Dir, wrong))
		}
	}
	return err
}
