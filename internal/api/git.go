package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
	"github.com/clew-run/clew/internal/session"
)

// Git works on the repositories of sessions.
type Git interface {
	Diff(ctx context.Context, id clew.SessionID, by clew.Principal, against string) (Diff, error)
	PreviewCommit(ctx context.Context, id clew.SessionID, by clew.Principal, draft bool) (CommitPreview, error)
	Commit(ctx context.Context, id clew.SessionID, by clew.Principal, p git.Preview, message string) (Committed, error)
	Merge(ctx context.Context, id clew.SessionID, by clew.Principal, resolve bool) (git.Merged, error)
	// Create makes a session with a work tree of its own. Without must, one in a
	// directory that is in no repository works there.
	Create(ctx context.Context, by clew.Principal, n session.NewSession, must bool) (clew.SessionID, error)
	// Wanted says whether new sessions get a work tree if nobody says.
	Wanted() bool
	Worktrees(ctx context.Context, state bool) ([]WorktreeLine, error)
	RemoveWorktree(ctx context.Context, id clew.SessionID, force bool) (kept string, err error)
}

// What a difference is against.
const (
	AgainstStart = "start" // the files when the session began, by its checkpoints
	AgainstHead  = "head"  // the last commit
	AgainstBase  = "base"  // the commit that the session's work tree began with
)

// A Diff tells what changed.
type Diff struct {
	Against string       `json:"against" doc:"start: the files when the session began; head: the last commit; base: the commit that the work tree began with"`
	Files   []git.Change `json:"files" nullable:"false"`
	Count   int          `json:"files_count" doc:"All that differ; there may be more than are listed"`
	Added   int          `json:"added" doc:"Lines of all files listed"`
	Deleted int          `json:"deleted"`
}

// A CommitPreview is what a commit would hold, with a message for it.
type CommitPreview struct {
	git.Preview
	Message   string `json:"message,omitempty"`
	MessageBy string `json:"message_by,omitempty" enum:"model,clew" doc:"Who wrote the message: the session's model, or clew where no model answered"`
	Why       string `json:"message_why,omitempty" doc:"Why the model did not write it"`
}

// Committed is a commit that was made.
type Committed struct {
	Commit string `json:"commit"`
	Branch string `json:"branch"`
}

// A WorktreeLine is a work tree in a list.
type WorktreeLine struct {
	git.Worktree
	git.State
}

type diffInput struct {
	ID      clew.SessionID `path:"id" doc:"The session"`
	Against string         `query:"against" enum:"start,head,base" doc:"What to compare with; without it the base of a work tree, else the start of the session, else the last commit"`
}

type diffOutput struct{ Body Diff }

type previewInput struct {
	ID   clew.SessionID `path:"id" doc:"The session"`
	Body struct {
		Draft bool `json:"draft,omitempty" doc:"Have the session's model write a message. It costs what it costs, on the session's record"`
	}
}

type previewOutput struct{ Body CommitPreview }

type commitInput struct {
	ID   clew.SessionID `path:"id" doc:"The session"`
	Body struct {
		Branch  string `json:"branch" maxLength:"500" doc:"As the preview has it"`
		Head    string `json:"head" maxLength:"64"`
		Tree    string `json:"tree" maxLength:"64"`
		Merge   string `json:"merge,omitempty" maxLength:"64"`
		Message string `json:"message" minLength:"1" maxLength:"20000"`
	}
}

type commitOutput struct{ Body Committed }

type mergeInput struct {
	ID   clew.SessionID `path:"id" doc:"The session"`
	Body struct {
		Resolve bool `json:"resolve,omitempty" doc:"Put the conflicts into the session's work tree, for its agent to resolve, and merge nothing"`
	}
}

type mergeOutput struct{ Body git.Merged }

type worktreesInput struct {
	State bool `query:"state" doc:"Look into each: what is not merged, and not committed"`
}

type worktreesOutput struct {
	Body struct {
		Worktrees []WorktreeLine `json:"worktrees" nullable:"false"`
	}
}

type removeWorktreeInput struct {
	ID    clew.SessionID `path:"id" doc:"The session"`
	Force bool           `query:"force" doc:"Also if files have changes that are not committed: they are lost"`
}

type removeWorktreeOutput struct {
	Body struct {
		Kept string `json:"kept_branch,omitempty" doc:"The branch, if it has commits that are merged nowhere"`
	}
}

func (a *API) gitRoutes(h huma.API) {
	if a.o.Git == nil {
		return
	}
	huma.Register(h, operation("get-diff", http.MethodGet, "/sessions/{id}/diff", http.StatusOK,
		"Read what a session changed in its files."), a.diff)
	huma.Register(h, operation("preview-commit", http.MethodPost, "/sessions/{id}/commit-preview", http.StatusOK,
		"Read what a commit of a session's changes would hold, with a message for it. Nothing is committed."), a.previewCommit)
	huma.Register(h, operation("commit", http.MethodPost, "/sessions/{id}/commit", http.StatusOK,
		"Commit exactly what a preview showed. No hook of the repository runs, and nothing is pushed."), a.commit)
	huma.Register(h, operation("merge", http.MethodPost, "/sessions/{id}/merge", http.StatusOK,
		"Merge the branch of a session's work tree into the one that it came from. If there are conflicts, they are listed and nothing is changed."), a.merge)
	huma.Register(h, operation("list-worktrees", http.MethodGet, "/worktrees", http.StatusOK,
		"List the work trees of sessions. For administrators."), a.worktrees)
	huma.Register(h, operation("remove-worktree", http.MethodDelete, "/sessions/{id}/worktree", http.StatusOK,
		"Remove a session's work tree, and its branch unless that has commits which are merged nowhere."), a.removeWorktree)
}

// gitWithin is how long work on a repository may take. A large one takes longer
// than other requests may.
const gitWithin = 10 * time.Minute

// gitContext lets work on a repository go on to its end, whoever still waits.
func gitContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), gitWithin)
}

// mayGit lets those pass who may say something in the session.
func (a *API) mayGit(ctx context.Context, id clew.SessionID) error {
	ok, err := a.speaks(ctx, id)
	if err == nil && !ok {
		err = clew.Errorf(clew.Forbidden, "only the session's owner may do this")
	}
	return err
}

// beginGit begins work on a session's repository: the caller may, it is one of few
// heavy requests at a time, and it has the time that git takes.
func (a *API) beginGit(ctx context.Context, id clew.SessionID) (context.Context, func(), error) {
	if err := a.mayGit(ctx, id); err != nil {
		return nil, nil, err
	}
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := gitContext(ctx)
	return ctx, func() { cancel(); end() }, nil
}

func (a *API) diff(ctx context.Context, in *diffInput) (*diffOutput, error) {
	ctx, end, err := a.beginGit(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer end()
	d, err := a.o.Git.Diff(ctx, in.ID, callerOf(ctx), in.Against)
	return &diffOutput{Body: d}, err
}

func (a *API) previewCommit(ctx context.Context, in *previewInput) (*previewOutput, error) {
	ctx, end, err := a.beginGit(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer end()
	p, err := a.o.Git.PreviewCommit(ctx, in.ID, callerOf(ctx), in.Body.Draft)
	return &previewOutput{Body: p}, err
}

func (a *API) commit(ctx context.Context, in *commitInput) (*commitOutput, error) {
	if err := a.mayGit(ctx, in.ID); err != nil {
		return nil, err
	}
	ctx, cancel := gitContext(ctx)
	defer cancel()
	b := in.Body
	c, err := a.o.Git.Commit(ctx, in.ID, callerOf(ctx), git.Preview{Branch: b.Branch, Head: b.Head, Tree: b.Tree, Merge: b.Merge}, b.Message)
	return &commitOutput{Body: c}, err
}

func (a *API) merge(ctx context.Context, in *mergeInput) (*mergeOutput, error) {
	if err := a.mayGit(ctx, in.ID); err != nil {
		return nil, err
	}
	ctx, cancel := gitContext(ctx)
	defer cancel()
	m, err := a.o.Git.Merge(ctx, in.ID, callerOf(ctx), in.Body.Resolve)
	return &mergeOutput{Body: m}, err
}

func (a *API) worktrees(ctx context.Context, in *worktreesInput) (*worktreesOutput, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators see all work trees")
	}
	ctx, cancel := gitContext(ctx)
	defer cancel()
	out := &worktreesOutput{}
	list, err := a.o.Git.Worktrees(ctx, in.State)
	out.Body.Worktrees = append([]WorktreeLine{}, list...)
	return out, err
}

// removeWorktree is for who made the session. The session of a work tree that a
// crash left may be gone, so administrators may remove any.
func (a *API) removeWorktree(ctx context.Context, in *removeWorktreeInput) (*removeWorktreeOutput, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		if err := a.mayGit(ctx, in.ID); err != nil {
			return nil, err
		}
	}
	ctx, cancel := gitContext(ctx)
	defer cancel()
	out := &removeWorktreeOutput{}
	var err error
	out.Body.Kept, err = a.o.Git.RemoveWorktree(ctx, in.ID, in.Force)
	return out, err
}

// createSession makes a session, in a work tree if that is wanted.
func (a *API) createSession(ctx context.Context, p clew.Principal, n session.NewSession, worktree *bool) (clew.SessionID, error) {
	if a.o.Git == nil && worktree != nil && *worktree {
		return "", clew.Errorf(clew.Unavailable, "this server makes no work trees")
	}
	if a.o.Git == nil || worktree != nil && !*worktree || worktree == nil && (n.Workspace == "" || !a.o.Git.Wanted()) {
		return a.o.Sessions.Create(ctx, p, n)
	}
	ctx, cancel := gitContext(ctx)
	defer cancel()
	return a.o.Git.Create(ctx, p, n, worktree != nil)
}
