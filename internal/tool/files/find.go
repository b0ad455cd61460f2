package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"
	"github.com/sahilm/fuzzy"

	"github.com/clew-run/clew/internal/tool"
)

// What a search for names looks at. The walk goes level by level, so in a larger
// workspace the names further up are found.
var maxFindNames = 50_000

const findWithin = 2 * time.Second

// A Found is a file or directory that a person may mean.
type Found struct {
	Path      string // relative to the workspace
	Directory bool
}

// Find gives the files and directories whose names are most like a query, the best
// first. Links, what git ignores, what is hidden from agents and what holds secrets
// are not among them. more says that the workspace has more than was looked at.
func Find(ctx context.Context, ws *tool.Workspace, query string, limit int) (found []Found, more bool, err error) {
	all, more, err := names(ctx, ws)
	if err != nil {
		return nil, false, err
	}
	if query = strings.TrimPrefix(query, "./"); query == "" {
		return all[:min(limit, len(all))], more, nil
	}
	return best(query, all, limit), more, nil
}

// names lists what a person may mean.
func names(ctx context.Context, ws *tool.Workspace) (all []Found, more bool, err error) {
	within, cancel := context.WithTimeout(ctx, findWithin)
	defer cancel()
	git := gitignore.New("")
	seen := map[string]bool{}
	looked := 0
	err = walk(within, ws, ".", func(dir *os.Root, name string, e fs.DirEntry) (bool, error) {
		if looked++; looked > maxFindNames || within.Err() != nil {
			more = true
			return false, fs.SkipAll
		}
		if at := path.Dir(name); !seen[at] {
			seen[at] = true
			addGitignore(git, dir, at)
		}
		if isGit(path.Base(name)) || git.MatchPath(name, e.IsDir()) || holdsSecrets(name) || show(name) != name {
			return false, nil
		}
		if e.IsDir() || e.Type().IsRegular() {
			all = append(all, Found{Path: name, Directory: e.IsDir()})
		}
		return true, nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return all, true, nil
	}
	return all, more, err
}

type paths []Found

func (p paths) String(i int) string { return p[i].Path }
func (p paths) Len() int            { return len(p) }

// best ranks what matches: the query as it stands in the name first, then in the
// path, then its letters one after another.
func best(query string, all []Found, limit int) []Found {
	query = strings.ToLower(strings.TrimSuffix(query, "/"))
	matches := fuzzy.FindFromNoSort(query, paths(all))
	ranks := make(map[int]int, len(matches)) // by the place in all
	for _, m := range matches {
		ranks[m.Index] = rank(query, strings.ToLower(m.Str))
	}
	slices.SortStableFunc(matches, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(ranks[a.Index], ranks[b.Index]), cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Str), len(b.Str)))
	})
	found := make([]Found, 0, limit)
	for _, m := range matches[:min(limit, len(matches))] {
		found = append(found, all[m.Index])
	}
	return found
}

func rank(query, name string) int {
	switch base := path.Base(name); {
	case name == query:
		return 0
	case strings.HasPrefix(base, query):
		return 1
	case strings.Contains(base, query):
		return 2
	case strings.Contains(name, query):
		return 3
	}
	return 4
}
