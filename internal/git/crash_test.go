package git_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/git"
)

// TestCrashChild is the server that dies, if it is told to.
func TestCrashChild(t *testing.T) {
	do, dir, data := os.Getenv("GIT_CRASH_DO"), os.Getenv("GIT_CRASH_DIR"), os.Getenv("GIT_CRASH_DATA")
	if do == "" {
		t.Skip("for TestKilled")
	}
	p := &project{t: t, dir: dir, data: data}
	p.open()
	told := git.Told{Session: "sess_1"}
	switch do {
	case "worktree":
		p.worktree("sess_2")
	case "remove":
		w, _, _ := p.k.Worktree("sess_1")
		_, _ = p.k.Remove(t.Context(), w)
	case "commit":
		preview, err := p.k.Preview(t.Context(), dir, git.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.k.Commit(t.Context(), dir, preview, "the commit", told)
		if err != nil {
			t.Fatal(err)
		}
	case "merge":
		w, _, _ := p.k.Worktree("sess_1")
		if _, err := p.k.Merge(t.Context(), w, told); err != nil {
			t.Fatal(err)
		}
	case "resolve":
		w, _, _ := p.k.Worktree("sess_1")
		if _, _, err := p.k.Resolve(t.Context(), w, told); err != nil {
			t.Fatal(err)
		}
	}
}

var atStart = os.Environ() // before a test has a home of its own

// mortal builds this test with the places where it can be killed.
var mortal = sync.OnceValues(func() (string, error) {
	if crash.On {
		return os.Args[0], nil
	}
	dir, err := os.MkdirTemp("", "clew-git-*")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "git.test")
	cmd := exec.Command("go", "test", "-c", "-tags=crashpoints,grpcnotrace", "-o", name, ".")
	cmd.Env = atStart
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name := built; name != "" && name != os.Args[0] {
		_ = os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

var built string // by mortal, to be removed

// die runs a work in a process that is killed at a place.
func (p *project) die(do, place string) {
	p.t.Helper()
	name, err := mortal()
	if err != nil {
		p.t.Fatal(err)
	}
	built = name
	cmd := exec.CommandContext(p.t.Context(), name, "-test.run=^TestCrashChild$", "-test.v")
	cmd.Env = append(os.Environ(), "CLEW_CRASH_AT="+place, "GIT_CRASH_DO="+do, "GIT_CRASH_DIR="+p.dir, "GIT_CRASH_DATA="+p.data)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		p.t.Fatalf("it was not killed at %s: %v\n%s", place, err, out)
	}
	p.open() // the next server
}

// recover does what a server does when it starts, and gives what it put on record.
func (p *project) recover() (told []string) {
	p.t.Helper()
	for range 2 { // the second time there is nothing to do
		err := p.k.Recover(p.t.Context(), func(in git.Intent) error { told = append(told, in.Kind); return nil })
		if err != nil {
			p.t.Fatal(err)
		}
		if err := p.k.Clean(p.t.Context(), p.worktrees(), func(id clew.SessionID) (bool, error) { return id == "sess_1", nil }); err != nil {
			p.t.Fatal(err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(p.data, "git/intents")); len(left) > 0 {
		p.t.Errorf("left behind: %v", left)
	}
	for _, name := range []string{"index.lock", "clew-index.lock"} {
		if _, err := os.Lstat(filepath.Join(p.dir, ".git", name)); err == nil {
			p.t.Errorf("%s is left behind", name)
		}
	}
	return told
}

func (p *project) worktrees() []git.Worktree {
	p.t.Helper()
	list, err := p.k.Worktrees()
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

var changePlaces = []string{"git.intended:1", "git.moved:1", "git.files:1", "git.followed:1"}

// A commit that is cut short did not happen, or is done and on record.
func TestKilledCommit(t *testing.T) {
	for _, place := range changePlaces {
		t.Run(place, func(t *testing.T) {
			p := newProject(t)
			p.write("a.txt", "changed\n")
			p.write("n.txt", "new\n")
			before := p.everything()
			p.die("commit", place)
			told := p.recover()
			if place == "git.intended:1" {
				if p.everything() != before || len(told) > 0 {
					t.Errorf("something happened: %v", told)
				}
				return
			}
			p.is(strings.Join(told, ","), "commit")
			p.is(p.git("log", "--format=%s"), "the commit\nfirst")
			p.is(p.git("status", "--porcelain"), "")
			p.git("fsck", "--strict")
		})
	}
}

// A merge that is cut short did not happen, or is done with all files. A file that
// the person changed after the crash stays theirs.
func TestKilledMerge(t *testing.T) {
	for _, place := range changePlaces {
		for _, edited := range []bool{false, true} {
			t.Run(place, func(t *testing.T) {
				p := newProject(t)
				w := p.worktree("sess_1")
				putAt(t, w.Dir, "a.txt", "theirs\n")
				putAt(t, w.Dir, "n.txt", "new\n")
				if err := os.Remove(filepath.Join(w.Dir, "cart/b.txt")); err != nil {
					t.Fatal(err)
				}
				p.commit(w.Dir, "theirs", git.Selection{Merge: true})
				p.write("mine.txt", "mine\n")
				p.git("add", "mine.txt")
				before := p.everything()
				p.die("merge", place)
				if edited {
					p.write("a.txt", "edited after the crash\n")
					before = ""
				}
				told := p.recover()
				if place == "git.intended:1" {
					if !edited && p.everything() != before || len(told) > 0 {
						t.Errorf("something happened: %v", told)
					}
					p.is(p.git("log", "--format=%s"), "first")
					return
				}
				p.is(strings.Join(told, ","), "merge")
				p.is(p.git("log", "--format=%s"), "theirs\nfirst")
				want := "A  mine.txt"
				if edited {
					want = "M a.txt\n" + want // the first blank is trimmed
				}
				p.is(p.git("status", "--porcelain"), want)
			})
		}
	}
}

// Conflicts are in the session's work tree, or nothing of them; the person's is
// never touched.
func TestKilledResolve(t *testing.T) {
	for _, place := range changePlaces {
		t.Run(place, func(t *testing.T) {
			p := newProject(t)
			w := p.worktree("sess_1")
			putAt(t, w.Dir, "a.txt", "theirs\n")
			p.commit(w.Dir, "theirs", git.Selection{Merge: true})
			p.write("a.txt", "mine\n")
			p.git("commit", "-q", "-a", "-m", "mine")
			before := p.everything()
			p.die("resolve", place)
			p.recover()
			if p.everything() != before {
				t.Error("the person's work tree was touched")
			}
			text, err := os.ReadFile(filepath.Join(w.Dir, "a.txt"))
			if err != nil || strings.Contains(string(text), "<<<<<<<") != (place != "git.intended:1") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

// A work tree that was not made to its end is gone, with its branch. One that was
// not removed to its end is removed when its session is not there.
func TestKilledWorktree(t *testing.T) {
	for _, place := range []string{"git.worktree.noted:1", "git.worktree.added:1", "git.worktree.filled:1"} {
		t.Run(place, func(t *testing.T) {
			p := newProject(t)
			p.write("mine.txt", "mine\n")
			before, list := p.everything(), p.git("worktree", "list")
			p.die("worktree", place)
			if p.everything() != before {
				t.Error("the person's work tree was touched")
			}
			p.recover()
			p.is(p.git("worktree", "list"), list)
			p.is(p.git("branch"), "* main")
			if _, err := os.Lstat(filepath.Join(p.data, "workspaces/sess_2")); err == nil {
				t.Error("its directory is there")
			}
			p.worktree("sess_2") // and it can be made again
		})
	}
	p := newProject(t)
	w := p.worktree("sess_1")
	p.die("remove", "git.worktree.emptied:1")
	if err := p.k.Clean(t.Context(), p.worktrees(), func(clew.SessionID) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	p.is(p.git("branch"), "* main")
	if _, found, _ := p.k.Worktree(w.Session); found {
		t.Error("it is known still")
	}
}
