package server_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
)

// author is a model that writes messages of commits.
type author struct {
	text string
	seen []llm.Request
}

func (a *author) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	a.seen = append(a.seen, req)
	return llm.Answer{Parts: []clew.Part{{Type: clew.PartText, Text: a.text}}, Usage: clew.Usage{TokensIn: 10, TokensOut: 5}, Stop: llm.StopEnd}, nil
}

// A shop is a person's repository, and a server.
type shop struct {
	*stage
	dir string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	s := &shop{dir: filepath.Join(dir, "shop")}
	s.stage = &stage{t: t}
	s.put(filepath.Join(dir, "home"), ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n")
	s.put(s.dir, "a.txt", "one\n")
	s.run("init", "-q", "-b", "main")
	s.run("add", ".")
	s.run("commit", "-q", "-m", "first")
	s.stage = newStage(t)
	return s
}

func (s *shop) put(dir, name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// run is what the person does.
func (s *shop) run(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *shop) create(worktree any) (id, workspace string) {
	s.t.Helper()
	r := s.call(s.token, "POST", "/api/v1/sessions", map[string]any{"title": "Fix it", "workspace": s.dir, "worktree": worktree})
	if r.status != 201 {
		s.t.Fatal(r.raw)
	}
	id = r.body["session_id"].(string)
	return id, s.call(s.token, "GET", "/api/v1/sessions/"+id, nil).body["workspace"].(string)
}

func (s *shop) post(id, what string, body map[string]any) reply {
	s.t.Helper()
	return s.call(s.token, "POST", "/api/v1/sessions/"+id+"/"+what, body)
}

// commit commits what the preview shows.
func (s *shop) commit(id, message string) reply {
	s.t.Helper()
	p := s.post(id, "commit-preview", map[string]any{})
	if p.status != 200 {
		s.t.Fatal(p.raw)
	}
	return s.post(id, "commit", map[string]any{"branch": p.body["branch"], "head": p.body["head"], "tree": p.body["tree"], "merge": p.body["merge"], "message": message})
}

// transcript is what a session has on record of git.
func (s *shop) transcript(id string) string {
	s.t.Helper()
	var texts []string
	list, _ := s.call(s.token, "GET", "/api/v1/sessions/"+id+"/messages", nil).body["messages"].([]any)
	for _, m := range list {
		if m := m.(map[string]any); m["say"] == "git" {
			texts = append(texts, m["text"].(string))
		}
	}
	return strings.Join(texts, "\n")
}

// A session with a work tree: diff, commit and merge over REST, all on record. The
// person's own work tree stays as it is until the merge.
func TestWorktreeSession(t *testing.T) {
	s := newShop(t)
	id, work := s.create(true)
	if !strings.HasPrefix(work, s.cfg.Data) {
		t.Fatal(work)
	}
	s.put(work, "a.txt", "two\n")
	s.put(s.dir, "mine.txt", "mine\n")
	d := s.call(s.token, "GET", "/api/v1/sessions/"+id+"/diff", nil)
	if d.body["against"] != "base" || d.body["added"] != 1.0 || d.body["deleted"] != 1.0 {
		t.Error(d.raw)
	}
	if r := s.post(id, "merge", map[string]any{}); r.status != 409 || !strings.Contains(r.raw, "not committed") {
		t.Error(r.raw)
	}
	if r := s.commit(id, "Say two"); r.status != 200 {
		t.Fatal(r.raw)
	}
	if got := s.run("status", "--porcelain"); got != "?? mine.txt" {
		t.Error(got)
	}
	list := s.call(s.token, "GET", "/api/v1/worktrees?state=true", nil)
	if line := list.body["worktrees"].([]any)[0].(map[string]any); line["commits"] != 1.0 || line["dirty"] != 0.0 || line["session_id"] != id {
		t.Error(list.raw)
	}
	m := s.post(id, "merge", map[string]any{})
	if m.status != 200 || m.body["into"] != "main" || m.body["files"] != 1.0 {
		t.Fatal(m.raw)
	}
	if got := s.run("status", "--porcelain"); got != "?? mine.txt" {
		t.Error(got)
	}
	if got := s.run("show", "HEAD:a.txt"); got != "two" {
		t.Error(got)
	}
	said := s.transcript(id)
	for _, want := range []string{"Works in a work tree of " + s.dir, ": Say two. Not pushed.", "Merged clew/"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not on record:\n%s", want, said)
		}
	}
	if r := s.call(s.token, "DELETE", "/api/v1/sessions/"+id+"/worktree", nil); r.status != 200 || r.body["kept_branch"] != nil {
		t.Error(r.raw)
	}
	if got := s.run("branch"); got != "* main" {
		t.Error(got)
	}
}

// The commands of a trusted project count in a work tree that is made from it, until they
// are changed there.
func TestTrustInAWorktree(t *testing.T) {
	s := newShop(t)
	commands := filepath.Join(".clew", "commands")
	s.put(filepath.Join(s.dir, commands), "review.md", "Review it.")
	s.run("add", ".")
	s.run("commit", "-q", "-m", "commands")
	id, work := s.create(true)
	names := func() (list []any) {
		r := s.call(s.token, "GET", "/api/v1/sessions/"+id+"/slash-commands", nil)
		for _, c := range r.body["commands"].([]any) {
			list = append(list, c.(map[string]any)["name"])
		}
		return list
	}
	if got := names(); len(got) != 0 {
		t.Errorf("nobody trusts it, and there is %v", got)
	}
	folder, err := server.LookAt(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	trust := map[string]any{"settings": map[string]any{"trusted_workspaces": map[string]string{folder.Dir: folder.Hash}}}
	if r := s.call(s.token, "PATCH", "/api/v1/settings", trust); r.status != 200 {
		t.Fatal(r.raw)
	}
	if got := names(); len(got) != 1 || got[0] != "review" {
		t.Errorf("commands %v", got)
	}
	s.put(filepath.Join(work, commands), "more.md", "Do more.")
	if got := names(); len(got) != 0 {
		t.Errorf("changed in the work tree, there is %v", got)
	}
}

// Conflicts are listed and nothing is changed; with resolve they are put into the
// session's own work tree.
func TestMergeConflict(t *testing.T) {
	s := newShop(t)
	id, work := s.create(true)
	s.put(work, "a.txt", "theirs\n")
	s.commit(id, "theirs")
	s.put(s.dir, "a.txt", "mine\n")
	s.run("commit", "-q", "-a", "-m", "mine")
	r := s.post(id, "merge", map[string]any{})
	if c, _ := r.body["conflicts"].([]any); r.status != 200 || len(c) != 1 || c[0] != "a.txt" || r.body["commit"] != nil {
		t.Fatal(r.raw)
	}
	if r := s.post(id, "merge", map[string]any{"resolve": true}); r.status != 200 {
		t.Fatal(r.raw)
	}
	if got := s.run("status", "--porcelain"); got != "" {
		t.Error(got)
	}
	s.put(work, "a.txt", "both\n")
	if r := s.commit(id, "Merge main"); r.status != 200 {
		t.Fatal(r.raw)
	}
	if r := s.post(id, "merge", map[string]any{}); r.status != 200 || r.body["commit"] == nil {
		t.Fatal(r.raw)
	}
	if got := s.run("show", "HEAD:a.txt"); got != "both" {
		t.Error(got)
	}
}

// The message is the model's, and what it cost is on record. Without a model clew
// finds words of its own.
func TestCommitMessage(t *testing.T) {
	s := newShop(t)
	id, work := s.create(nil)
	if work != s.dir {
		t.Fatal(work)
	}
	s.put(s.dir, "a.txt", "two\n")
	p := s.post(id, "commit-preview", map[string]any{"draft": true})
	if p.body["message"] != "Change a.txt" || p.body["message_by"] != "clew" || p.body["message_why"] == nil {
		t.Error(p.raw)
	}
	model := &author{text: "```\nSay two\n\nOne was too few.\n```"}
	s.s.Stop(context.Background())
	s.cfg.Providers = map[string]llm.Provider{"pen": model}
	s.start()
	if r := s.call(s.token, "PATCH", "/api/v1/settings", map[string]any{"settings": map[string]any{"model_profiles": map[string]any{"pen": map[string]any{"provider": "pen", "model": "m"}}, "model_profile": "pen"}}); r.status != 200 {
		t.Fatal(r.raw)
	}
	p = s.post(id, "commit-preview", map[string]any{"draft": true})
	if p.body["message"] != "Say two\n\nOne was too few." || p.body["message_by"] != "model" {
		t.Error(p.raw)
	}
	if len(model.seen) != 1 || !strings.Contains(model.seen[0].Messages[0].Content[0].Text, "+two") {
		t.Errorf("%+v", model.seen)
	}
}

// What was under way when the server ended is finished and on record after the next
// start, and a work tree without a session is gone.
func TestGitAfterRestart(t *testing.T) {
	s := newShop(t)
	id, work := s.create(true)
	s.put(work, "a.txt", "two\n")
	c := s.commit(id, "Say two")
	commit, _ := c.body["commit"].(string)
	s.s.Stop(context.Background())
	// As a server leaves it that dies behind the change of the branch.
	intent := `{"kind":"merge","root":"` + s.dir + `","repo":"` + s.dir + `","ref":"refs/heads/main","old":"` + s.run("rev-parse", "main") + `","new":"` + commit + `","files":true,
		"told":{"session":"` + id + `","user":"owner","text":"Merged. Not pushed."}}`
	s.put(filepath.Join(s.cfg.Data, "git/intents"), "merge-"+commit+".json", intent)
	s.run("update-ref", "refs/heads/main", commit)
	lost := filepath.Join(s.cfg.Data, "workspaces", "lost")
	s.run("worktree", "add", "-q", "-b", "clew/lost", lost)
	s.put(filepath.Join(s.cfg.Data, "git/worktrees"), "lost.json", `{"session_id":"lost","repository":"`+s.dir+`","directory":"`+lost+`","branch":"clew/lost","from":"main","base":"`+commit+`"}`)
	s.start()
	await(t, func() bool { return strings.Contains(s.transcript(id), "Merged. Not pushed.") })
	await(t, func() bool { _, err := os.Lstat(lost); return err != nil })
	if got := s.run("status", "--porcelain"); got != "" {
		t.Error(got)
	}
	if _, err := os.Lstat(work); err != nil {
		t.Error("the work tree of a session is gone:", err)
	}
	if r := s.call(s.token, "GET", "/api/v1/sessions/"+id+"/deletion", nil); r.body["directory"] != work || r.body["directory_erased"] != true {
		t.Error(r.raw)
	}
	if r := s.call(s.token, "DELETE", "/api/v1/sessions/"+id+"?now=true", nil); r.status != 200 {
		t.Fatal(r.raw)
	}
	await(t, func() bool { _, err := os.Lstat(work); return err != nil })
}

// Others than whoever runs the server neither commit nor make work trees; who may
// only watch sees no differences of files.
func TestGitRights(t *testing.T) {
	s := newShop(t)
	id, _ := s.create(nil)
	s.share(id, "eve", "viewer")
	eve, zoe := s.key("eve", "owner"), s.key("zoe", "owner")
	for _, token := range []string{eve, zoe, s.key("owner", "viewer")} {
		for _, what := range []string{"commit-preview", "merge"} {
			if r := s.call(token, "POST", "/api/v1/sessions/"+id+"/"+what, map[string]any{}); r.status != 403 && r.status != 404 {
				t.Errorf("%s: %s", what, r.raw)
			}
		}
		if r := s.call(token, "GET", "/api/v1/sessions/"+id+"/diff", nil); r.status != 403 && r.status != 404 {
			t.Error(r.raw)
		}
		if r := s.call(token, "GET", "/api/v1/worktrees", nil); r.status != 403 {
			t.Error(r.raw)
		}
	}
	if r := s.call(zoe, "POST", "/api/v1/sessions", map[string]any{"workspace": s.dir, "worktree": true}); r.status != 403 {
		t.Error(r.raw)
	}
}

// The setting gives every new session in a repository a work tree, and leaves those
// elsewhere alone.
func TestWorktreeSetting(t *testing.T) {
	s := newShop(t)
	if r := s.call(s.token, "PATCH", "/api/v1/settings", map[string]any{"settings": map[string]any{"worktree": "session"}}); r.status != 200 {
		t.Fatal(r.raw)
	}
	if _, work := s.create(nil); !strings.HasPrefix(work, s.cfg.Data) {
		t.Error(work)
	}
	if _, work := s.create(false); work != s.dir {
		t.Error(work)
	}
	s.dir = filepath.Join(filepath.Dir(s.dir), "plain")
	s.put(s.dir, "x", "x")
	if _, work := s.create(nil); work != s.dir {
		t.Error(work)
	}
}

// await looks again until something holds: the server does it in the background.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("it never came")
		}
	}
}
