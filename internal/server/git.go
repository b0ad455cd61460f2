package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/git"
	"github.com/clew-run/clew/internal/search"
	"github.com/clew-run/clew/internal/session"
)

// repositories works on the repositories of sessions, for the API.
type repositories struct {
	*Server
	git *git.Keeper
}

func (c Config) gitDir() string { return filepath.Join(c.Data, "git") }

// openGit opens what works on repositories. Work trees that are there now are
// those of an earlier run of the server; looked after they are by recoverGit.
func (s *Server) openGit() (err error) {
	if s.git, err = git.Open(s.cfg.gitDir()); err != nil {
		return err
	}
	s.oldWorktrees, err = s.git.Worktrees()
	return err
}

// recoverGit finishes what was under way in repositories when the server ended, and
// removes the work trees of sessions that are not there.
func (s *Server) recoverGit(ctx context.Context) {
	err := s.git.Recover(ctx, func(in git.Intent) error {
		err := s.tellGit(ctx, in.Kind, in.New, in.Told)
		if code := clew.CodeOf(err); code == clew.SessionNotFound || code == clew.SessionExpired {
			return nil // nobody is left to be told
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.Error("work in a repository could not be finished; it is tried again at the next start", "err", err)
	}
	err = s.git.Clean(ctx, s.oldWorktrees, func(id clew.SessionID) (bool, error) { return s.hasSession(ctx, id) })
	if err != nil && ctx.Err() == nil {
		s.log.Warn("work trees of sessions that are gone could not be removed", "err", err)
	}
	err = s.git.RecoverTodos(ctx, func(id clew.SessionID) (bool, error) { return s.hasSession(ctx, id) })
	if err != nil && ctx.Err() == nil {
		s.log.Warn("work trees of todos could not be looked after", "err", err)
	}
}

// hasSession reports whether a session is there, or can be brought back.
func (s *Server) hasSession(ctx context.Context, id clew.SessionID) (bool, error) {
	admin := clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}
	if d, err := s.eraser.Deleted(ctx, id, admin); err != nil || d != nil {
		return d == nil || d.DoneMS == 0, err
	}
	_, err := s.host.Overview(ctx, id)
	if clew.CodeOf(err) == clew.SessionNotFound {
		return false, nil
	}
	return true, err
}

// tellGit puts on a session's record what was done in its repository. The same
// change is on record once.
func (s *Server) tellGit(ctx context.Context, kind, commit string, told git.Told) error {
	said := &clew.Message{Say: clew.SayGit, Text: told.Text, Metadata: map[string]any{"action": kind, "commit": commit}}
	by := clew.Principal{User: told.User, Role: clew.RoleOwner}
	return s.host.Note(ctx, told.Session, by, clew.ClientMessageID("git_"+kind+"_"+commit), said, clew.Usage{})
}

// told puts it on record and forgets that it was under way.
func (r repositories) told(ctx context.Context, kind, commit string, told git.Told) error {
	if err := r.tellGit(ctx, kind, commit, told); err != nil {
		return err // it is tried again when the server starts
	}
	return r.git.Done(kind, commit)
}

// A place is where a session's files are.
type place struct {
	dir      string
	worktree *git.Worktree
	state    clew.SessionState
}

// place finds a session's files. Only sessions of whoever runs the server commit:
// it is done in their name, with their rights.
func (r repositories) place(ctx context.Context, id clew.SessionID, commits bool) (place, error) {
	w, err := r.host.Watch(ctx, id)
	if err != nil {
		return place{}, err
	}
	defer w.Close()
	var p place
	if p.state, err = w.State(ctx); err != nil {
		return p, err
	}
	if commits && !trusted(p.state.Owner) {
		return p, clew.Errorf(clew.Forbidden, "only sessions of whoever runs the server can commit: it is done in their name")
	}
	if p.dir = p.state.Workspace; p.dir == "" {
		p.dir = r.cfg.ownWorkspace(id)
	}
	if info, err := os.Stat(p.dir); err != nil || !info.IsDir() {
		return p, clew.Errorf(clew.SessionInvalidState, "the session's files are not on this server")
	}
	if own, ok, err := r.git.Worktree(id); err != nil {
		return p, err
	} else if ok && own.Workspace() == p.dir {
		p.worktree = &own
	}
	return p, nil
}

// Diff implements api.Git.
func (r repositories) Diff(ctx context.Context, id clew.SessionID, by clew.Principal, against string) (api.Diff, error) {
	p, err := r.place(ctx, id, false)
	if err != nil {
		return api.Diff{}, err
	}
	if against == "" {
		if against = api.AgainstStart; p.worktree != nil {
			against = api.AgainstBase
		} else if d, err := r.sinceStart(ctx, id, by); err == nil || !trusted(p.state.Owner) {
			return d, err
		} else if _, found := git.Find(ctx, p.dir); found == nil {
			against = api.AgainstHead // there is no checkpoint to compare with
		}
	}
	if against == api.AgainstStart {
		return r.sinceStart(ctx, id, by)
	}
	if !trusted(p.state.Owner) {
		return api.Diff{}, clew.Errorf(clew.Forbidden, "only sessions of whoever runs the server are compared with commits")
	}
	from := ""
	if against == api.AgainstBase {
		if p.worktree == nil {
			return api.Diff{}, errNoWorktree()
		}
		from = p.worktree.Base
	}
	list, err := r.git.Diff(ctx, p.dir, from)
	return diffOf(against, list, len(list)), err
}

func errNoWorktree() error {
	return clew.Errorf(clew.SessionInvalidState, "the session has no work tree of its own; clew run --worktree makes one")
}

// sinceStart compares the session's files with its first checkpoint.
func (r repositories) sinceStart(ctx context.Context, id clew.SessionID, by clew.Principal) (api.Diff, error) {
	receipt, err := r.host.Do(ctx, id, clew.NewCommand(by, &clew.CheckpointDiffData{}))
	if err != nil {
		return api.Diff{}, err
	}
	answer, ok := receipt.Answer.Data.(*clew.CheckpointDiffAnswer)
	if !ok {
		return api.Diff{}, clew.Errorf(clew.Unavailable, "the session's files are on another node")
	}
	list := []git.Change{}
	for _, f := range answer.Files {
		c := git.Change{Path: f.Paths.Relative, Old: f.Paths.Old, Status: f.Status, Binary: f.Binary, Truncated: f.Truncated, Unified: f.Unified}
		c.Count()
		list = append(list, c)
	}
	return diffOf(api.AgainstStart, list, answer.FilesCount), nil
}

func diffOf(against string, list []git.Change, count int) api.Diff {
	d := api.Diff{Against: against, Files: append([]git.Change{}, list...), Count: count}
	for _, c := range list {
		d.Added += c.Added
		d.Deleted += c.Deleted
	}
	return d
}

// selection is what of a repository belongs to the session: all of a work tree of
// its own, else what it changed since it began, so that what the person had begun
// before stays theirs. Where that cannot be told it is all that changed.
func (r repositories) selection(ctx context.Context, id clew.SessionID, by clew.Principal, p place) git.Selection {
	if p.worktree != nil {
		return git.Selection{Merge: true}
	}
	d, err := r.sinceStart(ctx, id, by)
	if err != nil || d.Count > len(d.Files) {
		return git.Selection{}
	}
	mine := map[string]bool{}
	for _, c := range d.Files {
		mine[c.Path], mine[c.Old] = true, true
	}
	return git.Selection{Only: func(path string) bool { return mine[path] }}
}

// PreviewCommit implements api.Git.
func (r repositories) PreviewCommit(ctx context.Context, id clew.SessionID, by clew.Principal, draft bool) (api.CommitPreview, error) {
	p, err := r.place(ctx, id, true)
	if err != nil {
		return api.CommitPreview{}, err
	}
	var out api.CommitPreview
	if out.Preview, err = r.git.Preview(ctx, p.dir, r.selection(ctx, id, by, p)); err != nil {
		return out, err
	}
	if len(out.Files) == 0 && out.Merge == "" {
		if out.Others > 0 {
			return out, clew.Errorf(clew.SessionInvalidState, "the session changed nothing that is not committed (%d other changed files are not the session's)", out.Others)
		}
		return out, clew.Errorf(clew.SessionInvalidState, "there is nothing to commit")
	}
	if draft {
		r.draft(ctx, id, by, p, &out)
	}
	return out, nil
}

// draft finds a message for a commit.
func (r repositories) draft(ctx context.Context, id clew.SessionID, by clew.Principal, p place, out *api.CommitPreview) {
	out.Message, out.MessageBy = plainMessage(out.Preview, p.worktree), "clew"
	o, err := r.host.Overview(ctx, id)
	if err != nil {
		out.Why = clew.AsError(err).Message
		return
	}
	spent := 0.0
	if p.state.Usage != nil {
		spent = p.state.Usage.CostUSD
	}
	text, usage, err := r.shop.agent.CommitMessage(ctx, o.Settings, spent, asked(p.state.Title, out.Files))
	if usage != (clew.Usage{}) {
		if err := r.host.Note(ctx, id, by, clew.NewClientMessageID(), nil, usage); err != nil {
			r.log.Warn("what the message of a commit cost is not on record", "session", id, "err", err)
		}
	}
	switch {
	case err != nil:
		out.Why = "the model did not answer"
		var known *clew.Error
		if errors.As(err, &known) {
			out.Why = known.Message
		}
	case text == "":
		out.Why = "the model wrote nothing"
	default:
		out.Message, out.MessageBy = text, "model"
	}
}

// plainMessage is a message without a model.
func plainMessage(p git.Preview, w *git.Worktree) string {
	if p.Merge != "" && w != nil {
		return "Merge branch '" + w.From + "' into " + w.Branch
	}
	verb := map[string]string{"added": "Add", "deleted": "Remove", "renamed": "Rename"}[p.Files[0].Status]
	if verb == "" || len(p.Files) > 1 {
		verb = "Change"
	}
	if n := len(p.Files) - 1; n > 0 {
		return fmt.Sprintf("%s %s and %d more", verb, p.Files[0].Path, n)
	}
	return verb + " " + p.Files[0].Path
}

// asked is what the model is shown.
func asked(title string, files []git.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The task: %s\n\nThe files:\n", title)
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s (+%d -%d)\n", f.Status, f.Path, f.Added, f.Deleted)
	}
	b.WriteString("\nThe differences:\n")
	for _, f := range files {
		b.WriteString(f.Unified)
	}
	return b.String()
}

// Commit implements api.Git.
func (r repositories) Commit(ctx context.Context, id clew.SessionID, by clew.Principal, p git.Preview, message string) (api.Committed, error) {
	at, err := r.place(ctx, id, true)
	if err != nil {
		return api.Committed{}, err
	}
	if strings.TrimSpace(message) == "" {
		return api.Committed{}, clew.Errorf(clew.InvalidMessage, "the message is empty")
	}
	told := git.Told{Session: id, User: by.User}
	commit, err := r.git.Commit(ctx, at.dir, p, message, told)
	if err != nil {
		return api.Committed{}, err
	}
	told.Text = git.CommitText(commit, p.Branch, message)
	return api.Committed{Commit: commit, Branch: p.Branch}, r.told(ctx, git.KindCommit, commit, told)
}

// Merge implements api.Git.
func (r repositories) Merge(ctx context.Context, id clew.SessionID, by clew.Principal, resolve bool) (git.Merged, error) {
	at, err := r.place(ctx, id, true)
	if err != nil {
		return git.Merged{}, err
	}
	if at.worktree == nil {
		return git.Merged{}, errNoWorktree()
	}
	told := git.Told{Session: id, User: by.User}
	if resolve {
		m, tree, err := r.git.Resolve(ctx, *at.worktree, told)
		if err != nil {
			return m, err
		}
		told.Text = git.ResolveText(m)
		return m, r.told(ctx, git.KindResolve, tree, told)
	}
	m, err := r.git.Merge(ctx, *at.worktree, told)
	if err != nil || m.Commit == "" {
		return m, err
	}
	told.Text = git.MergeText(m)
	return m, r.told(ctx, git.KindMerge, m.Commit, told)
}

// Wanted implements api.Git.
func (r repositories) Wanted() bool {
	v, _ := r.shop.settings.For(nil)
	return v.Worktree == "session"
}

// Create implements api.Git. The work tree is made first, and its note names the
// session: one whose session never came to be is removed at the next start.
func (r repositories) Create(ctx context.Context, by clew.Principal, n session.NewSession, must bool) (clew.SessionID, error) {
	if !trusted(by.User) || by.Role != clew.RoleAdmin {
		if !must {
			return r.host.Create(ctx, by, n)
		}
		return "", clew.Errorf(clew.Forbidden, "only whoever runs the server may have a session work in a work tree of its own")
	}
	dir, err := r.shop.place(by, n.Workspace)
	if err != nil {
		return "", err
	}
	if dir == "" {
		return "", clew.Errorf(clew.InvalidMessage, "a work tree is made from a repository: name a directory in one as the workspace")
	}
	if n.ID == "" {
		n.ID = clew.NewSessionID()
	}
	if there, err := r.hasSession(ctx, n.ID); err != nil || there {
		return "", errors.Join(err, clew.Errorf(clew.SessionExists, "there is a session %s already", n.ID))
	}
	w, err := r.git.Add(ctx, dir, r.cfg.ownWorkspace(n.ID), n.ID)
	if err != nil {
		if _, none := git.Find(ctx, dir); !must && errors.Is(none, git.ErrNone) {
			return r.host.Create(ctx, by, n)
		}
		return "", err
	}
	n.Workspace = w.Workspace()
	id, err := r.host.Create(ctx, by, n)
	if err != nil {
		_, undo := r.git.Remove(ctx, w)
		return "", errors.Join(err, undo)
	}
	said := &clew.Message{Say: clew.SayGit, Text: fmt.Sprintf("Works in a work tree of %s, on branch %s from %s.", w.Repository, w.Branch, w.From),
		Metadata: map[string]any{"action": "worktree", "branch": w.Branch, "from": w.From, "base": w.Base, "repository": w.Repository}}
	return id, r.host.Note(ctx, id, by, "git_worktree", said, clew.Usage{})
}

// madeFrom is the directory that a session's own work tree was made from, "" if it has none.
func (s *Server) madeFrom(id clew.SessionID) string {
	if id == "" { // of a session that is yet to begin
		return ""
	}
	w, ok, err := s.git.Worktree(id)
	if err != nil || !ok {
		return ""
	}
	return filepath.Join(w.Repository, filepath.FromSlash(w.Below))
}

// Worktrees implements api.Git.
func (r repositories) Worktrees(ctx context.Context, state bool) ([]api.WorktreeLine, error) {
	list, err := r.git.Worktrees()
	lines := []api.WorktreeLine{}
	for _, w := range list {
		line := api.WorktreeLine{Worktree: w}
		if state {
			line.State = r.git.State(ctx, w)
		}
		lines = append(lines, line)
	}
	return lines, err
}

// RemoveWorktree implements api.Git.
func (r repositories) RemoveWorktree(ctx context.Context, id clew.SessionID, force bool) (kept string, err error) {
	w, ok, err := r.git.Worktree(id)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", errNoWorktree()
	}
	if st := r.git.State(ctx, w); st.Dirty > 0 && !force {
		return "", clew.Errorf(clew.SessionInvalidState, "%d files in it have changes that are not committed; --force removes it with them", st.Dirty)
	}
	return r.git.Remove(ctx, w)
}

// erasedFiles erases what the server has in files of a session, its work tree too.
type erasedFiles struct {
	*retention.Keeper
	git    *git.Keeper
	search *search.Index // nil if there is none
}

// Erase implements erase.Files. A work tree in which forks work on is theirs then.
func (f erasedFiles) Erase(ctx context.Context, id clew.SessionID, heirs []clew.SessionID) error {
	w, ok, err := f.git.Worktree(id)
	if err == nil && ok {
		if len(heirs) > 0 {
			err = f.git.Inherit(w, heirs[0])
		} else {
			_, err = f.git.Remove(ctx, w)
		}
	}
	if f.search != nil {
		err = errors.Join(err, f.search.Forget(ctx, id))
	}
	return errors.Join(err, settleTodos(ctx, f.git, id, "", func(git.TodoTree, string) {}), f.Keeper.Erase(ctx, id, heirs))
}
