// Package demo holds what clew demo shows: a story for the scripted model, and
// the small project that the story is about.
package demo

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// Session is the id of the session that the story is played in.
const Session clew.SessionID = "demo"

// Title is the session's title.
const Title = "Fix the till that fails on some days"

// Task is the message that sets the story off.
const Task = "The till fails on some days, but not on others. Find out why, fix it, and show me that it works. `sh check.sh` runs the checks."

//go:embed story.yaml
var story []byte

//go:embed workspace
var workspace embed.FS

// Story is the script that the model plays.
func Story() (*llmtest.Script, error) { return llmtest.Parse(story) }

// Lay puts the sample project into a directory that it makes. A directory that
// is there already is somebody's work and stays as it is.
func Lay(dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, err := fs.Sub(workspace, "workspace")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	// Renamed into place at the end, so that a copy that broke off is not taken
	// for somebody's work.
	partial := dir + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return layOne(files, name, entry, filepath.Join(partial, filepath.FromSlash(name)))
	}); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

func layOne(files fs.FS, name string, entry fs.DirEntry, to string) error {
	if entry.IsDir() {
		return os.Mkdir(to, 0o755)
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") { // an embedded file has lost its mode
		mode = 0o755
	}
	return os.WriteFile(to, data, mode)
}
