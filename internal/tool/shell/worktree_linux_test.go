package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// In a work tree, commands read the history of its repository and change nothing of
// it. A file .git that only claims to be one shows nothing.
func TestSandboxWorktree(t *testing.T) {
	repo, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "the history")
	b := sandboxed(t, Options{})
	git("worktree", "add", "-q", "-b", "other", b.ws.Dir)
	if out, r := b.run("git log --format=%s && git status --porcelain"); r.IsError || out != "the history" {
		t.Errorf("%q", out)
	}
	if out, r := b.run("echo x > " + repo + "/.git/refs/heads/evil; git branch evil"); !r.IsError || !strings.Contains(out, "Read-only") {
		t.Errorf("%q", out)
	}
	forged := sandboxed(t, Options{})
	if err := os.WriteFile(filepath.Join(forged.ws.Dir, ".git"), []byte("gitdir: "+repo+"/.git/worktrees/"+filepath.Base(b.ws.Dir)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, r := forged.run("git log; ls " + repo + "/.git"); !r.IsError || strings.Contains(out, "HEAD") || strings.Contains(out, "the history") {
		t.Errorf("%q", out)
	}
}
