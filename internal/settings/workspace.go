package settings

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"
)

// The folder of a workspace that says how agents work in it, and its limits.
const (
	workspaceFolder   = ".clew"
	maxWorkspaceFiles = 1000
	maxWorkspaceBytes = 8 << 20
)

// wordFolders are folders of a workspace that other agents read, too: skills and
// commands. They count like .clew, but what is no file in them is left out, for they
// are not ours.
var wordFolders = []string{".agents/skills", ".claude/skills", ".claude/commands"}

// A Workspace is what a workspace's own folders say. Nothing of it counts
// before a person has trusted exactly this Hash.
type Workspace struct {
	Hash  string
	Modes []Mode
	// Files are all files that the hash covers, by their paths.
	Files map[string][]byte
	// ModesErr says what is wrong with the modes, which are nil then.
	ModesErr error
}

// ReadWorkspace reads the folder .clew of a workspace, and its skills and commands
// elsewhere. Hash and content come from one reading, so that what counts is what was
// trusted even if files change meanwhile. Links are refused in .clew and left out
// elsewhere: what they point to could change unseen.
func ReadWorkspace(fsys fs.FS) (*Workspace, error) {
	r := &workspaceReader{fsys: fsys, sum: sha256.New(), files: map[string][]byte{}}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("folder %s: %w", workspaceFolder, err)
	}
	for _, folder := range wordFolders {
		if err := r.readWords(folder); err != nil {
			return nil, fmt.Errorf("folder %s: %w", folder, err)
		}
	}
	w := &Workspace{Hash: hex.EncodeToString(r.sum.Sum(nil)), Files: r.files}
	w.Modes, w.ModesErr = parseModes(r.files[path.Join(workspaceFolder, "modes.yaml")])
	return w, nil
}

// ReadHome reads folders of a person's own, as far as they are there.
func ReadHome(fsys fs.FS, folders ...string) (map[string][]byte, error) {
	r := &workspaceReader{fsys: fsys, sum: sha256.New(), files: map[string][]byte{}}
	for _, folder := range folders {
		if err := r.readWords(folder); err != nil {
			return nil, fmt.Errorf("folder %s: %w", folder, err)
		}
	}
	return r.files, nil
}

// SaysNothing reports whether a workspace has none of the folders that
// ReadWorkspace reads.
func SaysNothing(fsys fs.FS) bool {
	for _, folder := range append([]string{workspaceFolder}, wordFolders...) {
		if _, err := fs.Lstat(fsys, folder); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// Grants reports whether a workspace has a folder .clew, with which it could widen
// what agents do: until it is trusted, flags do not hold in it.
func Grants(fsys fs.FS) bool {
	_, err := fs.Lstat(fsys, workspaceFolder)
	return !errors.Is(err, fs.ErrNotExist)
}

// Trusted reports whether the settings trust a workspace as it is now: the same hash,
// for its directory or the one that it was made from, "" for none.
func Trusted(v Values, hash, dir, madeFrom string) bool {
	for _, at := range []string{dir, madeFrom} {
		if trusted, ok := v.TrustedWorkspaces[at]; ok && at != "" && hash != "" && trusted == hash {
			return true
		}
	}
	return false
}

type workspaceReader struct {
	fsys  fs.FS
	sum   hash.Hash
	count int
	bytes int64
	files map[string][]byte
	lax   bool // what is no file is left out
}

func (r *workspaceReader) read() error {
	info, err := fs.Lstat(r.fsys, workspaceFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("is not a directory")
	}
	return fs.WalkDir(r.fsys, workspaceFolder, r.visit)
}

// readWords reads a folder that is not ours. One that a link leads to is left out.
func (r *workspaceReader) readWords(folder string) error {
	r.lax = true
	for at := folder; at != "."; at = path.Dir(at) {
		info, err := fs.Lstat(r.fsys, at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return fs.WalkDir(r.fsys, folder, r.visit)
}

func (r *workspaceReader) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if r.count++; r.count > maxWorkspaceFiles {
		return fmt.Errorf("has more than %d files", maxWorkspaceFiles)
	}
	if d.IsDir() {
		r.part("directory", name)
		return nil
	}
	if !d.Type().IsRegular() && r.lax {
		return nil
	}
	if !d.Type().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	content, err := r.content(name)
	if err != nil {
		return err
	}
	r.part("file", name, string(content))
	r.files[name] = content
	return nil
}

func (r *workspaceReader) content(name string) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxWorkspaceBytes-r.bytes+1))
	if err != nil {
		return nil, err
	}
	if r.bytes += int64(len(b)); r.bytes > maxWorkspaceBytes {
		return nil, fmt.Errorf("has more than %d bytes", maxWorkspaceBytes)
	}
	return b, nil
}

// part adds texts to the hash, each behind its length, so that no two folders
// look alike to it.
func (r *workspaceReader) part(texts ...string) {
	for _, t := range texts {
		_ = binary.Write(r.sum, binary.BigEndian, uint64(len(t)))
		_, _ = io.WriteString(r.sum, t)
	}
}

func parseModes(b []byte) ([]Mode, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var file struct {
		Modes []Mode `yaml:"modes"`
	}
	if err := yaml.Unmarshal(b, &file); err != nil {
		return nil, errors.New(".clew/modes.yaml is not valid YAML with a list named modes")
	}
	for i := range file.Modes {
		file.Modes[i].Source = SourceWorkspace
		if err := checkMode(file.Modes[i]); err != nil {
			return nil, fmt.Errorf(".clew/modes.yaml: mode %d: %w", i+1, err)
		}
	}
	if err := uniqueModes(file.Modes); err != nil {
		return nil, fmt.Errorf(".clew/modes.yaml %w", err)
	}
	return file.Modes, nil
}
