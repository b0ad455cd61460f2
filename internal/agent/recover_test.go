package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/tool"
)

// A model call that a crash cut is offered to a person: it costs money.
//
// Covers: MSG-11
func TestCrashDuringAModelCall(t *testing.T) {
	for name, again := range map[string]bool{"yes": true, "no": false} {
		t.Run(name, func(t *testing.T) {
			steps := []step{hangs("Half an ans")}
			if again {
				steps = append(steps, says("The whole answer."))
			}
			run(t, nil, func(w *world) {
				w.say("go")
				w.crash()
				if q := w.asked(clew.AskAPIReqFailed); w.model.asked() != 1 {
					t.Errorf("asked again without a yes: %+v", q)
				}
				w.crash() // and again, while it waits
				if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
					t.Errorf("%d questions", n)
				}
				if !again {
					w.no()
					w.idle()
					return
				}
				w.yes()
				w.idle()
				texts := w.messages("text")
				if last := texts[len(texts)-1]; last.Text != "The whole answer." || last.Partial {
					t.Errorf("transcript:\n%s", w.story())
				}
				if m := w.model.last().Messages; len(m) != 1 {
					t.Errorf("the history is %+v", m)
				}
			}, steps...)
		})
	}
}

// It is made again at once where the settings say so, or where it is free.
func TestCrashDuringAModelCallMadeAgain(t *testing.T) {
	for name, prepare := range map[string]func(w *world){
		"auto": func(w *world) { w.set(map[string]any{"model_crash_retry": "auto"}) },
		"free": func(w *world) { w.info = agent.Model{Free: true} },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				prepare(w)
				w.say("go")
				w.crash()
				w.idle()
				if got := w.said(clew.SayText); got != "The whole answer." {
					t.Errorf("the answer is %q", got)
				}
				if len(w.messages("api_req_retried")) != 1 || len(w.messages("api_req_started")) != 1 {
					t.Errorf("transcript:\n%s", w.story())
				}
			}, hangs("Half an ans"), says("The whole answer."))
		})
	}
}

// A crash in the pause before another try is a crash in the call.
func TestCrashDuringARetry(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.crash()
		w.asked(clew.AskAPIReqFailed)
		w.yes()
		w.idle()
	}, fails(busy), says("Back."))
}

// hung is a tool that does its work once a test says so, and hangs before.
func hung(name string, class clew.ToolClass) (*gadget, *bool) {
	rest := false
	g := &gadget{name: name, class: class, group: tool.GroupEdit}
	if class == clew.ClassReadOnly {
		g.group = tool.GroupRead
	}
	g.run = func(ctx context.Context, c tool.Call, out tool.Output) (tool.Result, error) {
		if !rest {
			return blocks(ctx, c, out)
		}
		return tool.Result{Text: "ran"}, nil
	}
	return g, &rest
}

// A call that may be repeated is, once and with its key.
func TestCrashDuringARepeatableCall(t *testing.T) {
	for _, class := range []clew.ToolClass{clew.ClassReadOnly, clew.ClassRepeatable} {
		t.Run(string(class), func(t *testing.T) {
			g, rest := hung("work", class)
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				*rest = true
				w.crash()
				w.idle()
				keys := g.runs()
				if len(keys) != 2 || keys[0] != keys[1] {
					t.Errorf("runs %v", keys)
				}
				if d := w.result("c1"); d.Status != clew.ToolComplete || d.InDoubt || w.model.asked() != 2 {
					t.Errorf("result %+v after %d model calls", d, w.model.asked())
				}
			}, calls(call("c1", "work", `{}`)), says("Done."))
		})
	}
}

// A call that can be checked is checked first: what happened is not done again,
// what did not is, and what nobody can tell is asked about.
func TestCrashDuringACheckableCall(t *testing.T) {
	for name, tt := range map[string]struct {
		check func(context.Context) (bool, tool.Result, error)
		runs  int
		asks  bool
		want  string
	}{
		"it happened": {func(context.Context) (bool, tool.Result, error) { return true, tool.Result{Text: "it was done"}, nil }, 1, false, "it was done"},
		"it did not":  {func(context.Context) (bool, tool.Result, error) { return false, tool.Result{}, nil }, 2, false, "ran"},
		"no telling":  {func(context.Context) (bool, tool.Result, error) { return false, tool.Result{}, errors.New("who knows") }, 1, true, "may not have completed"},
		"no check":    {nil, 1, true, "may not have completed"},
		"it panics":   {func(context.Context) (bool, tool.Result, error) { panic("oh") }, 1, true, "may not have completed"},
	} {
		t.Run(name, func(t *testing.T) {
			g, rest := hung("work", clew.ClassCheckable)
			g.check = tt.check
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				*rest = true
				w.crash()
				if tt.asks {
					w.asked(clew.AskResumeTask)
					w.yes()
				}
				w.idle()
				if len(g.runs()) != tt.runs || !strings.Contains(lastText(w.model.last()), tt.want) {
					t.Errorf("runs %v, the model heard %q", g.runs(), lastText(w.model.last()))
				}
				if tt.check != nil && g.checked == 0 {
					t.Error("it was not checked")
				}
			}, calls(call("c1", "work", `{}`)), says("Done."))
		})
	}
}

// A call that may not be repeated is not, whatever the answer: a yes goes on
// with what is known, a no ends the turn.
//
// Covers: MSG-12, TSK-10
func TestCrashDuringACallThatRunsOnce(t *testing.T) {
	for name, goesOn := range map[string]bool{"go on": true, "stop": false} {
		t.Run(name, func(t *testing.T) {
			g, rest := hung("work", clew.ClassOnce)
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				*rest = true
				w.crash()
				q := w.asked(clew.AskResumeTask)
				if !strings.Contains(q.Reason, "work") || !slices.Contains(w.types(), clew.EventTaskResumable) {
					t.Errorf("question %+v", q)
				}
				w.crash()
				if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
					t.Errorf("%d questions after another crash", n)
				}
				if goesOn {
					w.yes()
				} else {
					w.no()
					w.idle()
					w.say("go on then")
				}
				w.idle()
				if d := w.result("c1"); !d.InDoubt || d.Status != clew.ToolError {
					t.Errorf("result %+v", d)
				}
				if got := lastText(w.model.last()); !strings.Contains(got, "may not have completed") {
					t.Errorf("the model heard %q", got)
				}
				if len(g.runs()) != 1 {
					t.Errorf("it ran %d times", len(g.runs()))
				}
			}, calls(call("c1", "work", `{}`)), says("I look."))
		})
	}
}

// Of several calls each is treated by its class; there is one question.
func TestCrashDuringSeveralCalls(t *testing.T) {
	once, rest1 := hung("once", clew.ClassOnce)
	again, rest2 := hung("again", clew.ClassRepeatable)
	once.parallel, again.parallel = true, true
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, once, again)
		w.say("go")
		*rest1, *rest2 = true, true
		w.crash()
		w.asked(clew.AskResumeTask)
		w.yes()
		w.idle()
		if len(once.runs()) != 1 || len(again.runs()) != 2 {
			t.Errorf("runs %v, %v", once.runs(), again.runs())
		}
		if n := len(events[clew.HitlApprovalRequestData](w)); n != 1 {
			t.Errorf("%d questions", n)
		}
		if !w.result("c1").InDoubt || w.result("c2").InDoubt || w.result("c2").Status != clew.ToolComplete {
			t.Errorf("results %+v, %+v", w.result("c1"), w.result("c2"))
		}
	}, calls(call("c1", "once", `{}`), call("c2", "again", `{}`)), says("Done."))
}

// A call that was approved and not begun begins after the crash; one that was
// begun has used its approval up.
func TestCrashAfterAnApproval(t *testing.T) {
	g, rest := hung("work", clew.ClassOnce)
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		w.asked(clew.AskTool)
		w.yes()
		*rest = true
		w.crash()
		w.asked(clew.AskResumeTask)
		w.yes()
		w.idle()
		if len(g.runs()) != 1 {
			t.Errorf("it ran %d times", len(g.runs()))
		}
	}, calls(call("c1", "work", `{}`)), says("Done."))
}

// An open question is still open after a crash, and nothing has run.
//
// Covers: MSG-28
func TestCrashWhileAQuestionIsOpen(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		before := w.asked(clew.AskTool)
		w.crash()
		w.crash()
		after := w.asked(clew.AskTool)
		if before.RequestID != after.RequestID || before.Effect.Digest != after.Effect.Digest || w.model.asked() != 1 || w.read("a.txt") != "" {
			t.Errorf("before %+v, after %+v", before, after)
		}
		w.yes()
		w.idle()
		if w.read("a.txt") != "x" {
			t.Error("the approved call did not run")
		}
	}, calls(call("c1", "write_file", `{"path":"a.txt","content":"x"}`)), says("Done."))
}

// The model's own question survives too, and so does the wait at a limit.
func TestCrashWhileTheModelAsks(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.crash()
		w.say("blue")
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "blue") {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("q", "ask_followup", `{"question":"Which colour?"}`)), says("Blue."))
}

// A subtask goes on after a crash, and its parent after it.
//
// Covers: TSK-06, TSK-07
func TestCrashDuringASubtask(t *testing.T) {
	g, rest := hung("work", clew.ClassRepeatable)
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		*rest = true
		w.crash()
		w.idle()
		if w.said(clew.SaySubtaskResult) != "the part" || len(g.runs()) != 2 || len(w.tasks()) != 2 {
			t.Errorf("runs %v\n%s", g.runs(), w.story())
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), calls(call("c1", "work", `{}`)), completes("the part"), says("All."))
}

// A real file tool finds out by itself whether its change was made.
func TestCrashDuringAnEdit(t *testing.T) {
	for name, made := range map[string]bool{"it was made": true, "it was not": false} {
		t.Run(name, func(t *testing.T) {
			stop := &stopping{made: made}
			run(t, allowed(), func(w *world) {
				for i, tl := range w.tools {
					if tl.Spec().Name == "write_file" {
						stop.Tool = tl
						w.tools[i] = stop
					}
				}
				w.write("a.txt", "old")
				w.say("go")
				stop.on = true
				w.crash()
				w.idle()
				if w.read("a.txt") != "new" || len(events[clew.HitlApprovalRequestData](w)) != 0 {
					t.Errorf("the file has %q\n%s", w.read("a.txt"), w.story())
				}
				if d := w.result("c1"); d.Status != clew.ToolComplete {
					t.Errorf("result %+v", d)
				}
			}, calls(call("c1", "write_file", `{"path":"a.txt","content":"new"}`)), says("Done."))
		})
	}
}

// stopping hangs after, or before, the work of a tool.
type stopping struct {
	tool.Tool
	made, on bool
}

func (s *stopping) Prepare(ctx context.Context, c tool.Call) (*tool.Action, error) {
	a, err := s.Tool.Prepare(ctx, c)
	if err != nil || s.on {
		return a, err
	}
	real := a.Run
	a.Run = func(ctx context.Context, out tool.Output) (tool.Result, error) {
		if s.made {
			if r, err := real(ctx, out); err != nil {
				return r, err
			}
		}
		<-ctx.Done()
		return tool.Result{}, fmt.Errorf("stopped")
	}
	return a, nil
}
