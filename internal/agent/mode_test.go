package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// toolNames lists what the model was offered.
func toolNames(req llm.Request) []string {
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return names
}

// A mode has its own tools and its own part of the prompt; the agent's own tools
// belong to all.
//
// Covers: UIC-04, UIC-53
func TestModeHasItsTools(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.do(&clew.UserMessageData{Text: "go", Mode: "ask"})
		w.idle()
		names := toolNames(w.model.requests[0])
		if slices.Contains(names, "write_file") || !slices.Contains(names, "read_file") || !slices.Contains(names, "attempt_completion") {
			t.Errorf("tools %v", names)
		}
		if !slices.IsSorted(names) {
			t.Error("the order of the tools is not fixed")
		}
		if d := w.result("c1"); d.Status != clew.ToolError || !strings.Contains(fmt.Sprint(d.Output), "mode ask") || w.read("a.txt") != "" {
			t.Errorf("result %+v", d)
		}
		if !strings.Contains(w.model.last().System, "Mode: ask.") {
			t.Errorf("prompt %.300q", w.model.last().System)
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`)), says("I cannot."))
}

// A mode may be bound to files that fit a pattern.
func TestModeEditsWhatFits(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.do(&clew.UserMessageData{Text: "go", Mode: "architect"})
		w.idle()
		if w.read("a.go") != "" || w.read("a.md") != "plan" {
			t.Errorf("files: %q, %q", w.read("a.go"), w.read("a.md"))
		}
		if d := w.result("c1"); d.Status != clew.ToolError || !strings.Contains(fmt.Sprint(d.Output), "**/*.md") {
			t.Errorf("result %+v", d)
		}
	}, calls(call("c1", "write_file", `{"path":"a.go","content":"x"}`), call("c2", "write_file", `{"path":"a.md","content":"plan"}`)), says("Done."))
}

// An agent may narrow its mode by itself.
//
// Covers: EVT-09
func TestNarrowerMode(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.idle()
		switched := events[clew.TaskModeSwitchedData](w)
		if len(switched) != 1 || switched[0].Mode != "ask" {
			t.Errorf("switched: %+v", switched)
		}
		if slices.Contains(toolNames(w.model.last()), "write_file") {
			t.Error("the tools are still those of the old mode")
		}
	}, calls(call("c1", "switch_mode", `{"mode":"ask","reason":"only looking"}`)), says("Done."))
}

// To widen it, it has to ask.
//
// Covers: EVT-09
func TestWiderMode(t *testing.T) {
	for name, agreed := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.do(&clew.UserMessageData{Text: "go", Mode: "ask"})
				if q := w.asked(clew.AskTool); !strings.Contains(q.Reason, "Mode code may do more") {
					t.Errorf("reason %q", q.Reason)
				}
				if agreed {
					w.yes()
				} else {
					w.no()
				}
				w.idle()
				if got := slices.Contains(toolNames(w.model.last()), "write_file"); got != agreed {
					t.Errorf("tools %v", toolNames(w.model.last()))
				}
			}, calls(call("c1", "switch_mode", `{"mode":"code"}`)), says("Done."))
		})
	}
}

// A number that no float64 holds does not make a session unreadable, and the
// person is asked about the very number that the tool would get.
func TestNumbersOfAnySize(t *testing.T) {
	const input = `{"mode":"code","x":1e400,"y":9007199254740993}`
	run(t, allowed(), func(w *world) {
		w.do(&clew.UserMessageData{Text: "go", Mode: "ask"})
		w.asked(clew.AskTool)
		w.crash()
		if q := w.asked(clew.AskTool); string(q.Input) != input {
			t.Errorf("asked about %s", q.Input)
		}
		w.yes()
		w.idle()
		w.crash()
		w.idle()
	}, calls(call("c1", "switch_mode", input)), says("Done."))
}

// No way around: not through a subtask, with or without a mode of its own, and
// not through a mode that delegates.
func TestNoWayToAWiderMode(t *testing.T) {
	for name, c := range map[string]clew.Part{
		"a subtask in it":      call("c1", "new_task", `{"message":"write","mode":"code"}`),
		"a mode that can all":  call("c1", "switch_mode", `{"mode":"orchestrator"}`),
		"a subtask that can":   call("c1", "new_task", `{"message":"write","mode":"orchestrator"}`),
		"other files to write": call("c1", "switch_mode", `{"mode":"architect"}`),
	} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.do(&clew.UserMessageData{Text: "go", Mode: "ask"})
				w.asked(clew.AskTool)
				w.no()
				w.idle()
			}, calls(c), says("Then not."))
		})
	}
	t.Run("a subtask in no mode", func(t *testing.T) {
		run(t, allowed(), func(w *world) {
			w.do(&clew.UserMessageData{Text: "go", Mode: "ask"})
			w.idle()
			for _, req := range w.model.requests {
				if slices.Contains(toolNames(req), "write_file") {
					t.Errorf("tools %v", toolNames(req))
				}
			}
			if child := w.tasks()[0]; child.Mode != "ask" {
				t.Errorf("the child works in mode %q", child.Mode)
			}
		}, calls(call("c1", "new_task", `{"message":"write"}`)), completes("looked"), says("Done."))
	})
}

// The mode that only delegates may give work to any mode: that is what it is
// for, and a person chose it.
func TestOrchestratorDelegates(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.do(&clew.UserMessageData{Text: "go", Mode: "orchestrator"})
		w.idle()
		if names := toolNames(w.model.requests[0]); slices.Contains(names, "read_file") || !slices.Contains(names, "new_task") {
			t.Errorf("tools %v", names)
		}
		if !slices.Contains(toolNames(w.model.requests[1]), "write_file") {
			t.Errorf("tools of the child: %v", toolNames(w.model.requests[1]))
		}
	}, calls(call("c1", "new_task", `{"message":"write","mode":"code"}`)), completes("written"), says("Done."))
}

// Modes of the settings work like the built-in ones, with a model of their own.
//
// Covers: UIC-53
func TestCustomMode(t *testing.T) {
	set := map[string]any{
		"model_profiles": map[string]any{"p": profiles["p"], "small": map[string]any{"provider": "openai", "model": "s-1"}},
		"custom_modes":   []any{map[string]any{"slug": "reviewer", "name": "Reviewer", "prompt": "You review.", "groups": []any{"read"}, "model_profile": "small"}},
	}
	run(t, allowed(set), func(w *world) {
		if err := w.try(&clew.UserMessageData{Text: "go", Mode: "nowhere"}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("a mode that is not there: %v", err)
		}
		w.do(&clew.UserMessageData{Text: "go", Mode: "reviewer"})
		w.idle()
		req := w.model.last()
		if req.Model != "s-1" || !strings.HasPrefix(req.System, "You review.") || slices.Contains(toolNames(req), "write_file") {
			t.Errorf("model %s, prompt %.60q, tools %v", req.Model, req.System, toolNames(req))
		}
	}, says("Fine."))
}

// The person's instructions and what the workspace is are part of the prompt.
func TestPrompt(t *testing.T) {
	run(t, map[string]any{"custom_instructions": "Answer in rhymes."}, func(w *world) {
		w.say("go")
		w.idle()
		if s := w.model.last().System; !strings.Contains(s, "Answer in rhymes.") || !strings.Contains(s, w.place.Dir) {
			t.Errorf("prompt %q", s)
		}
	}, says("Fine."))
}
