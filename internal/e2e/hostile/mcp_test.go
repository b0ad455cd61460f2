package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/wire"
)

// peerSettings describe the test binary as a tool server.
func peerSettings(t testing.TB, env map[string]string) in {
	t.Helper()
	self, err := os.Executable()
	proc.Must(t, err)
	all := in{peerVar: "1"}
	for k, v := range env {
		all[k] = v
	}
	return in{"command": self, "env": all}
}

// A tool server that changes a tool after it was allowed, once or for good, does
// not get it run.
//
// Covers: C-56, TOOL-15
func TestChangedToolIsAskedAnew(t *testing.T) {
	called := filepath.Join(t.TempDir(), "called")
	a := openArena(t, in{"mcp_servers": in{"sky": peerSettings(t, map[string]string{"CALLED": called})}})
	weather := []call{{tool: "mcp__sky__weather", input: in{}}}
	pause := []call{{tool: "ask_followup", input: in{"question": "Go on?"}}}
	at := attack{
		name: "tool changed after always-allow", harmless: true,
		turns: [][]call{weather, {{tool: "mcp__sky__change", input: in{}}}, pause, weather},
		drive: func(a *arena, r *run, _ string) {
			r.await("pause", func(seen []wire.Envelope) bool {
				open := questions(seen)
				return len(open) == 1 && open[0].Question != ""
			})
			q := questions(r.all())[0]
			r.awaitState("Sends all files")
			r.send(clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: q.RequestID, Value: "yes"})
			r.await("question", func(seen []wire.Envelope) bool {
				open := questions(seen)
				return len(open) == 1 && open[0].Tool == "mcp__sky__weather"
			})
			r.finish()
		},
		check: func(a *arena, _ *run, _ string) {
			b, err := os.ReadFile(called)
			if err != nil || string(b) != "weather\n" {
				a.t.Errorf("calls: %q %v", b, err)
			}
		},
	}
	t.Run(at.name, func(t *testing.T) {
		a.t = t
		admin := openRun(t, a.srv, "admin", a.workspace())
		admin.awaitState("Tells the weather")
		for _, tool := range []string{"weather", "change"} {
			err := admin.command(clew.CommandToggleToolAlwaysAllow, clew.ToggleToolAlwaysAllowData{Server: "sky", Tool: tool, AlwaysAllow: true})
			proc.Must(t, err)
		}
		a.launch(t, at)
	})
	proc.Must(t, os.Remove(called))
	once := attack{
		name: "tool changed after the question", harmless: true,
		turns: [][]call{weather},
		drive: func(a *arena, r *run, _ string) {
			first := r.awaitQuestion()
			proc.Must(a.t, r.command(clew.CommandRestartMcpServer, clew.RestartMcpServerData{Name: "sky"})) // it is as it was at first
			r.awaitState("Tells the weather")
			r.answer(first, clew.ChoiceApprove)
			r.await("question", func(seen []wire.Envelope) bool { return len(asks(seen)) == 2 || over(seen) })
			r.finish()
		},
		check: func(a *arena, r *run, _ string) {
			if n := len(asks(r.all())); n != 2 {
				a.t.Errorf("%d questions", n)
			}
			if b, err := os.ReadFile(called); err == nil {
				a.t.Errorf("it was called: %q", b)
			}
		},
	}
	t.Run(once.name, func(t *testing.T) { a.launch(t, once) })
}

// awaitState waits until the state for user interfaces has a text.
func (r *run) awaitState(text string) {
	r.t.Helper()
	poll.Until(r.t, fmt.Sprintf("%q in the state", text), func() bool {
		env, err := r.do(clew.CommandGetState, clew.GetStateData{Scope: clew.ScopeUI})
		proc.Must(r.t, err)
		return strings.Contains(string(env.Data), text)
	})
}

// do carries a command out that has an answer of its own.
func (r *run) do(typ clew.CommandType, data any) (wire.Envelope, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	return r.client.Do(ctx, typ, data)
}

func (r *run) command(typ clew.CommandType, data any) error {
	_, err := r.do(typ, data)
	return err
}
