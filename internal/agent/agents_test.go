package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// whole is all that a model was told, its tools left out.
func whole(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		for _, p := range m.Content {
			b.WriteString(p.Text + "\n")
		}
	}
	return b.String()
}

// lastSaid is the last text of an agent.
func (w *world) lastSaid() string {
	w.Helper()
	list := w.messages(string(clew.SayText))
	return list[len(list)-1].Text
}

// A message can be answered beside the main agent at work: by one that is told the open
// windows and the words, and nothing of the conversation. The main agent hears of it
// with the next words, and never what it said itself.
//
// Covers: AGT-02, AGT-03, AGT-11, CTX-02, CTX-14, WIN-13
func TestEphemeralAgentIsToldWords(t *testing.T) {
	working := new(gate)
	run(t, nil, func(w *world) {
		w.say("the secret word is Oslo")
		w.idle()
		w.say("work for a while")
		w.do(&clew.UserMessageData{Text: "what time is it?", Delivery: clew.ArrivalEphemeral})
		req := w.model.last()
		if got := whole(req); strings.Contains(got, "Oslo") || !strings.Contains(got, `<window id="chart"`) || !strings.HasSuffix(got, "what time is it?\n") || len(req.Messages) != 1 {
			t.Errorf("it was told %q", got)
		}
		role := ""
		for _, d := range events[clew.MessageAcceptedData](w) {
			if d.Delivery == clew.DeliveryEphemeral {
				role = d.Role
			}
		}
		if !strings.HasPrefix(role, "ephemeral-monitor-0-msg_") {
			t.Errorf("its role is %q", role)
		}
		for _, a := range w.state().Agents {
			if a.Kind != clew.AgentMain {
				t.Errorf("still there: %+v", a)
			}
		}
		working.open()
		w.idle()
		w.do(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionMove, WindowID: "chart", Bounds: &clew.Bounds{X: 1, Y: 1, W: 300, H: 200}}}})
		w.say("and now")
		w.idle()
		got := lastText(w.model.last())
		for _, want := range []string{`<ai agent="` + role + `">`, "Noon.", "<ui:move>chart</ui:move>"} {
			if !strings.Contains(got, want) {
				t.Errorf("the main agent did not hear %q: %s", want, got)
			}
		}
		if strings.Contains(whole(w.model.last()), "<recent_conversation>") {
			t.Error("the main agent was told its own conversation")
		}
	}, calls(call("c", "window", `{"action":"open","window_id":"chart","title":"Chart","content":"x"}`)), says("Noted."),
		waits(working, says("Worked.")), says("Noon."), says("Yes."))
}

// A delegated task knows the conversation, has its profile's words and tools and no
// others, and the main agent is free meanwhile. Its end is heard once.
//
// Covers: AGT-17, AGT-18, CTX-15, TOOL-08, TOOL-22
func TestDelegatedTask(t *testing.T) {
	working := new(gate)
	run(t, nil, func(w *world) {
		w.model.any = byMode("You are in web mode",
			[]step{waits(working, calls(call("e", "list_files", `{"path":"."}`))), calls(call("a", "attempt_completion", `{"result":"Sunny in Oslo."}`))},
			[]step{says("Noted."), calls(call("d", "delegate", `{"goal":"look up the weather","profile":"web","wait":false}`)), says("I asked somebody."), says("You are welcome."), says("It is sunny.")})
		w.say("the city is Oslo")
		w.idle()
		w.say("find out its weather")
		// The task is at work, and the main agent has said so and is free.
		var of llm.Request
		for _, req := range w.model.requests {
			if strings.Contains(req.System, "You are in web mode") {
				of = req
			}
		}
		if got := whole(of); !strings.Contains(got, "the city is Oslo") || !strings.Contains(got, "look up the weather") || strings.Contains(got, "delegate") {
			t.Errorf("the task was told %q", got)
		}
		if got := toolNames(of); slices.Contains(got, "edit") || slices.Contains(got, "list_files") || !slices.Contains(toolNames(w.model.requests[0]), "list_files") {
			t.Errorf("the task has %q", got)
		}
		role := ""
		for _, a := range w.state().Agents {
			if a.Kind == clew.AgentTask {
				role = a.Role
			}
		}
		if !strings.HasPrefix(role, "task-msg_") || strings.Count(role, "-") != 2 {
			t.Errorf("its role is %q", role)
		}
		w.say("thanks")
		if got := w.lastSaid(); got != "You are welcome." {
			t.Errorf("meanwhile the main agent said %q", got)
		}
		working.open()
		w.idle()
		if r := w.result("e"); r.Status != clew.ToolError || !strings.Contains(fmt.Sprint(r.Output), "There is no tool") {
			t.Errorf("a tool of another profile: %+v", r)
		}
		if !strings.Contains(w.said(clew.SaySubtaskResult), "Sunny in Oslo.") {
			t.Errorf("the result is %q", w.said(clew.SaySubtaskResult))
		}
		if got := w.lastSaid(); got != "It is sunny." {
			t.Errorf("woken, the main agent said %q", got)
		}
		if got := whole(w.model.last()); strings.Count(got, `<ai agent="`+role+`">`) != 1 {
			t.Errorf("it heard %s", got)
		}
	})
}

// byMode answers as the steps of a mode say, or as those of the main agent.
func byMode(mark string, inMode, main []step) step {
	var mu sync.Mutex
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		list := &main
		if strings.Contains(req.System, mark) {
			list = &inMode
		}
		mu.Lock()
		if len(*list) == 0 {
			mu.Unlock()
			return llm.Answer{}, &llm.Error{Kind: llm.KindRequest, Message: "nothing left to say"}
		}
		next := (*list)[0]
		*list = (*list)[1:]
		mu.Unlock()
		return next(ctx, req, on)
	}
}

// A main agent keeps its conversation from message to message, and a reset begins it
// anew.
//
// Covers: AGT-07, AGT-09
func TestResetBeginsAnew(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("the city is Oslo")
		w.idle()
		w.say("which city?")
		w.idle()
		if got := whole(w.model.last()); !strings.Contains(got, "the city is Oslo") {
			t.Errorf("it forgot: %q", got)
		}
		w.do(&clew.ResetData{})
		w.say("which city?")
		w.idle()
		if got := whole(w.model.last()); strings.Contains(got, "Oslo") {
			t.Errorf("after a reset it knows %q", got)
		}
		if a := w.state().Monitors[0].AgentID; a != "main-monitor-0" {
			t.Errorf("the main agent is %s", a)
		}
	}, says("Noted."), says("Oslo."), says("I do not know."))
}

// A conversation that is longer than fork_max_tokens is summarised before a delegated
// task begins with it; a shorter one goes along as it is. The main conversation stays
// whole.
//
// Covers: AGT-19
func TestLongConversationIsDelegatedAsASummary(t *testing.T) {
	long := "the city is Oslo. " + strings.Repeat("It rained for long. ", 400)
	for most, summarised := range map[int]bool{500: true, 60_000: false} {
		steps := []step{says("Noted."), calls(call("d", "delegate", `{"goal":"look up the weather"}`))}
		if summarised {
			steps = append(steps, says("Summary: the city is Oslo."))
		}
		steps = append(steps, calls(call("a", "attempt_completion", `{"result":"Sunny in Oslo."}`)), says("It is sunny."))
		run(t, map[string]any{"fork_max_tokens": most}, func(w *world) {
			w.say(long)
			w.idle()
			w.say("find out its weather")
			w.idle()
			n := len(w.model.requests)
			if n != len(steps) {
				t.Fatalf("%d calls of the model, want %d", n, len(steps))
			}
			child, main := whole(w.model.requests[n-2]), whole(w.model.requests[n-1])
			if !strings.Contains(child, "look up the weather") || strings.Contains(child, long) == summarised || strings.Contains(child, "Summary: the city is Oslo.") != summarised {
				t.Errorf("at most %d: the task was told %.300q", most, child)
			}
			if !strings.Contains(main, long) {
				t.Errorf("at most %d: the main agent has %.300q", most, main)
			}
			if got := w.lastSaid(); got != "It is sunny." {
				t.Errorf("it said %q", got)
			}
		}, steps...)
	}
}
