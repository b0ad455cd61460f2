package checkpoint_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
)

// Everything that git's own add and reset get wrong, and more, comes back.
func TestExact(t *testing.T) {
	p, root := place(t, map[string]string{
		"crlf.txt":              "a\r\nb\r\n",
		".gitattributes":        "* text=auto eol=lf ident filter=evil\n",
		"ident.txt":             "$Id$\n",
		"empty/":                "",
		"empty/deep/":           "",
		".gitignore":            "ignored.txt\n*.log\n",
		"ignored.txt":           "not by us",
		"x.log":                 "log",
		"nested/.git/HEAD":      "ref: refs/heads/main\n",
		"nested/.git/config":    "[core]\n",
		"nested/file.txt":       "in a repository of its own",
		"module/.git":           "gitdir: ../nested/.git\n",
		"module/file":           "in a submodule",
		".git/HEAD":             "ref: refs/heads/main\n",
		"link":                  "->crlf.txt",
		"dangling":              "->no/such/file",
		"absolute":              "->/etc/passwd",
		"loop":                  "->loop",
		"dirlink":               "->nested",
		"bytes":                 "\x00\x01\xff\xfe",
		"nothing":               "",
		"-rf":                   "dash",
		"--upload-pack=touch x": "dashes",
		"new\nline":             "newline",
		"bad\xff\xfename":       "not UTF-8",
		".git ":                 "space",
		".GIT":                  "case",
		".Git/config":           "[core]\n",
		"git~1":                 "short",
		".gitmodules":           "[submodule \"x\"]\n\tpath = -evil\n\turl = --upload-pack=x\n",
		"Case":                  "upper",
		"case":                  "lower",
		"a":                     "file before a-b and a/",
		"a-b":                   "",
		"a.b":                   "",
		"d/x":                   "", "d-x": "", "d.x": "", "d0": "",
		strings.Repeat("n", 255): "long name",
		"q\"uote\\'$(x)`y`":      "shell",
		" lead":                  "", "trail ": "", "tab\t": "", "\x01": "", "\u202egnp": "",
	}, checkpoint.Options{}, checkpoint.Rules{})
	deep := strings.TrimSuffix(strings.Repeat("deep/", 300), "/")
	put(t, root, deep+"/file", "down here")
	for name, mode := range map[string]uint32{
		"crlf.txt": 0o640, "bytes": 0o4755, "nothing": 0, "x.log": 0o600, "a-b": 0o111, "a.b": 0o2664, "empty": 0o700, "empty/deep": 0o1777, "d": 0o2750, ".": 0o750,
	} {
		must(t, unix.Chmod(filepath.Join(root, name), mode))
	}
	must(t, os.Link(filepath.Join(root, "bytes"), filepath.Join(root, "hard")))
	must(t, unix.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	want := readTree(t, root, nil)
	s := save(t, p)
	if !s.Changed || s.From != "" || !slices.Contains(s.Left, "pipe") {
		t.Errorf("%+v", s)
	}

	gitDirs := func() tree { return readTree(t, filepath.Join(root, ".git"), nil) }
	gitBefore := gitDirs()
	for _, name := range []string{"crlf.txt", "empty", "deep", "nested/file.txt", "link", "bad\xff\xfename", ".Git", "d", "hard"} {
		must(t, os.RemoveAll(filepath.Join(root, name)))
	}
	put(t, root, "new/dir/file", "must go")
	put(t, root, "empty", "a file now")
	put(t, root, "link/is/dir", "a directory now")
	put(t, root, "ident.txt", "$Id: expanded $\n")
	must(t, unix.Chmod(filepath.Join(root, "bytes"), 0o600))
	must(t, unix.Chmod(root, 0o777))
	r := restore(t, p, s.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" || len(r.Left) > 0 {
		t.Errorf("restored %+v\n%s", r, d)
	}
	if d := differ(gitBefore, gitDirs()); d != "" {
		t.Error(d)
	}
	r = restore(t, p, r.Before.Hash)
	if b, err := os.ReadFile(filepath.Join(root, "new/dir/file")); err != nil || string(b) != "must go" {
		t.Error("the undo did not undo", err)
	}
	restore(t, p, s.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	healthy(t, p)
}

// Directories nested without end: what is saved comes back, what lies too deep is
// named and stays.
func TestDeep(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	must(t, err)
	const name = "a-name-that-makes-the-path-longer-than-any-call-takes"
	for i := range 1500 { // 80,000 bytes
		must(t, unix.Mkdirat(fd, name, 0o755))
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		must(t, err)
		must(t, unix.Close(fd))
		fd = next
		if i%400 == 0 || i == 1499 {
			must(t, unix.Symlinkat(fmt.Sprint("target", i), fd, "link"))
		}
	}
	defer func() { _ = unix.Close(fd) }()
	s := save(t, p)
	if len(s.Left) != 1 || s.Files != 4 {
		t.Errorf("%d files, %d left alone", s.Files, len(s.Left))
	}
	put(t, root, "a", "2")
	r := restore(t, p, s.Hash)
	if len(r.Left) > 0 || r.Changed != 1 {
		t.Errorf("%+v", r)
	}
	var st unix.Stat_t
	if err := unix.Fstatat(fd, "link", &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		t.Error(err)
	}
	healthy(t, p)
	_, err = p.GC(t.Context(), nil)
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(root, name)))
	restore(t, p, s.Hash)
	again := save(t, p)
	if again.Files != 4 {
		t.Errorf("%+v", again)
	}
}

// A save without changes adds nothing; with AllowEmpty it does.
// Covers: CHK-12, CHK-13, C-42
func TestEmptySave(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	again := save(t, p)
	if again.Changed || again.Hash != first.Hash || again.ID != first.ID || again.From != first.Hash {
		t.Errorf("%+v", again)
	}
	put(t, root, "a", "2")
	second := save(t, p)
	if !second.Changed || second.From != first.Hash {
		t.Errorf("%+v", second)
	}
	forced, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: "forced", Message: "two\nlines\x00", AllowEmpty: true})
	if err != nil || !forced.Changed || forced.Hash == second.Hash {
		t.Errorf("%+v %v", forced, err)
	}
	other, err := p.Save(t.Context(), checkpoint.Ref{Session: "other", ID: "x"})
	if err != nil || !other.Changed || other.From != "" {
		t.Errorf("%+v %v", other, err)
	}
	list, err := p.List(t.Context(), "sess")
	if err != nil || len(list) != 3 || list[0].Hash != first.Hash || list[2].Message != "two\nlines\x00" {
		t.Errorf("%+v %v", list, err)
	}
	healthy(t, p)
}

// A server of the system's administrator leaves the person's files theirs.
func TestOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	p, root := place(t, map[string]string{"a": "1", "d/b": "1", "d/e/": "", "d/l": "->x"}, checkpoint.Options{}, checkpoint.Rules{})
	all := []string{"", "a", "d", "d/b", "d/e", "d/l"}
	for _, name := range all {
		must(t, os.Lchown(filepath.Join(root, name), 1234, 1235))
	}
	must(t, unix.Chmod(filepath.Join(root, "a"), 0o4755))
	s := save(t, p)
	want := readTree(t, root, nil)
	put(t, root, "a", "2")
	must(t, os.RemoveAll(filepath.Join(root, "d")))
	restore(t, p, s.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	for _, name := range all {
		var st unix.Stat_t
		if err := unix.Lstat(filepath.Join(root, name), &st); err != nil || st.Uid != 1234 || st.Gid != 1235 {
			t.Errorf("%q belongs to %d:%d, %v", name, st.Uid, st.Gid, err)
		}
	}
}

// What a large file holds comes back, too, and in one piece.
func TestLargeFile(t *testing.T) {
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB
	must(t, os.WriteFile(filepath.Join(root, "big"), big, 0o644))
	s := save(t, p)
	big[5] = 'x'
	must(t, os.WriteFile(filepath.Join(root, "big"), big, 0o644))
	s2 := save(t, p)
	restore(t, p, s.Hash)
	got, err := os.ReadFile(filepath.Join(root, "big"))
	must(t, err)
	if got[5] != '5' || len(got) != len(big) {
		t.Error("not the first version")
	}
	restore(t, p, s2.Hash)
	if got, err = os.ReadFile(filepath.Join(root, "big")); err != nil || !bytes.Equal(got, big) {
		t.Error("not the second version", err)
	}
	healthy(t, p)
}
