package runs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

const listText = "apples\nplums\nnuts\nfigs\nkiwis\npears\n"

// gate lets two steps pass once both have come to it.
type gate struct {
	mu   sync.Mutex
	came map[time.Duration]bool
	open chan struct{}
}

func (g *gate) pass(ctx context.Context, d time.Duration) error {
	g.mu.Lock()
	if !g.came[d] {
		if g.came[d] = true; len(g.came) == 2 {
			close(g.open)
		}
	}
	g.mu.Unlock()
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A treeStage has a repository as its workspace, with a change in it that is not
// committed, and the session of whoever runs the server.
type treeStage struct {
	*stage
	home string
}

// newTreeStage sets it up. The last step replaces one text by another.
func newTreeStage(t *testing.T, tags, last, by string) *treeStage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	proc.Must(t, err)
	script := strings.NewReplacer("LAST", last, "NEW", by).Replace(proc.ReadFile(t, "testdata", "todos.yaml"))
	g := &gate{came: map[time.Duration]bool{}, open: make(chan struct{})}
	settings := proc.AllowFiles()
	settings["run_parallel_todos"], settings["question_reminder_sec"], settings["worktree"] = 2, 0, "todos"
	s := &treeStage{home: filepath.Join(dir, "home")}
	s.stage = &stage{Stage: proc.NewStage(t, proc.Setup{
		Name: "story", Session: sessionID, Dir: dir, Program: proc.Program(t, tags), Script: script, Settings: settings,
		Files: map[string]string{"list.txt": listText, "note.txt": "old\n"}, Model: llmtest.Options{Sleep: g.pass},
		Profile: map[string]any{"max_tokens": 8192, "context_window": 200_000},
		Env:     map[string]string{"HOME": s.home},
	})}
	s.Write("home/.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n")
	s.git("init", "-q", "-b", "main")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "first")
	s.Write("work/note.txt", "not committed\n")
	return s
}

func (s *treeStage) git(args ...string) string {
	s.T.Helper()
	cmd := exec.CommandContext(s.T.Context(), "git", args...)
	cmd.Dir, cmd.Env = s.Work, append(os.Environ(), "HOME="+s.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.T.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// said lists what the session has on record of git.
func said(list []record) (texts []string) {
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.MessageCreatedData); ok && d.Message.Say == clew.SayGit {
			texts = append(texts, d.Message.Text)
		}
	}
	return texts
}

// checkTrees looks at what is left of a run: nothing but the changed files.
func (s *treeStage) checkTrees(t *testing.T, want string, merged int) {
	t.Helper()
	list, _ := s.replayed()
	allTyped(t, list, nil)
	soundRun(t, list)
	if got := s.File("list.txt"); got != want {
		t.Errorf("list.txt:\n%s", got)
	}
	if got := s.File("note.txt"); got != "not committed\n" {
		t.Errorf("note.txt is %q", got)
	}
	n := 0
	for _, text := range said(list) {
		if strings.HasPrefix(text, "Merged todo ") {
			n++
		}
	}
	if n != merged {
		t.Errorf("%d merges are on record: %q", n, said(list))
	}
	if got := s.git("for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("the branches are %s", got)
	}
	if got := s.git("worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("the work trees are %s", got)
	}
	if got := s.git("log", "--format=%s"); got != "first" {
		t.Errorf("the commits are %s", got)
	}
	s.Answered()
	s.examine()
	if t.Failed() {
		t.Logf("the records:\n%s", newPlain(s.stage).journal(list))
	}
}

// Two todos that edit one file at once, each in a work tree of its own: both changes
// are there in the end, beside those that were not committed, and nothing else is. A
// rewind takes both back.
func TestTodoTrees(t *testing.T) {
	t.Parallel()
	s := newTreeStage(t, "", "pears", "PEARS")
	if s.live(t, "X=") {
		t.Fatal("the server died")
	}
	s.checkTrees(t, "APPLES\nplums\nnuts\nfigs\nkiwis\nPEARS\n", 2)
	s.Start()
	list, _ := s.replayed()
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.MessageCreatedData); ok && d.Message.Role == clew.SpeakerUser && d.Message.Text == request {
			s.do(t.Context(), "back", clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: d.Message.MessageID}, RestoreCheckpoint: true})
		}
	}
	proc.Eventually(t, "the files are as before the run", within, func() bool { return s.File("list.txt") == listText })
	if got := s.File("note.txt"); got != "not committed\n" {
		t.Errorf("note.txt is %q", got)
	}
	s.examine()
}

// If both change the same line, a person is asked, and the agent resolves it.
func TestTodoTreesConflict(t *testing.T) {
	t.Parallel()
	s := newTreeStage(t, "", "apples", "red apples")
	if s.live(t, "X=") {
		t.Fatal("the server died")
	}
	list, _ := s.replayed()
	asked := 0
	for _, r := range list {
		if d, ok := r.Event.Data.(*clew.HitlApprovalRequestData); ok && strings.Contains(d.Reason, "It changed the same lines as others did, in list.txt") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
	s.checkTrees(t, "APPLES and apples\nplums\nnuts\nfigs\nkiwis\npears\n", 2)
}

// A todo with a conflict that is left out: its branch stays, and is named.
func TestTodoTreesConflictSkipped(t *testing.T) {
	t.Parallel()
	s := newTreeStage(t, "", "apples", "red apples")
	s.skip = true
	if s.live(t, "X=") {
		t.Fatal("the server died")
	}
	list, _ := s.replayed()
	kept := s.git("for-each-ref", "--format=%(refname:short)", "refs/heads/clew")
	if kept != "clew/run-first" && kept != "clew/run-last" {
		t.Fatalf("the branches are %q", kept)
	}
	last := strings.Join(said(list), "\n")
	if want := "is not merged; its changes are on branch " + kept + "."; !strings.Contains(last, want) {
		t.Errorf("%q is not in %s", want, last)
	}
	if got := s.git("show", kept+":list.txt"); strings.Contains(got, "<<<") || got+"\n" == s.File("list.txt") || got+"\n" == listText {
		t.Errorf("the branch has %s", got)
	}
	if got := s.git("worktree", "list"); strings.Contains(got, "\n") {
		t.Errorf("the work trees are %s", got)
	}
	s.examine()
}

// In a directory without a repository todos share it, and that is said once.
func TestTodoTreesNoRepository(t *testing.T) {
	t.Parallel()
	s := newTreeStage(t, "", "pears", "PEARS")
	proc.Must(t, os.RemoveAll(filepath.Join(s.Work, ".git")))
	if s.live(t, "X=") {
		t.Fatal("the server died")
	}
	list, _ := s.replayed()
	if texts := said(list); len(texts) != 1 || !strings.HasPrefix(texts[0], "Todos share the session's directory: ") || !strings.HasSuffix(texts[0], "is in no git repository.") {
		t.Errorf("it says %q", texts)
	}
	s.examine()
}

// A server that is killed at any point of the work in work trees: the next one goes
// on, and no change is lost or merged twice.
func TestTodoTreesKilled(t *testing.T) {
	t.Parallel()
	for i, at := range []string{
		"git.todo.noted:1", "git.worktree.added:2", "git.worktree.filled:1", "git.todo.made:2", "git.todo.committed:1", "git.todo.committed:2",
		"git.todo.decided:1", "git.todo.placed:2", "git.todo.merged:1", "git.todo.emptied:2", "git.todo.removed:1", "git.todo.removed:2",
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := newTreeStage(t, "crashpoints", "pears", "PEARS")
			if !s.live(t, fmt.Sprint(crashAt, at)) {
				t.Errorf("%d: the server did not die", i)
			}
			s.checkTrees(t, "APPLES\nplums\nnuts\nfigs\nkiwis\nPEARS\n", 2)
		})
	}
	t.Run("git.todo.conflict:1", func(t *testing.T) {
		t.Parallel()
		s := newTreeStage(t, "crashpoints", "apples", "red apples")
		if !s.live(t, crashAt+"git.todo.conflict:1") {
			t.Error("the server did not die")
		}
		s.checkTrees(t, "APPLES and apples\nplums\nnuts\nfigs\nkiwis\npears\n", 2)
	})
}
