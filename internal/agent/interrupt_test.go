package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// An interrupt works at any moment: it leaves no call without a result, no open
// text and no question, and the next message goes on.
func TestInterrupt(t *testing.T) {
	hang := &gadget{name: "hang", run: blocks}
	touch := &gadget{name: "touch", group: tool.GroupCommand, class: clew.ClassOnce}
	asks := &gadget{name: "asks", run: func(ctx context.Context, _ tool.Call, out tool.Output) (tool.Result, error) {
		_, err := out.Ask(ctx, clew.HitlInputRequestData{Field: "x", Question: "well?", InputType: clew.InputText})
		return tool.Result{}, err
	}}
	for name, tt := range map[string]struct {
		steps []step
		want  string // the model hears it next
	}{
		"the model is silent":   {[]step{hangs()}, "go|and now"},
		"the model speaks":      {[]step{hangs("I was ", "about to")}, "and now"},
		"a tool runs":           {[]step{calls(call("c1", "hang", `{}`))}, "interrupted"},
		"two tools run":         {[]step{calls(call("c1", "hang", `{}`), call("c2", "hang", `{}`))}, "interrupted"},
		"a question is open":    {[]step{calls(call("c1", "touch", `{}`))}, "interrupted"},
		"one runs, one is open": {[]step{calls(call("c1", "touch", `{}`), call("c2", "hang", `{}`))}, "interrupted"},
		"the model asks":        {[]step{calls(call("c1", "ask_followup", `{"question":"which?"}`))}, "interrupted"},
		"a tool asks":           {[]step{calls(call("c1", "asks", `{}`))}, "interrupted"},
		"a call is tried again": {[]step{fails(busy)}, "go|and now"},
		"the call failed":       {[]step{fails(busy), fails(busy), fails(busy), fails(busy)}, "go|and now"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, hang, touch, asks)
				w.say("go")
				if strings.HasPrefix(name, "the call failed") {
					sleep(10)
				}
				w.do(&clew.InterruptData{})
				w.idle()
				for _, m := range w.state().Messages {
					if m.Partial {
						t.Errorf("%s is open", m.MessageID)
					}
				}
				sleep(60) // nobody comes back to it
				w.say("and now")
				w.idle()
				if got := lastText(w.model.last()); !strings.Contains(got, tt.want) || !strings.Contains(got, "and now") {
					t.Errorf("the model heard %q", got)
				}
				if e := events[clew.ErrorData](w); len(e) > 0 {
					t.Errorf("errors %+v", e)
				}
			}, append(tt.steps, says("Back."))...)
		})
	}
}

// What the model had said before the interrupt is part of its history.
func TestInterruptKeepsTheWords(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.do(&clew.InterruptData{})
		w.say("go on")
		w.idle()
		if m := w.model.last().Messages; len(m) != 3 || m[1].Content[0].Text != "I was about to" {
			t.Errorf("the history is %+v", m)
		}
	}, hangs("I was ", "about to"), says("Back."))
}

// A cancelled task is over, with all below it.
//
// Covers: EVT-03
func TestCancel(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.do(&clew.ControlCancelData{Reason: "enough"})
		w.idle()
		if n := len(events[clew.TaskAbortedData](w)); n != 2 {
			t.Errorf("%d tasks were aborted", n)
		}
		if slices.Contains(w.types(), clew.EventError) {
			t.Error(w.story())
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), hangs("I beg"))
}

// A steered message does not stop what runs; it is heard with its result.
//
// Covers: POL-03
func TestSteeringDuringATool(t *testing.T) {
	rest := new(gate)
	slow := &gadget{name: "slow", run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) {
		<-rest.wait()
		return tool.Result{Text: "slowly done"}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, slow)
		w.say("go")
		w.say("quick")
		rest.open()
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "slowly done") || !strings.Contains(got, "quick") {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("c1", "slow", `{}`)), says("Done."))
}
