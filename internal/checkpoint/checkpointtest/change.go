package checkpointtest

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Names collide, sort oddly, or look like something else. The last ones are left
// alone; see LeftAlone.
var Names = []string{
	"a", "b", "a-", "a.", "a0", "A", "\xff", "x\ny", " ", "-f", ".git ", ".GIT", "long" + strings.Repeat("z", 200), ".clewignore2",
	"node_modules", ".git", "x.skip",
}

// Skip is the pattern that a workspace's rules have to exclude for LeftAlone to
// hold.
const Skip = "*.skip"

// LeftAlone says whether checkpoints leave a path alone, given by its names
// below the root.
func LeftAlone(rel string) bool {
	for name := range strings.SplitSeq(rel, "/") {
		if name == "node_modules" || name == ".git" || strings.HasSuffix(name, ".skip") {
			return true
		}
	}
	return false
}

var (
	contents = []string{"", "x", "y", "z\r\n", "$Id$", strings.Repeat("long ", 100)}
	modes    = []uint32{0o644, 0o755, 0o600, 0o640, 0o700, 0o4711, 0o1777, 0o2770, 0o400, 0o664}
	targets  = []string{"a", "../b", "/", "no such", "\xfe", strings.Repeat("t", 300), "../neighbour"}
)

// Change makes one change below root, in one of the ways in which programs do.
// pick chooses: it gives a number below n. Nothing outside of root is touched:
// no link is followed on the way.
func Change(root string, pick func(n int) int) {
	parts := make([]string, 1+pick(4))
	for i := range parts {
		parts[i] = Names[pick(len(Names))]
	}
	p := filepath.Join(root, filepath.Join(parts...))
	how, content, mode := pick(10), contents[pick(len(contents))], modes[pick(len(modes))]
	target, to := targets[pick(len(targets))], Names[pick(13)]
	if !makeParents(root, parts) {
		return
	}
	switch how {
	case 0, 1: // a program writes into the file
		if st, err := os.Lstat(p); err != nil || st.Mode().IsRegular() {
			_ = os.WriteFile(p, []byte(content), 0o644)
		}
	case 2: // an editor puts another file in its place
		_ = os.WriteFile(p+"~", []byte(content), os.FileMode(mode&0o777))
		if os.Rename(p+"~", p) != nil {
			_ = os.Remove(p + "~")
		}
	case 3:
		if st, err := os.Lstat(p); err == nil && st.Mode()&os.ModeSymlink == 0 {
			_ = unix.Chmod(p, mode|0o700&ofDirs(st))
		}
	case 4:
		_ = os.RemoveAll(p)
	case 5: // another kind in its place
		_ = os.RemoveAll(p)
		_ = os.Mkdir(p, 0o755)
	case 6:
		_ = os.RemoveAll(p)
		_ = os.Symlink(target, p)
	case 7:
		_ = os.RemoveAll(p)
		_ = os.WriteFile(p, []byte(content), 0o600)
	case 8: // a move
		_ = os.Rename(filepath.Join(root, parts[0]), filepath.Join(root, to))
	case 9: // a second name
		_ = os.Link(filepath.Join(root, parts[0]), p)
	}
}

func ofDirs(st os.FileInfo) uint32 {
	if st.IsDir() {
		return 0o7777
	}
	return 0
}

// makeParents makes the directories above a path. It reports whether they are
// directories, all of them.
func makeParents(root string, parts []string) bool {
	at := root
	for _, name := range parts[:len(parts)-1] {
		at = filepath.Join(at, name)
		_ = os.Mkdir(at, 0o755)
		if st, err := os.Lstat(at); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}
