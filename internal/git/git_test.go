package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
)

// A project is a person's repository, and the keeper that a server would have.
type project struct {
	t    *testing.T
	dir  string
	data string
	k    *git.Keeper
}

func newProject(t *testing.T) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, "home")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	p := &project{t: t, dir: filepath.Join(top, "shop"), data: filepath.Join(top, "data")}
	p.write("../home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n")
	p.write("a.txt", "one\ntwo\nthree\n")
	p.write("cart/b.txt", "b\n")
	p.git("init", "-q", "-b", "main", "--template=")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "first")
	p.open()
	return p
}

func (p *project) open() {
	p.t.Helper()
	k, err := git.Open(filepath.Join(p.data, "git"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.k = k
}

func (p *project) write(name, text string) {
	p.t.Helper()
	at := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// git is what the person does, in their own terminal.
func (p *project) git(args ...string) string { p.t.Helper(); return p.gitAt(p.dir, args...) }

func (p *project) gitAt(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) is(got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("got %q, want %q", got, want)
	}
}

func (p *project) commit(dir, message string, sel git.Selection) string {
	p.t.Helper()
	preview, err := p.k.Preview(p.t.Context(), dir, sel)
	if err != nil {
		p.t.Fatal(err)
	}
	commit, err := p.k.Commit(p.t.Context(), dir, preview, message, git.Told{Session: "s1"})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.k.Done(git.KindCommit, commit); err != nil {
		p.t.Fatal(err)
	}
	return commit
}

func (p *project) worktree(id clew.SessionID) git.Worktree {
	p.t.Helper()
	w, err := p.k.Add(p.t.Context(), p.dir, filepath.Join(p.data, "workspaces", string(id)), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

func putAt(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A commit holds the chosen files exactly as they were shown. What the person has
// staged or changed elsewhere stays as it was, and git finds nothing odd.
func TestCommit(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "one\n2\nthree\n")
	p.write("new.txt", "new\n")
	p.write("cart/b.txt", "staged\n")
	p.git("add", "cart/b.txt")
	p.write(".gitignore", "*.log\n")
	p.write("x.log", "noise\n")
	if err := os.MkdirAll(filepath.Join(p.dir, ".git/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, ".git/hooks/pre-commit"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	only := func(path string) bool { return path == "a.txt" || path == "new.txt" }
	preview, err := p.k.Preview(t.Context(), p.dir, git.Selection{Only: only})
	if err != nil {
		t.Fatal(err)
	}
	if len(preview.Files) != 2 || preview.Files[0].Path != "a.txt" || preview.Files[0].Added != 1 || preview.Files[0].Deleted != 1 ||
		preview.Files[1].Status != "added" || preview.Others != 2 || preview.Branch != "main" || !slices.Equal(preview.Hooks, []string{"pre-commit"}) {
		t.Errorf("%+v", preview)
	}
	if !strings.Contains(preview.Files[0].Unified, "-two\n+2\n") {
		t.Error(preview.Files[0].Unified)
	}
	p.write("a.txt", "one\nchanged since\nthree\n")
	commit, err := p.k.Commit(t.Context(), p.dir, preview, "Say two as 2\n\nIt is shorter.", git.Told{Session: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	p.is(p.git("log", "-1", "--format=%H %an %s"), commit+" Ada Say two as 2")
	p.is(p.git("show", "HEAD:a.txt"), "one\n2\nthree")
	p.is(p.git("status", "--porcelain"), "M a.txt\nM  cart/b.txt\n?? .gitignore") // the first blank is trimmed
	p.git("fsck", "--strict")
	if _, err := p.k.Commit(t.Context(), p.dir, preview, "again", git.Told{}); err == nil {
		t.Error("what was shown before a commit was committed after it")
	}
}

// Diff compares with HEAD, or with another commit.
func TestDiff(t *testing.T) {
	p := newProject(t)
	base := p.git("rev-parse", "HEAD")
	p.git("mv", "cart/b.txt", "cart/c.txt")
	p.git("commit", "-q", "-m", "move")
	p.write("bin", "a\x00b")
	for from, want := range map[string]string{"": "added bin", base: "added bin,renamed cart/c.txt"} {
		list, err := p.k.Diff(t.Context(), p.dir, from)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list {
			got = append(got, c.Status+" "+c.Path)
		}
		p.is(strings.Join(got, ","), want)
	}
	list, err := p.k.Diff(t.Context(), filepath.Join(p.dir, "cart"), base)
	if err != nil || len(list) != 1 || list[0].Path != "c.txt" {
		t.Errorf("of a directory below: %+v, %v", list, err)
	}
}

// The first commit of a repository, and a directory that is in none.
func TestBeginnings(t *testing.T) {
	p := newProject(t)
	bare := filepath.Join(filepath.Dir(p.dir), "fresh")
	if err := os.MkdirAll(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.k.Preview(t.Context(), bare, git.Selection{}); err == nil || !strings.Contains(err.Error(), "in no git repository") {
		t.Error(err)
	}
	p.gitAt(bare, "init", "-q", "-b", "main")
	putAt(t, bare, "x", "x\n")
	p.commit(bare, "Begin", git.Selection{})
	p.is(p.gitAt(bare, "log", "--format=%s"), "Begin")
	p.is(p.gitAt(bare, "status", "--porcelain"), "")
}

// A work tree and a branch of one's own: the person's stay as they were until the
// merge, which brings the files along.
func TestWorktreeAndMerge(t *testing.T) {
	p := newProject(t)
	p.write("mine.txt", "not committed\n")
	p.write("cart/b.txt", "staged\n")
	p.git("add", "cart/b.txt")
	before := p.everything()
	w := p.worktree("sess_0123456789ab")
	p.is(w.Branch, "clew/01234567")
	p.is(p.gitAt(w.Dir, "status", "--porcelain", "-b"), "## clew/01234567")
	putAt(t, w.Dir, "a.txt", "one\ntwo\n3\n")
	putAt(t, w.Dir, "n.txt", "n\n")
	if _, err := p.k.Merge(t.Context(), w, git.Told{}); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Error(err)
	}
	p.commit(w.Dir, "Count", git.Selection{Merge: true})
	if st := p.k.State(t.Context(), w); st != (git.State{Commits: 1}) {
		t.Errorf("%+v", st)
	}
	if now := p.everything(); now != before {
		t.Errorf("the person's work tree was touched:\n%s\nwas\n%s", now, before)
	}
	m, err := p.k.Merge(t.Context(), w, git.Told{})
	if err != nil || m.Files != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	p.is(p.git("status", "--porcelain"), "M  cart/b.txt\n?? mine.txt")
	p.is(p.git("log", "--format=%s"), "Count\nfirst")
	kept, err := p.k.Remove(t.Context(), w)
	if err != nil || kept != "" {
		t.Errorf("%q, %v", kept, err)
	}
	p.is(p.git("worktree", "list", "--porcelain"), "worktree "+p.dir+"\nHEAD "+m.Commit+"\nbranch refs/heads/main")
	p.is(p.git("branch"), "* main")
}

// everything is all that a person could see of their work tree.
func (p *project) everything() string {
	p.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(p.dir, func(name string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(p.dir, name)
		if err == nil && !e.IsDir() && (!strings.HasPrefix(rel, ".git/") || rel == ".git/index" || rel == ".git/HEAD" || rel == ".git/refs/heads/main") {
			var b []byte
			b, err = os.ReadFile(name)
			all.WriteString(rel + "\x00" + string(b) + "\x00")
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all.String()
}

// Both sides went on: a merge commit, or conflicts, of which nothing is left in
// the person's work tree. The agent resolves them in its own.
func TestMergeBothSides(t *testing.T) {
	p := newProject(t)
	w := p.worktree("sess_1")
	putAt(t, w.Dir, "a.txt", "one\ntwo\nthree from the session\n")
	p.commit(w.Dir, "theirs", git.Selection{Merge: true})
	p.write("cart/b.txt", "mine\n")
	p.git("commit", "-q", "-a", "-m", "mine")
	w2 := p.worktree("sess_2")
	if m, err := p.k.Merge(t.Context(), w, git.Told{}); err != nil || len(m.Conflicts) > 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	p.is(p.git("log", "-1", "--format=%s"), "Merge branch '"+w.Branch+"'")
	p.is(p.git("status", "--porcelain"), "")

	putAt(t, w2.Dir, "a.txt", "one\ntwo\nthree from the second\n")
	p.commit(w2.Dir, "second", git.Selection{Merge: true})
	before := p.everything()
	m, err := p.k.Merge(t.Context(), w2, git.Told{})
	if err != nil || !slices.Equal(m.Conflicts, []string{"a.txt"}) || m.Commit != "" {
		t.Fatalf("%+v, %v", m, err)
	}
	if p.everything() != before {
		t.Error("a merge with conflicts touched the person's work tree")
	}
	if _, _, err := p.k.Resolve(t.Context(), w2, git.Told{}); err != nil {
		t.Fatal(err)
	}
	if p.everything() != before {
		t.Error("conflicts reached the person's work tree")
	}
	marked, _ := os.ReadFile(filepath.Join(w2.Dir, "a.txt"))
	if !strings.Contains(string(marked), "<<<<<<<") {
		t.Errorf("%s", marked)
	}
	if _, err := p.k.Preview(t.Context(), w2.Dir, git.Selection{Merge: true}); err == nil || !strings.Contains(err.Error(), "marks of a conflict") {
		t.Error(err)
	}
	putAt(t, w2.Dir, "a.txt", "one\ntwo\nthree from both\n")
	p.commit(w2.Dir, "Merge main", git.Selection{Merge: true})
	p.is(p.gitAt(w2.Dir, "status", "--porcelain"), "")
	if m, err = p.k.Merge(t.Context(), w2, git.Told{}); err != nil || m.Commit == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	p.is(p.git("show", "HEAD:a.txt"), "one\ntwo\nthree from both")
	p.is(p.git("status", "--porcelain"), "")
	p.is(p.git("log", "-1", "--format=%p", "HEAD")[7:8], " ") // two parents
}

// Nothing of a person's that is not committed is lost to a merge.
func TestMergeRefusesToOverwrite(t *testing.T) {
	for name, change := range map[string]func(p *project){
		"changed": func(p *project) { p.write("a.txt", "mine\n") },
		"staged": func(p *project) {
			p.write("a.txt", "mine\n")
			p.git("add", "a.txt")
			p.write("a.txt", "one\ntwo\nthree\n")
		},
		"untracked": func(p *project) { p.write("n.txt", "mine\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			w := p.worktree("sess_1")
			putAt(t, w.Dir, "a.txt", "theirs\n")
			putAt(t, w.Dir, "n.txt", "theirs\n")
			p.commit(w.Dir, "theirs", git.Selection{Merge: true})
			change(p)
			before := p.everything()
			if _, err := p.k.Merge(t.Context(), w, git.Told{}); err == nil || !strings.Contains(err.Error(), "not committed") {
				t.Error(err)
			}
			if p.everything() != before {
				t.Error("it was touched")
			}
		})
	}
}

// A branch with work that nobody else has stays when its work tree goes.
func TestRemoveKeepsWork(t *testing.T) {
	p := newProject(t)
	w := p.worktree("sess_1")
	putAt(t, w.Dir, "a.txt", "theirs\n")
	p.commit(w.Dir, "theirs", git.Selection{Merge: true})
	if kept, err := p.k.Remove(t.Context(), w); err != nil || kept != w.Branch {
		t.Errorf("%q, %v", kept, err)
	}
	p.is(p.git("log", "-1", "--format=%s", w.Branch), "theirs")
	if list, err := p.k.Worktrees(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
