package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
)

func (p *project) todo(id string) (git.Todo, git.TodoTree) {
	p.t.Helper()
	of := git.Todo{Session: "sess_1", Run: "run_1", ID: id}
	t, err := p.k.AddTodo(p.t.Context(), of, p.dir, filepath.Join(p.data, "workspaces", of.Key()))
	if err != nil {
		p.t.Fatal(err)
	}
	return of, t
}

func (p *project) join(of git.Todo, attempt string) git.Joined {
	p.t.Helper()
	out, err := p.k.JoinTodo(p.t.Context(), of, attempt, "Do "+of.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p *project) settle(t git.TodoTree) string {
	p.t.Helper()
	kept, err := p.k.SettleTodo(p.t.Context(), t)
	if err != nil {
		p.t.Fatal(err)
	}
	return kept
}

func (p *project) read(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(b)
}

// Todos begin with the files as they are, and bring new, changed and removed files
// back. What the person staged, and all branches, stay as they are.
func TestTodoTree(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "one\ntwo\nthree\nfour\n")
	p.write("staged.txt", "staged\n")
	p.git("add", "staged.txt")
	p.git("checkout", "-q", "--detach") // no branch is needed
	of, first := p.todo("first step")
	_, second := p.todo("second")
	p.is(first.Branch, "clew/1-first-step")
	b, err := os.ReadFile(filepath.Join(first.Dir, "a.txt"))
	if err != nil || string(b) != "one\ntwo\nthree\nfour\n" {
		t.Fatalf("%q, %v", b, err)
	}
	putAt(t, first.Dir, "a.txt", "ONE\ntwo\nthree\nfour\n")
	if err := put(first.Dir, "new/n.txt", "new\n"); err != nil {
		t.Fatal(err)
	}
	putAt(t, second.Dir, "a.txt", "one\ntwo\nthree\nFOUR\n")
	if err := os.Remove(filepath.Join(second.Dir, "cart/b.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time tells the same
		if out := p.join(of, "t1"); out.Files != 2 || len(out.Conflicts)+len(out.Left) > 0 || !out.Tree.Merged {
			t.Errorf("%+v", out)
		}
	}
	p.is(p.settle(p.join(of, "t1").Tree), "")
	p.open() // another server
	out := p.join(git.Todo{Session: "sess_1", Run: "run_1", ID: "second"}, "t2")
	p.is(p.settle(out.Tree), "")
	p.is(p.read("a.txt"), "ONE\ntwo\nthree\nFOUR\n")
	p.is(p.read("new/n.txt"), "new\n")
	p.is(p.read("cart/b.txt"), "")
	p.is(p.git("status", "--porcelain"), "M a.txt\n D cart/b.txt\nA  staged.txt\n?? new/")
	p.is(p.git("for-each-ref", "--format=%(refname)"), "refs/heads/main")
	if list, err := p.k.TodoTrees(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// A merge that was decided when the server ended comes before the next one, whichever
// agent is first after the start.
func TestTodoTreeDecidedFirst(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "one\ntwo\nthree\nfour\n")
	of, first := p.todo("first")
	other, second := p.todo("second")
	putAt(t, first.Dir, "a.txt", "ONE\ntwo\nthree\nfour\n")
	putAt(t, second.Dir, "a.txt", "one\ntwo\nthree\nFOUR\n")
	p.join(of, "t1")
	// As a kill just after the decision leaves it.
	p.write("a.txt", "one\ntwo\nthree\nfour\n")
	note := filepath.Join(p.data, "git", "todos", of.Key()+".json")
	b, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	undone := strings.Replace(string(b), `"merged":true`, `"merged":false`, 1)
	if undone == string(b) {
		t.Fatalf("the note is %s", b)
	}
	if err := os.WriteFile(note, []byte(undone), 0o600); err != nil {
		t.Fatal(err)
	}
	p.open()
	p.is(p.settle(p.join(other, "t2").Tree), "")
	p.is(p.settle(p.join(of, "t1").Tree), "")
	p.is(p.read("a.txt"), "ONE\ntwo\nthree\nFOUR\n")
	p.is(p.git("for-each-ref", "--format=%(refname)"), "refs/heads/main")
}

// A conflict changes nothing of the session's files. It is found again by the same
// attempt, and a todo that is left out keeps its work, without marks, on its branch.
func TestTodoTreeConflict(t *testing.T) {
	p := newProject(t)
	of, tree := p.todo("x")
	putAt(t, tree.Dir, "a.txt", "theirs\n")
	p.write("a.txt", "mine\n")
	for range 2 {
		if out := p.join(of, "t1"); len(out.Conflicts) != 1 || out.Conflicts[0] != "a.txt" || out.Tree.Merged {
			t.Errorf("%+v", out)
		}
	}
	p.is(p.read("a.txt"), "mine\n")
	if _, err := p.k.JoinTodo(t.Context(), of, "t2", "again"); clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(err.Error(), "marks of a conflict") {
		t.Errorf("%v", err)
	}
	tree, _, err := p.k.TodoTree(of)
	if err != nil {
		t.Fatal(err)
	}
	p.is(p.settle(tree), "clew/1-x")
	p.is(p.git("show", "clew/1-x:a.txt"), "theirs")
	if _, err := os.Stat(tree.Dir); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// A todo that nobody ends keeps its work on its branch; one without any leaves none.
func TestTodoTreeSettled(t *testing.T) {
	p := newProject(t)
	_, idle := p.todo("idle")
	_, busy := p.todo("busy")
	putAt(t, busy.Dir, "n.txt", "half\n")
	p.is(p.settle(idle), "")
	p.is(p.settle(busy), "clew/1-busy")
	p.is(p.git("show", "clew/1-busy:n.txt"), "half")
	p.is(p.git("for-each-ref", "--format=%(refname)"), "refs/heads/clew/1-busy\nrefs/heads/main")
	_, next := p.todo("busy")
	p.is(next.Branch, "clew/1-busy-2")
	// Its session is gone by the next start.
	if err := p.k.RecoverTodos(t.Context(), func(clew.SessionID) (bool, error) { return false, nil }); err != nil {
		t.Error(err)
	}
	if _, found, err := p.k.TodoTree(git.Todo{Session: "sess_1", Run: "run_1", ID: "busy"}); err != nil || found {
		t.Error(found, err)
	}
}

// Without a commit, or a name to commit with, there is no work tree.
func TestTodoTreeImpossible(t *testing.T) {
	p := newProject(t)
	of := git.Todo{Session: "sess_1", Run: "run_1", ID: "x"}
	add := func(dir, want string) {
		t.Helper()
		if _, err := p.k.AddTodo(t.Context(), of, dir, filepath.Join(p.data, "x")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	add(p.data, "is in no git repository")
	p.write("../home/.gitconfig", "")
	add(p.dir, "git does not know who you are")
	if list, err := p.k.TodoTrees(); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}
