package git

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Merged tells how a merge went.
type Merged struct {
	Branch string `json:"branch" doc:"The session's"`
	Into   string `json:"into" doc:"The branch that it came from"`
	Commit string `json:"commit,omitempty" doc:"Where that branch is now; absent if nothing was merged"`
	Files  int    `json:"files" doc:"Files that differ"`
	// Conflicts are files that both sides changed. Then nothing was changed.
	Conflicts []string `json:"conflicts" nullable:"false" doc:"Files that both sides changed; then nothing was merged"`
}

// A merge is what one needs to know to do it.
type merge struct {
	w        Worktree
	repo     *Repository // of the session
	shadow   *shadow
	head     string // of the session
	tip      string // of the branch that it came from
	tree     string // that both sides come to
	conflict []string
}

// Merge merges a session's branch into the one that it came from, with the files
// of the work tree that has that one. If there are conflicts, or a file that would
// change has changes that are not committed, nothing happens.
func (k *Keeper) Merge(ctx context.Context, w Worktree, told Told) (Merged, error) {
	m, unlock, err := k.merge(ctx, w)
	if err != nil {
		return Merged{}, err
	}
	defer unlock()
	out := Merged{Branch: w.Branch, Into: w.From, Conflicts: []string{}}
	next := m.head
	switch {
	case m.tree == "" && m.isAncestor(ctx, m.head, m.tip):
		return out, clew.Errorf(clew.SessionInvalidState, "%s has everything of %s already", w.From, w.Branch)
	case len(m.conflict) > 0:
		out.Conflicts = m.conflict
		return out, nil
	case m.tree != "":
		if next, err = m.shadow.commitTree(ctx, m.tree, []string{m.tip, m.head}, "Merge branch '"+w.Branch+"'"); err != nil {
			return out, err
		}
	}
	list, err := m.shadow.entries(ctx, m.tip, next)
	if err != nil {
		return out, err
	}
	out.Files, out.Commit = len(list), next
	in := Intent{Kind: KindMerge, Ref: "refs/heads/" + w.From, Old: m.tip, New: next, Told: told}
	in.Told.Text = MergeText(out)
	s := m.shadow
	home, err := m.home(ctx)
	if err != nil {
		return out, err
	}
	if home != nil {
		if s, err = k.shadow(ctx, home); err != nil {
			return out, err
		}
		if err := s.untouched(ctx, m.tip, list); err != nil {
			return out, err
		}
		in.Root, in.Files = home.Root, true
	}
	return out, k.carryOut(ctx, s, in)
}

// MergeText says that a branch was merged.
func MergeText(m Merged) string {
	return fmt.Sprintf("Merged %s into %s (%s). Not pushed.", m.Branch, m.Into, Short(m.Commit))
}

// ResolveText says that conflicts wait to be resolved.
func ResolveText(m Merged) string {
	return fmt.Sprintf("Merging %s into %s: files in conflict: %s.", m.Into, m.Branch, strings.Join(m.Conflicts, ", "))
}

// Resolve puts the conflicts of a merge into the session's own work tree, for its
// agent to resolve. The repository's other work trees stay as they are. The next
// commit in the work tree ends the merge.
func (k *Keeper) Resolve(ctx context.Context, w Worktree, told Told) (Merged, string, error) {
	m, unlock, err := k.merge(ctx, w)
	if err != nil {
		return Merged{}, "", err
	}
	defer unlock()
	out := Merged{Branch: w.Branch, Into: w.From, Conflicts: m.conflict}
	if len(m.conflict) == 0 {
		return out, "", clew.Errorf(clew.SessionInvalidState, "there are no conflicts; clew merge merges it")
	}
	if err := m.shadow.send(ctx, m.tree+"\n^"+m.tip+"\n^"+m.head+"\n"); err != nil {
		return out, "", err
	}
	told.Text = ResolveText(out)
	return out, m.tree, k.carryOut(ctx, m.shadow, Intent{
		Kind: KindResolve, Root: m.repo.Root, Old: m.head, New: m.tree, Files: true, Merging: m.tip, Told: told,
	})
}

// merge finds out what a merge would come to. It changes nothing.
func (k *Keeper) merge(ctx context.Context, w Worktree) (m *merge, unlock func(), err error) {
	m = &merge{w: w}
	if m.repo, err = w.find(ctx); err != nil {
		return nil, nil, err
	}
	release := k.lock(m.repo.common)
	defer func() {
		if err != nil {
			release()
		}
	}()
	if _, err = m.repo.ready(false); err != nil {
		return nil, nil, err
	}
	m.head = m.repo.Head
	if m.repo.Branch != w.Branch || m.head == "" {
		return nil, nil, clew.Errorf(clew.SessionInvalidState, "the work tree is not on its branch %s any more", w.Branch)
	}
	if m.shadow, err = k.shadow(ctx, m.repo); err != nil {
		return nil, nil, err
	}
	if err = m.committed(ctx); err != nil {
		return nil, nil, err
	}
	if m.tip, err = m.repo.ask(ctx, "rev-parse", "-q", "--verify", "refs/heads/"+w.From+"^{commit}"); err != nil {
		return nil, nil, clew.WrapError(clew.SessionInvalidState, err, "the branch %s is not there any more", w.From)
	}
	if m.isAncestor(ctx, m.tip, m.head) || m.isAncestor(ctx, m.head, m.tip) {
		return m, release, nil
	}
	err = m.join(ctx)
	return m, release, err
}

// committed refuses a work tree with changes that no commit has.
func (m *merge) committed(ctx context.Context) error {
	now, err := m.shadow.now(ctx)
	if err != nil {
		return err
	}
	list, err := m.shadow.entries(ctx, m.head, now)
	if err == nil && len(list) > 0 {
		err = clew.Errorf(clew.SessionInvalidState, "the session has changes that are not committed (%s); clew commit commits them", list[0].path)
	}
	return err
}

func (m *merge) isAncestor(ctx context.Context, a, b string) bool {
	_, err := m.repo.ask(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// join merges both sides into a tree, in memory of git.
func (m *merge) join(ctx context.Context) error {
	var out bytes.Buffer
	err := m.shadow.run(ctx, "", nil, &out, "merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", m.tip, m.head)
	if err != nil && exitCode(err) != 1 {
		return clew.WrapError(clew.SessionInvalidState, err, "git cannot merge it: %s", said(err))
	}
	fields := strings.Split(strings.TrimRight(out.String(), "\x00"), "\x00")
	m.tree = strings.TrimSpace(fields[0])
	if err != nil {
		m.conflict = slices.Compact(slices.Sorted(slices.Values(fields[1:])))
	}
	return nil
}

// home is the work tree that has the branch that the session came from, nil if
// none does.
func (m *merge) home(ctx context.Context) (*Repository, error) {
	out, err := m.repo.ask(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	for _, one := range strings.Split(out, "\x00\x00") {
		at, on := "", ""
		for field := range strings.SplitSeq(one, "\x00") {
			if v, ok := strings.CutPrefix(field, "worktree "); ok {
				at = v
			}
			if v, ok := strings.CutPrefix(field, "branch refs/heads/"); ok {
				on = v
			}
		}
		if on != m.w.From {
			continue
		}
		r, err := Find(ctx, at)
		if err != nil {
			return nil, err
		}
		if r.common != m.repo.common || filepath.Clean(at) != r.Root {
			return nil, errElsewhere("a work tree is not where it says")
		}
		_, err = r.ready(false)
		return r, err
	}
	return nil, nil
}

// untouched refuses to change files that have changes of a person, in the index or
// in the work tree.
func (s *shadow) untouched(ctx context.Context, head string, list []entry) error {
	if err := s.copyIndex(ctx, "index"); err != nil {
		return err
	}
	staged, err := s.list(ctx, s.repo.Root, "index", "diff-index", "--cached", "-z", "--name-only", "--no-renames", head)
	if err != nil {
		return err
	}
	for _, e := range list {
		now, err := s.hash(ctx, e.path)
		if err != nil {
			return err
		}
		if now != e.old() || slices.Contains(staged, e.path) {
			return clew.Errorf(clew.SessionInvalidState, "%s in %s has changes that are not committed; commit or stash them first. Nothing was merged", e.path, s.repo.Root)
		}
	}
	return nil
}
