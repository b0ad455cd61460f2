package server

import (
	"os"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/settings"
)

// projectWords implements api.ProjectWords.
type projectWords struct {
	*agentDeps
	madeFrom func(clew.SessionID) string
}

// Commands implements api.ProjectWords.
func (w projectWords) Commands(id clew.SessionID, owner clew.UserID, workspace string) []project.Command {
	folders := w.workspaceWords(id, workspace)
	if trusted(owner) {
		folders = append(folders, w.cfg.personalCommands(w.log))
	}
	list, _ := project.Commands(folders...)
	return list
}

// Skills implements api.ProjectWords.
func (w projectWords) Skills(id clew.SessionID, owner clew.UserID, workspace string) []project.Skill {
	folders := w.workspaceWords(id, workspace)
	if trusted(owner) {
		folders = append(folders, w.cfg.personalSkills(w.log))
	}
	list, _ := project.Skills(folders...)
	return list
}

// workspaceWords are the folders of a workspace, none unless it is trusted as it is.
func (w projectWords) workspaceWords(id clew.SessionID, dir string) []project.Folder {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	place, err := settings.ReadWorkspace(root.FS())
	v, _ := w.settings.For(nil)
	if err != nil || !settings.Trusted(v, place.Hash, dir, w.madeFrom(id)) {
		return nil
	}
	return []project.Folder{{Files: place.Files}}
}
