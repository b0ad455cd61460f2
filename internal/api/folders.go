package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
)

// Folders lists directories of the server's machine that sessions can work in.
type Folders interface {
	// List gives those in a directory; of "" those to start with.
	List(by clew.Principal, dir string) (FolderList, error)
}

// A FolderList is what is in a directory.
type FolderList struct {
	Path    string   `json:"path" doc:"The directory, without links; empty for the list of those that you may use"`
	Parent  string   `json:"parent,omitempty" doc:"The directory above, if you may see it"`
	Usable  bool     `json:"usable" doc:"A session can work in it"`
	WhyNot  string   `json:"why_not,omitempty" doc:"For people"`
	Folders []Folder `json:"folders" nullable:"false" doc:"By name; those whose names begin with a dot are left out"`
	More    bool     `json:"more,omitempty" doc:"There are more than are listed"`
}

// A Folder is a directory.
type Folder struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Git  bool   `json:"git,omitempty" doc:"It is the top of a git repository"`
}

type foldersInput struct {
	Path string `query:"path" maxLength:"4096" doc:"An absolute path; empty for where to start: the home directory of whoever runs the server, and for others than administrators the directories that the server allows"`
}

type foldersOutput struct {
	Body FolderList
}

func (a *API) folderRoutes(h huma.API) {
	huma.Register(h, operation("list-folders", http.MethodGet, "/folders", http.StatusOK,
		"List the directories in a directory, to choose one for a session. For those who may make sessions; others than administrators see only what the server's setting workspaces allows."), a.listFolders)
}

func (a *API) listFolders(ctx context.Context, in *foldersInput) (*foldersOutput, error) {
	p := callerOf(ctx)
	if p.Role != clew.RoleOwner && p.Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "these credentials may not make sessions")
	}
	if a.o.Folders == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server lists no folders")
	}
	list, err := a.o.Folders.List(p, in.Path)
	if err != nil {
		return nil, err
	}
	return &foldersOutput{Body: list}, nil
}
