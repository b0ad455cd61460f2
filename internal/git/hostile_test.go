package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/checkpointtest/trap"
	"github.com/clew-run/clew/internal/git"
)

// Whatever a repository, a home or the environment names, nothing of it runs:
// not by a look, not by a commit, not by a work tree, of a todo or not, not by a merge. The same
// repository has plain git run all of it.
func TestHostileRepository(t *testing.T) {
	p := newProject(t)
	top := filepath.Dir(p.dir)
	// Entries for repositories inside, into which git likes to look.
	for _, name := range []string{"sub", "nested"} {
		p.git("update-index", "--add", "--cacheinfo", "160000,"+p.git("rev-parse", "HEAD")+","+name)
	}
	p.write("a.dat", "data\n")
	p.write("a.bin", "bin\n")
	p.git("add", "a.dat", "a.bin")
	p.git("commit", "-q", "-m", "with repositories inside")
	config, err := os.ReadFile(filepath.Join(p.dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	x := trap.New(t, top, p.dir)
	evil, err := os.ReadFile(filepath.Join(p.dir, ".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(".git/config", string(config)+string(evil)+"[user]\n\tname = Eve\n\temail = eve@example.com\n")
	if err := os.Remove(filepath.Join(p.dir, ".git/objects/info/alternates")); err != nil { // or plain git does nothing either
		t.Fatal(err)
	}
	for _, dir := range []string{".", "sub", "nested", "including", "linked", "pointed", "bare"} { // without an encoding, with which git gives up
		p.write(dir+"/.gitattributes", "*.txt filter=evil diff=evil merge=evil\n*.bin filter=long\n*.dat diff=text\n*.md merge=evil diff=evil\n")
	}
	for name, value := range x.Env {
		t.Setenv(name, value)
	}
	p.write("n.md", "new\n")
	p.write("a.dat", "two\n")
	if _, err := p.k.Diff(t.Context(), p.dir, ""); err != nil {
		t.Error(err)
	}
	if _, err := p.k.Preview(t.Context(), p.dir, git.Selection{}); err == nil || !strings.Contains(err.Error(), "goes through a filter") {
		t.Error(err)
	}
	plain := func(path string) bool { return path == "n.md" || path == "a.dat" }
	preview, err := p.k.Preview(t.Context(), p.dir, git.Selection{Only: plain})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.k.Commit(t.Context(), p.dir, preview, "safe", git.Told{}); err != nil {
		t.Fatal(err)
	}
	w := p.worktree("sess_1")
	putAt(t, w.Dir, "n.md", "from the session\n")
	p.commit(w.Dir, "in the work tree", git.Selection{Merge: true, Only: plain})
	p.write("other.md", "mine\n")
	p.commit(p.dir, "mine", git.Selection{Only: func(path string) bool { return path == "other.md" }})
	if _, err := p.k.Merge(t.Context(), w, git.Told{}); err != nil {
		t.Error(err)
	}
	p.k.State(t.Context(), w)
	if _, err := p.k.Remove(t.Context(), w); err != nil {
		t.Error(err)
	}
	of, tree := p.todo("x")
	putAt(t, tree.Dir, "n.md", "from the todo\n")
	p.write("other.md", "mine again\n")
	p.settle(p.join(of, "t1").Tree)
	p.is(p.read("n.md"), "from the todo\n")
	_, tree = p.todo("y")
	putAt(t, tree.Dir, "n.md", "half\n")
	p.settle(tree)
	if fired := x.Fired(); len(fired) > 0 {
		t.Errorf("fired: %v", fired)
	}
	if stolen := x.Stolen(); len(stolen) > 0 {
		t.Errorf("made: %v", stolen)
	}
	if len(x.Prove()) == 0 {
		t.Error("the trap is dead")
	}
}

// A repository that an agent made leads nowhere else.
func TestRepositoryElsewhere(t *testing.T) {
	p := newProject(t)
	other := filepath.Join(filepath.Dir(p.dir), "other")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	p.gitAt(other, "init", "-q", "-b", "main")
	for name, build := range map[string]func(dir string) error{
		"pointer": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+p.dir+"/.git\n"), 0o644)
		},
		"link":     func(dir string) error { return os.Symlink(p.dir+"/.git", filepath.Join(dir, ".git")) },
		"refs":     func(dir string) error { return relink(dir, "refs", p.dir+"/.git/refs") },
		"objects":  func(dir string) error { return relink(dir, "objects", p.dir+"/.git/objects") },
		"index":    func(dir string) error { return relink(dir, "index", p.dir+"/.git/index") },
		"a common": func(dir string) error { return put(dir, ".git/commondir", p.dir+"/.git\n") },
		"forged": func(dir string) error {
			for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "gitdir": dir + "/.git\n", "commondir": p.dir + "/.git\n"} {
				if err := put(dir, "fake/worktrees/x/"+name, text); err != nil {
					return err
				}
			}
			if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
				return err
			}
			return put(dir, ".git", "gitdir: fake/worktrees/x\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(filepath.Dir(p.dir), "made-"+strings.ReplaceAll(name, " ", "-"))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if name != "pointer" && name != "link" {
				p.gitAt(dir, "init", "-q", "-b", "main")
			}
			if err := build(dir); err != nil {
				t.Fatal(err)
			}
			if err := put(dir, "x", "x"); err != nil {
				t.Fatal(err)
			}
			if _, err := p.k.Preview(t.Context(), dir, git.Selection{}); err == nil || !strings.Contains(err.Error(), "cannot be used") {
				t.Errorf("%v", err)
			}
		})
	}
}

func put(dir, name, text string) error {
	at := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.WriteFile(at, []byte(text), 0o644)
}

func relink(dir, name, to string) error {
	at := filepath.Join(dir, ".git", name)
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	return os.Symlink(to, at)
}
