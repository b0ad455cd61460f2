package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
)

// A Todo names one of a session's run.
type Todo struct {
	Session clew.SessionID
	Run     string
	ID      string
}

// Key is a name for files of the todo.
func (t Todo) Key() string {
	sum := sha256.Sum256([]byte(string(t.Session) + "\x00" + t.Run + "\x00" + t.ID))
	return hex.EncodeToString(sum[:12])
}

// A TodoTree is the work tree of a todo, made from the files of the session as they
// were then, committed or not. Its changes come back as changes of files: no branch
// of the person ever moves.
//
// What is on disk says how far it is, and each step can be taken again after a crash.
type TodoTree struct {
	Worktree
	Run  string `json:"run"`
	Todo string `json:"todo"`
	// Filled says that all its files are there.
	Filled bool `json:"filled,omitempty"`
	// Old and New are the session's files before and after the merge. With them it is
	// decided, and Merged says that it is done.
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	Merged bool   `json:"merged,omitempty"`
	// Left are files that somebody changed during the merge, and that stayed theirs.
	Left []string `json:"left,omitempty"`
	// Conflicts are files that the todo and others changed. Attempt is who found
	// them, Marked has the files with the marks of the conflicts, and Shown says that
	// they are in the work tree.
	Conflicts []string `json:"conflicts,omitempty"`
	Attempt   string   `json:"attempt,omitempty"`
	Marked    string   `json:"marked,omitempty"`
	Shown     bool     `json:"shown,omitempty"`
}

func (t TodoTree) name() Todo { return Todo{Session: t.Session, Run: t.Run, ID: t.Todo} }

func (k *Keeper) todos() string { return filepath.Join(k.dir, "todos") }

func (k *Keeper) todoNote(t Todo) string { return filepath.Join(k.todos(), t.Key()+".json") }

// TodoTree is that of a todo, false if it has none that can be worked in.
func (k *Keeper) TodoTree(of Todo) (TodoTree, bool, error) {
	t, found, err := readTodo(k.todoNote(of))
	if _, gone := os.Lstat(t.Dir); errors.Is(gone, fs.ErrNotExist) && t.New == "" {
		found = false // somebody removed it
	}
	return t, found && t.Filled, err
}

func readTodo(name string) (t TodoTree, found bool, err error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return t, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err == nil, err
}

// TodoTrees lists those of all sessions.
func (k *Keeper) TodoTrees() (list []TodoTree, err error) {
	names, err := os.ReadDir(k.todos())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range names {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue // not written to its end
		}
		t, found, wrong := readTodo(filepath.Join(k.todos(), e.Name()))
		if err = errors.Join(err, wrong); found {
			list = append(list, t)
		}
	}
	return list, err
}

func (k *Keeper) write(t TodoTree) error { return writeDurably(k.todoNote(t.name()), t) }

// AddTodo makes a work tree for a todo at an empty place, from the files of a
// directory as they are now.
func (k *Keeper) AddTodo(ctx context.Context, of Todo, dir, at string) (TodoTree, error) {
	r, err := Find(ctx, dir)
	if err != nil {
		return TodoTree{}, err
	}
	defer k.lock(r.common)()
	if r.Head == "" {
		return TodoTree{}, clew.Errorf(clew.SessionInvalidState, "%s has no commit yet, so there is nothing to begin with", r.Root)
	}
	if old, found, err := readTodo(k.todoNote(of)); err != nil || found { // its making was cut short
		if err == nil {
			_, err = k.removeTodo(ctx, old)
		}
		if err != nil {
			return TodoTree{}, err
		}
	}
	s, err := k.shadow(ctx, r)
	if err != nil {
		return TodoTree{}, err
	}
	base, _, err := s.snapshot(ctx, r.Head, nil, "Files as they were when "+of.ID+" began")
	if err != nil {
		return TodoTree{}, err
	}
	if _, err := r.person(ctx); err != nil { // it is needed in the end
		return TodoTree{}, err
	}
	t := TodoTree{Run: of.Run, Todo: of.ID, Worktree: Worktree{
		Session: of.Session, Repository: r.Root, Dir: at, Branch: r.todoBranch(ctx, of), From: r.Branch, Base: base, Below: r.below(),
	}}
	if err := r.plainRef("refs/heads/" + t.Branch); err != nil {
		return TodoTree{}, err
	}
	if err := errors.Join(os.MkdirAll(k.todos(), 0o700), k.write(t)); err != nil {
		return TodoTree{}, clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made")
	}
	crash.At("git.todo.noted")
	if err = k.make(ctx, r, t.Worktree); err == nil {
		t.Filled = true
		err = k.write(t)
	}
	if err != nil {
		_, undo := k.removeTodo(context.WithoutCancel(ctx), t)
		return TodoTree{}, errors.Join(clew.WrapError(clew.StorageFailed, err, "the work tree cannot be made: %s", said(err)), undo)
	}
	crash.At("git.todo.made")
	return t, nil
}

// todoBranch is a name for the todo's branch that no branch has.
func (r *Repository) todoBranch(ctx context.Context, of Todo) string {
	plain := strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(of.ID)), "-")
	long := strings.ToLower(strings.TrimPrefix(string(of.Session), "sess_"))
	first := "clew/" + long[:min(8, len(long))] + "-" + plain[:min(40, len(plain))]
	for name, n := first, 2; ; n++ {
		if _, err := r.ask(ctx, "show-ref", "--verify", "-q", "refs/heads/"+name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", first, n)
	}
}

// snapshot gives a commit with the files as they are, and reports whether they
// differ from what a commit has: if not, it is that one. The new commit has it as its
// first parent. No branch knows of it yet.
func (s *shadow) snapshot(ctx context.Context, head string, more []string, message string) (commit string, differs bool, err error) {
	now, err := s.now(ctx)
	if err != nil {
		return "", false, err
	}
	list, err := s.entries(ctx, head, now)
	if err != nil || len(list) == 0 && len(more) == 0 {
		return head, false, err
	}
	commit, err = s.commitTree(ctx, now, append([]string{head}, more...), message)
	return commit, true, err
}

// A Joined tells how the merge of a todo went.
type Joined struct {
	Tree   TodoTree // "" in it if there was none
	Branch string
	Files  int // that the todo changed
	// Conflicts are files that the todo and others changed. Then nothing was merged.
	Conflicts []string
	// Left are files that somebody changed during the merge. They are as that person
	// left them, and the branch stays.
	Left []string
}

// JoinTodo commits what a todo changed to its branch, and merges that into the files
// of the session. Called again it tells the same, until [Keeper.SettleTodo] takes work
// tree and branch away. Conflicts are put into the work tree of the todo, and found
// again by the same attempt; the next one has to resolve them.
func (k *Keeper) JoinTodo(ctx context.Context, of Todo, attempt, message string) (Joined, error) {
	t, found, err := readTodo(k.todoNote(of))
	if err != nil || !found {
		return Joined{}, err
	}
	home, err := Find(ctx, filepath.Join(t.Repository, filepath.FromSlash(t.Below)))
	if err != nil {
		return Joined{}, err
	}
	defer k.lock(home.common)()
	if t, found, err = readTodo(k.todoNote(of)); err != nil || !found { // it may have waited
		return Joined{}, err
	}
	out := Joined{Branch: t.Branch}
	if t.New == "" {
		if err := k.finishDecided(ctx, home); err != nil {
			return out, err
		}
		if out.Conflicts, err = k.meet(ctx, &t, home, attempt, message); err != nil || len(out.Conflicts) > 0 {
			return out, err
		}
	}
	ctx = context.WithoutCancel(ctx) // it is decided
	if out.Files, err = k.bring(ctx, &t, home); err != nil {
		return out, err
	}
	out.Tree, out.Left = t, t.Left
	return out, nil
}

// meet finds out what the files of the todo and of the session come to, and notes it.
func (k *Keeper) meet(ctx context.Context, t *TodoTree, home *Repository, attempt, message string) (conflicts []string, err error) {
	own, err := t.find(ctx)
	if err != nil {
		return nil, err
	}
	so, err := k.shadow(ctx, own)
	if err != nil {
		return nil, err
	}
	if t.Marked != "" && (t.Attempt == attempt || !t.Shown) {
		t.Attempt = attempt
		return t.Conflicts, k.show(ctx, t, so, own)
	}
	tip, err := k.commitTodo(ctx, t, so, own, message)
	if err != nil {
		return nil, err
	}
	own.Head = tip
	crash.At("git.todo.committed")
	if tip == t.Base {
		t.Old, t.New = tip, tip // nothing was changed
		return nil, k.write(*t)
	}
	sh, err := k.shadow(ctx, home)
	if err != nil {
		return nil, err
	}
	now, err := sh.now(ctx)
	if err != nil {
		return nil, err
	}
	// As a child of what the todo began with, so that this is what git compares with.
	ours, err := sh.commitTree(ctx, now, []string{t.Base}, "Files of the session")
	if err != nil {
		return nil, err
	}
	m := merge{repo: home, shadow: sh, tip: ours, head: tip}
	if err := m.join(ctx); err != nil {
		return nil, err
	}
	both, err := sh.commitTree(ctx, m.tree, []string{ours, tip}, message)
	if err != nil {
		return nil, err
	}
	if len(m.conflict) == 0 {
		t.Old, t.New = ours, both
		err := k.write(*t)
		crash.At("git.todo.decided")
		return nil, err
	}
	t.Base, t.Marked, t.Conflicts, t.Attempt, t.Shown = ours, both, m.conflict, attempt, false
	if err := k.write(*t); err != nil {
		return nil, err
	}
	crash.At("git.todo.conflict")
	return m.conflict, k.show(ctx, t, so, own)
}

// show puts the marks of conflicts into the work tree of the todo.
func (k *Keeper) show(ctx context.Context, t *TodoTree, s *shadow, own *Repository) error {
	if !t.Shown {
		list, err := s.entries(ctx, own.Head, t.Marked)
		if err != nil {
			return err
		}
		if err := s.place(ctx, t.Marked, list); err != nil {
			return err
		}
	}
	t.Shown = true
	return k.write(*t)
}

// commitTodo commits the files of a todo to its branch.
func (k *Keeper) commitTodo(ctx context.Context, t *TodoTree, s *shadow, own *Repository, message string) (string, error) {
	if own.Branch != t.Branch || own.Head == "" {
		return "", clew.Errorf(clew.SessionInvalidState, "the work tree is not on its branch %s any more", t.Branch)
	}
	var with []string
	if t.Marked != "" {
		if _, err := own.ask(ctx, "merge-base", "--is-ancestor", t.Base, own.Head); err != nil { // not yet
			with = []string{t.Base}
		}
		now, err := s.now(ctx)
		if err != nil {
			return "", err
		}
		if err := s.resolved(ctx, t.Base, now); err != nil { // its agent has to see to it
			return "", clew.WrapError(clew.InvalidMessage, err, "%s", clew.AsError(err).Message)
		}
	}
	commit, differs, err := s.snapshot(ctx, own.Head, with, message)
	if err != nil || !differs {
		return commit, err
	}
	release, err := own.lockIndex()
	if err != nil {
		return "", err
	}
	err = func() error {
		in := Intent{Kind: KindCommit, Ref: "refs/heads/" + t.Branch, Old: own.Head, New: commit}
		if err := own.plainRef(in.Ref); err != nil {
			return err
		}
		if err := own.decide(ctx, in); err != nil {
			return err
		}
		list, err := s.entries(ctx, own.Head, commit)
		if err != nil {
			return err
		}
		return s.writeIndex(ctx, list)
	}()
	return commit, errors.Join(err, release())
}

// bring brings the files of the session to what was decided.
func (k *Keeper) bring(ctx context.Context, t *TodoTree, home *Repository) (files int, err error) {
	s, err := k.shadow(ctx, home)
	if err != nil {
		return 0, err
	}
	list, err := s.entries(ctx, t.Old, t.New)
	if err != nil || t.Merged {
		return len(list), err
	}
	if err := s.place(ctx, t.New, list); err != nil {
		return 0, err
	}
	crash.At("git.todo.placed")
	t.Left = nil
	for _, e := range list {
		now, err := s.hash(ctx, e.path)
		if err != nil {
			return 0, err
		}
		if now != e.new() {
			t.Left = append(t.Left, e.path)
		}
	}
	t.Merged = true
	err = k.write(*t)
	crash.At("git.todo.merged")
	return len(list), err
}

// finishDecided ends the merges into a repository's files that were decided when the
// server ended. They come before any other decision: one that does not see their
// changes would take the files away from under them.
func (k *Keeper) finishDecided(ctx context.Context, home *Repository) error {
	list, err := k.TodoTrees()
	for _, t := range list {
		if t.Repository == home.Root && t.New != "" && !t.Merged {
			_, wrong := k.bring(context.WithoutCancel(ctx), &t, home)
			err = errors.Join(err, wrong)
		}
	}
	return err
}

// SettleTodo ends the work tree of a todo that nobody works on any more. What is not
// merged stays on its branch, which is named.
func (k *Keeper) SettleTodo(ctx context.Context, t TodoTree) (kept string, err error) {
	home, err := Find(ctx, t.Repository)
	if err != nil && !errors.Is(err, ErrNone) {
		return "", err
	}
	if home != nil {
		defer k.lock(home.common)()
		if err := k.endTodo(ctx, &t, home); err != nil {
			return "", err
		}
	}
	return k.removeTodo(ctx, t)
}

func (k *Keeper) endTodo(ctx context.Context, t *TodoTree, home *Repository) error {
	switch {
	case t.New != "":
		_, err := k.bring(ctx, t, home)
		return err
	case !t.Filled, t.Marked != "" && !t.Shown: // all that was done is committed
		return nil
	}
	own, err := t.find(ctx)
	if err != nil {
		return nil // it is gone
	}
	s, err := k.shadow(ctx, own)
	if err != nil {
		return err
	}
	last := *t
	if now, err := s.now(ctx); err != nil || t.Marked != "" && s.resolved(ctx, t.Base, now) != nil {
		return err // what the agent did is committed; the marks are ours
	}
	_, err = k.commitTodo(ctx, &last, s, own, "Work on "+t.Todo+", not merged")
	return err
}

// removeTodo takes the work tree away. The branch goes too if all of it is in the
// session's files, or nothing is on it; else it stays, and is named.
func (k *Keeper) removeTodo(ctx context.Context, t TodoTree) (kept string, err error) {
	kept, err = takeAway(ctx, t.Worktree, k.todoNote(t.name()), "git.todo.emptied", func(r *Repository) (string, error) { return r.dropTodoBranch(ctx, t) })
	if err == nil {
		crash.At("git.todo.removed")
	}
	return kept, err
}

func (r *Repository) dropTodoBranch(ctx context.Context, t TodoTree) (kept string, err error) {
	if !t.Merged || len(t.Left) > 0 {
		return r.dropBranch(ctx, t.Worktree)
	}
	ref := "refs/heads/" + t.Branch
	tip, err := r.ask(ctx, "rev-parse", "-q", "--verify", ref+"^{commit}")
	if err != nil {
		return "", nil // it is not there
	}
	if _, err := r.ask(ctx, "merge-base", "--is-ancestor", tip, t.New); err != nil {
		return t.Branch, nil // somebody else committed to it
	}
	if err := r.plainRef(ref); err != nil {
		return "", err
	}
	_, err = r.ask(ctx, "update-ref", "-d", ref, tip)
	return "", err
}

// RecoverTodos ends the merges that were decided when the server ended, and removes
// the work trees of sessions that are not there.
func (k *Keeper) RecoverTodos(ctx context.Context, there func(clew.SessionID) (bool, error)) error {
	list, err := k.TodoTrees()
	for _, t := range list {
		wrong := k.recoverTodo(ctx, t, there)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("work tree of todo %s: %w", t.Todo, wrong))
		}
	}
	return err
}

func (k *Keeper) recoverTodo(ctx context.Context, t TodoTree, there func(clew.SessionID) (bool, error)) error {
	ok, err := there(t.Session)
	if err != nil {
		return err
	}
	if !ok {
		_, err = k.SettleTodo(ctx, t)
		return err
	}
	if t.New == "" || t.Merged {
		return nil
	}
	home, err := Find(ctx, t.Repository)
	if err != nil {
		return err
	}
	defer k.lock(home.common)()
	return k.finishDecided(ctx, home)
}
