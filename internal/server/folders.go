package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

// mostFolders is how many directories a list has.
const mostFolders = 500

// folders implements api.Folders.
type folders struct{ *agentDeps }

// List implements api.Folders. Administrators see every directory, as their sessions may
// work in any. Others see those below the directories that the server allows.
func (f folders) List(by clew.Principal, dir string) (api.FolderList, error) {
	admin := by.Role == clew.RoleAdmin
	if dir == "" {
		if !admin {
			return f.allowed(), nil
		}
		var err error
		if dir, err = os.UserHomeDir(); err != nil {
			dir = string(filepath.Separator)
		}
	}
	if !filepath.IsAbs(dir) {
		return api.FolderList{}, clew.Errorf(clew.InvalidMessage, "path must be an absolute path")
	}
	real, err := filepath.EvalSymlinks(dir)
	if !admin && (err != nil || !f.mayUse(real)) { // it looks the same whether it is there or not
		return api.FolderList{}, clew.Errorf(clew.Forbidden, "you may not see this directory")
	}
	if err != nil {
		return api.FolderList{}, noFolder(dir)
	}
	list := api.FolderList{Path: real, Usable: true}
	if list.Folders, list.More, err = foldersIn(real); err != nil {
		return api.FolderList{}, noFolder(dir)
	}
	if _, err := f.place(by, real); err != nil {
		list.Usable, list.WhyNot = false, clew.AsError(err).Message
	}
	if above := filepath.Dir(real); above != real && (admin || f.mayUse(above)) {
		list.Parent = above
	}
	return list, nil
}

// Place implements api.Folders.
func (f folders) Place(by clew.Principal, dir string) (string, error) { return f.place(by, dir) }

// Defaults implements api.Folders.
func (f folders) Defaults(by clew.UserID, place string) api.SessionDefaults {
	d := f.desk.Defaults(by, place)
	return api.SessionDefaults{
		Mode: d.Mode, CustomModes: append([]map[string]any{}, d.CustomModes...), Permissions: d.Permissions,
		AutoApproval: d.AutoApprovalEnabled, AlwaysAllowWrite: d.AlwaysAllowWrite, AlwaysAllowExecute: d.AlwaysAllowExecute,
	}
}

func noFolder(dir string) error {
	return clew.Errorf(clew.InvalidMessage, "%s is not a directory of this machine that can be read", dir)
}

// allowed lists the directories that the server's configuration names.
func (f folders) allowed() api.FolderList {
	list := api.FolderList{Folders: []api.Folder{}, WhyNot: "choose one of these directories"}
	for _, root := range f.cfg.Workspaces {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			list.Folders = append(list.Folders, folderAt(real))
		}
	}
	return list
}

// mayUse reports whether everybody may have sessions work in a directory.
func (f folders) mayUse(dir string) bool {
	return slices.ContainsFunc(f.cfg.Workspaces, func(root string) bool { return within(root, dir) })
}

// foldersIn gives the directories in one. Links are left out: they may lead anywhere.
func foldersIn(dir string) (list []api.Folder, more bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, false, err
	}
	list = []api.Folder{}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(list) == mostFolders {
			return list, true, nil
		}
		list = append(list, folderAt(filepath.Join(dir, e.Name())))
	}
	return list, false, nil
}

func folderAt(path string) api.Folder {
	_, err := os.Lstat(filepath.Join(path, ".git"))
	return api.Folder{Name: filepath.Base(path), Path: path, Git: err == nil}
}
