package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// A plain answer ends the turn, and the next message goes on with the history.
//
// Covers: HIS-01, HIS-05, C-57
func TestPlainAnswer(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("hello")
		w.idle()
		if got := w.said(clew.SayText); got != "Hi." {
			t.Errorf("the answer is %q", got)
		}
		w.say("and again")
		w.idle()
		if m := w.model.last().Messages; len(m) != 3 || m[1].Content[0].Text != "Hi." || m[2].Content[0].Text != "and again" {
			t.Errorf("the history is %+v", m)
		}
	}, says("Hi."), says("Again."))
}

// Thoughts and words are two messages, each closed before the next begins; so is
// what the model says after it.
//
// Covers: C-17, HIS-01
func TestThoughtsAndWordsAreTwoMessages(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("hello")
		w.idle()
		if w.said(clew.SayReasoning) != "Hm, well." || w.said(clew.SayText) != "Hi there." {
			t.Errorf("transcript:\n%s", w.story())
		}
		for _, m := range w.state().Messages {
			if m.Partial {
				t.Errorf("%s is still open", m.MessageID)
			}
		}
		if n := len(w.messages("api_req_started")) + len(w.messages("api_req_finished")); n != 2 {
			t.Errorf("%d notes about the model call", n)
		}
	}, answers(thought("Hm, "), thought("well."), text("Hi "), text("there.")))
}

// A call that the flags cover runs by itself; the model gets the result.
//
// Covers: UIC-54, TOOL-17, C-56, HIS-05
func TestAllowedCallRuns(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.write("a.txt", "the content")
		w.say("read it")
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "the content") {
			t.Errorf("the model heard %q", got)
		}
		if w.result("c1").Status != clew.ToolComplete || len(events[clew.HitlApprovalRequestData](w)) != 0 {
			t.Errorf("transcript:\n%s", w.story())
		}
		shown := w.messages("tool")
		if len(shown) != 1 || !shown[0].IsAnswered || shown[0].ToolCallID != "c1" {
			t.Errorf("the call is shown as %+v", shown)
		}
	}, calls(text("I look."), call("c1", "read_file", `{"path":"a.txt"}`)), says("Done."))
}

func (w *world) write(name, content string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(b)
}

// A call that no flag covers waits for a person; nothing happens before the yes.
//
// Covers: TOOL-17, MSG-28, EVT-05, EVT-10, C-56
func TestAskedAndApproved(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("write it")
		q := w.asked(clew.AskTool)
		if w.read("a.txt") != "" || q.Effect == nil || q.Effect.Digest == "" || !slices.Equal(q.Effect.Paths, []string{"a.txt"}) {
			t.Errorf("before the answer: file %q, effect %+v", w.read("a.txt"), q.Effect)
		}
		if st := w.state().Status; st != clew.StatusAwaitingInput || !slices.Contains(w.types(), clew.EventTaskInteractive) {
			t.Errorf("the session is %s", st)
		}
		w.yes()
		w.idle()
		if w.read("a.txt") != "new" {
			t.Errorf("the file has %q", w.read("a.txt"))
		}
		if d := w.running("c1"); d.RequestID != q.RequestID || d.Effect.Digest != q.Effect.Digest {
			t.Errorf("the start is recorded as %+v", d)
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"new"}`)), says("Done."))
}

// running gives the record of a call's start.
func (w *world) running(id string) clew.ToolProgressData {
	w.Helper()
	for _, d := range events[clew.ToolProgressData](w) {
		if d.ToolCallID == id && d.Status == clew.ToolRunning {
			return d
		}
	}
	w.Fatalf("call %s did not begin\n%s", id, w.story())
	return clew.ToolProgressData{}
}

// A denied call does not run; the model hears why.
//
// Covers: MSG-30, TOOL-17
func TestAskedAndDenied(t *testing.T) {
	for name, deny := range map[string]func(w *world){
		"a no":        func(w *world) { w.answer(clew.ChoiceReject, "not that file") },
		"plain words": func(w *world) { w.say("not that file") },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("write it")
				w.asked(clew.AskTool)
				deny(w)
				w.idle()
				if got := lastText(w.model.last()); !strings.Contains(got, "denied") || !strings.Contains(got, "not that file") {
					t.Errorf("the model heard %q", got)
				}
				if w.read("a.txt") != "" {
					t.Error("the call ran")
				}
			}, calls(call("c1", "write_file", `{"path":"a.txt","content":"new"}`)), says("As you like."))
		})
	}
}

// Calls that allow it run beside each other; the model gets all results in one
// message, in the order of the calls.
func TestParallelCalls(t *testing.T) {
	first, second := make(chan struct{}), make(chan struct{})
	g := &gadget{name: "look", parallel: true}
	g.run = func(_ context.Context, c tool.Call, _ tool.Output) (tool.Result, error) {
		if strings.HasSuffix(c.ID, "c1") { // ends after the second
			close(first)
			<-second
		} else {
			<-first
			close(second)
		}
		return tool.Result{Text: c.ID}, nil
	}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.idle()
		m := w.model.last().Messages
		parts := m[len(m)-1].Content
		if len(parts) != 2 || parts[0].ToolCallID != "c1" || parts[1].ToolCallID != "c2" {
			t.Errorf("results: %+v", parts)
		}
	}, calls(call("c1", "look", `{}`), call("c2", "look", `{}`)), says("Done."))
}

// No more calls run at once than the settings say.
func TestParallelLimit(t *testing.T) {
	var now, most int
	lock := make(chan struct{}, 1)
	g := &gadget{name: "look", parallel: true}
	g.run = func(ctx context.Context, _ tool.Call, _ tool.Output) (tool.Result, error) {
		lock <- struct{}{}
		now++
		most = max(most, now)
		<-lock
		_ = pauseFor(ctx, 1)
		lock <- struct{}{}
		now--
		<-lock
		return tool.Result{Text: "x"}, nil
	}
	run(t, allowed(map[string]any{"parallel_tools": 2}), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		sleep(5)
		w.idle()
		if most != 2 {
			t.Errorf("%d ran at once", most)
		}
	}, calls(call("a", "look", `{}`), call("b", "look", `{}`), call("c", "look", `{}`), call("d", "look", `{}`)), says("Done."))
}

// One call that does not allow it puts all in order.
func TestOneAfterTheOther(t *testing.T) {
	var order []string
	note := func(_ context.Context, c tool.Call, _ tool.Output) (tool.Result, error) {
		order = append(order, c.ID[strings.LastIndex(c.ID, "/")+1:])
		return tool.Result{Text: "x"}, nil
	}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, &gadget{name: "look", parallel: true, run: note}, &gadget{name: "alone", run: note})
		w.say("go")
		w.idle()
		if !slices.Equal(order, []string{"c1", "c2", "c3"}) {
			t.Errorf("order %v", order)
		}
	}, calls(call("c1", "look", `{}`), call("c2", "alone", `{}`), call("c3", "look", `{}`)), says("Done."))
}

// Calls of one answer are decided on one by one: what may run runs while a
// person thinks about the rest.
func TestSomeAllowedSomeAsked(t *testing.T) {
	run(t, map[string]any{"auto_approval_enabled": true, "always_allow_read_only": true}, func(w *world) {
		w.write("a.txt", "old")
		w.say("go")
		w.asked(clew.AskTool)
		if w.result("c2").Status != clew.ToolComplete {
			t.Error("the allowed call did not run")
		}
		w.yes()
		w.idle()
		if w.read("b.txt") != "new" {
			t.Error("the approved call did not run")
		}
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"new"}`), call("c2", "read_file", `{"path":"a.txt"}`)), says("Done."))
}

// A tool that panics fails its call, not the turn.
func TestToolPanics(t *testing.T) {
	for name, g := range map[string]*gadget{
		"running":  {name: "bad", run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) { panic("oh") }},
		"prepared": {name: "bad", prepare: func(tool.Call) (*tool.Action, error) { panic("oh") }},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				w.idle()
				if d := w.result("c1"); d.Status != clew.ToolError {
					t.Errorf("result %+v", d)
				}
			}, calls(call("c1", "bad", `{}`)), says("A pity."))
		})
	}
}

// The same name for calls of two answers is no trouble; nor is an answer that
// names two calls alike, or not at all.
func TestCallNames(t *testing.T) {
	g := &gadget{name: "look"}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.idle()
		if keys := g.runs(); len(keys) != 4 || len(slices.Compact(slices.Sorted(slices.Values(keys)))) != 4 {
			t.Errorf("runs %v", keys)
		}
	}, calls(call("c1", "look", `{}`), call("c1", "look", `{}`), call("", "look", `{}`)), calls(call("c1", "look", `{}`)), says("Done."))
}
