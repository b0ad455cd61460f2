package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// repository makes a directory a repository of a person, with all that is in it.
func repository(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.com"}, {"add", "."}, {"commit", "-q", "-m", "first"},
	} {
		gitIn(t, dir, args...)
	}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// A commit is shown before it is made: the message, what is left out, the hooks that
// do not run. The message can be edited, and anything but a yes commits nothing.
func TestAskCommit(t *testing.T) {
	p := client.CommitPreview{
		Branch: "main", Files: make([]client.Change, 1), Others: 2, Hooks: []string{"pre-commit"},
		Message: "Round once\n\nIt was rounded twice.", MessageBy: "model",
	}
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf 'Edited\\n' > \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	question := "┌ Commit 1 file on main?\n│   Round once\n│\n│   It was rounded twice.\n│\n" +
		"│ 2 other changed files are left out: the session did not change them.\n" +
		"│ Hooks do not run: pre-commit. To run one in the sandbox, tell the agent: git hook run pre-commit\n" +
		"└ [y]es  [e]dit the message  [n]o\n› "
	for _, tt := range []struct{ typed, editor, want string }{
		{"y\n", "", p.Message},
		{"n\n", "", ""},
		{"", "", ""},
		{"what?\ny\n", "", p.Message},
		{"e\nTyped\nyes\n", "", "Typed"},
		{"e\ny\n", editor, "Edited"},
	} {
		var said bytes.Buffer
		a := &env.App{IO: env.IO{In: strings.NewReader(tt.typed), Err: &said, Environ: []string{"EDITOR=" + tt.editor}}}
		got, err := askCommit(t.Context(), a, p, p.Message)
		if err != nil || got != tt.want {
			t.Errorf("%q gives %q, %v", tt.typed, got, err)
		}
		if !strings.HasPrefix(said.String(), question) {
			t.Errorf("it says\n%s", said.String())
		}
	}
}

// The whole way in a terminal's words: diff, commit, and a merge with a conflict that
// stays undone because nobody is there to choose.
func TestGitCommands(t *testing.T) {
	x := newTraveller(t)
	x.write("one\n")
	x.say("hello")
	repository(t, x.work)
	x.write("two\n")
	session := string(x.id)
	run := func(code int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		a := &env.App{IO: env.IO{In: strings.NewReader(""), Out: &out, Err: &out, Environ: []string{"HOME=" + t.TempDir()}}, Server: env.RealServer}
		if got := execute(t.Context(), a, append(args, x.where...)); got != code {
			t.Errorf("%v: exit code %d\n%s", args, got, out.String())
		}
		return out.String()
	}
	has := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
	has(run(0, "diff", session, "--against", "head"), " | 2 +-   (1 file, +1 −1)", "-one\n+two\n")
	has(run(2, "commit", session), "--yes")
	has(run(0, "commit", session, "-m", "Say two\n\nOne was wrong.", "--yes"), "  Say two\n\n  One was wrong.\n", "Committed "+gitIn(t, x.work, "rev-parse", "--short=7", "HEAD")+" on main. Not pushed.")
	has(run(1, "commit", session, "-m", "again", "--yes"), "nothing")
	has(run(0, "diff", session, "--against", "head"), "No changes.")
	has(run(1, "merge", session), "clew run --worktree")

	has(run(2, "run", "hello", "--model", "echo", "--worktree=both", "--workspace", x.work), "--worktree=todos")
	has(run(0, "run", "hello", "--model", "echo", "--worktree=todos", "--workspace", x.work), "")
	has(run(0, "worktree", "ls"), "No session has a work tree")
	has(run(0, "run", "hello", "--model", "echo", "--worktree", "--workspace", x.work), "")
	list := run(0, "worktree", "ls")
	has(list, "clew/", "main", "0 commits", "0 files", x.work)
	tree := strings.Fields(strings.Split(list, "\n")[1])[0]
	dir := strings.TrimPrefix(strings.Split(gitIn(t, x.work, "worktree", "list", "--porcelain"), "\n\n")[1], "worktree ")
	dir, _, _ = strings.Cut(dir, "\n")
	name := strings.TrimSpace(gitIn(t, x.work, "ls-files"))
	if err := os.WriteFile(filepath.Join(dir, name), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	has(run(0, "diff", tree), "-two\n+theirs\n")
	has(run(1, "worktree", "rm", tree), "--force")
	has(run(0, "commit", tree, "-m", "theirs", "--yes"), " on clew/")
	x.write("mine\n")
	gitIn(t, x.work, "commit", "-q", "-a", "-m", "mine")
	has(run(1, "merge", tree), "both changed:\n  "+name, "Your files are as they were.", "Nothing was merged.")
	has(run(0, "merge", tree, "--resolve"), "The agent resolves the conflicts")
	if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), "<<<<<<<") {
		t.Errorf("%s, %v", text, err)
	}
	if got := gitIn(t, x.work, "status", "--porcelain"); got != "" {
		t.Error(got)
	}
	has(run(0, "worktree", "rm", tree, "--force"), "stays: it has commits that are merged nowhere")
}
