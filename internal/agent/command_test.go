package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/tool"
)

// commander is a tool that would run commands.
func commander() *gadget {
	g := &gadget{name: "execute_command", group: tool.GroupCommand, class: clew.ClassOnce}
	g.prepare = func(c tool.Call) (*tool.Action, error) {
		var in struct {
			Command string `json:"command"`
		}
		if err := json.Unmarshal(c.Input, &in); err != nil {
			return nil, &tool.InputError{Message: "no command"}
		}
		return &tool.Action{Ask: clew.AskCommand, Effect: clew.Effect{Summary: "execute_command " + in.Command, Command: in.Command, Argv: []string{"bash", "--noprofile", "--norc", "-c", in.Command}}}, nil
	}
	g.run = func(_ context.Context, c tool.Call, _ tool.Output) (tool.Result, error) {
		return tool.Result{Text: "ran " + string(c.Input)}, nil
	}
	return g
}

// A command that the rules cover runs as it was parsed, each word quoted; one
// that they do not cover asks, and runs as it was shown.
//
// Covers: C-56
func TestCommandRunsAsParsed(t *testing.T) {
	g := commander()
	set := allowed(map[string]any{"always_allow_execute": true, "allowed_commands": []any{"echo *"}, "denied_commands": []any{"rm *"}})
	run(t, set, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		q := w.asked(clew.AskCommand)
		if q.ToolCallID != "c2" || q.Effect.Command != "make   test" {
			t.Errorf("question %+v", q)
		}
		began := w.running("c1")
		if began.Effect.Command == "echo   hi" || !strings.Contains(began.Effect.Command, "echo") || !strings.Contains(fmt.Sprint(w.result("c1").Output), "hi") {
			t.Errorf("it ran as %q: %v", began.Effect.Command, w.result("c1").Output)
		}
		if out := fmt.Sprint(w.result("c1").Output); strings.Contains(out, "echo   hi") {
			t.Errorf("the text itself ran: %s", out)
		}
		if d := w.result("c3"); d.Status != clew.ToolError || !strings.Contains(fmt.Sprint(d.Output), "forbid") {
			t.Errorf("the denied one: %+v", d)
		}
		w.yes()
		w.idle()
		if out := fmt.Sprint(w.result("c2").Output); !strings.Contains(out, "make   test") {
			t.Errorf("the approved one ran as %s", out)
		}
		if len(g.runs()) != 2 || len(w.messages("command_output")) != 2 {
			t.Errorf("runs %v\n%s", g.runs(), w.story())
		}
	}, calls(call("c1", "execute_command", `{"command":"echo   hi"}`), call("c2", "execute_command", `{"command":"make   test"}`),
		call("c3", "execute_command", `{"command":"rm -rf x"}`)), says("Done."))
}

// A rule that is made while a question waits does not change what was shown: the
// yes is to that.
func TestRuleMadeWhileAQuestionWaits(t *testing.T) {
	g := commander()
	run(t, allowed(map[string]any{"always_allow_execute": true}), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		first := w.asked(clew.AskCommand)
		w.set(map[string]any{"allowed_commands": []any{"echo *"}})
		w.yes()
		for w.question() != nil { // asking once more is right; running something else is not
			w.yes()
		}
		w.idle()
		if began := w.running("c1"); len(g.runs()) != 1 || began.Effect.Digest != first.Effect.Digest && began.RequestID == first.RequestID {
			t.Errorf("shown %+v, begun %+v", first.Effect, began.Effect)
		}
	}, calls(call("c1", "execute_command", `{"command":"echo   hi"}`)), says("Done."))
}

// A tool finds the settings that hold for its session.
func TestToolFindsTheSettings(t *testing.T) {
	var limit int
	g := &gadget{name: "look", run: func(ctx context.Context, _ tool.Call, _ tool.Output) (tool.Result, error) {
		v, ok := agent.ValuesOf(ctx)
		if !ok {
			return tool.Result{}, errors.New("none")
		}
		limit = v.MistakeLimit
		return tool.Result{Text: "x"}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.do(&clew.UpdateSettingsData{Settings: map[string]any{"mistake_limit": 8}})
		w.say("go")
		w.idle()
		if limit != 8 {
			t.Errorf("the tool sees %d", limit)
		}
	}, calls(call("c1", "look", `{}`)), says("Done."))
}

// What a tool wants to show is shown under its own kind; output without end is
// shown up to a limit, and the result has its end.
func TestShownOutput(t *testing.T) {
	g := gives(tool.Result{Text: "for the model", Say: clew.SayCodebaseSearchResult, Shown: "for people"})
	flood := &gadget{name: "flood", group: tool.GroupRead, run: func(_ context.Context, _ tool.Call, out tool.Output) (tool.Result, error) {
		for range 100 {
			if _, err := out.Write([]byte(strings.Repeat("x", 10<<10))); err != nil {
				return tool.Result{}, err
			}
		}
		return tool.Result{Text: "a million"}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g, flood)
		w.say("go")
		w.idle()
		if w.said(clew.SayCodebaseSearchResult) != "for people" || w.said(clew.SayCommandOutput) != "a million" {
			t.Errorf("transcript:\n%s", w.story())
		}
		if got := lastText(w.model.last()); !strings.Contains(got, "for the model") {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("c1", "give", `{}`), call("c2", "flood", `{}`)), says("Done."))
}

// Output that cannot be stored ends the turn, visibly, and leaves no call open.
func TestOutputCannotBeStored(t *testing.T) {
	run(t, allowed(map[string]any{"tool_output_limit": 1024}), func(w *world) {
		w.blobs.fail = errors.New("disk full")
		w.tools = append(w.tools, gives(tool.Result{Text: strings.Repeat("x", 5000)}))
		w.say("go")
		w.idle()
		if e := events[clew.ErrorData](w); len(e) != 1 || e[0].Code != clew.StorageFailed || strings.Contains(e[0].Message, "disk") {
			t.Errorf("errors %+v", e)
		}
		w.say("again")
		w.idle()
	}, calls(call("c1", "give", `{}`)), says("A pity."))
}
