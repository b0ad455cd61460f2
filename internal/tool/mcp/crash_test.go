package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

func TestCrashDuringACall(t *testing.T) {
	f := newFixture(t, one("plain"))
	_, err := f.call("crash", `{}`, nil)
	if clew.CodeOf(err) != clew.ToolExecutionFailed {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"not known what the call did", "exit status 3", "out of cheese"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
	f.await(hasStatus(statusConnected)) // it comes back
	if res, err := f.call("echo", `{"text":"again"}`, nil); err != nil || res.Text != "again" {
		t.Errorf("after the crash: %+v %v", res, err)
	}
}

// A server that never comes up is started a few times and then left alone; its
// last words are shown, without the secret in them.
func TestNoStorm(t *testing.T) {
	f := newFixture(t, one("crash"))
	f.Reload(t.Context())
	got := f.await(func(s clew.McpServer) bool { return s.Status == statusFailed && len(f.pids()) == f.time.attempts })
	if !strings.Contains(got.Error, "exit status 7") || !strings.Contains(got.Error, "no database, key was [secret]") {
		t.Errorf("error %q", got.Error)
	}
	if err := f.Restart(t.Context(), "peer"); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("restart: %v", err)
	}
}

func TestGarbage(t *testing.T) {
	for kind, want := range map[string]string{
		"garbage":  "does not speak MCP",
		"bigframe": "message of more than",
	} {
		t.Run(kind, func(t *testing.T) {
			f := newFixture(t, one(kind))
			f.time.attempts = 1
			f.Reload(t.Context())
			got := f.await(hasStatus(statusFailed))
			if !strings.Contains(got.Error, want) || strings.Contains(got.Error, "\x1b") || len(got.Error) > maxErrorText+maxTail {
				t.Errorf("error %q", got.Error)
			}
		})
	}
}

// A line that is no message does no harm.
func TestGreeting(t *testing.T) {
	f := newFixture(t, one("greeting"))
	if res, err := f.call("echo", `{"text":"hi"}`, nil); err != nil || res.Text != "hi" {
		t.Errorf("%+v %v", res, err)
	}
}

func TestCallTimesOut(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.time.call = 30 * time.Millisecond
	_, err := f.call("hang", `{}`, nil)
	if clew.CodeOf(err) != clew.ToolTimeout {
		t.Errorf("error %v", err)
	}
	f.time.call = deadline
	if res, err := f.call("echo", `{"text":"hi"}`, nil); err != nil || res.Text != "hi" {
		t.Errorf("after it: %+v %v", res, err)
	}
}

func TestCallIsInterrupted(t *testing.T) {
	f := newFixture(t, one("plain"))
	a := prepare(t, f.tool("mcp__peer__hang"), `{}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Run(ctx, &output{}); err == nil || clew.CodeOf(err) == clew.ToolTimeout {
		t.Errorf("error %v", err)
	}
}

// Calls under way end when the server is switched off.
func TestSwitchOffDuringACall(t *testing.T) {
	f := newFixture(t, one("plain"))
	a := prepare(t, f.tool("mcp__peer__hang"), `{}`)
	failed := make(chan error, 1)
	go func() {
		_, err := a.Run(context.Background(), &output{})
		failed <- err
	}()
	f.started(2) // the tool notes its start like the server
	f.change("peer", func(c *settings.McpServer) { c.Disabled = true })
	f.Reload(t.Context())
	if err := <-failed; clew.CodeOf(err) != clew.ToolExecutionFailed || !strings.Contains(err.Error(), "it was stopped") {
		t.Errorf("error %v", err)
	}
}

// started waits until so many starts were noted by other processes.
func (f *fixture) started(n int) {
	f.t.Helper()
	poll.Until(f.t, fmt.Sprintf("%d starts", n), func() bool { return len(f.pids()) >= n })
}

// What a server started ends with it.
func TestWholeGroupEnds(t *testing.T) {
	f := newFixture(t, one("plain"))
	res, err := f.call("child", `{}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var pid, child int
	if _, err := fmt.Sscan(res.Text, &pid, &child); err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(child); err != nil || group != pid {
		t.Errorf("group %d of %d: %v", group, pid, err)
	}
	f.Close()
	gone(t, pid)
	gone(t, child)
}

func TestStubbornServerIsKilled(t *testing.T) {
	f := newFixture(t, one("deaf"))
	f.time.wait, f.time.grace = time.Millisecond, 10*time.Millisecond
	f.Reload(t.Context())
	f.started(1)
	f.Close()
	gone(t, f.pids()[0])
}

// A server dies with us, even when nobody can clean up.
func TestServerDiesWithUs(t *testing.T) {
	f := newFixture(t, nil)
	self := stdio("holder")
	cmd := exec.Command(self.Command)
	cmd.Env = []string{peerVar + "=holder", "STARTS=" + f.starts}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.started(1)
	_ = cmd.Process.Signal(os.Kill)
	_ = cmd.Wait()
	gone(t, f.pids()[0])
}

func TestCommandOfNobody(t *testing.T) {
	conf := map[string]settings.McpServer{
		"none": {}, "both": {Command: "x", URL: "http://127.0.0.1:1"}, "scheme": {URL: "file:///etc/passwd"},
		"missing": {Command: "/does/not/exist"}, "path": {Command: "sh", Env: map[string]string{"PATH": "/does/not/exist"}},
	}
	f := newFixture(t, conf)
	if tools := f.Tools(t.Context()); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
	for _, s := range f.List() {
		if s.Status == statusConnected || s.Error == "" {
			t.Errorf("%+v", s)
		}
	}
}

func TestToolThatIsGone(t *testing.T) {
	f := newFixture(t, one("plain"))
	echo := f.tool("mcp__peer__echo")
	a := prepare(t, echo, `{"text":"x"}`)
	if _, err := f.call("swap", `{"what":"remove"}`, nil); err != nil {
		t.Fatal(err)
	}
	f.await(func(clew.McpServer) bool { _, ok := f.HashOf("peer", "echo"); return !ok })
	if _, err := a.Run(t.Context(), &output{}); err == nil {
		t.Error("ran a tool that is gone")
	}
	if _, err := echo.Prepare(t.Context(), tool.Call{Input: []byte(`{"text":"x"}`)}); err == nil {
		t.Error("prepared a tool that is gone")
	}
	if echo.Spec().Name != "mcp__peer__echo" {
		t.Error("its name is gone too")
	}
}
