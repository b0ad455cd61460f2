package server

import (
	"os"
	"path/filepath"

	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/settings"
)

// A TrustedFolder is a workspace as trust is given to it: its real path and the
// hash of what its .clew folder holds now.
type TrustedFolder struct {
	Dir, Hash string
	Modes     []string // slugs of the modes that it brings
	Skills    []string
	Commands  []string
	Faults    []string // skills and commands that are left out, and why
}

// BuiltInModes are the slugs of the modes that every server has.
func BuiltInModes() []string {
	var list []string
	for _, m := range settings.BuiltInModes() {
		list = append(list, m.Slug)
	}
	return list
}

// LookAt reads a workspace's .clew folder for somebody who wants to trust it.
func LookAt(dir string) (TrustedFolder, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return TrustedFolder{}, err
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return TrustedFolder{}, err
	}
	defer func() { _ = root.Close() }()
	w, err := settings.ReadWorkspace(root.FS())
	if err == nil {
		err = w.ModesErr
	}
	if err != nil {
		return TrustedFolder{}, err
	}
	f := TrustedFolder{Dir: abs, Hash: w.Hash}
	for _, m := range w.Modes {
		f.Modes = append(f.Modes, m.Slug)
	}
	words := project.Folder{Files: w.Files}
	skills, faulty := project.Skills(words)
	for _, s := range skills {
		f.Skills = append(f.Skills, s.Name)
	}
	commands, wrong := project.Commands(words)
	for _, c := range commands {
		f.Commands = append(f.Commands, c.Name)
	}
	for _, x := range append(faulty, wrong...) {
		f.Faults = append(f.Faults, x.String())
	}
	return f, nil
}
