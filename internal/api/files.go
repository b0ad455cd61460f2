package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/files"
)

// Files finds files of a session's workspace.
type Files interface {
	// Find gives those whose names are most like a query; more says that the
	// workspace has more than was looked at. Without an id it is for a session that
	// is yet to begin: without a workspace either there is nothing to find.
	Find(ctx context.Context, id clew.SessionID, workspace, query string, limit int) (found []files.Found, more bool, err error)
}

type findFilesInput struct {
	ID    clew.SessionID `path:"id" doc:"The session"`
	Query string         `query:"query" maxLength:"500" doc:"Letters of the path, in order; empty for the upper levels of the workspace"`
	Limit int            `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

// A foundFile is a file that a message can mention.
type foundFile struct {
	Path      string `json:"path" doc:"Relative to the workspace"`
	Directory bool   `json:"directory,omitempty"`
	Mention   string `json:"mention" doc:"The path as it stands in a message: @main.go, or @\"my notes.md\""`
}

type findFilesOutput struct {
	Body struct {
		Files []foundFile `json:"files" nullable:"false" doc:"The best first"`
		More  bool        `json:"more,omitempty" doc:"The workspace is larger than what was looked at"`
	}
}

func (a *API) fileRoutes(h huma.API) {
	huma.Register(h, operation("find-files", http.MethodGet, "/sessions/{id}/files", http.StatusOK,
		"Find files and directories of a session's workspace to mention in a message. What git ignores, what is kept from agents and what holds secrets is not listed."), a.findFiles)
}

// findFiles is for those who may say something: nobody else can mention a file.
func (a *API) findFiles(ctx context.Context, in *findFilesInput) (*findFilesOutput, error) {
	v, role, err := a.view(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	if role != clew.RoleOwner {
		return nil, clew.Errorf(clew.Forbidden, "only who may say something in the session can list its files")
	}
	st, err := v.State(ctx)
	if err != nil {
		return nil, err
	}
	return a.filesIn(ctx, in.ID, st.Workspace, in.Query, in.Limit)
}

// filesIn finds files of a workspace for somebody who may mention them.
func (a *API) filesIn(ctx context.Context, id clew.SessionID, workspace, query string, limit int) (*findFilesOutput, error) {
	if a.o.Files == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server lists no files")
	}
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	list, more, err := a.o.Files.Find(ctx, id, workspace, query, limit)
	if err != nil {
		return nil, err
	}
	out := &findFilesOutput{}
	out.Body.Files, out.Body.More = make([]foundFile, 0, len(list)), more
	for _, f := range list {
		out.Body.Files = append(out.Body.Files, foundFile{Path: f.Path, Directory: f.Directory, Mention: clew.Mention(f.Path, f.Directory)})
	}
	return out, nil
}
