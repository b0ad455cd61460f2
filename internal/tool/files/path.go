package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxPath  = 4096
	maxLinks = 40
)

// A place is where a path leads inside a workspace.
type place struct {
	asked string // as the model named it: relative, cleaned, with slashes
	real  string // the same without links, "." for the workspace itself
	info  fs.FileInfo
}

func (p place) exists() bool { return p.info != nil }

// label names the place for people: where it is, and by which name if a link
// led there.
func (p place) label() string {
	if p.asked == p.real {
		return show(p.real)
	}
	return show(p.real) + " (through " + show(p.asked) + ")"
}

// locate finds the place of a path. It refuses what lies outside the workspace
// and what is hidden from the agent, by its name and by where links lead.
func locate(ws *tool.Workspace, name string) (place, error) {
	asked, err := clean(ws.Dir, name)
	if err != nil {
		return place{}, err
	}
	p := place{asked: asked}
	p.real, p.info, err = follow(ws, asked)
	if err != nil {
		return p, err
	}
	dir := p.info != nil && p.info.IsDir()
	if ws.Ignored(p.asked, dir) || ws.Ignored(p.real, dir) {
		return p, &refusal{clew.SayRooignoreError, show(asked) + " is kept from agents by .clewignore or the exclude list"}
	}
	return p, nil
}

// clean turns a path of the model into one relative to the workspace, by its
// letters alone.
func clean(dir, name string) (string, error) {
	switch {
	case name == "":
		return "", invalid("path is empty; use . for the workspace itself")
	case len(name) > maxPath:
		return "", refuse("the path is longer than %d bytes", maxPath)
	case strings.ContainsRune(name, 0):
		return "", refuse("the path has a NUL character")
	case strings.ContainsRune(name, '\\'):
		return "", refuse("%s: use forward slashes", show(name))
	case len(name) > 1 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z':
		return "", refuse("%s names a drive; paths are relative to the workspace", show(name))
	case name[0] == '~':
		return "", refuse("%s: home directories are outside the workspace", show(name))
	}
	rel := name
	if path.IsAbs(name) {
		var ok bool
		if rel, ok = below(dir, name); !ok {
			return "", refuse("%s is outside the workspace", show(name))
		}
	}
	for c := range strings.SplitSeq(rel, "/") {
		if c == ".." {
			return "", refuse("%s: the path must not contain ..", show(name))
		}
		if device(c) {
			return "", refuse("%s: %s is the name of a device on some systems", show(name), c)
		}
	}
	return path.Clean(rel), nil
}

// below gives an absolute path relative to the workspace's directory.
func below(dir, name string) (string, bool) {
	dir = strings.TrimSuffix(filepath.ToSlash(dir), "/")
	rest, ok := strings.CutPrefix(name, dir)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return "./" + strings.TrimLeft(rest, "/"), true
}

var devices = []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}

// device reports whether a name is a device's on Windows. Names with an ending,
// such as aux.c, are common elsewhere and let through; os.Root knows better
// where it matters.
func device(name string) bool {
	name = strings.ToUpper(strings.TrimRight(name, " ."))
	if len(name) == 4 && (strings.HasPrefix(name, "COM") || strings.HasPrefix(name, "LPT")) {
		return name[3] >= '0' && name[3] <= '9'
	}
	return slices.Contains(devices, name)
}

// follow resolves links one by one. It gives a path without links, and what is
// there, nil if nothing is. Nothing it says is relied on for safety: whoever
// opens the path accepts no link in it.
func follow(ws *tool.Workspace, rel string) (string, fs.FileInfo, error) {
	w := walker{ws: ws, rel: rel, todo: strings.Split(rel, "/")}
	for len(w.todo) > 0 {
		if err := w.next(); err != nil {
			return "", nil, err
		}
		if w.absent {
			return path.Join(append(w.done, w.todo...)...), nil, nil
		}
	}
	real := path.Join(w.done...)
	if real == "" {
		real = "."
	}
	info, err := ws.Root.Lstat(real)
	if err != nil {
		return "", nil, explain(rel, err)
	}
	return real, info, nil
}

// A walker is on its way along a path.
type walker struct {
	ws     *tool.Workspace
	rel    string   // the whole path, for messages
	done   []string // walked so far, without links
	todo   []string
	links  int
	absent bool // the last of done is not there
}

// next takes one step.
func (w *walker) next() error {
	c := w.todo[0]
	w.todo = w.todo[1:]
	switch c {
	case "", ".":
		return nil
	case "..": // from a link: done has no links, so its parent is the real one
		if len(w.done) == 0 {
			return outside(w.rel)
		}
		w.done = w.done[:len(w.done)-1]
		return nil
	}
	at := path.Join(append(slices.Clone(w.done), c)...)
	info, err := w.ws.Root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if slices.Contains(w.todo, "..") {
			return refuse("%s: a link on the way leads nowhere", show(w.rel))
		}
		w.absent = true
	case errors.Is(err, syscall.ENOTDIR):
		return invalid("%s: a part of the path is not a directory", show(w.rel))
	case err != nil:
		return explain(w.rel, err)
	case info.Mode().Type() == fs.ModeSymlink:
		return w.link(at)
	case !info.IsDir() && strings.Join(w.todo, "") != "":
		return invalid("%s: %s is not a directory", show(w.rel), show(at))
	}
	w.done = append(w.done, c)
	return nil
}

// link puts where a link leads in its place. An absolute one may lead inside.
func (w *walker) link(at string) error {
	if w.links++; w.links > maxLinks {
		return refuse("%s: too many links", show(w.rel))
	}
	to, err := w.ws.Root.Readlink(at)
	if err != nil {
		return explain(w.rel, err)
	}
	if path.IsAbs(to) {
		var ok bool
		if to, ok = below(w.ws.Dir, to); !ok {
			return outside(w.rel)
		}
		w.done = nil
	}
	w.todo = append(strings.Split(to, "/"), w.todo...)
	return nil
}

func outside(rel string) error {
	return refuse("%s leads out of the workspace through a link", show(rel))
}

// kind names what is no file and no directory.
func kind(mode os.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	}
	if mode&fs.ModeDevice != 0 {
		return "a device"
	}
	return "a special file"
}
