package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/search"
	"github.com/clew-run/clew/internal/session/core"
)

// Search finds words in sessions: *search.Index.
type Search interface {
	Find(ctx context.Context, q search.Query, scope search.Scope) (search.Result, error)
}

const (
	// searchPage is how many sessions of a list are read at a time.
	searchPage = 4096
	// sharedChecks bounds the sessions of others whose rights one search looks up.
	sharedChecks = 200
	// foldersShown bounds a list of folders.
	foldersShown = 1000
)

type searchInput struct {
	Q         string         `query:"q" required:"true" minLength:"1" maxLength:"500" doc:"Words that all have to be there, each found by its beginning; in quotes they have to follow each other as they are"`
	Kind      string         `query:"kind" enum:"message,command,file,title" doc:"Only matches of this kind"`
	Session   clew.SessionID `query:"session" doc:"Only in this session: all matches in order of time"`
	Workspace string         `query:"workspace" maxLength:"4096" doc:"Only sessions that work in exactly this directory"`
	Person    string         `query:"person" maxLength:"128" doc:"Only what this person said"`
	Since     int64          `query:"since" minimum:"0" doc:"Only what is not older, Unix ms"`
	Owner     string         `query:"owner" doc:"In whose list of sessions, * for everybody's; only administrators may look into others' than their own"`
	Sort      string         `query:"sort" enum:"best,newest" default:"best" doc:"The order of sessions"`
	Limit     int            `query:"limit" minimum:"1" maximum:"500" default:"20" doc:"Sessions on a page; with session, matches"`
	Cursor    string         `query:"cursor" maxLength:"20" doc:"next of the previous page"`
}

type searchOutput struct{ Body search.Result }

type searchFoldersInput struct {
	Owner string `query:"owner" doc:"Of whose list of sessions, * for everybody's; only administrators may look into others' than their own"`
}

type searchFoldersOutput struct {
	Body struct {
		Folders []string `json:"folders" nullable:"false" doc:"Directories that sessions work in, in order"`
		More    bool     `json:"more,omitempty" doc:"There are more than are listed"`
	}
}

func (a *API) searchRoutes(h huma.API) {
	huma.Register(h, operation("search", http.MethodGet, "/search", http.StatusOK,
		"Find words in the sessions that the caller may read: messages, commands, names of files, titles."), a.search)
	huma.Register(h, operation("list-search-folders", http.MethodGet, "/search/folders", http.StatusOK,
		"List the directories of the sessions that a search looks in, for its parameter workspace."), a.searchFolders)
}

// searchFolders tells of a directory by sessions that the caller may read, and by no others.
func (a *API) searchFolders(ctx context.Context, in *searchFoldersInput) (*searchFoldersOutput, error) {
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	lines, err := a.listed(ctx, in.Owner, "")
	if err != nil {
		return nil, err
	}
	checks, known := sharedChecks, map[string]bool{"": true}
	out := &searchFoldersOutput{}
	out.Body.Folders = []string{}
	for _, line := range lines {
		if known[line.Workspace] {
			continue
		}
		may, err := a.maySearch(ctx, line, &checks)
		if err != nil {
			return nil, err
		}
		if !may {
			continue
		}
		if len(out.Body.Folders) == foldersShown {
			out.Body.More = true
			break
		}
		known[line.Workspace] = true
		out.Body.Folders = append(out.Body.Folders, line.Workspace)
	}
	out.Body.More = out.Body.More || checks < 0
	slices.Sort(out.Body.Folders)
	return out, nil
}

func (a *API) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	if a.o.Search == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no search index")
	}
	if strings.TrimSpace(in.Q) == "" {
		return nil, clew.Errorf(clew.InvalidMessage, "q is empty")
	}
	end, err := a.heavy.begin(ctx, callerOf(ctx).User)
	if err != nil {
		return nil, err
	}
	defer end()
	lines, err := a.searched(ctx, in)
	if err != nil {
		return nil, err
	}
	checks := sharedChecks
	result, err := a.o.Search.Find(ctx, search.Query{
		Text: in.Q, Kind: search.Kind(in.Kind), Who: clew.UserID(in.Person), SinceMS: in.Since, Session: in.Session,
		Newest: in.Sort == "newest", Limit: in.Limit, Cursor: in.Cursor,
	}, search.Scope{Lines: lines, Allows: func(ctx context.Context, line core.Summary) (bool, error) {
		return a.maySearch(ctx, line, &checks)
	}})
	if err != nil {
		return nil, err
	}
	result.More = result.More || checks < 0
	return &searchOutput{result}, nil
}

// searched gives the sessions to look in, by the same list that the caller sees.
func (a *API) searched(ctx context.Context, in *searchInput) ([]core.Summary, error) {
	if in.Session != "" {
		v, _, err := a.view(ctx, in.Session)
		if err != nil {
			return nil, err
		}
		defer v.Close()
		s, err := v.State(ctx)
		if err != nil {
			return nil, err
		}
		line := core.Summary{ID: in.Session, Title: s.Title, Workspace: s.Workspace, Status: string(s.Status), Owner: s.Owner}
		line.LastSeq, _ = s.LastMessageID.Seq() // none yet is 0
		return []core.Summary{line}, nil
	}
	return a.listed(ctx, in.Owner, in.Workspace)
}

// listed gives a whole list of sessions, without those that are being erased.
func (a *API) listed(ctx context.Context, owner, workspace string) ([]core.Summary, error) {
	q, err := ownersQuery(callerOf(ctx), owner)
	if err != nil {
		return nil, err
	}
	q.All, q.Workspace, q.Limit = true, workspace, searchPage
	var lines []core.Summary
	for {
		list, next, err := a.o.Sessions.List(ctx, q)
		if err != nil {
			return nil, err
		}
		lines = append(lines, slices.DeleteFunc(list, func(s core.Summary) bool { return s.EraseMS > 0 })...)
		if q.Cursor = next; next == "" {
			return lines, nil
		}
	}
}

// maySearch has the last word on a session in which something was found. Lists follow
// what happens in a session by a moment; of what others share, its own state says
// whether they still do.
func (a *API) maySearch(ctx context.Context, line core.Summary, checks *int) (bool, error) {
	p := callerOf(ctx)
	if line.Owner == p.User || p.Role == clew.RoleAdmin {
		return true, nil
	}
	if *checks--; *checks < 0 {
		return false, nil
	}
	_, err := a.access(ctx, line.ID)
	if code := clew.CodeOf(err); code == clew.SessionNotFound || code == clew.SessionExpired {
		return false, nil
	}
	return err == nil, err
}
