package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/clew-run/clew"
)

// A Change is a file that differs.
type Change struct {
	Path      string `json:"path"` // below the workspace
	OldPath   string `json:"old_path,omitempty"`
	Status    string `json:"status"` // added, deleted, modified, renamed or mode
	Added     int    `json:"added"`  // lines
	Deleted   int    `json:"deleted"`
	Binary    bool   `json:"binary,omitempty"`
	Truncated bool   `json:"truncated,omitempty"` // too large to show
	Unified   string `json:"unified,omitempty"`
}

// A Diff tells what a session changed.
type Diff struct {
	Against string   `json:"against"` // start, head or base
	Files   []Change `json:"files"`
	Count   int      `json:"files_count"` // there may be more than are listed
	Added   int      `json:"added"`
	Deleted int      `json:"deleted"`
}

// Diff reads what a session changed: against its start, the last commit (head) or
// the commit that its work tree began with (base). "" leaves that to the server.
func (a *API) Diff(ctx context.Context, id clew.SessionID, against string) (Diff, error) {
	v := url.Values{}
	setIf(v, "against", against)
	var d Diff
	err := a.call(ctx, http.MethodGet, sessionPath(id)+"/diff", v, nil, &d)
	return d, err
}

// A CommitPreview is what a commit would hold. Commit commits exactly that.
type CommitPreview struct {
	Branch     string   `json:"branch"`
	Head       string   `json:"head"`
	Tree       string   `json:"tree"`
	Merge      string   `json:"merge,omitempty"`
	Files      []Change `json:"files"`
	Others     int      `json:"others,omitempty"` // changed files that are not the session's
	Hooks      []string `json:"hooks"`            // of the repository, that do not run
	Message    string   `json:"message,omitempty"`
	MessageBy  string   `json:"message_by,omitempty"`  // model or clew
	MessageWhy string   `json:"message_why,omitempty"` // why the model did not write it
}

// PreviewCommit reads what a commit of a session's changes would hold. With draft the
// session's model writes a message for it.
func (a *API) PreviewCommit(ctx context.Context, id clew.SessionID, draft bool) (CommitPreview, error) {
	var p CommitPreview
	err := a.call(ctx, http.MethodPost, sessionPath(id)+"/commit-preview", nil, map[string]any{"draft": draft}, &p)
	return p, err
}

// Committed is a commit that was made.
type Committed struct {
	Commit string `json:"commit"`
	Branch string `json:"branch"`
}

// Commit commits what a preview showed. No hook runs, and nothing is pushed.
func (a *API) Commit(ctx context.Context, id clew.SessionID, p CommitPreview, message string) (Committed, error) {
	var c Committed
	body := map[string]any{"branch": p.Branch, "head": p.Head, "tree": p.Tree, "message": message}
	if p.Merge != "" {
		body["merge"] = p.Merge
	}
	err := a.call(ctx, http.MethodPost, sessionPath(id)+"/commit", nil, body, &c)
	return c, err
}

// Merged tells how a merge went.
type Merged struct {
	Branch    string   `json:"branch"`
	Into      string   `json:"into"`
	Commit    string   `json:"commit,omitempty"`
	Files     int      `json:"files"`
	Conflicts []string `json:"conflicts"` // then nothing was changed
}

// Merge merges the branch of a session's work tree into the one that it came from.
func (a *API) Merge(ctx context.Context, id clew.SessionID) (Merged, error) {
	return a.merge(ctx, id, false)
}

// ResolveConflicts puts the conflicts of a merge into the session's work tree, for
// its agent to resolve.
func (a *API) ResolveConflicts(ctx context.Context, id clew.SessionID) (Merged, error) {
	return a.merge(ctx, id, true)
}

func (a *API) merge(ctx context.Context, id clew.SessionID, resolve bool) (Merged, error) {
	var m Merged
	err := a.call(ctx, http.MethodPost, sessionPath(id)+"/merge", nil, map[string]any{"resolve": resolve}, &m)
	return m, err
}

// A Worktree is a session's own work tree of a repository.
type Worktree struct {
	Session    clew.SessionID `json:"session_id"`
	Repository string         `json:"repository"`
	Dir        string         `json:"directory"`
	Branch     string         `json:"branch"`
	From       string         `json:"from"`
	Base       string         `json:"base"`
	Below      string         `json:"below,omitempty"`
	// The rest is told only with state.
	Commits int  `json:"commits"` // that the branch it came from does not have
	Dirty   int  `json:"dirty"`   // files with changes that are not committed
	Gone    bool `json:"gone,omitempty"`
}

// Worktrees lists the work trees of sessions, for administrators. With state each is
// looked into, which takes a moment.
func (a *API) Worktrees(ctx context.Context, state bool) ([]Worktree, error) {
	v := url.Values{}
	if state {
		v.Set("state", "true")
	}
	var out struct {
		Worktrees []Worktree `json:"worktrees"`
	}
	err := a.call(ctx, http.MethodGet, "/worktrees", v, nil, &out)
	return out.Worktrees, err
}

// RemoveWorktree removes a session's work tree. Its branch stays if it has commits
// that are merged nowhere, and is named. force loses changes that are not committed.
func (a *API) RemoveWorktree(ctx context.Context, id clew.SessionID, force bool) (keptBranch string, err error) {
	v := url.Values{}
	if force {
		v.Set("force", "true")
	}
	var out struct {
		Kept string `json:"kept_branch"`
	}
	err = a.call(ctx, http.MethodDelete, sessionPath(id)+"/worktree", v, nil, &out)
	return out.Kept, err
}
