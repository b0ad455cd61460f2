package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/tool"
)

// What the model calls wrongly is a mistake: it hears what is wrong, people see
// it, and it does not run.
//
// Covers: EVT-12
func TestWrongCalls(t *testing.T) {
	for name, tt := range map[string]struct{ tool, input, want string }{
		"unknown tool":   {"nothing", `{}`, "no tool"},
		"wrong field":    {"read_file", `{"file":"a.txt"}`, "does not fit"},
		"not in control": {"ask_followup", `{"question":7}`, "does not fit"},
		"empty question": {"ask_followup", `{"question":" "}`, "empty"},
		"empty result":   {"attempt_completion", `{"result":""}`, "empty"},
		"unknown mode":   {"switch_mode", `{"mode":"nowhere"}`, "no mode"},
		"empty task":     {"new_task", `{"message":""}`, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.say("go")
				w.idle()
				d := w.result("c1")
				if d.Status != clew.ToolError || !d.Mistake || !strings.Contains(fmt.Sprint(d.Output), tt.want) {
					t.Errorf("result %+v", d)
				}
				if failed := events[clew.TaskToolFailedData](w); len(failed) != 1 || failed[0].ToolCallID != "c1" {
					t.Errorf("failures %+v", failed)
				}
				if !strings.Contains(w.said(clew.SayError), "refused") {
					t.Errorf("people see:\n%s", w.story())
				}
			}, calls(call("c1", tt.tool, tt.input)), says("Sorry."))
		})
	}
}

// A file that the model gets wrong is a mistake; one that the workspace's rules
// keep from it is refused under its own kind of message.
//
// Covers: TOOL-19
func TestRefusedCall(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.write(".clewignore", "secret.txt\n")
		w.write("secret.txt", "x")
		w.say("go")
		w.idle()
		if !strings.Contains(w.said("rooignore_error"), "secret.txt") {
			t.Errorf("transcript:\n%s", w.story())
		}
		if got := lastText(w.model.last()); !strings.Contains(got, "ignore") {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("c1", "read_file", `{"path":"secret.txt"}`)), says("Right."))
}

// After too many mistakes in a row a person is asked; a yes starts the count
// anew, a no ends the turn.
//
// Covers: MSG-11
func TestMistakeLimit(t *testing.T) {
	bad := calls(call("c1", "nothing", `{}`))
	for name, again := range map[string]bool{"go on": true, "stop": false} {
		t.Run(name, func(t *testing.T) {
			steps := []step{bad, bad}
			if again {
				steps = append(steps, bad, says("Enough."))
			}
			run(t, allowed(map[string]any{"mistake_limit": 2}), func(w *world) {
				w.say("go")
				if q := w.asked(clew.AskMistakeLimitReached); q.Limit != "mistakes" || w.model.asked() != 2 {
					t.Errorf("asked after %d calls: %+v", w.model.asked(), q)
				}
				if again {
					w.answer(clew.ChoiceApprove, "use read_file")
				} else {
					w.no()
				}
				w.idle()
				if again && w.model.asked() != 4 {
					t.Errorf("%d model calls", w.model.asked())
				}
			}, steps...)
		})
	}
}

// A call that goes well ends the row of mistakes.
func TestMistakesInARow(t *testing.T) {
	bad := calls(call("c1", "nothing", `{}`))
	run(t, allowed(map[string]any{"mistake_limit": 2}), func(w *world) {
		w.say("go")
		w.idle()
	}, bad, calls(call("c1", "list_files", `{"path":"."}`)), bad, says("Done."))
}

// So many calls run without a person, then one is asked; the rest of the answer
// waits and goes on after a yes.
//
// Covers: C-56, MSG-11
func TestMaxRequests(t *testing.T) {
	g := &gadget{name: "look", parallel: true}
	run(t, allowed(map[string]any{"auto_approval_max_requests": 2}), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "requests" {
			t.Errorf("question %+v", q)
		}
		if n := len(g.runs()); n != 2 {
			t.Errorf("%d calls ran", n)
		}
		w.yes()
		w.idle()
		if n := len(g.runs()); n != 3 {
			t.Errorf("%d calls ran in the end", n)
		}
		if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
			t.Errorf("%d questions", n)
		}
	}, calls(call("a", "look", `{}`), call("b", "look", `{}`), call("c", "look", `{}`)), says("Done."))
}

// A no ends the turn, and what waited has its result.
func TestMaxRequestsRefused(t *testing.T) {
	g := &gadget{name: "look"}
	run(t, allowed(map[string]any{"auto_approval_max_requests": 1}), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskAutoApprovalMaxReqReached)
		w.no()
		w.idle()
		w.say("again")
		w.idle()
		if len(g.runs()) != 1 {
			t.Errorf("runs %v", g.runs())
		}
	}, calls(call("a", "look", `{}`), call("b", "look", `{}`)), says("Well."))
}

// The model is asked so often for one message, then a person is.
func TestMaxSteps(t *testing.T) {
	look := calls(call("a", "list_files", `{"path":"."}`))
	run(t, allowed(map[string]any{"max_steps_per_turn": 2}), func(w *world) {
		w.say("go")
		if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "steps" || w.model.asked() != 2 {
			t.Errorf("after %d calls: %+v", w.model.asked(), q)
		}
		w.yes()
		w.asked(clew.AskAutoApprovalMaxReqReached)
		w.no()
		w.idle()
		w.say("once more") // a new turn counts anew
		w.idle()
	}, look, look, look, look, says("Done."))
}

// prices makes a token in cost a millionth and one out ten of it.
var prices = agent.Model{Cost: func(u clew.Usage) float64 {
	return float64(u.TokensIn+u.CacheReads+u.CacheWrites)/1e6 + float64(u.TokensOut)/1e5
}}

// A budget holds before the call: what a call may take is reserved first. A yes
// allows as much again, a no ends the turn.
//
// Covers: C-56, MSG-11
func TestBudget(t *testing.T) {
	for name, set := range map[string]map[string]any{
		"money":  {"budget_usd": 0.018},   // an answer of 1000 tokens may take 0.01
		"tokens": {"budget_tokens": 6500}, // with the prompt and the tools
	} {
		t.Run(name, func(t *testing.T) {
			big := func(s step) step { return spends(s, clew.Usage{TokensIn: 5000, TokensOut: 900}) }
			run(t, allowed(set), func(w *world) {
				w.info = prices
				w.say("go")
				if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "budget" || w.model.asked() != 1 {
					t.Fatalf("after %d calls: %+v", w.model.asked(), q)
				}
				w.yes() // the second call fits into twice as much, the third does not
				w.asked(clew.AskAutoApprovalMaxReqReached)
				if w.model.asked() != 2 {
					t.Errorf("%d model calls after a yes", w.model.asked())
				}
				w.no()
				w.idle()
			}, big(calls(call("a", "list_files", `{"path":"."}`))), big(calls(call("a", "list_files", `{"path":"."}`))))
		})
	}
}

// Money is not spent by talking, and the server's budget is not raised by those
// it is meant for.
func TestBudgetIsHard(t *testing.T) {
	big := spends(calls(call("a", "list_files", `{"path":"."}`)), clew.Usage{TokensIn: 5000, TokensOut: 900})
	run(t, allowed(map[string]any{"budget_usd": 0.018}), func(w *world) {
		w.info = prices
		w.say("go")
		q := w.asked(clew.AskAutoApprovalMaxReqReached)
		_, err := w.host.Do(w.Context(), w.id, clew.Command{
			Type: clew.CommandHitlApprovalResponse, By: clew.Principal{User: "ann", Role: clew.RoleOwner},
			Data: &clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: clew.ChoiceApprove},
		})
		if clew.CodeOf(err) != clew.Forbidden {
			t.Fatalf("the yes of somebody who is no administrator: %v", err)
		}
		w.say("No! Do not spend any more money.")
		w.idle()
		if w.model.asked() != 1 {
			t.Errorf("%d model calls", w.model.asked())
		}
	}, big)
}

// A model that nobody knows the price of counts as an expensive one.
func TestBudgetWithUnknownPrice(t *testing.T) {
	run(t, allowed(map[string]any{"budget_usd": 0.01}), func(w *world) {
		w.info = agent.Model{Unpriced: true, Cost: func(clew.Usage) float64 { return 0 }}
		w.say("go")
		if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "budget" || w.model.asked() != 0 {
			t.Fatalf("after %d calls: %+v", w.model.asked(), q)
		}
		w.no()
		w.idle()
	})
}

// What a person's sessions cost in a month is held against the month's budget. A yes of
// an administrator lets this task pass it, and no other.
func TestMonthBudget(t *testing.T) {
	run(t, allowed(map[string]any{"budget_month_usd": 320}), func(w *world) {
		w.info, w.month = prices, 319.999
		w.say("go")
		q := w.asked(clew.AskAutoApprovalMaxReqReached)
		if q.Limit != "month" || !strings.Contains(q.Reason, "$320.00") || w.model.asked() != 0 {
			t.Fatalf("after %d calls: %+v", w.model.asked(), q)
		}
		if _, err := w.host.Do(w.Context(), w.id, clew.Command{
			Type: clew.CommandHitlApprovalResponse, By: clew.Principal{User: "ann", Role: clew.RoleOwner},
			Data: &clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: clew.ChoiceApprove},
		}); clew.CodeOf(err) != clew.Forbidden {
			t.Fatalf("the yes of somebody who is no administrator: %v", err)
		}
		w.yes()
		w.idle()
		if w.model.asked() != 2 {
			t.Errorf("%d model calls", w.model.asked())
		}
	}, calls(call("a", "list_files", `{"path":"."}`)), says("done"))
}

// The budget stops model calls, not tools: they cost nothing, and a question
// about them could not raise it.
func TestBudgetLeavesToolsAlone(t *testing.T) {
	g := &gadget{name: "look"}
	look := spends(calls(call("a", "look", `{}`)), clew.Usage{TokensOut: 5000})
	run(t, allowed(map[string]any{"budget_usd": 0.02}), func(w *world) {
		w.info = prices
		w.tools = append(w.tools, g)
		w.say("go")
		// Each call takes more than twice the budget; a yes covers the next.
		if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "budget" || q.Raise != 3 {
			t.Fatalf("question %+v", q)
		}
		w.yes()
		w.asked(clew.AskAutoApprovalMaxReqReached)
		if len(g.runs()) != 2 || w.model.asked() != 2 {
			t.Errorf("%d runs, %d model calls", len(g.runs()), w.model.asked())
		}
		w.no()
		w.idle()
	}, look, look)
}

// spends plays a step with another usage.
func spends(s step, u clew.Usage) step {
	return wrap(s, func(a *answer) { a.Usage = u })
}

// What was said counts before it is sent: a message that is too large for the
// budget never reaches the model.
func TestBudgetCountsTheMessage(t *testing.T) {
	run(t, map[string]any{"budget_tokens": 20_000}, func(w *world) {
		w.say(strings.Repeat("many words ", 20_000))
		if q := w.asked(clew.AskAutoApprovalMaxReqReached); q.Limit != "budget" {
			t.Errorf("question %+v", q)
		}
		w.no()
		w.idle()
	})
}

// Subtasks spend the budget of the task that they belong to.
//
// Covers: TSK-11
func TestBudgetIsShared(t *testing.T) {
	run(t, allowed(map[string]any{"budget_usd": 0.025}), func(w *world) {
		w.info = prices
		w.say("go")
		q := w.asked(clew.AskAutoApprovalMaxReqReached)
		if q.Limit != "budget" || w.model.asked() != 2 {
			t.Fatalf("after %d calls: %+v", w.model.asked(), q)
		}
		child := w.tasks()[0]
		if q.TaskID != child.ID || child.ParentTaskID == "" {
			t.Errorf("the question is of %s, the child is %s", q.TaskID, child.ID)
		}
		w.yes() // for the whole tree: the parent is not asked again
		w.idle()
		if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
			t.Errorf("%d questions", n)
		}
	}, spends(calls(call("s", "new_task", `{"message":"a part"}`)), clew.Usage{TokensOut: 800}),
		spends(calls(call("l", "list_files", `{"path":"."}`)), clew.Usage{TokensOut: 800}),
		spends(completes("the part"), clew.Usage{TokensOut: 10}), spends(says("All done."), clew.Usage{TokensOut: 10}))
}

// Usage and cost add up for each task and for the session; the end of a task
// says what its whole tree took.
//
// Covers: TSK-11, EVT-13, EVT-02, G-12
func TestUsageAddsUp(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.info = prices
		w.say("go")
		w.idle()
		one := prices.Cost(usage)
		tasks := w.tasks()
		child, root := tasks[0], tasks[1]
		if child.TokensIn != 10 || root.TokensIn != 20 || root.TokensOut != 10 || root.CacheReads != 4 {
			t.Errorf("child %+v, root %+v", child, root)
		}
		near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
		if st := w.state(); st.Usage == nil || st.Usage.TokensIn != 30 || !near(st.Usage.CostUSD, 3*one) {
			t.Errorf("the session used %+v", st.Usage)
		}
		end := events[clew.CompleteData](w)
		if len(end) != 1 || end[0].Statistics.TokensUsed != 3*18 || !near(end[0].Statistics.CostUSD, 3*one) {
			t.Errorf("at the end: %+v", end)
		}
		updates := events[clew.TaskTokenUsageUpdatedData](w)
		if n := len(updates); n != 3 || updates[n-1].TokenUsage.TokensIn != 20 {
			t.Errorf("updates %+v", updates)
		}
		done := events[clew.TaskCompletedData](w)
		if len(done) != 2 || done[1].ToolUsage["new_task"].Attempts != 1 || done[1].ToolUsage["attempt_completion"].Attempts != 1 {
			t.Errorf("tools: %+v", done)
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), completes("the part"), completes("all"))
}

// Settings hold from the next step of the same turn.
//
// Covers: UIC-54
func TestSettingsChangeDuringATurn(t *testing.T) {
	g := &gadget{name: "touch", group: tool.GroupEdit, class: clew.ClassOnce}
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		w.do(&clew.UpdateSettingsData{Settings: map[string]any{"auto_approval_enabled": true, "always_allow_write": true, "model": "m-2"}})
		if changed := events[clew.AutoApprovalChangedData](w); len(changed) != 1 || !changed[0].AlwaysAllowWrite {
			t.Errorf("announced: %+v", changed)
		}
		w.asked(clew.AskTool) // asked is asked
		w.yes()
		w.idle()
		if len(g.runs()) != 2 || w.model.last().Model != "m-2" {
			t.Errorf("runs %v with model %s", g.runs(), w.model.last().Model)
		}
		if slices.Contains(w.types(), clew.EventError) {
			t.Error(w.story())
		}
	}, calls(call("c1", "touch", `{}`)), calls(call("c2", "touch", `{}`)), says("Done."))
}
