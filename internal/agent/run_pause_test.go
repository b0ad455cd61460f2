package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/tool"
)

// stands checks that nothing begins for a long time: no model call and no tool.
func (w *world) stands(gadgets ...*gadget) {
	w.Helper()
	count := func() int {
		n := w.model.asked()
		for _, g := range gadgets {
			n += len(g.runs())
		}
		return n
	}
	before, started := count(), len(events[clew.TodoStartedData](w))
	w.later(10_000)
	if n := count(); n != before {
		w.Errorf("%d model calls and tools began meanwhile\n%s", n-before, w.story())
	}
	if n := len(events[clew.TodoStartedData](w)); n != started {
		w.Errorf("%d todos began meanwhile", n-started)
	}
}

const chain = `[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z"},{"id":"d","task":"z"}]`

// A pause in the middle of a model call: the call ends, what it asks for does not
// begin. Going on goes on where it stood.
//
// Covers: RUN-25, RUN-26
func TestPauseDuringAModelCall(t *testing.T) {
	for name, down := range map[string]bool{"here": false, "after a crash": true} {
		t.Run(name, func(t *testing.T) {
			rest := new(gate)
			g := &gadget{name: "work", group: tool.GroupEdit, class: clew.ClassOnce}
			c := &cast{plan: plans(chain), todo: func(id string) step {
				return waits(rest, onceThen("ran", calls(call("w", "work", `{}`)), completes("did "+id)))
			}}
			plays(t, allowed(map[string]any{"run_parallel_todos": 2}), c, func(w *world) {
				w.tools = append(w.tools, g)
				w.approve()
				w.do(&clew.ControlPauseData{Reason: "lunch"})
				if err := w.try(&clew.ControlPauseData{}); clew.CodeOf(err) != clew.SessionInvalidState {
					t.Errorf("a second pause: %v", err)
				}
				w.in("executing, paused")
				rest.open()
				w.stands(g)
				if len(g.runs()) != 0 || w.model.asked() != 4 {
					t.Errorf("%d runs, %d model calls", len(g.runs()), w.model.asked())
				}
				if down {
					w.crash()
					w.stands(g)
				}
				w.do(&clew.ControlResumeData{})
				w.in("completed")
				if len(g.runs()) != 4 {
					t.Errorf("%d runs", len(g.runs()))
				}
				if p := events[clew.HitlPausedData](w); len(p) != 1 || p[0].PausedBy != "ann" || p[0].Reason != "lunch" || p[0].CurrentTodo == "" || !p[0].CanResume {
					t.Errorf("paused %+v", p)
				}
			})
		})
	}
}

// A pause in the middle of a tool: the tool ends and its result is kept, and the
// model is not asked about it before the run goes on.
//
// Covers: RUN-25, RUN-26
func TestPauseDuringATool(t *testing.T) {
	rest := new(gate)
	g := &gadget{name: "work", group: tool.GroupEdit, class: clew.ClassOnce, run: func(ctx context.Context, _ tool.Call, _ tool.Output) (tool.Result, error) {
		select {
		case <-rest.wait():
			return tool.Result{Text: "ran"}, nil
		case <-ctx.Done():
			return tool.Result{}, ctx.Err()
		}
	}}
	c := &cast{plan: plans(chain), todo: func(id string) step { return onceThen("ran", calls(call("w", "work", `{}`)), completes("did "+id)) }}
	plays(t, allowed(map[string]any{"run_parallel_todos": 2}), c, func(w *world) {
		w.tools = append(w.tools, g)
		w.approve()
		w.do(&clew.ControlPauseData{})
		rest.open()
		w.stands(g)
		if len(g.runs()) != 2 || w.model.asked() != 4 {
			t.Errorf("%d runs, %d model calls", len(g.runs()), w.model.asked())
		}
		w.do(&clew.ControlResumeData{})
		w.in("completed")
		if len(g.runs()) != 4 {
			t.Errorf("%d runs", len(g.runs()))
		}
	})
}

// A pause while a failed model call waits to be made again: it is not.
//
// Covers: RUN-25, RUN-26
func TestPauseDuringARetryDelay(t *testing.T) {
	c := &cast{todo: only("a", inTurn(fails(busy), completes("did a")))}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.do(&clew.ControlPauseData{})
		w.stands()
		if n := len(c.of("todo a")); n != 1 {
			t.Errorf("%d model calls", n)
		}
		w.do(&clew.ControlResumeData{})
		sleep(60)
		w.in("completed")
		if n := len(c.of("todo a")); n != 2 {
			t.Errorf("%d model calls in the end", n)
		}
	})
}

// The other layers pause as well.
//
// Covers: RUN-25, RUN-26
func TestPauseOfALayer(t *testing.T) {
	for _, who := range []string{"understand", "plan", "respond"} {
		t.Run(who, func(t *testing.T) {
			rest := new(gate)
			c := &cast{}
			switch who {
			case "understand":
				c.understand = waits(rest, understands)
			case "plan":
				c.plan = waits(rest, plans(`[{"id":"a","task":"x"}]`))
			case "respond":
				c.respond = waits(rest, responds("Done."))
			}
			plays(t, allowed(), c, func(w *world) {
				w.begin()
				if who == "respond" {
					w.reviewed(clew.ChoiceApprove)
				}
				w.do(&clew.ControlPauseData{})
				rest.open()
				w.stands()
				if len(c.of(who)) != 1 || !strings.HasSuffix(w.phase(), ", paused") || len(w.questions()) != 0 {
					t.Errorf("%d calls, the run is %s", len(c.of(who)), w.phase())
				}
				w.do(&clew.ControlResumeData{})
				if who != "respond" {
					w.reviewed(clew.ChoiceApprove)
				}
				w.in("completed")
				if n := w.model.asked(); n != 4 {
					t.Errorf("%d model calls", n)
				}
			})
		})
	}
}

// Questions are answered during a pause; what they are about begins after it.
//
// Covers: RUN-25
func TestAnswerDuringAPause(t *testing.T) {
	g := &gadget{name: "work", group: tool.GroupEdit, class: clew.ClassOnce}
	c := &cast{todo: only("a", onceThen("ran", calls(call("w", "work", `{}`)), completes("did a")))}
	plays(t, nil, c, func(w *world) {
		w.tools = append(w.tools, g)
		w.begin()
		w.do(&clew.ControlPauseData{})
		w.reviewed(clew.ChoiceApprove)
		w.stands(g)
		if a := events[clew.PlanApprovedData](w); len(a) != 1 || a[0].ExecutionStarting {
			t.Errorf("approved %+v", a)
		}
		w.do(&clew.ControlResumeData{})
		w.asked(clew.AskTool)
		w.do(&clew.ControlPauseData{})
		w.yes()
		w.stands(g)
		w.do(&clew.ControlResumeData{})
		w.in("completed")
		if len(g.runs()) != 1 {
			t.Errorf("%d runs", len(g.runs()))
		}
	})
}

// To interrupt a run is to pause it and to stop what is under way; attempts begin
// anew when it goes on.
func TestInterruptOfARun(t *testing.T) {
	stuck := true
	g := &gadget{name: "work", group: tool.GroupEdit, class: clew.ClassRepeatable, run: func(ctx context.Context, c tool.Call, out tool.Output) (tool.Result, error) {
		if stuck {
			return blocks(ctx, c, out)
		}
		return tool.Result{Text: "ran"}, nil
	}}
	c := &cast{plan: plans(`[{"id":"a","task":"x"},{"id":"b","task":"y"}]`)}
	c.todo = func(id string) step {
		return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
			if id == "b" && stuck {
				return hangs("Well")(ctx, req, on)
			}
			return onceThen("ran", calls(call("w", "work", `{}`)), completes("did "+id))(ctx, req, on)
		}
	}
	plays(t, allowed(), c, func(w *world) {
		w.tools = append(w.tools, g)
		w.approve()
		w.do(&clew.InterruptData{})
		w.in("executing, paused")
		stuck = false
		w.stands(g)
		for _, id := range []string{"a", "b"} {
			if td := w.todoOf(id); td.Status != clew.TodoPending || td.RetryCount != 0 {
				t.Errorf("todo %+v", td)
			}
		}
		w.do(&clew.ControlResumeData{})
		w.in("completed")
		for _, m := range w.state().Messages {
			if m.Partial {
				t.Errorf("%s is still open", m.MessageID)
			}
		}
	})
}
