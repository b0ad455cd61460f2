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
	// Place says where a session of theirs in a directory would work, without links. It
	// refuses what making that session would be refused. "" stays "".
	Place(by clew.Principal, dir string) (string, error)
	// Defaults are those of such a session.
	Defaults(by clew.UserID, place string) SessionDefaults
}

// SessionDefaults are what counts in a session for which nobody chose anything yet, by
// the names that they have in the event state.
type SessionDefaults struct {
	Mode               string           `json:"mode" doc:"The mode of its first task"`
	CustomModes        []map[string]any `json:"custom_modes" nullable:"false" doc:"The modes of the settings, beside the built-in ones"`
	Permissions        string           `json:"permissions,omitempty" doc:"The preset that counts there; absent if the flags say it"`
	AutoApproval       bool             `json:"auto_approval_enabled"`
	AlwaysAllowWrite   bool             `json:"always_allow_write"`
	AlwaysAllowExecute bool             `json:"always_allow_execute"`
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

type placeInput struct {
	Path string `query:"path" maxLength:"4096" doc:"The directory that the session would work in, an absolute path; empty for a new one of its own"`
}

type placeFilesInput struct {
	Path  string `query:"path" maxLength:"4096" doc:"The directory that the session would work in, an absolute path; empty for a new one of its own"`
	Query string `query:"query" maxLength:"500" doc:"Letters of the path, in order; empty for the upper levels of the directory"`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
}

type defaultsOutput struct {
	Body SessionDefaults
}

func (a *API) folderRoutes(h huma.API) {
	huma.Register(h, operation("list-folders", http.MethodGet, "/folders", http.StatusOK,
		"List the directories in a directory, to choose one for a session. For those who may make sessions; others than administrators see only what the server's setting workspaces allows."), a.listFolders)
	// What a session would have is there before it is: for those who may make it there.
	huma.Register(h, operation("find-files-before", http.MethodGet, "/folders/files", http.StatusOK,
		"Find files of a directory to mention in the first message of a session there, as find-files does. For those who may make that session."), a.placeFiles)
	huma.Register(h, operation("list-slash-commands-before", http.MethodGet, "/folders/slash-commands", http.StatusOK,
		"List the commands and skills that a session in a directory would have. For those who may make that session."), a.placeSlash)
	huma.Register(h, operation("get-session-defaults", http.MethodGet, "/folders/defaults", http.StatusOK,
		"Say which mode and permissions a session in a directory would begin with. For those who may make that session."), a.placeDefaults)
}

// newPlace says where a session that the caller wants to make would work.
func (a *API) newPlace(ctx context.Context, dir string) (string, error) {
	p := callerOf(ctx)
	if err := mayMakeSessions(p); err != nil {
		return "", err
	}
	if a.o.Folders == nil {
		return "", errNoFolders()
	}
	return a.o.Folders.Place(p, dir)
}

func errNoFolders() error { return clew.Errorf(clew.Unavailable, "this server lists no folders") }

func (a *API) placeFiles(ctx context.Context, in *placeFilesInput) (*findFilesOutput, error) {
	dir, err := a.newPlace(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	return a.filesIn(ctx, "", dir, in.Query, in.Limit)
}

func (a *API) placeSlash(ctx context.Context, in *placeInput) (*slashOutput, error) {
	dir, err := a.newPlace(ctx, in.Path)
	if err == nil && a.o.Words == nil {
		err = errNoWords()
	}
	if err != nil {
		return nil, err
	}
	return a.slashIn("", callerOf(ctx).User, dir), nil
}

func (a *API) placeDefaults(ctx context.Context, in *placeInput) (*defaultsOutput, error) {
	dir, err := a.newPlace(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	return &defaultsOutput{Body: a.o.Folders.Defaults(callerOf(ctx).User, dir)}, nil
}

func (a *API) listFolders(ctx context.Context, in *foldersInput) (*foldersOutput, error) {
	p := callerOf(ctx)
	if err := mayMakeSessions(p); err != nil {
		return nil, err
	}
	if a.o.Folders == nil {
		return nil, errNoFolders()
	}
	list, err := a.o.Folders.List(p, in.Path)
	if err != nil {
		return nil, err
	}
	return &foldersOutput{Body: list}, nil
}
