// Package project reads what a project says to agents: AGENTS.md, skills and
// commands. All of it is text for a model. None of it grants anything: what an
// agent may do is decided by settings, modes and people.
package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/files"
)

// What is read at most.
const (
	maxInstructions = 32 << 10 // of all files together
	maxNested       = 8 << 10  // of a file below the workspace's directory
	maxImportDepth  = 3
	maxImports      = 50
)

// names are the files of a directory that hold instructions; the first one counts.
var names = []string{"AGENTS.override.md", "AGENTS.md", "CLAUDE.md"}

// An Instruction is a file of instructions, as far as it was read.
type Instruction struct {
	Path   string // relative to the workspace, or as it was given
	Text   string
	SHA256 string // of Text as it stands in the file
	Bytes  int64  // of the whole file
	Cut    bool
}

// Instructions reads the person's own file, "" for none, and those of the
// workspace: its own first of all, then what that one imports. The person's comes
// first in the list, the workspace's last; where there is no room for all, the
// person's gives way.
func Instructions(ws *tool.Workspace, personal string) []Instruction {
	r := &reader{ws: ws, left: maxInstructions, seen: map[string]bool{}}
	if ws != nil {
		r.directory(".")
	}
	if personal == "" {
		return r.list
	}
	if data, size, err := readPlain(personal); err == nil {
		if own, ok := r.take(personal, data, size); ok {
			return append([]Instruction{own}, r.list...)
		}
	}
	return r.list
}

// Nested reads the instructions of the directories on the way to a path below the
// workspace's directory, the nearest last. dir says that the path is a directory.
func Nested(ws *tool.Workspace, name string, dir bool) []Instruction {
	if !dir {
		name = path.Dir(name)
	}
	var list []Instruction
	at := ""
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if part == "." || part == ".." || part == "" {
			continue
		}
		at = path.Join(at, part)
		r := &reader{ws: ws, left: maxNested, seen: map[string]bool{}, plain: true}
		r.directory(at)
		list = append(list, r.list...)
	}
	return list
}

// A reader collects files until its room is used up.
type reader struct {
	ws      *tool.Workspace
	left    int
	seen    map[string]bool // real paths
	imports int
	plain   bool // imports are left as they are
	list    []Instruction
}

// directory reads the file of a directory that counts.
func (r *reader) directory(dir string) {
	for _, name := range names {
		if r.file(path.Join(dir, name), 0) {
			return
		}
	}
}

// file reads a file and what it imports. It reports whether there is one.
func (r *reader) file(name string, depth int) bool {
	real, data, size, err := files.ReadText(r.ws, name, maxInstructions+1)
	if err != nil {
		return false
	}
	if r.seen[real] {
		return true
	}
	r.seen[real] = true
	one, ok := r.take(name, data, size)
	if !ok {
		return true
	}
	r.list = append(r.list, one)
	if r.plain || depth >= maxImportDepth {
		return true
	}
	for _, to := range imports(one.Text) {
		if r.imports++; r.imports > maxImports {
			return true
		}
		r.file(path.Join(path.Dir(name), to), depth+1)
	}
	return true
}

// take makes an instruction of a file's text, cut at a line where there is no room
// for all of it. What is no text is left out.
func (r *reader) take(name string, data []byte, size int64) (Instruction, bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 || len(bytes.TrimSpace(data)) == 0 {
		return Instruction{}, false
	}
	if len(data) > r.left {
		data = data[:bytes.LastIndexByte(data[:r.left], '\n')+1]
	}
	r.left -= len(data)
	sum := sha256.Sum256(data)
	text := strings.ToValidUTF8(strings.ReplaceAll(string(data), "\r\n", "\n"), "\uFFFD")
	one := Instruction{Path: name, Text: text, SHA256: hex.EncodeToString(sum[:]), Bytes: size}
	if more := size - int64(len(data)); more > 3 { // 3: a mark at the beginning is no text
		one.Cut = true
		one.Text += fmt.Sprintf("[cut: %d KiB more in %s]\n", (more+1023)>>10, name)
	}
	return one, true
}

// imports lists the files that lines of a text import: @path, alone on its line and
// outside of blocks of code. A path leads to a file of the workspace.
func imports(text string) (list []string) {
	fence := ""
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		line = strings.TrimSpace(line)
		if mark := fenceOf(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			continue
		}
		to, ok := strings.CutPrefix(line, "@")
		if !ok || fence != "" || indented || to == "" || strings.ContainsAny(to, " \t\\") || path.IsAbs(to) || to[0] == '~' {
			continue
		}
		list = append(list, to)
	}
	return list
}

// fenceOf gives the characters that begin or end a block of code.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// readPlain reads a file of the person's own.
func readPlain(name string) ([]byte, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.Join(fs.ErrInvalid, errors.New(name+" is not a file"))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxInstructions+1))
	return data, info.Size(), err
}
