package travelcrash

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// A server that is killed while it makes a work tree, commits or merges: after a
// restart that is as before or done, and what was asked for can be asked for again.
// In the end all is as if nothing had happened, and on record once.
func TestGitKilled(t *testing.T) {
	t.Parallel()
	for _, place := range []string{
		"git.worktree.noted:1", "git.worktree.added:1", "git.worktree.filled:1",
		"git.intended:1", "git.moved:1", "git.followed:1", "git.intended:2", "git.moved:2", "git.files:2", "git.followed:2",
	} {
		t.Run(place, func(t *testing.T) { killGit(t, place) })
	}
}

func killGit(t *testing.T, place string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	proc.Must(t, err)
	shop, home := filepath.Join(dir, "shop"), filepath.Join(dir, "home")
	put := func(name, text string) {
		t.Helper()
		proc.Must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		proc.Must(t, os.WriteFile(name, []byte(text), 0o644))
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = shop, append(os.Environ(), "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	put(filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n")
	put(filepath.Join(shop, "a.txt"), "one\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "first")

	p := proc.New(t, proc.Program(t, "crashpoints"), filepath.Join(dir, "data"), map[string]string{"HOME": home})
	proc.Must(t, p.Start("CLEW_CRASH_AT="+place))
	deaths := 0
	// again does something, and once more after a restart if the server died of it,
	// unless that has done it.
	again := func(do func(*client.API) error, done func() bool) {
		t.Helper()
		token, err := p.Token()
		proc.Must(t, err)
		if err = do(client.NewAPI(p.URL(), token)); err == nil {
			return
		}
		deaths++
		<-p.Exited()
		proc.Must(t, p.Start())
		if done() {
			return
		}
		proc.Must(t, do(client.NewAPI(p.URL(), token)))
	}
	yes := true
	again(func(c *client.API) error {
		_, err := c.CreateSession(t.Context(), client.NewSession{SessionID: "s1", Workspace: shop, Worktree: &yes})
		return err
	}, func() bool { return false })
	work := filepath.Join(dir, "data", "workspaces", "s1")
	put(filepath.Join(work, "a.txt"), "two\n")
	again(func(c *client.API) error {
		preview, err := c.PreviewCommit(t.Context(), "s1", false)
		if err == nil {
			_, err = c.Commit(t.Context(), "s1", preview, "Say two")
		}
		return err
	}, func() bool { return git("log", "-1", "--format=%s", "clew/s1") == "Say two" })
	again(func(c *client.API) error {
		_, err := c.Merge(t.Context(), "s1")
		return err
	}, func() bool { return git("log", "-1", "--format=%s", "main") == "Say two" })

	if deaths != 1 {
		t.Errorf("it died %d times", deaths)
	}
	token, err := p.Token()
	proc.Must(t, err)
	said := func() (texts string) {
		page, err := client.NewAPI(p.URL(), token).Messages(t.Context(), "s1", client.PageOf{Limit: 100})
		proc.Must(t, err)
		for _, m := range page.Messages {
			if m.Say == "git" {
				word, _, _ := strings.Cut(m.Text, " ")
				texts += word + " "
			}
		}
		return texts
	}
	proc.Eventually(t, "all is on record once", 20*time.Second, func() bool { return said() == "Works Committed Merged " })
	proc.Eventually(t, "the files follow", 20*time.Second, func() bool { return git("status", "--porcelain") == "" })
	if text := proc.ReadFile(t, shop, "a.txt"); text != "two\n" {
		t.Errorf("a.txt: %q", text)
	}
	proc.Must(t, p.Stop())
}
