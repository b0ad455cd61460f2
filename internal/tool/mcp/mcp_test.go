package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// Covers: TOOL-15
func TestToolOfAProcess(t *testing.T) {
	f := newFixture(t, one("plain"))
	echo := f.tool("mcp__peer__echo")
	spec := echo.Spec()
	if spec.Class != clew.ClassOnce || spec.Group != tool.GroupMCP || spec.Server != "peer" || spec.Parallel {
		t.Errorf("a stranger's hints count: %+v", spec)
	}
	a := prepare(t, echo, `{"text":"hi"}`)
	if a.Ask != clew.AskUseMcpServer || a.Effect.Server != "peer" || !strings.Contains(a.Effect.Summary, "echo") || a.Effect.Digest == "" {
		t.Errorf("action: %+v", a)
	}
	res, err := a.Run(t.Context(), &output{})
	if err != nil || res.Text != "hi" || res.Shown != "hi" || res.Say != clew.SayMcpServerResponse || res.IsError {
		t.Errorf("result %+v, %v", res, err)
	}
	list := f.List()
	if len(list) != 1 || list[0].Status != statusConnected || len(list[0].Tools) < 5 {
		t.Errorf("list: %+v", list)
	}
}

func TestInputIsChecked(t *testing.T) {
	f := newFixture(t, one("plain"))
	echo := f.tool("mcp__peer__echo")
	for _, input := range []string{`{}`, `{"text":3}`, `[]`, `nonsense`, ``} {
		_, err := echo.Prepare(t.Context(), tool.Call{Input: []byte(input)})
		var wrong *tool.InputError
		if !errors.As(err, &wrong) || strings.Contains(wrong.Message, "mem:") {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestRichResult(t *testing.T) {
	f := newFixture(t, one("plain"))
	res, err := f.call("rich", `{}`, nil)
	if err != nil || !res.IsError {
		t.Fatal(res, err)
	}
	want := "look red evil \n[image of type image/svg+xml: not shown]\n[audio, 3 bytes: not shown]\n" +
		"[resource a: file:///a.txt] \n[resource file:///b.txt]\nbee"
	if res.Text != want {
		t.Errorf("text %q", res.Text)
	}
	if fmt.Sprint(res.Images) != "[data:image/png;base64,cG5n data:image/gif;base64,Z2lm]" {
		t.Errorf("images %v", res.Images)
	}
	if res, err := f.call("structured", `{}`, nil); err != nil || res.Text != `{"degrees":21}` {
		t.Errorf("structured %+v %v", res, err)
	}
}

func TestProgress(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.Tools(t.Context())
	s, out := f.server("peer"), &output{}
	c := newCall(t.Context(), out, "c1", deadline)
	defer c.end()
	if _, err := s.begin(c); err != nil {
		t.Fatal(err)
	}
	s.progress(&sdk.ProgressNotificationParams{ProgressToken: c.token, Message: "half \x1b[1mway", Progress: 1, Total: 2})
	s.progress(&sdk.ProgressNotificationParams{ProgressToken: "another", Message: "x"})
	s.finish(c)
	if len(out.progress) != 1 || out.progress[0].Text != "half way" || *out.progress[0].Percentage != 50 {
		t.Errorf("progress %+v", out.progress)
	}
}

func TestFloodIsBounded(t *testing.T) {
	f := newFixture(t, one("plain"))
	res, err := f.call("flood", `{}`, nil)
	if err != nil || len(res.Text) > maxResultText || len(res.Shown) > maxShown {
		t.Errorf("%d bytes, %d shown, %v", len(res.Text), len(res.Shown), err)
	}
}

func TestThousandTools(t *testing.T) {
	f := newFixture(t, one("many"))
	tools := f.Tools(t.Context())
	if len(tools) != 1000 {
		t.Fatalf("%d tools", len(tools))
	}
	if res, err := f.call("tool999", `{}`, nil); err != nil || res.Text != "999" {
		t.Errorf("%+v %v", res, err)
	}
}

// The environment is that of the settings and no more; secrets reach the
// server, not us.
func TestEnvironmentAndSecrets(t *testing.T) {
	t.Setenv("CLEW_TEST_LEAK", "leak")
	f := newFixture(t, one("plain"))
	f.change("peer", func(c *settings.McpServer) { c.Args = []string{"-a", "$(id) ; $HOME *"} })
	res, err := f.call("environment", `{}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(res.Text, "leak") || strings.Contains(res.Text, "HOME=") || strings.Contains(res.Text, "PATH=") {
		t.Errorf("environment: %s", res.Text)
	}
	if !strings.Contains(res.Text, "KEY=[secret]") || !strings.Contains(res.Text, "$(id) ; $HOME *") {
		t.Errorf("environment: %s", res.Text)
	}
}

func TestSecretThatIsNotThere(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.change("peer", func(c *settings.McpServer) { c.Env["OTHER"] = "$SECRET:nope" })
	f.Reload(t.Context())
	got := f.await(hasStatus(statusFailed))
	if !strings.Contains(got.Error, `the secret "nope", which OTHER needs`) {
		t.Errorf("error %q", got.Error)
	}
}

func TestHostileTools(t *testing.T) {
	f := newFixture(t, one("hostile"))
	safe, seen := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`), map[string]bool{}
	for _, tl := range f.Tools(t.Context()) {
		spec := tl.Spec()
		if !safe.MatchString(spec.Name) || seen[spec.Name] {
			t.Errorf("name %q", spec.Name)
		}
		seen[spec.Name] = true
		if text := spec.Description + string(spec.Schema); clean(text) != text || len(spec.Description) > maxText || strings.Contains(text, `\u202e`) {
			t.Errorf("description %.80q", text)
		}
		res, err := prepare(t, tl, `{}`).Run(t.Context(), &output{})
		if err != nil || res.Text == "" {
			t.Errorf("%s: %v", spec.Name, err)
		}
	}
	problems := map[string]bool{}
	for _, tl := range f.List()[0].Tools {
		problems[tl.Name] = strings.HasPrefix(tl.Description, "Cannot be used: ")
	}
	for name, want := range map[string]bool{
		"remote_ref": true, "hidden_name": true, "bomb": true,
		"local_ref": false, "lookahead": false, "talk": false, "a/b": false, "../../etc/passwd": false,
	} {
		if got, ok := problems[name]; !ok || got != want {
			t.Errorf("%s: cannot be used = %v (listed: %v)", name, got, ok)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d usable tools", len(seen))
	}
}

// Covers: UIC-43
func TestSwitchOffAndOn(t *testing.T) {
	f := newFixture(t, one("plain"))
	echo := f.tool("mcp__peer__echo")
	pid := f.pids()[0]
	f.change("peer", func(c *settings.McpServer) { c.Disabled = true })
	f.Reload(t.Context())
	if got := f.List()[0]; got.Status != statusDisabled || !got.Disabled || len(f.Tools(t.Context())) != 0 {
		t.Errorf("still there: %+v", got)
	}
	gone(t, pid)
	if _, err := echo.Prepare(t.Context(), tool.Call{Input: []byte(`{"text":""}`)}); clew.CodeOf(err) != clew.Unavailable {
		t.Errorf("a tool that is switched off: %v", err)
	}
	if err := f.Restart(t.Context(), "peer"); err == nil {
		t.Error("restarted while switched off")
	}
	f.change("peer", func(c *settings.McpServer) { c.Disabled = false })
	f.Reload(t.Context())
	f.await(hasStatus(statusConnected))
	prepare(t, echo, `{"text":""}`)
}

// Covers: UIC-43, TOOL-15
func TestRestart(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.Tools(t.Context())
	if err := f.Restart(t.Context(), "peer"); err != nil {
		t.Fatal(err)
	}
	if pids := f.pids(); len(pids) != 2 {
		t.Errorf("starts: %v", pids)
	} else {
		gone(t, pids[0])
	}
	if err := f.Restart(t.Context(), "nobody"); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("unknown server: %v", err)
	}
}

func TestReloadTouchesOnlyWhatChanged(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{"a": stdio("plain"), "b": stdio("plain")})
	f.Tools(t.Context())
	f.change("a", func(c *settings.McpServer) { c.AlwaysAllow, c.TimeoutSec = []string{"echo"}, 5 })
	f.Reload(t.Context())
	f.Tools(t.Context())
	if pids := f.pids(); len(pids) != 2 {
		t.Fatalf("restarted for nothing: %v", pids)
	}
	f.change("b", func(c *settings.McpServer) { c.Args = []string{"-x"} })
	f.Reload(t.Context())
	f.Tools(t.Context())
	if pids := f.pids(); len(pids) != 3 {
		t.Errorf("starts: %v", pids)
	}
}

// The start of everything else does not wait for a server that says nothing.
func TestSilentServerHoldsNobodyUp(t *testing.T) {
	f := newFixture(t, one("deaf"))
	f.time.wait, f.time.grace = time.Millisecond, 50*time.Millisecond
	f.Reload(t.Context())
	if got := f.List()[0].Status; got != statusConnecting {
		t.Errorf("status %s", got)
	}
	if tools := f.Tools(t.Context()); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
}

func TestSilentServerFails(t *testing.T) {
	f := newFixture(t, one("deaf"))
	f.time.connect, f.time.grace = 50*time.Millisecond, 50*time.Millisecond
	f.Reload(t.Context())
	if got := f.await(hasStatus(statusFailed)); !strings.Contains(got.Error, "did not answer within") {
		t.Errorf("error %q", got.Error)
	}
}
