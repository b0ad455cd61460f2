package agent_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/tool"
)

// The main agent of a desktop shows, reads and delegates. It has the tools of every mode
// for questions, steps and the end of a task, and none that changes files, runs commands
// or reaches out.
//
// Covers: AGT-08
func TestDesktopTools(t *testing.T) {
	allowed := []string{
		"window", "notify", "reload_cached", "delegate", "new_task", "use_skill", // show and give away
		"read_file", "list_files", "search_files", "search_codebase", "read_output", // read and list
		"ask_followup", "attempt_completion", "update_todos", "switch_mode", // of every mode
	}
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, &gadget{name: "execute_command", group: tool.GroupCommand}, &gadget{name: "fetch", group: tool.GroupFetch})
		w.do(&clew.UserMessageData{Text: "write it", Mode: "desktop"})
		w.idle()
		names := toolNames(w.model.requests[0])
		for _, name := range names {
			if !slices.Contains(allowed, name) {
				t.Errorf("it has %s", name)
			}
		}
		for _, name := range []string{"window", "notify", "reload_cached", "delegate", "read_file", "list_files"} {
			if !slices.Contains(names, name) {
				t.Errorf("it has no %s", name)
			}
		}
		for _, id := range []string{"w", "x"} {
			if d := w.result(id); d.Status != clew.ToolError || !strings.Contains(d.Error, "in mode desktop") {
				t.Errorf("%s: %+v", id, d)
			}
		}
		if w.read("a.txt") != "" {
			t.Error("it wrote a file")
		}
	}, calls(call("w", "write_file", `{"path":"a.txt","content":"x"}`), call("x", "execute_command", `{}`)), says("I cannot."))
}

// reloads shows the last thing again that is offered.
func reloads() step {
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		ids := regexp.MustCompile(`reload_\d+`).FindAllString(lastText(req), -1)
		if len(ids) == 0 {
			return llm.Answer{}, fmt.Errorf("nothing is offered: %s", lastText(req))
		}
		return calls(call("r", "reload_cached", fmt.Sprintf(`{"id":%q}`, ids[len(ids)-1])))(ctx, req, on)
	}
}

// What is small the main agent of a desktop does itself, with one or two calls and at
// once: it is told so, and nothing of it asks anybody or starts another agent.
//
// Covers: AGT-20
func TestDesktopDoesSmallThingsItself(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("notes.txt", "remember the ribbon")
		say := func(text string) {
			w.do(&clew.UserMessageData{Text: text, Mode: "desktop"})
			w.idle()
		}
		say("good morning")
		rules := w.model.requests[0].System
		for _, rule := range []string{"one or two calls", "greet with a notice", "read a file and show it in a window", "use a skill and open its window", "show again what was shown before (reload_cached)"} {
			if !strings.Contains(rules, rule) {
				t.Errorf("it is not told %q", rule)
			}
		}
		if n := w.state().Notices; len(n) != 1 || n[0].Text != "Good morning." {
			t.Errorf("notices %+v", n)
		}
		say("show my notes")
		if got := w.window("notes").Content.Text; got != "remember the ribbon" {
			t.Errorf("the window shows %q", got)
		}
		w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "notes"}}})
		say("show my notes")
		options := lastText(w.model.requests[len(w.model.requests)-2])
		if !strings.Contains(options, "<reload_options>") || len(w.state().Windows) != 1 {
			t.Errorf("heard %s\nwindows %+v", options, w.state().Windows)
		}
		if n := len(w.tasks()); n != 1 {
			t.Errorf("%d tasks", n)
		}
	}, calls(call("n", "notify", `{"text":"Good morning."}`)), says("Hello."),
		calls(call("o", "window", `{"action":"open","window_id":"notes","title":"Notes","kind":"text","path":"notes.txt"}`)), says("There."),
		reloads(), says("Again."))
}

// What takes longer it delegates by the kind of work, several at once, and is free
// meanwhile: it is told so, and each agent works with the tools of its profile.
//
// Covers: AGT-21
func TestDesktopDelegatesByKind(t *testing.T) {
	// The main agent and the others are asked beside each other.
	answer := func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		switch heard := lastText(req); {
		case strings.Contains(heard, "began"):
			return says("Three are at work.")(ctx, req, on)
		case strings.HasSuffix(heard, "build a page|"):
			return calls(call("1", "delegate", `{"goal":"find prices","profile":"web","wait":false}`), call("2", "delegate", `{"goal":"add up","profile":"code","wait":false}`),
				call("3", "delegate", `{"goal":"build it","profile":"app","wait":false}`))(ctx, req, on)
		}
		return slowly("Done.")(ctx, req, on)
	}
	run(t, nil, func(w *world) {
		w.do(&clew.UserMessageData{Text: "find prices, add them up and build a page", Mode: "desktop"})
		for _, rule := range []string{"pages and APIs with the profile web", "computing with code", "building with app", "several agents at once", "wait false"} {
			if !strings.Contains(w.model.requests[0].System, rule) {
				t.Errorf("it is not told %q", rule)
			}
		}
		modes := map[clew.TaskID]string{}
		for _, d := range events[clew.TaskCreatedData](w) {
			modes[d.TaskID] = d.Mode
		}
		at := []string{}
		for _, a := range w.state().Agents {
			if a.Kind == clew.AgentTask {
				at = append(at, modes[a.TaskID])
			}
		}
		if slices.Sort(at); !slices.Equal(at, []string{"app", "compute", "web"}) {
			t.Errorf("at work at once: %v", at)
		}
		if m := w.state().Monitors[0]; m.Busy {
			t.Errorf("the main agent is not free: %+v", m)
		}
		w.do(&clew.ResetData{})
		w.idle()
	}, answer, answer, answer, answer, answer)
}
