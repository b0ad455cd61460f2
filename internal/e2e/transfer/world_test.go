// Package transfer moves sessions between real servers with the real program.
package transfer

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

const within = 3 * time.Minute // hundreds of megabytes on a busy disk

// script is proc.Shopping, which can also write summaries, ask and greet.
const script = `
- when: {system: You write the summary}
  times: 0
  reply: [{text: There is a list with apples.}]
` + proc.Shopping + `
- when: {last_user: Add plums}
  times: 0
  reply:
  - tool: {name: write_file, id: c3, input: {path: sub/plums.txt, content: "plums\n"}}
- when: {last_user: Which fruit, tool_result: ask_followup}
  times: 0
  reply: [{text: So be it.}]
- when: {last_user: Which fruit}
  times: 0
  reply:
  - tool: {name: ask_followup, id: c4, input: {question: "Apples or pears?"}}
- when: {last_user: Hello}
  times: 0
  reply: [{text: Hello to you.}]
`

// A node is a server and a person at its terminal.
type node struct {
	t testing.TB
	*proc.Proc
	dir, token string
}

// model starts the one that all nodes of a test use.
func model(t testing.TB) string {
	t.Helper()
	m, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m.URL()
}

func start(t testing.TB, model string) *node {
	t.Helper()
	dir := t.TempDir()
	settings, err := json.Marshal(map[string]any{
		"model_profile": "m",
		"model_profiles": map[string]any{"m": map[string]any{
			"provider": "anthropic", "model": "m-1", "base_url": model, "key_name": "m_key", "price_in": 3, "price_out": 15,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, dir: dir, Proc: proc.New(t, proc.Program(t, ""), filepath.Join(dir, "data"), map[string]string{
		"CLEW_SETTINGS": file, "CLEW_SECRET_M_KEY": "sk-0123456789",
	})}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	if n.token, err = n.Token(); err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *node) api() *client.API { return client.NewAPI(n.URL(), n.token) }

// run runs a command against the server and wants an exit code.
func (n *node) run(code int, args ...string) string {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), within)
	defer cancel()
	out, errs, got, err := n.Run(ctx, append(args, "--server", n.URL(), "--data", n.Dir)...)
	if err != nil || got != code {
		n.t.Fatalf("clew %s: exit %d, want %d, %v\n%s%s", strings.Join(args, " "), got, code, err, out, errs)
	}
	return out + errs
}

// do gives a command and waits until the agent is done with it.
func (n *node) do(id clew.SessionID, typ clew.CommandType, data any) {
	n.t.Helper()
	r, err := n.api().Command(n.t.Context(), id, "", typ, data)
	if err != nil {
		n.t.Fatal(err)
	}
	n.until(id, r.Records[0], clew.EventTaskIdle)
}

// until waits for an event after a record.
func (n *node) until(id clew.SessionID, after clew.MessageID, want clew.EventType) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), within)
	defer cancel()
	c, err := client.Dial(ctx, client.Options{URL: n.URL(), Token: n.token, Session: id, ResumeFrom: string(after)})
	if err != nil {
		n.t.Fatal(err)
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			n.t.Fatalf("no %s: %v\n%s", want, err, n.run(0, "show", string(id)))
		}
		if env.Type == string(want) {
			return
		}
	}
	n.t.Fatal("the stream ended")
}

func (n *node) say(id clew.SessionID, text string, images ...string) {
	n.t.Helper()
	n.do(id, clew.CommandUserMessage, clew.UserMessageData{Text: text, Images: images})
}

// files checks a directory, file by file: "" stands for none.
func (n *node) files(dir string, want map[string]string) {
	n.t.Helper()
	for name, text := range want {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			n.t.Fatal(err)
		}
		if string(b) != text {
			n.t.Errorf("%s is %q, want %q", name, b, text)
		}
	}
}

func (n *node) has(out string, want ...string) {
	n.t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			n.t.Errorf("no %q in\n%s", w, out)
		}
	}
}
