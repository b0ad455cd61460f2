package server

import (
	"context"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/llm/discover"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// Around is what a session in a directory of this machine has, for somebody who is
// about to begin one.
type Around struct {
	Branch    string // of git, "" without a repository
	Read      []ReadFile
	Sandbox   bool   // commands can be kept in
	NoSandbox string // why not
}

// A ReadFile is a file of instructions that agents read.
type ReadFile struct {
	Path  string
	Lines int
}

// LookAround finds it. Nothing of the directory is run.
func LookAround(dir string) Around {
	a := Around{Branch: strings.TrimPrefix(project.Branch(dir), "branch ")}
	if ws, err := workspace.Open(dir, nil); err == nil {
		for _, i := range project.Instructions(ws, "") {
			a.Read = append(a.Read, ReadFile{i.Path, len(slices.Collect(strings.Lines(i.Text)))})
		}
		_ = workspace.Close(ws)
	}
	kind, reason := shell.Probe()
	if a.Sandbox = kind == shell.SandboxBwrap; !a.Sandbox {
		a.NoSandbox = reason
	}
	return a
}

// LocalModels reports whether a model server on this machine has a model.
func LocalModels(ctx context.Context, environ []string) bool {
	return slices.ContainsFunc(discover.Find(ctx, discover.Usual(environ)), func(s discover.LocalServer) bool { return len(s.Models) > 0 })
}
