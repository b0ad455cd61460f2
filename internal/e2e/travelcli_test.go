package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// shopping is the common model, which also runs commands.
const shopping = procs.Shopping + `
- when: {last_user: Drop the notes, tool_result: execute_command}
  times: 0
  reply: [{text: They are gone.}]
- when: {last_user: Drop the notes}
  times: 0
  reply:
  - tool: {name: execute_command, id: c3, input: {command: rm notes.txt}}
- when: {last_user: Add plums}
  times: 0
  reply:
  - tool: {name: write_file, id: c4, input: {path: list.txt, content: "apples\nplums\n"}}
`

const (
	tripSession clew.SessionID = "sess_trip"
	tripWithin                 = time.Minute
)

// A tour is a person at a terminal, with a server and a workspace.
type tour struct {
	t    testing.TB
	srv  *proc
	work string
}

func newTour(t testing.TB) *tour {
	t.Helper()
	model, err := llmtest.Start(llmtest.MustParse(shopping), llmtest.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	dir := t.TempDir()
	settings, err := json.Marshal(map[string]any{
		"model_profile": "trip",
		"model_profiles": map[string]any{"trip": map[string]any{
			"provider": "anthropic", "model": "trip-1", "base_url": model.URL(), "key_name": "trip_key", "price_in": 3, "price_out": 15,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "always_allow_execute": true,
		"allowed_commands": []string{"rm notes.txt"}, "command_sandbox": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	x := &tour{t: t, work: filepath.Join(dir, "work")}
	x.write(filepath.Join(dir, "settings.json"), string(settings))
	x.write(filepath.Join(x.work, "notes.txt"), "by hand\r\n")
	x.srv = startServer(t, options{dir: filepath.Join(dir, "data"), env: map[string]string{
		"SETTINGS": filepath.Join(dir, "settings.json"), "SECRET_TRIP_KEY": "sk-trip-0123456789", "SECRETS_BACKEND": "file",
	}})
	_, err = x.api().CreateSession(t.Context(), client.NewSession{SessionID: tripSession, Title: "Shopping", Workspace: x.work})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *tour) api() *client.API { return client.NewAPI(x.srv.URL(), x.srv.ownerToken()) }

func (x *tour) write(name, text string) {
	x.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		x.t.Fatal(err)
	}
}

// say says something and waits until the agent is done with it.
func (x *tour) say(id clew.SessionID, text string) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.t.Context(), tripWithin)
	defer cancel()
	r, err := x.api().Command(ctx, id, "", clew.CommandUserMessage, clew.UserMessageData{Text: text})
	if err != nil {
		x.t.Fatal(err)
	}
	c, err := client.Dial(ctx, client.Options{URL: x.srv.URL(), Token: x.srv.ownerToken(), Session: id, ResumeFrom: string(r.Records[0])})
	if err != nil {
		x.t.Fatal(err)
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			x.t.Fatalf("%q: %v\n%s", text, err, x.run(0, "show", string(id)))
		}
		if env.Type == string(clew.EventTaskIdle) {
			return
		}
	}
	x.t.Fatal("the stream ended")
}

// run runs a command as a person does, who is at no terminal.
func (x *tour) run(code int, args ...string) string {
	x.t.Helper()
	out, errs, got := x.srv.clew(append(args, "--server", x.srv.URL(), "--data", x.srv.Dir)...)
	if got != code {
		x.t.Fatalf("clew %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errs)
	}
	return out + errs
}

// has checks what a person reads.
func (x *tour) has(out string, want ...string) {
	x.t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			x.t.Errorf("no %q in\n%s", w, out)
		}
	}
}

func (x *tour) hasNot(out string, unwanted ...string) {
	x.t.Helper()
	for _, w := range unwanted {
		if strings.Contains(out, w) {
			x.t.Errorf("%q in\n%s", w, out)
		}
	}
}

// files checks a directory, file by file. "-" stands for none.
func (x *tour) files(dir, list, notes string) {
	x.t.Helper()
	for name, want := range map[string]string{"list.txt": list, "notes.txt": notes} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		got := string(b)
		if errors.Is(err, os.ErrNotExist) {
			got = "-"
		} else if err != nil {
			x.t.Fatal(err)
		}
		if got != want {
			x.t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func (x *tour) crash() {
	x.t.Helper()
	x.srv.kill()
	if err := x.srv.Start(); err != nil {
		x.t.Fatal(err)
	}
}

const (
	before = "apples\n"
	after  = "apples\npears\n"
	notes  = "by hand\r\n"
)

// A person at a terminal goes back, forth and aside, while the server is killed
// now and then. The files follow, bytes and all, and nothing is lost.
//
// Covers: C-42
func TestTravelByCommandLine(t *testing.T) {
	x := newTour(t)
	s := string(tripSession)
	x.say(tripSession, "Start a list")
	x.say(tripSession, "Add pears")
	x.say(tripSession, "Drop the notes")
	x.files(x.work, after, "-")

	x.has(x.run(0, "rewind", s), "-3", "Start a list", "-2", "Add pears", "-1", "Drop the notes")
	x.has(x.run(2, "rewind", s, "-2"), "--yes")
	x.has(x.run(0, "rewind", s, "-2", "--preview"), "list.txt changes, +0 -1", "notes.txt comes back, +1 -0", "2 files change",
		"they stay spent", "1 step cannot be undone", "run: 'rm' 'notes.txt'")
	x.files(x.work, after, "-")

	x.has(x.run(0, "rewind", s, "-2", "--yes"), "removed", "Files: 2 written, 0 removed.", "clew undo "+s)
	x.files(x.work, before, notes)
	x.hasNot(x.run(0, "show", s), "pears", "Drop")
	x.crash()
	x.files(x.work, before, notes)
	x.hasNot(x.run(0, "show", s), "pears", "Drop")

	x.write(filepath.Join(x.work, "list.txt"), "by hand\n") // what the undo takes away, the redo brings back
	x.has(x.run(0, "undo", s), "Done: the rewind of ", "is undone", "list.txt changes", "notes.txt is removed", "clew redo "+s)
	x.files(x.work, after, "-")
	x.has(x.run(0, "show", s), "Pears are on it.", "They are gone.")
	x.crash()
	x.run(0, "redo", s)
	x.files(x.work, "by hand\n", notes)
	x.run(0, "undo", s)
	x.files(x.work, after, "-")
	x.has(x.run(1, "undo", s), "there is no rewind to undo")

	x.fork(s)
	if err := x.srv.Stop(); err != nil {
		t.Fatal(err)
	}
	x.has(x.doctor(), "0 damaged")
}

// fork goes aside: what is done there stays there.
func (x *tour) fork(s string) {
	x.t.Helper()
	aside := filepath.Join(filepath.Dir(x.work), "aside")
	out := x.run(0, "fork", s, "-2", "--workspace", aside, "--title", "Plums", "--json")
	var made struct {
		SessionID  clew.SessionID `json:"session_id"`
		ForkedFrom clew.ForkPoint `json:"forked_from"`
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.ForkedFrom.SessionID != tripSession || made.ForkedFrom.MessageID == "" {
		x.t.Fatalf("%v: %s", err, out)
	}
	x.files(aside, before, notes)
	x.say(made.SessionID, "Add plums")
	x.crash()
	f := string(made.SessionID)
	x.files(aside, "apples\nplums\n", notes)
	x.files(x.work, after, "-")
	shown := x.run(0, "show", f)
	x.has(shown, "forked from "+s, "Start a list", "Plums it is.")
	x.hasNot(shown, "pears")
	x.hasNot(x.run(0, "show", s), "forked from", "lums")
	x.has(x.run(0, "ls"), "Plums", "Shopping")

	x.run(0, "rewind", f, "-2", "--yes") // before the fork's own time
	x.files(aside, "-", notes)
	x.run(0, "undo", f)
	x.files(aside, "apples\nplums\n", notes)
	x.files(x.work, after, "-")
	x.has(x.run(1, "fork", s, "--workspace", aside), "is not empty")
}

func (x *tour) doctor() string {
	x.t.Helper()
	out, errs, _ := x.srv.clew("doctor", "--data", x.srv.Dir)
	return out + errs
}

// Without checkpoints nothing is taken back by halves unless a person says so.
//
// Covers: HIS-15, C-13
func TestTravelWithoutCheckpoints(t *testing.T) {
	p := startServer(t, options{env: map[string]string{"SET_CHECKPOINTS_ENABLED": "false"}})
	x := &tour{t: t, srv: p}
	if _, err := x.api().CreateSession(t.Context(), client.NewSession{SessionID: tripSession, Workspace: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	x.say(tripSession, "hello")
	s := string(tripSession)
	x.has(x.run(1, "rewind", s, "-1", "--yes"), "no checkpoint", "--files=false")
	x.has(x.run(1, "fork", s, "--workspace", filepath.Join(t.TempDir(), "aside")), "no checkpoint")
	x.has(x.run(0, "show", s), "hello")
	x.has(x.run(0, "rewind", s, "-1", "--yes", "--files=false"), "files stay as they are", "removed")
	x.hasNot(x.run(0, "show", s), "hello")
	x.has(x.run(0, "undo", s, "--json"), `"event":"rewind_undone"`)
	x.has(x.run(0, "show", s), "hello")
	x.has(x.run(0, "rewind", s, "0", "--keep-target", "--yes", "--files=false"), "Back to after", "removed")
	shown := x.run(0, "show", s)
	x.has(shown, "user  hello")
	x.hasNot(shown, "You said")
	x.has(x.run(1, "rewind", s, "msg_000000000999", "--yes"), "no message")
	x.has(x.run(2, "rewind", s, "nonsense", "--yes"), "is not a message")
	x.has(x.run(2, "rewind", s, "-1", "--json"), "USAGE")
}
