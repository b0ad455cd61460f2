package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// jsonElsewhere are the commands whose success is shown by other tests, with what
// they need.
var jsonElsewhere = []string{
	"clew serve", "clew demo", // they stay; TestServeStopsOnSignal, TestDemo…
	"clew serve status", "clew serve stop", "clew serve restart", "clew serve logs", // of a server in the background; internal/e2e/firsthour
	"clew answer", "clew resume", // a question, a plan; testdata/work
	"clew rules rm",                                                                                   // a rule; testdata/work/rules.txtar
	"clew checkpoint gc",                                                                              // a server that is stopped; TestCheckpoints…
	"clew attach",                                                                                     // with --until-done, as clew run
	"clew notebook run", "clew notebook interrupt", "clew notebook restart", "clew notebook shutdown", // a kernel; internal/e2e/notebookcli
}

// A command that works says so in JSON with --json, and in nothing else. Every
// command is tried, in an order in which each has something to do.
func TestEveryCommandSucceedsInJSON(t *testing.T) {
	x := newTraveller(t)
	x.write("one\n")
	x.say("hello")
	x.write("two\n")
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join(x.work, ".clew"), 0o755); err != nil {
		t.Fatal(err)
	}
	session := string(x.id)
	notes, err := exec.LookPath("notes")
	if err != nil {
		t.Fatal(err)
	}
	keyID, hash := "", ""
	tried := map[string]bool{}
	try := func(path string, args ...string) map[string]any {
		t.Helper()
		tried[path] = true
		var out, errOut bytes.Buffer
		a := &env.App{
			IO:     env.IO{In: strings.NewReader("sk-secret-1\n"), Out: &out, Err: &errOut, Environ: []string{"HOME=" + dir}},
			Server: env.RealServer, Browse: func(string) error { return nil },
		}
		words := slices.Concat(strings.Fields(path)[1:], args, []string{"--json"})
		if cmd, _, err := rootCommand(a).Find(words); err == nil && cmd.Flags().Lookup("server") != nil || cmd.InheritedFlags().Lookup("server") != nil {
			words = append(words, x.where...)
		}
		if code := execute(t.Context(), a, words); code != env.ExitOK {
			t.Errorf("%v: exit code %d, %s%s", words, code, out.String(), errOut.String())
			return nil
		}
		if errOut.Len() > 0 {
			t.Errorf("%v said on stderr: %s", words, errOut.String())
		}
		return lastObject(t, words, out.String())
	}

	try("clew", "--help")
	try("clew exit-codes")
	try("clew version")
	try("clew completion", "bash")
	try("clew man", "pages")
	try("clew doctor")
	try("clew open")
	try("clew ls")
	if rows, _ := try("clew usage", "--by", "session,model", "--since", "30d")["rows"].([]any); len(rows) == 0 {
		t.Error("nothing was used")
	}
	try("clew show", session[:9])
	if _, ok := try("clew search", "hello", "--session", session[:9], "--kind", "message", "--limit", "5")["groups"].([]any); !ok {
		t.Error("a search gives no list")
	}
	try("clew inbox")
	if places, _ := try("clew rewind", session)["places"].([]any); len(places) != 1 {
		t.Errorf("places to go back to: %v", places)
	}
	try("clew rewind", session, "-1", "--preview")
	try("clew rewind", session, "-1", "--yes")
	try("clew undo", session)
	try("clew redo", session)
	try("clew undo", session)
	try("clew checkpoint", "--help")
	try("clew checkpoint save", session, "--message", "by hand")
	if list, _ := try("clew checkpoint ls", session)["checkpoints"].([]any); len(list) > 0 {
		first, _ := list[0].(map[string]any)
		hash, _ = first["to_hash"].(string)
	}
	try("clew checkpoint diff", session)
	try("clew checkpoint restore", session, hash, "--yes")
	try("clew checkpoint fsck")
	repository(t, x.work)
	x.write("three\n")
	try("clew diff", session)
	try("clew commit", session, "--message", "three", "--yes")
	tree, _ := try("clew run", "hello", "--model", "echo", "--worktree", "--workspace", x.work)["session_id"].(string)
	try("clew worktree", "--help")
	trees, _ := try("clew worktree ls")["worktrees"].([]any)
	if len(trees) != 1 {
		t.Fatalf("work trees: %v", trees)
	}
	at, _ := trees[0].(map[string]any)["directory"].(string)
	if err := os.WriteFile(filepath.Join(at, "new.txt"), []byte("new\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	try("clew commit", tree, "--message", "new", "--yes")
	try("clew merge", tree)
	try("clew worktree rm", tree)
	try("clew export", session, "-o", "x.clew")
	try("clew import", "x.clew", "--new-id")
	try("clew fork", session, "--title", "Other")
	try("clew model")
	try("clew model ls")
	try("clew model ls", "openai")
	try("clew model use", "openai")
	try("clew model add", "second", "--provider", "echo")
	try("clew model test", "second")
	try("clew model rm", "second")
	try("clew login", "openai", "--key-stdin", "--no-test", "--name", "other")
	try("clew settings reset", "model_profile")
	try("clew settings")
	try("clew settings list")
	try("clew settings set", "always_allow_read_only", "true")
	try("clew settings set", "mode", "ask", "--session", session[:9])
	try("clew settings get", "mode")
	try("clew settings reset", "always_allow_read_only")
	try("clew settings export", "-o", "settings.json")
	try("clew settings export")
	try("clew settings import", "settings.json")
	try("clew settings trust", x.work)
	try("clew permissions", "edits", "--workspace", x.work)
	try("clew permissions", "default", "--workspace", x.work)
	try("clew permissions", "ask", "--session", session[:9])
	try("clew rules")
	try("clew rules ls")
	try("clew secret", "--help")
	try("clew secret set", "openai_api_key")
	try("clew secret ls")
	try("clew secret rm", "openai_api_key")
	try("clew token", "--help")
	try("clew token show")
	keyID, _ = try("clew token create", "--user", "ada")["id"].(string)
	try("clew mcp add", "tools", notes)
	try("clew mcp test", "tools")
	try("clew mcp ls")
	try("clew mcp")
	try("clew mcp rm", "tools")
	try("clew token list")
	try("clew token revoke", keyID)
	try("clew run", "hello", "--workspace", "", "--model", "echo")
	try("clew init", "--workspace", "", "--model", "echo")
	if id, _ := try("clew notebook", filepath.Join(x.work, "new.ipynb"))["notebook_id"].(string); id == "" {
		t.Error("no notebook is open")
	}
	try("clew notebook ls")
	try("clew notebook kernels")
	try("clew stop", session)
	try("clew rename", session, "Another title")
	try("clew archive", session)
	try("clew archive", session, "--undo")
	try("clew share", session, "bob")
	backup, restored := filepath.Join(dir, "backup"), filepath.Join(dir, "restored")
	try("clew backup", backup)
	try("clew restore", backup, "--data", restored)
	try("clew partitions", "8", "--data", restored)
	try("clew cache", "--help")
	try("clew cache ls", "--data", restored)
	try("clew cache clear", "--all", "--data", restored)
	try("clew unlink", x.work)
	try("clew delete", session, "--preview")
	try("clew delete", session, "--yes")
	try("clew delete", session, "--undo")

	for _, cmd := range commands() {
		if path := cmd.CommandPath(); !tried[path] && !slices.Contains(jsonElsewhere, path) {
			t.Errorf("%s was not tried", path)
		}
	}
}

// lastObject reads a text that is JSON objects, one or a line each.
func lastObject(t *testing.T, words []string, text string) (last map[string]any) {
	t.Helper()
	for dec := json.NewDecoder(strings.NewReader(text)); ; {
		var v map[string]any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%v wrote %q: %v", words, text, err)
			break
		}
		last = v
	}
	if last == nil {
		t.Errorf("%v wrote nothing", words)
	}
	return last
}
