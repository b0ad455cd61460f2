package project

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// Surroundings says when and where an agent works: the date, the machine and, if
// the directory is a Git repository, its branch. It changes rarely, so that what
// providers cache of a prompt with it lasts.
func Surroundings(now time.Time, dir string) string {
	text := fmt.Sprintf("Date: %s. Platform: %s/%s.", now.Format("Monday, 2006-01-02"), runtime.GOOS, runtime.GOARCH)
	if branch := Branch(dir); branch != "" {
		text += " Git: " + branch + "."
	}
	return text
}

// Branch says where the Git repository of a directory stands: the name of the
// branch, or the beginning of a commit's name. "" says that there is none, or that
// its files lie elsewhere. It reads a file and runs nothing: git would run what
// the repository's configuration says.
func Branch(dir string) string {
	if dir == "" {
		return ""
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Lstat(".git/HEAD"); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(".git/HEAD")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(b))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok && !strings.ContainsFunc(name, notInBranch) {
		return "branch " + name
	}
	if len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "" {
		return "commit " + head[:12] + ", on no branch"
	}
	return ""
}

// notInBranch tells what git allows in no name of a branch, and what would hide
// text.
func notInBranch(r rune) bool {
	return r <= ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2000 && r < 0x2070 || strings.ContainsRune("~^:?*[\\", r)
}
