package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// An approval covers what was shown. A file that changed since is shown anew,
// and nothing is written meanwhile.
func TestApprovalCoversWhatWasShown(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("a.txt", "one\n")
		w.say("go")
		first := w.asked(clew.AskTool)
		w.write("a.txt", "two\n")
		w.yes()
		second := w.asked(clew.AskTool)
		if w.read("a.txt") != "two\n" {
			t.Errorf("the file has %q", w.read("a.txt"))
		}
		if second.RequestID == first.RequestID || second.Effect.Digest == first.Effect.Digest || !strings.Contains(second.Reason, "Changed") {
			t.Errorf("first %+v, second %+v", first, second)
		}
		w.yes()
		w.idle()
		if w.read("a.txt") != "new\n" {
			t.Errorf("the file has %q", w.read("a.txt"))
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"new\n"}`)), says("Done."))
}

// An approval is used once: the same call again asks again, and an answer to a
// settled question is refused.
func TestApprovalIsUsedOnce(t *testing.T) {
	g := &gadget{name: "touch", group: tool.GroupEdit, class: clew.ClassOnce}
	touch := calls(call("c1", "touch", `{"x":1}`))
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		first := w.asked(clew.AskTool)
		w.yes()
		second := w.asked(clew.AskTool)
		if second.RequestID == first.RequestID || len(g.runs()) != 1 {
			t.Errorf("%d runs after one yes", len(g.runs()))
		}
		if err := w.try(&clew.HitlApprovalResponseData{RequestID: first.RequestID, Action: clew.ChoiceApprove}); clew.CodeOf(err) != clew.HitlRequestExpired {
			t.Errorf("an answer to a settled question: %v", err)
		}
		w.asked(clew.AskTool)
		w.no()
		w.idle()
		if len(g.runs()) != 1 {
			t.Errorf("%d runs", len(g.runs()))
		}
		used := map[clew.RequestID]int{}
		for _, d := range events[clew.ToolProgressData](w) {
			if d.Status == clew.ToolRunning {
				used[d.RequestID]++
			}
		}
		if len(used) != 1 || used[first.RequestID] != 1 {
			t.Errorf("approvals used: %v", used)
		}
	}, touch, touch, says("Fine."))
}

// A call that became forbidden since its approval does not run.
func TestApprovalDoesNotOutrankRules(t *testing.T) {
	refused := false
	g := &gadget{name: "touch", group: tool.GroupEdit, class: clew.ClassOnce}
	g.prepare = func(tool.Call) (*tool.Action, error) {
		a := &tool.Action{Ask: clew.AskTool}
		if refused {
			a.Refused = "not any more"
		}
		return a, nil
	}
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		refused = true
		w.yes()
		w.idle()
		if len(g.runs()) != 0 || !strings.Contains(fmt.Sprint(w.result("c1").Output), "not any more") {
			t.Errorf("runs %v, result %+v", g.runs(), w.result("c1"))
		}
	}, calls(call("c1", "touch", `{}`)), says("Fine."))
}

// What is protected is asked about whatever the flags say.
//
// Covers: C-56
func TestProtectedIsAlwaysAsked(t *testing.T) {
	g := &gadget{name: "touch", group: tool.GroupEdit, prepare: func(tool.Call) (*tool.Action, error) {
		return &tool.Action{Ask: clew.AskTool, Protected: true}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		w.yes()
		w.idle()
		if len(g.runs()) != 1 {
			t.Errorf("%d runs", len(g.runs()))
		}
	}, calls(call("c1", "touch", `{}`)), says("Fine."))
}

// A yes with advice lets the call run, and the model hears the advice.
//
// Covers: MSG-30
func TestApprovalWithAdvice(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.asked(clew.AskTool)
		w.answer(clew.ChoiceApprove, "and then test it")
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "and then test it") || w.read("a.txt") != "x" {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`)), says("Done."))
}

// Two calls that ask are two questions, each with its own answer.
func TestTwoQuestions(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.asked(clew.AskTool)
		w.yes()
		w.asked(clew.AskTool)
		w.no()
		w.idle()
		if w.read("a.txt") != "x" || w.read("b.txt") != "" {
			t.Errorf("files %q, %q", w.read("a.txt"), w.read("b.txt"))
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`), call("c2", "write_file", `{"path":"b.txt","content":"x"}`)), says("Done."))
}

// A running tool may ask, and hears the answer itself.
func TestToolAsks(t *testing.T) {
	var heard any
	g := &gadget{name: "asks", run: func(ctx context.Context, _ tool.Call, out tool.Output) (tool.Result, error) {
		a, err := out.Ask(ctx, clew.HitlInputRequestData{Field: "x", Question: "how many?", InputType: clew.InputNumber, Required: true})
		heard = a.Value
		return tool.Result{Text: "thanks"}, err
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		q, ok := w.question().Data.(*clew.HitlInputRequestData)
		if !ok || q.ToolCallID != "c1" {
			t.Fatalf("question %+v", w.question())
		}
		w.do(&clew.HitlInputResponseData{RequestID: q.RequestID, Value: 3.0})
		w.idle()
		if heard != 3.0 || !strings.Contains(lastText(w.model.last()), "thanks") {
			t.Errorf("the tool heard %v", heard)
		}
	}, calls(call("c1", "asks", `{}`)), says("Done."))
}
