package files

import (
	"cmp"
	"context"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxMatches     = 200
	maxContext     = 10
	maxPattern     = 4096
	maxSearchLine  = 500       // characters of a line
	maxSearchText  = 128 << 10 // bytes of one answer
	maxSearchFile  = 64 << 20  // bytes of a file that is searched
	maxSearchTime  = 20 * time.Second
	maxResultLine  = 1 << 20 // bytes of one line of results from ripgrep
	maxSearchGlobs = 500
)

//go:embed search_files.md
var searchFilesDoc string

var searchFilesSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "Regular expression"},
    "path": {"type": "string", "description": "Directory or file, relative to the workspace; all of it if left out"},
    "glob": {"type": "string", "description": "Which names to search, such as *.go"},
    "context": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Lines to show before and after a match"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 200, "description": "Number of matching lines"}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`)

type searchFiles struct {
	rg     func() string // where ripgrep is, "" if it is not there
	within time.Duration // how long a search may take, maxSearchTime if 0
}

func (searchFiles) Spec() tool.Spec {
	return tool.Spec{
		Name: "search_files", Description: strings.TrimSpace(searchFilesDoc), Schema: searchFilesSchema,
		Class: clew.ClassReadOnly, Group: tool.GroupRead, Parallel: true,
	}
}

type searchInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
	Context int    `json:"context"`
	Limit   int    `json:"limit"`
}

func (in *searchInput) check() error {
	switch {
	case in.Pattern == "":
		return invalid("pattern is empty")
	case len(in.Pattern) > maxPattern || len(in.Glob) > maxPattern:
		return invalid("pattern and glob have at most %d bytes", maxPattern)
	case strings.ContainsAny(in.Pattern, "\x00\n\r"):
		return invalid("the search goes line by line; pattern must not have line breaks")
	case strings.ContainsAny(in.Glob, "\x00\n\r") || strings.HasPrefix(in.Glob, "!"):
		return invalid("glob must be one pattern of names to search")
	case in.Context < 0 || in.Limit < 1:
		return invalid("context starts at 0 and limit at 1")
	}
	// Both engines know this syntax; what only one of them takes is refused.
	if _, err := regexp.Compile(in.Pattern); err != nil {
		return invalid("%s", strings.TrimPrefix(err.Error(), "error "))
	}
	in.Context, in.Limit = min(in.Context, maxContext), min(in.Limit, maxMatches)
	return nil
}

func (s searchFiles) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	in := searchInput{Path: ".", Limit: maxMatches}
	if err := decode(call, &in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	p, err := locate(call.Workspace, in.Path)
	switch {
	case err != nil:
		return settle(nil, err)
	case !p.exists():
		return nil, invalid("%s does not exist", show(p.asked))
	case !p.info.IsDir() && !p.info.Mode().IsRegular():
		return settle(nil, refuse("%s is %s, not a file", show(p.asked), kind(p.info.Mode())))
	}
	return &tool.Action{
		Effect: clew.Effect{Summary: "Search " + p.label() + " for " + quoted(in.Pattern), Paths: []string{p.real}},
		Ask:    clew.AskTool, Protected: !p.info.IsDir() && p.secret(),
		Run: func(ctx context.Context, _ tool.Output) (tool.Result, error) {
			return s.run(ctx, call.Workspace, p, in)
		},
	}, nil
}

func (s searchFiles) run(ctx context.Context, ws *tool.Workspace, p place, in searchInput) (tool.Result, error) {
	within := cmp.Or(s.within, maxSearchTime)
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found := &findings{limit: in.Limit}
	var err error
	if rg := s.rg(); rg != "" {
		err = ripgrep(limited, rg, ws, p, in, found)
	} else {
		err = grep(limited, ws, p, in, found)
	}
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if limited.Err() != nil {
		found.note, err = fmt.Sprintf("stopped after %s; narrow it with path or glob", within), nil
	}
	if err != nil {
		return tool.Result{}, explain(p.asked, err)
	}
	text := found.text()
	return tool.Result{Text: text, Say: clew.SayCodebaseSearchResult, Shown: text}, nil
}

// findings collects the lines found, grouped by file.
type findings struct {
	limit   int
	out     strings.Builder
	file    string
	last    int // number of the last line written of file
	matches int
	full    bool
	skipped int // lines of results that were too long
	note    string
}

// add takes a line and reports whether there is room for more.
func (f *findings) add(file string, number int, line []byte, match bool) bool {
	if match && f.matches == f.limit || f.out.Len() > maxSearchText {
		f.full = true
		return false
	}
	switch {
	case file != f.file:
		if f.file != "" {
			f.out.WriteByte('\n')
		}
		fmt.Fprintf(&f.out, "%s\n", show(file))
		f.file = file
	case number > f.last+1:
		f.out.WriteString("     --\n")
	}
	f.last = number
	mark := "-"
	if match {
		mark = ":"
		f.matches++
	}
	shown, cut := firstRunes(strings.TrimRight(string(line), "\r\n"), maxSearchLine)
	if cut {
		shown += " … (cut)"
	}
	fmt.Fprintf(&f.out, "%6d%s %s\n", number, mark, strings.ToValidUTF8(shown, "\uFFFD"))
	return true
}

func (f *findings) text() string {
	var notes []string
	if f.full {
		notes = append(notes, fmt.Sprintf("only the first %d matching lines", f.matches))
	}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d lines too long to be shown", f.skipped))
	}
	if f.note != "" {
		notes = append(notes, f.note)
	}
	text := f.out.String()
	if f.matches == 0 {
		text = "No matches.\n"
	}
	if len(notes) > 0 {
		text += "(" + strings.Join(notes, "; ") + ")\n"
	}
	return text
}
