package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool"
)

// dice is randomness that a seed repeats. Safe for concurrent use.
type dice struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (d *dice) roll(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.IntN(n)
}

// ways are what a model may want, good and bad.
var ways = []struct{ tool, input string }{
	{"look", `{}`}, {"look", `{}`}, {"once", `{}`}, {"again", `{}`}, {"check", `{}`}, {"asks", `{}`}, {"nothing", `{}`},
	{"ask_followup", `{"question":"which?","options":["a","b"]}`}, {"update_todos", `{"todos":[{"task":"a","status":"pending"}]}`},
	{"switch_mode", `{"mode":"ask"}`}, {"switch_mode", `{"mode":"code"}`}, {"new_task", `{"message":"a part"}`},
	{"new_task", `{"message":"a part","mode":"orchestrator"}`}, {"attempt_completion", `{"result":"done"}`}, {"attempt_completion", `{}`},
}

// improvise is a model that does anything.
func (d *dice) improvise(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	switch d.roll(12) {
	case 0:
		return fails(busy, "Half a ", "sentence")(ctx, req, on)
	case 1:
		return hangs("Well", "…")(ctx, req, on)
	case 2, 3:
		return answers(thought("Hm."), text("Here."))(ctx, req, on)
	case 4:
		return answers()(ctx, req, on)
	}
	var parts []clew.Part
	for i := range 1 + d.roll(3) {
		w := ways[d.roll(len(ways))]
		parts = append(parts, call(fmt.Sprint("c", i), w.tool, w.input))
	}
	return answers(parts...)(ctx, req, on)
}

// act is a tool that does anything.
func (d *dice) act(ctx context.Context, c tool.Call, out tool.Output) (tool.Result, error) {
	switch d.roll(8) {
	case 0:
		return blocks(ctx, c, out)
	case 1:
		return tool.Result{}, errors.New("it failed")
	case 2:
		panic("it panicked")
	case 3:
		_, err := out.Write([]byte("output\n"))
		return tool.Result{Text: "output\n"}, err
	case 4:
		_ = pauseFor(ctx, d.roll(3))
	case 5:
		_, err := out.Ask(ctx, clew.HitlInputRequestData{Field: "x", Question: "well?", InputType: clew.InputText})
		return tool.Result{Text: "asked"}, err
	}
	return tool.Result{Text: "ran"}, nil
}

// Whatever models, tools and people do, and whenever the server dies: every call
// has one result, no history dangles, nothing that may run once runs twice, no
// approval is used twice, and the session comes to rest.
//
// Covers: C-56
func TestChaos(t *testing.T) {
	seeds := nightly.Plays(25, 100)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			d := &dice{r: rand.New(rand.NewPCG(uint64(seed), 1))}
			w := newWorld(t, allowed(map[string]any{"max_steps_per_turn": 6, "mistake_limit": 3, "auto_approval_max_requests": 5}))
			w.model = &model{t: t, any: d.improvise}
			gadgets := map[string]*gadget{
				"look":  {name: "look", parallel: true, run: d.act},
				"once":  {name: "once", class: clew.ClassOnce, group: tool.GroupEdit, run: d.act},
				"again": {name: "again", class: clew.ClassRepeatable, group: tool.GroupEdit, run: d.act},
				"check": {name: "check", class: clew.ClassCheckable, group: tool.GroupEdit, run: d.act, check: func(context.Context) (bool, tool.Result, error) {
					return d.roll(2) == 0, tool.Result{Text: "it was done"}, nil
				}},
				"asks": {name: "asks", class: clew.ClassOnce, group: tool.GroupCommand, run: d.act},
			}
			for _, g := range gadgets {
				w.tools = append(w.tools, g)
			}
			w.open()
			defer w.close()
			w.say("go")
			for range 40 {
				d.meddle(w)
			}
			w.settle()
			w.audit(gadgets)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
	}
}

// meddle is a person, or bad luck.
func (d *dice) meddle(w *world) {
	st := w.state()
	switch n := d.roll(12); {
	case n == 0:
		w.crash()
	case n == 1:
		w.do(&clew.InterruptData{})
	case n == 2:
		_ = w.try(&clew.ControlCancelData{})
	case n <= 4:
		sleep(d.roll(8))
	case st.HitlPending != nil && n <= 10:
		d.reply(w, *st.HitlPending)
	default:
		_ = w.try(&clew.UserMessageData{Text: "hear this"})
	}
}

// reply answers a question somehow; the answer may not fit.
func (d *dice) reply(w *world, q clew.Question) {
	switch q.Data.(type) {
	case *clew.HitlInputRequestData:
		_ = w.try(&clew.HitlInputResponseData{RequestID: q.RequestID(), Value: "a"})
	default:
		action := []clew.Choice{clew.ChoiceApprove, clew.ChoiceApprove, clew.ChoiceReject, clew.ChoiceModify}[d.roll(4)]
		_ = w.try(&clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: action})
	}
}

// settle stops everything.
func (w *world) settle() {
	for range 20 {
		w.do(&clew.InterruptData{})
		w.do(&clew.ControlCancelData{})
		sleep(60)
		if st := w.state(); st.HitlPending == nil && !st.Monitors[0].Busy {
			return
		}
	}
	w.Errorf("it does not come to rest: %+v\n%s", w.state().HitlPending, w.story())
}

// audit checks what must hold whatever happened.
func (w *world) audit(gadgets map[string]*gadget) {
	open := map[string]int{}
	for _, d := range events[clew.ModelMessageData](w) {
		for _, c := range d.Message.ToolCalls() {
			open[string(d.TaskID)+"/"+c.ToolCallID]++
		}
	}
	approvals := map[clew.RequestID]int{}
	for _, d := range events[clew.ToolProgressData](w) {
		switch {
		case d.Status != clew.ToolRunning:
			open[string(d.TaskID)+"/"+d.ToolCallID]--
		case d.RequestID != "" && d.Effect != nil:
			approvals[d.RequestID]++
		}
	}
	for id, n := range open {
		if n != 0 {
			w.Errorf("call %s: %d more calls than results", id, n)
		}
	}
	for id, n := range approvals {
		if n > 1 {
			w.Errorf("approval %s was used %d times", id, n)
		}
	}
	for _, name := range []string{"once", "asks"} {
		keys := slices.Sorted(slices.Values(gadgets[name].runs()))
		if n := len(keys); n != len(slices.Compact(keys)) {
			w.Errorf("%s ran twice under one key", name)
		}
	}
	for _, m := range w.state().Messages {
		if m.Partial {
			w.Errorf("%s is still open", m.MessageID)
		}
	}
	for _, e := range events[clew.ErrorData](w) {
		if e.Code != clew.ProviderError { // a model call that nobody wanted to try again
			w.Errorf("error %+v", e)
		}
	}
	for _, it := range w.tasks() {
		if it.Status == clew.TaskStatusDelegated {
			w.Errorf("task %s waits for ever", it.ID)
		}
	}
}
