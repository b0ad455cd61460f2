package travel_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// furnish fills a new workspace with one of each kind of thing that checkpoints
// are known to get wrong.
func furnish(t testing.TB, root string, r *rand.Rand) {
	t.Helper()
	large := make([]byte, 300_000)
	for i := range large {
		large[i] = byte(r.Uint32())
	}
	evil := "[filter \"evil\"]\n\tclean = false\n\tsmudge = false\n\trequired = true\n"
	for name, content := range map[string]string{
		"crlf.txt": "one\r\ntwo\nthree\r\n", "ident.c": "/* $Id$ $Revision$ */\n", "large.bin": string(large), "empty": "",
		".gitattributes": "* text=auto eol=crlf ident\n*.c filter=evil\n*.bin export-ignore\n", ".gitignore": "ignored.txt\n", "ignored.txt": "not tracked",
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tautocrlf = true\n" + evil, ".git/index": "DIRC\x00\x00\x00\x02", ".git/objects/ab/cd": "x",
		"sub/.git/HEAD": "ref: refs/heads/main\n", "sub/file": "in a nested repository", "module/.git": "gitdir: ../.git/modules/module\n", "module/file": "in a submodule",
		"bytes\xff\xfe\n": "a name that is no text", "-rf": "x", "node_modules/dep/index.js": "left alone", "note.skip": "left alone", "deep/er/note.skip": "left alone",
	} {
		p := filepath.Join(root, name)
		proc.Must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		proc.Must(t, os.WriteFile(p, []byte(content), 0o644))
	}
	for _, dir := range []string{"nothing/in/here", "private"} {
		proc.Must(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	for name, mode := range map[string]os.FileMode{"crlf.txt": 0o755, "ident.c": 0o600, "empty": 0o400, "private": os.ModeSticky | 0o777} {
		proc.Must(t, os.Chmod(filepath.Join(root, name), mode))
	}
	for name, target := range map[string]string{"out": "../neighbour", "deep/out": "../../neighbour/file", "sub/self": ".", "dangling": "no such"} {
		proc.Must(t, os.Symlink(target, filepath.Join(root, name)))
	}
}

// neighbour makes a tree beside the workspaces that nobody may touch.
func neighbour(t testing.TB, dir string) {
	t.Helper()
	proc.Must(t, os.MkdirAll(filepath.Join(dir, "neighbour/empty"), 0o750))
	proc.Must(t, os.WriteFile(filepath.Join(dir, "neighbour/file"), []byte("mine\r\n"), 0o640))
	proc.Must(t, os.Symlink("../work0", filepath.Join(dir, "neighbour/link")))
}

func readTree(t testing.TB, root string, skip func(string) bool) checkpointtest.Tree {
	t.Helper()
	tree, err := checkpointtest.Read(root, skip)
	proc.Must(t, err)
	return tree
}

func touched(t testing.TB, root string, skip func(string) bool) checkpointtest.Tree {
	t.Helper()
	tree, err := checkpointtest.ReadTouched(root, skip)
	proc.Must(t, err)
	return tree
}

func kept(rel string) bool { return !checkpointtest.LeftAlone(rel) }

// alone is what of a tree is left alone.
func alone(tree checkpointtest.Tree) checkpointtest.Tree {
	part := maps.Clone(tree)
	maps.DeleteFunc(part, func(rel, _ string) bool { return kept(rel) })
	return part
}

// deviation says how files that were taken back differ from those of the moment
// that they were taken back to. Directories stay in which something is left
// alone, and what was in the place of one then cannot come back.
func deviation(want, before, is checkpointtest.Tree) string {
	holders := map[string]bool{}
	for rel := range before {
		if kept(rel) {
			continue
		}
		for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) {
			holders[dir] = kept(dir)
		}
	}
	blocked := func(rel string) bool {
		for ; rel != "."; rel = filepath.Dir(rel) {
			if holders[rel] && !strings.HasPrefix(want[rel], "dir") {
				return true
			}
		}
		return false
	}
	var out []string
	for _, rel := range slices.Sorted(maps.Keys(want)) {
		if want[rel] != is[rel] && !blocked(rel) {
			out = append(out, fmt.Sprintf("%q: want %q, is %q", rel, want[rel], is[rel]))
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(is)) {
		if _, ok := want[rel]; !ok && kept(rel) && !holders[rel] {
			out = append(out, fmt.Sprintf("%q: not wanted, is %q", rel, is[rel]))
		}
	}
	return strings.Join(out, "\n")
}

// memoryDir gives a directory in memory where there is one, so that flushing
// costs nothing.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "clew")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
