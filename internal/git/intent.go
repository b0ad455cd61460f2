package git

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
)

// The kinds of changes to a repository.
const (
	KindCommit  = "commit"
	KindMerge   = "merge"
	KindResolve = "resolve" // conflicts are put into a session's work tree
)

// Told is what goes on a session's record of a change.
type Told struct {
	Session clew.SessionID `json:"session"`
	User    clew.UserID    `json:"user"`
	Text    string         `json:"text"`
}

// An Intent is a change of a repository that is under way. It is on disk before the
// change begins. The change of the branch (or, to put conflicts into a work tree,
// of MERGE_HEAD) decides: before it nothing has happened, after it everything is
// carried on to its end, by who comes next if need be.
type Intent struct {
	Kind string `json:"kind"`
	Root string `json:"root"` // of the work tree whose index and files follow; "" if none does
	Repo string `json:"repo"` // a work tree from which the repository is found
	Ref  string `json:"ref"`
	Old  string `json:"old"` // "" if there was none
	New  string `json:"new"`
	// Files says that the files of the work tree follow, not its index alone.
	Files bool `json:"files,omitempty"`
	// Merging is what MERGE_HEAD gets; EndMerge takes it away.
	Merging  string `json:"merging,omitempty"`
	EndMerge bool   `json:"end_merge,omitempty"`
	Told     Told   `json:"told"`
}

// name is where the intent is kept. The same change has the same name.
func (in Intent) name() string { return in.Kind + "-" + in.New + ".json" }

// ErrUnfinished is the cause of an error about a change that was made, and whose
// files do not follow yet.
var ErrUnfinished = errors.New("git: not finished")

// carryOut changes a branch, and then the index and the files with it.
func (k *Keeper) carryOut(ctx context.Context, s *shadow, in Intent) (err error) {
	in.Repo = s.repo.Root
	if in.Ref != "" {
		if err := s.repo.plainRef(in.Ref); err != nil {
			return err
		}
	}
	name := filepath.Join(k.intents(), in.name())
	if err := writeDurably(name, in); err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the change could not be written down; nothing was changed")
	}
	crash.At("git.intended")
	release, err := in.hold(s.repo)
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := s.repo.decide(ctx, in); err != nil {
		return errors.Join(clew.WrapError(clew.SessionInvalidState, err, "git did not take it: %s. Nothing was changed", said(err)), os.Remove(name))
	}
	crash.At("git.moved")
	ctx = context.WithoutCancel(ctx) // it is decided
	if err := k.follow(ctx, s, in); err != nil {
		return clew.WrapError(clew.StorageFailed, errors.Join(ErrUnfinished, err), "it is in the repository, but not all files followed: %s. It is tried again when the server starts", said(err))
	}
	return nil
}

// hold locks the index if that is going to follow.
func (in Intent) hold(r *Repository) (release func() error, err error) {
	if in.Root == "" || in.Merging != "" {
		return func() error { return nil }, nil
	}
	return r.lockIndex()
}

// decide makes the one step after which there is no way back.
func (r *Repository) decide(ctx context.Context, in Intent) error {
	if in.Merging != "" {
		return writeFile(filepath.Join(r.gitDir, "MERGE_HEAD"), []byte(in.Merging+"\n"), 0o644)
	}
	old := in.Old
	if old == "" {
		old = strings.Repeat("0", len(in.New))
	}
	var env []string
	if who, err := r.person(ctx); err == nil {
		env = who.env() // for git's log of the branch
	}
	cmd := call(ctx, r.gitDir, r.Root, durable, "update-ref", "-m", in.Kind+": by clew", in.Ref, in.New, old)
	cmd.Env = append(cmd.Env, env...)
	return Run(cmd, nil, nil)
}

// decided reports whether that step was made.
func (r *Repository) decided(ctx context.Context, in Intent) bool {
	if in.Merging != "" {
		other, err := readSmall(filepath.Join(r.gitDir, "MERGE_HEAD"))
		return err == nil && other == in.Merging
	}
	tip, err := r.ask(ctx, "rev-parse", "-q", "--verify", in.Ref+"^{commit}")
	if err != nil {
		return false
	}
	_, err = r.ask(ctx, "merge-base", "--is-ancestor", in.New, tip)
	return err == nil
}

// follow brings files and index to where the branch is.
func (k *Keeper) follow(ctx context.Context, s *shadow, in Intent) error {
	if in.Root != "" {
		from := in.Old
		if from == "" {
			var err error
			if from, err = s.emptyTree(ctx); err != nil {
				return err
			}
		}
		list, err := s.entries(ctx, from, in.New)
		if err != nil {
			return err
		}
		if in.Files {
			if err := s.place(ctx, in.New, list); err != nil {
				return err
			}
		}
		crash.At("git.files")
		if in.Merging == "" {
			if err := s.writeIndex(ctx, list); err != nil {
				return err
			}
		}
	}
	if in.EndMerge {
		for _, name := range []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"} {
			if err := os.Remove(filepath.Join(s.repo.gitDir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	crash.At("git.followed")
	return nil
}

// Done forgets a change that is on the session's record.
func (k *Keeper) Done(kind, commit string) error {
	err := os.Remove(filepath.Join(k.intents(), Intent{Kind: kind, New: commit}.name()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Recover finishes what was under way when the server ended, and hands each change
// that was made to tell, which puts it on record. What was not decided yet is
// forgotten: nothing of it was done.
func (k *Keeper) Recover(ctx context.Context, tell func(Intent) error) error {
	names, err := os.ReadDir(k.intents())
	if err != nil {
		return err
	}
	var failed error
	for _, e := range names {
		name := filepath.Join(k.intents(), e.Name())
		var in Intent
		b, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(b, &in)
		}
		if err != nil || !strings.HasSuffix(name, ".json") {
			failed = errors.Join(failed, os.Remove(name)) // it was not written to its end
			continue
		}
		done, err := k.recoverOne(ctx, in)
		if err == nil && done {
			err = tell(in)
		}
		if err == nil {
			err = os.Remove(name)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s in %s: %w", in.Kind, in.Repo, err))
		}
	}
	return failed
}

func (k *Keeper) recoverOne(ctx context.Context, in Intent) (done bool, err error) {
	r, err := Find(ctx, in.Repo)
	if err != nil {
		if errors.Is(err, ErrNone) {
			return false, nil // it is gone
		}
		return false, err
	}
	defer k.lock(r.common)()
	release, err := in.hold(r) // and with it goes the lock that a crash left
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if !r.decided(ctx, in) {
		return false, nil
	}
	s, err := k.shadow(ctx, r)
	if err != nil {
		return false, err
	}
	return true, k.follow(ctx, s, in)
}

// writeDurably writes a value as a file that is there whole or not at all.
func writeDurably(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFile(name, b, 0o600)
}

func writeFile(name string, b []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".clew-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(filepath.Dir(name))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" { // a directory cannot be synced there
		err = nil
	}
	return errors.Join(err, d.Close())
}
