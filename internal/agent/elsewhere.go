package agent

import (
	"errors"
	"io/fs"
	"os"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
)

// missing says which files the session has on another node, nil if they are here
// or if there are none. A directory that is here under its own path is on storage
// that nodes share.
func (w *worker) missing(v session.View) *clew.MissingWorkspace {
	if w.cfg.Node == "" || v.FilesNode == w.cfg.Node {
		return nil
	}
	m := &clew.MissingWorkspace{Node: v.FilesNode, Here: w.cfg.Node, Dir: v.Workspace}
	switch {
	case v.Workspace != "":
		if there(v.Workspace) {
			return nil
		}
	case v.FilesNode != "":
	case v.Checkpoint == "" || !v.OwnPast || there(w.cfg.Home(v.Session)): // records of older nodes do not say where they were
		return nil
	}
	return m
}

func there(dir string) bool {
	_, err := os.Stat(dir)
	return !errors.Is(err, fs.ErrNotExist)
}

// askForFiles takes the session to the node that has its files. If that is away, a
// person decides.
func (w *worker) askForFiles(v session.View, missing clew.MissingWorkspace) error {
	if v.Blocked || missing.Node != "" && w.desk.MoveTo(missing.Node) {
		return nil
	}
	_, err := w.desk.Do(decide.AskForFiles{Missing: missing})
	return ignoreTurnOver(err)
}

// binds is this node's name if a call makes it the one that has the files, and the
// records do not say so yet.
func (w *worker) binds(v session.View, spec tool.Spec) string {
	if w.cfg.Node == v.FilesNode || !mayChange(spec) && (spec.Group != tool.GroupRead || w.untouched(v)) {
		return ""
	}
	return w.cfg.Node
}
