// Package demo holds what clew demo shows: stories for the scripted model, and
// the small project that they are about.
package demo

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// Session is the id of the session that a story is played in.
const Session clew.SessionID = "demo"

// A Story is one that clew demo can play.
type Story struct {
	Name  string
	Title string // the session's
	// Task is the message that sets the story off, "" if a client says it.
	Task string
	// Beside is another session that can be played at the same time, nil if there is none.
	Beside *Beside
	script []byte
}

// A Beside is a session that waits beside the one of a story until somebody says its task.
type Beside struct {
	Session clew.SessionID
	Title   string
	Task    string // ready to be sent
	files   string // its workspace
}

// notebook is about a notebook. Whether there is a Python for it is seen when a cell is
// to run, so it costs nothing before.
var notebook = Beside{
	Session: "notebook", Title: "Which day sells best? (a notebook)", files: "notebook",
	Task: "Which day of the week sells best? Load sales.csv and plot it.",
}

//go:embed till.yaml
var till []byte

//go:embed notebook.yaml
var notebookScript []byte

//go:embed desktop.yaml
var desktop []byte

// Stories lists them. The first one is played if nobody names one.
var Stories = []Story{
	{
		Name: "till", Title: "Fix the till that fails on some days", script: slices.Concat(notebookScript, till), Beside: &notebook,
		Task: "The till fails on some days, but not on others. Find out why, fix it, and show me that it works. `sh check.sh` runs the checks.",
	},
	{Name: "desktop", Title: "Get the shop ready for Saturday", script: desktop},
}

// Find gives the story with a name, the first one for "".
func Find(name string) (Story, bool) {
	i := slices.IndexFunc(Stories, func(s Story) bool { return s.Name == name || name == "" })
	if i < 0 {
		return Story{}, false
	}
	return Stories[i], true
}

// Script is what the model plays.
func (s Story) Script() (*llmtest.Script, error) { return llmtest.Parse(s.script) }

//go:embed workspace notebook
var workspaces embed.FS

// Lay puts the sample project into a directory that it makes. A directory that
// is there already is somebody's work and stays as it is.
func Lay(dir string) error { return lay("workspace", dir) }

// Lay puts the files of the session into a directory that it makes, as Lay does.
func (b *Beside) Lay(dir string) error { return lay(b.files, dir) }

func lay(from, dir string) error {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, err := fs.Sub(workspaces, from)
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
