package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// A call that may be repeated is not, if it would now do something else than
// what was begun, or may not run any more.
func TestCrashAndTheCallIsAnother(t *testing.T) {
	for name, change := range map[string]func(a *tool.Action){
		"it would do something else": func(a *tool.Action) { a.Effect.Summary = "something else" },
		"it is refused":              func(a *tool.Action) { a.Refused = "not any more" },
	} {
		t.Run(name, func(t *testing.T) {
			g, rest := hung("work", clew.ClassRepeatable)
			g.prepare = func(tool.Call) (*tool.Action, error) {
				a := &tool.Action{Ask: clew.AskTool}
				if *rest {
					change(a)
				}
				return a, nil
			}
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				*rest = true
				w.crash()
				w.asked(clew.AskResumeTask)
				w.yes()
				w.idle()
				if len(g.runs()) != 1 {
					t.Errorf("it ran %d times", len(g.runs()))
				}
			}, calls(call("c1", "work", `{}`)), says("Done."))
		})
	}
}

// A tool that is gone after a crash leaves its call in doubt.
func TestCrashAndTheToolIsGone(t *testing.T) {
	g, _ := hung("work", clew.ClassReadOnly)
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.tools = w.tools[:len(w.tools)-1]
		w.crash()
		w.asked(clew.AskResumeTask)
		w.yes()
		w.idle()
	}, calls(call("c1", "work", `{}`)), says("Done."))
}

// An interrupt during a subtask stops the subtask; what is said next goes to it,
// and its parent still gets its result.
func TestInterruptDuringASubtask(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.do(&clew.InterruptData{})
		if st := w.state(); st.Monitors[0].Busy {
			t.Errorf("still at work\n%s", w.story())
		}
		w.say("shorter, please")
		w.idle()
		if w.said(clew.SaySubtaskResult) != "short" || !strings.Contains(lastText(w.model.last()), "short") {
			t.Errorf("transcript:\n%s", w.story())
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), hangs("At great length"), completes("short"), says("All."))
}

// What was said before a crash and not heard yet is heard after it.
func TestCrashWithAMessageWaiting(t *testing.T) {
	run(t, map[string]any{"model_crash_retry": "auto"}, func(w *world) {
		w.say("go")
		w.say("and mind the gap")
		w.crash()
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "mind the gap") || w.model.asked() != 3 {
			t.Errorf("after %d calls the model heard %q", w.model.asked(), got)
		}
	}, hangs("Hm"), says("First."), says("Minded."))
}

// A crash during one call of several leaves the results that were there.
func TestCrashAfterSomeResults(t *testing.T) {
	g, rest := hung("work", clew.ClassReadOnly)
	done := &gadget{name: "done"}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g, done)
		w.say("go")
		*rest = true
		w.crash()
		w.idle()
		if len(done.runs()) != 1 || len(g.runs()) != 2 {
			t.Errorf("runs %v, %v", done.runs(), g.runs())
		}
	}, calls(call("c1", "done", `{}`), call("c2", "work", `{}`)), says("Done."))
}

// The question at a limit is open once, however often the agent looks.
func TestLimitIsAskedOnce(t *testing.T) {
	g := &gadget{name: "touch", group: tool.GroupCommand, class: clew.ClassOnce}
	look := &gadget{name: "look"}
	run(t, allowed(map[string]any{"auto_approval_max_requests": 1}), func(w *world) {
		w.tools = append(w.tools, g, look)
		w.say("go") // one asks, one runs, two wait at the limit
		w.crash()
		var asks []string
		for _, q := range events[clew.HitlApprovalRequestData](w) {
			asks = append(asks, string(q.Ask))
		}
		slices.Sort(asks)
		if !slices.Equal(asks, []string{"auto_approval_max_req_reached", "tool"}) {
			t.Errorf("questions %v", asks)
		}
		w.do(&clew.InterruptData{})
		w.idle()
	}, calls(call("a", "touch", `{}`), call("b", "look", `{}`), call("c", "look", `{}`), call("d", "look", `{}`)))
}

// A tool's calls keep their keys over a question and a crash, so that what can
// recognise a repeat does.
func TestKeyIsTheSame(t *testing.T) {
	var keys []string
	g := &gadget{name: "touch", group: tool.GroupEdit, class: clew.ClassOnce, prepare: func(c tool.Call) (*tool.Action, error) {
		keys = append(keys, c.ID)
		return &tool.Action{Ask: clew.AskTool}, nil
	}}
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		w.crash()
		w.yes()
		w.idle()
		if len(slices.Compact(slices.Sorted(slices.Values(keys)))) != 1 || len(g.runs()) != 1 || g.runs()[0] != keys[0] {
			t.Errorf("keys %v, runs %v", keys, g.runs())
		}
	}, calls(call("c1", "touch", `{}`)), says("Done."))
}
