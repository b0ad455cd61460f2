package files

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxListed   = 1000
	maxDirNames = 100_000 // names of one directory that are looked at
)

//go:embed list_files.md
var listFilesDoc string

var listFilesSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Directory, relative to the workspace; . for the workspace itself"},
    "recursive": {"type": "boolean", "description": "List everything below too"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "Number of entries"}
  },
  "required": ["path"],
  "additionalProperties": false
}`)

type listFiles struct{}

func (listFiles) Spec() tool.Spec {
	return tool.Spec{
		Name: "list_files", Description: strings.TrimSpace(listFilesDoc), Schema: listFilesSchema,
		Class: clew.ClassReadOnly, Group: tool.GroupRead, Parallel: true,
	}
}

type listInput struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
	Limit     int    `json:"limit"`
}

func (listFiles) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	in := listInput{Limit: maxListed}
	if err := decode(call, &in); err != nil {
		return nil, err
	}
	if in.Limit < 1 {
		return nil, invalid("limit starts at 1")
	}
	in.Limit = min(in.Limit, maxListed)
	p, err := locate(call.Workspace, in.Path)
	switch {
	case err != nil:
		return settle(nil, err)
	case !p.exists():
		return nil, invalid("%s does not exist", show(p.asked))
	case !p.info.IsDir():
		return nil, invalid("%s is not a directory", show(p.asked))
	}
	summary := "List " + p.label()
	if in.Recursive {
		summary += " and all below"
	}
	return &tool.Action{
		Effect: clew.Effect{Summary: summary, Paths: []string{p.real}},
		Ask:    clew.AskTool,
		Run: func(ctx context.Context, _ tool.Output) (tool.Result, error) {
			text, err := list(ctx, call.Workspace, p.real, in)
			if err != nil {
				return tool.Result{}, explain(p.asked, err)
			}
			return tool.Result{Text: text}, nil
		},
	}, nil
}

func list(ctx context.Context, ws *tool.Workspace, start string, in listInput) (string, error) {
	var found []string
	more := false
	err := walk(ctx, ws, start, func(dir *os.Root, name string, e fs.DirEntry) (bool, error) {
		if len(found) == in.Limit {
			more = true
			return false, fs.SkipAll
		}
		found = append(found, entry(dir, name, e))
		return in.Recursive && path.Base(name) != ".git", nil
	})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "(nothing there)\n", nil
	}
	slices.Sort(found)
	text := strings.Join(found, "\n") + "\n"
	if more {
		text += fmt.Sprintf("(only the first %d entries; list a directory further down)\n", in.Limit)
	}
	return text, nil
}

func entry(dir *os.Root, name string, e fs.DirEntry) string {
	switch {
	case e.IsDir():
		return show(name + "/")
	case e.Type() == fs.ModeSymlink:
		to, err := dir.Readlink(path.Base(name))
		if err != nil {
			to = "?"
		}
		return show(name) + " -> " + show(to)
	case !e.Type().IsRegular():
		return show(name) + " (" + kind(e.Type()) + ")"
	}
	return show(name)
}

// walk goes through a directory and what lies below, level by level: where a
// limit cuts, the upper levels are whole. What the agent does not get to see is
// left out. visit says whether to go down, and ends the walk with SkipAll.
func walk(ctx context.Context, ws *tool.Workspace, start string, visit func(dir *os.Root, name string, e fs.DirEntry) (bool, error)) error {
	todo := []string{start}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		down, err := walkDir(ws, todo[0], visit)
		if err == fs.SkipAll { //nolint:errorlint // a signal, never wrapped
			return nil
		}
		if err != nil && todo[0] == start {
			return err
		}
		// A directory below that went away meanwhile, or is closed to us, is left out.
		todo = append(todo[1:], down...)
		start = ""
	}
	return nil
}

func walkDir(ws *tool.Workspace, at string, visit func(dir *os.Root, name string, e fs.DirEntry) (bool, error)) ([]string, error) {
	dir, err := enter(ws.Root, at, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	entries, err := entriesOf(dir)
	if err != nil {
		return nil, err
	}
	var down []string
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if ws.Ignored(name, e.IsDir()) {
			continue
		}
		deeper, err := visit(dir, name, e)
		if err != nil {
			return nil, err
		}
		if deeper && e.IsDir() {
			down = append(down, name)
		}
	}
	return down, nil
}

func entriesOf(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(maxDirNames)
	if err != nil && len(entries) == 0 && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
