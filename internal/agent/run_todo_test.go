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
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// What a todo's agent hands over is the todo's result, what it reports on the way
// its progress; its own list of steps is no part of the run's plan.
//
// Covers: RUN-13, RUN-14, RUN-15
func TestTodoReports(t *testing.T) {
	c := &cast{
		plan: plans(`[{"id":"a","task":"count"},{"id":"b","task":"sum","depends_on":["a"]}]`),
		todo: only("a", inTurn(
			calls(call("1", "report_progress", `{"percentage":40,"step":"half\u202e","items_processed":2,"items_total":5}`)),
			calls(call("2", "update_todos", `{"todos":[{"id":"a","task":"mine","status":"completed"},{"id":"z","task":"more","status":"pending"}]}`)),
			calls(call("3", "report_progress", `{"percentage":101}`)),
			calls(call("4", "attempt_completion", `{"result":"five","data":{"count":5,"text":"not this"}}`)))),
	}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.in("completed")
		p := events[clew.TodoProgressData](w)
		if len(p) != 1 || p[0].TodoID != "a" || p[0].ProgressPercentage != 40 || p[0].ItemsProcessed != 2 || p[0].ItemsTotal != 5 || p[0].CurrentStep != `half\u202e` {
			t.Errorf("progress %+v", p)
		}
		d := events[clew.TodoCompletedData](w)
		if len(d) != 2 || fmt.Sprint(d[0].ResultSummary) != "map[count:5 text:five]" || !slices.Equal(d[0].NextTodos, []string{"b"}) || len(d[1].NextTodos) != 0 {
			t.Errorf("completed %+v", d)
		}
		st := w.state()
		if r := st.Runs[len(st.Runs)-1]; len(r.Todos) != 2 || r.Todos[0].Task != "count" || r.Plan.Version != 1 || r.Plan.TotalTodos != 2 {
			t.Errorf("the run's plan is %+v", r)
		}
		if !strings.Contains(heardText(c.of("todo b")[0]), `\"count\":5`) {
			t.Errorf("the next step knows %.500s", heardText(c.of("todo b")[0]))
		}
		for _, d := range events[clew.ExecutionProgressData](w) {
			if d.Completed+d.InProgress+d.Pending+d.Failed+d.Skipped != d.TotalTodos || d.ProgressPercentage != d.Completed*100/2 {
				t.Errorf("counts do not add up: %+v", d)
			}
		}
	})
}

// Words alone end a todo: they are its result.
func TestTodoThatJustAnswers(t *testing.T) {
	c := &cast{todo: only("a", says("It is five."))}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.in("completed")
		if d := events[clew.TodoCompletedData](w); len(d) != 1 || fmt.Sprint(d[0].ResultSummary) != "map[text:It is five.]" {
			t.Errorf("completed %+v", d)
		}
	})
}

// Data that is too large to keep is refused, and the todo goes on.
func TestTodoWithLargeData(t *testing.T) {
	c := &cast{todo: only("a", inTurn(
		calls(call("1", "attempt_completion", fmt.Sprintf(`{"result":"x","data":{"all":%q}}`, strings.Repeat("x", 20_000)))), completes("short")))}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.in("completed")
		if d := w.result("1"); d.Status != clew.ToolError || !strings.Contains(fmt.Sprint(d.Output), "20010 bytes") {
			t.Errorf("result %+v", d.Output)
		}
	})
}

// A failure that may go away is tried again by itself, three times, and the next
// attempt knows of it; then a person is asked. One that may not is asked about at
// once.
//
// Covers: RUN-16, RUN-17
func TestTodoFails(t *testing.T) {
	fail := func(recoverable bool) step {
		return calls(call("f", "report_failure", fmt.Sprintf(`{"message":"no power","recoverable":%t}`, recoverable)))
	}
	for name, tt := range map[string]struct {
		fail     step
		attempts int
		answer   clew.Choice
		phase    string
	}{
		"recoverable, tried again": {fail(true), 4, clew.ChoiceApprove, "completed"},
		"recoverable, skipped":     {fail(true), 4, clew.ChoiceSkip, "completed"},
		"recoverable, rejected":    {fail(true), 4, clew.ChoiceReject, "cancelled"},
		"for good, tried again":    {fail(false), 1, clew.ChoiceApprove, "completed"},
		"for good, skipped":        {fail(false), 1, clew.ChoiceSkip, "completed"},
		"for good, nobody answers": {fail(false), 1, "", "failed"},
		"the model fails":          {fails(&llm.Error{Kind: llm.KindRequest, Message: "no power"}), 4, clew.ChoiceSkip, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			works := false
			c := &cast{todo: only("a", func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
				if works {
					return completes("at last")(ctx, req, on)
				}
				return tt.fail(ctx, req, on)
			})}
			plays(t, allowed(map[string]any{"model_retries": 0}), c, func(w *world) {
				w.approve()
				q := w.limited("retries")
				d := events[clew.TodoFailedData](w)
				if len(d) != tt.attempts || d[len(d)-1].RetryCount != tt.attempts-1 || d[0].MaxRetries != 3 || !strings.Contains(d[0].Error.Message, "no power") {
					t.Errorf("failures %+v", d)
				}
				if n := len(c.of("todo a")); n != tt.attempts || len(events[clew.TodoRetriedData](w)) != n-1 {
					t.Errorf("%d attempts", n)
				}
				if last := c.of("todo a")[tt.attempts-1]; tt.attempts > 1 && !strings.Contains(heardText(last), "no power") {
					t.Error("the last attempt does not know of the failure")
				}
				if q.TodoID != "a" || !strings.Contains(q.Reason, "no power") {
					t.Errorf("question %+v", q)
				}
				works = true
				if tt.answer == "" {
					w.later(601)
				} else {
					w.answer(tt.answer)
				}
				w.in(tt.phase)
				w.idle()
				if tt.phase == "failed" {
					if f := events[clew.FailedData](w); len(f) != 1 || f[0].Error.FailedTodo != "a" || !strings.Contains(f[0].Error.Message, "no power") {
						t.Errorf("failed %+v", f)
					}
				}
			})
		})
	}
}

// A todo may give a part of its work away and waits for it.
func TestTodoWithASubtask(t *testing.T) {
	rest := new(gate)
	c := &cast{
		todo: only("a", inTurn(calls(call("s", "new_task", `{"message":"the part"}`)), completes("whole"))),
		sub:  waits(rest, completes("the part's result")),
	}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		if td := w.todoOf("a"); td.Status != clew.TodoInProgress || len(w.tasks()) != 3 {
			t.Errorf("todo %+v", td)
		}
		w.crash()
		for _, q := range w.questions() { // the call of the subtask's model was cut
			w.do(&clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove})
		}
		rest.open()
		w.in("completed")
		if d := events[clew.TodoCompletedData](w); len(d) != 1 || fmt.Sprint(d[0].ResultSummary) != "map[text:whole]" {
			t.Errorf("completed %+v", d)
		}
	})
	last := c.of("todo a")
	if !strings.Contains(heardText(last[len(last)-1]), "the part's result") {
		t.Error("the todo does not know what became of the part")
	}
}

// What a person says while todos are at work reaches them, those that begin
// later, and the root.
func TestWordsDuringARun(t *testing.T) {
	rest := new(gate)
	c := &cast{
		plan: plans(`[{"id":"a","task":"one"},{"id":"b","task":"two","depends_on":["a"]}]`),
		todo: only("a", inTurn(waits(rest, calls(call("l", "list_files", `{"path":"."}`))), completes("did a"))),
	}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.say("use blue paint")
		rest.open()
		w.in("completed")
	})
	var heard []string
	for _, who := range []string{"todo a", "todo b", "respond"} {
		list := c.of(who)
		if strings.Contains(heardText(list[len(list)-1]), "use blue paint") {
			heard = append(heard, who)
		}
	}
	if len(heard) != 3 {
		t.Errorf("only %v heard it", heard)
	}
}

// What is said while the answer is put together is heard before the run ends.
func TestWordsDuringTheResponse(t *testing.T) {
	rest := new(gate)
	c := &cast{respond: inTurn(waits(rest, responds("Too soon.")), responds("In blue."))}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.say("use blue paint")
		rest.open()
		w.in("completed")
		if end := events[clew.CompleteData](w); len(end) != 1 || end[0].Response.Text != "In blue." {
			t.Errorf("ends %+v", end)
		}
	})
	if got := heardText(c.of("respond")[1]); !strings.Contains(got, "use blue paint") {
		t.Errorf("the model knows %.400s", got)
	}
}

// A todo's questions hold up nobody else, and it goes on with the answer.
//
// Covers: C-20
func TestTodoAsks(t *testing.T) {
	c := &cast{
		plan: plans(`[{"id":"a","task":"write"},{"id":"b","task":"ask"},{"id":"c","task":"other"}]`),
		todo: func(id string) step {
			switch id {
			case "a":
				return onceThen("a.txt", calls(call("w", "write_file", `{"path":"a.txt","content":"x"}`)), completes("written"))
			case "b":
				return onceThen("blue", calls(call("q", "ask_followup", `{"question":"Which colour?","options":["red","blue"]}`)), completes("blue"))
			}
			return nil
		},
	}
	plays(t, nil, c, func(w *world) {
		w.approve()
		if w.todoOf("c").Status != clew.TodoCompleted || len(w.questions()) != 2 {
			t.Fatalf("todo c is %+v, questions %+v", w.todoOf("c"), w.questions())
		}
		w.crash()
		for _, q := range w.questions() {
			a := q.Asking()
			if a.RunID == "" || a.TodoID == "" || a.TimeoutSec == 0 {
				t.Errorf("question %+v", a)
			}
			switch q.Data.(type) {
			case *clew.HitlInputRequestData:
				if a.TodoID != "b" || a.TimeoutSec != 300 {
					t.Errorf("question %+v", a)
				}
				w.do(&clew.HitlInputResponseData{RequestID: a.RequestID, Value: "blue"})
			default:
				if a.TodoID != "a" || a.TimeoutSec != 600 {
					t.Errorf("question %+v", a)
				}
				w.do(&clew.HitlApprovalResponseData{RequestID: a.RequestID, Action: clew.ChoiceApprove})
			}
		}
		w.in("completed")
		if w.read("a.txt") != "x" {
			t.Error("it was not written")
		}
	})
}

// A question of a todo's agent that nobody answers takes the agent's default, or none
// where an answer is not required, and the run goes on. Without either it is cancelled.
func TestTodoAsksAndNobodyAnswers(t *testing.T) {
	for name, tt := range map[string]struct{ input, heard, phase string }{
		"a default":    {`{"question":"Which colour?","options":["red","blue"],"default":"blue"}`, "blue", "completed"},
		"a number":     {`{"question":"How many?","input_type":"number","default":7}`, "7", "completed"},
		"not required": {`{"question":"Any wishes?","required":false}`, "", "completed"},
		"required":     {`{"question":"Which colour?"}`, "", "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			asks := inTurn(calls(call("q", "ask_followup", tt.input)), completes("done"))
			c := &cast{todo: func(string) step { return asks }}
			plays(t, nil, c, func(w *world) {
				w.approve()
				q, ok := w.question().Data.(*clew.HitlInputRequestData)
				if !ok || q.Required == (name == "not required") {
					t.Fatalf("question %+v", w.question().Data)
				}
				w.crash() // the default is on record
				w.later(301)
				w.in(tt.phase)
				if tt.phase == "completed" && !strings.Contains(fmt.Sprint(w.result("q").Output), tt.heard) {
					t.Errorf("the agent heard %+v, want %q", w.result("q"), tt.heard)
				}
			})
		})
	}
}

// A question that cannot be asked like that is the agent's mistake, and says what is
// wrong.
func TestBadFollowup(t *testing.T) {
	for input, want := range map[string]string{
		`{"question":" "}`:                                        "question is empty",
		`{"question":"x","input_type":"colour"}`:                  "not one of text, choice, number, boolean, date",
		`{"question":"x","input_type":"choice"}`:                  "needs options",
		`{"question":"x","input_type":"number","options":["1"]}`:  "options go with input_type choice",
		`{"question":"x","input_type":"number","default":"many"}`: "default does not fit",
		`{"question":"x","input_type":"date","default":true}`:     "default does not fit",
	} {
		run(t, nil, func(w *world) {
			w.say("go")
			w.idle()
			if got := lastText(w.model.last()); !strings.Contains(got, want) {
				t.Errorf("%s: the model heard %q, want %q", input, got, want)
			}
		}, calls(call("q", "ask_followup", input)), says("Well."))
	}
}

// onceThen plays the first step until the history has a text.
func onceThen(text string, first, then step) step {
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		for _, m := range req.Messages[1:] {
			for _, p := range m.Content {
				if p.Type == clew.PartToolResult && strings.Contains(p.Text, text) {
					return then(ctx, req, on)
				}
			}
		}
		return first(ctx, req, on)
	}
}

// A todo works in its own mode and with its own profile.
func TestTodoHasModeAndProfile(t *testing.T) {
	set := map[string]any{"model_profiles": map[string]any{"p": profiles["p"], "small": map[string]any{"provider": "openai", "model": "s-1"}}}
	c := &cast{plan: plans(`[{"id":"a","task":"look","mode":"ask","profile":"small"},{"id":"b","task":"write"}]`)}
	plays(t, allowed(set), c, func(w *world) {
		var used sync.Map // by the two todos at once
		w.provider = func(p settings.Profile) (llm.Provider, error) {
			used.Store(p.Provider, true)
			return w.model, nil
		}
		w.approve()
		w.in("completed")
		if _, ok := used.Load("openai"); !ok {
			t.Error("the todo's own provider was not used")
		}
	})
	a, b := c.of("todo a")[0], c.of("todo b")[0]
	if a.Model != "s-1" || slices.Contains(toolNames(a), "write_file") || !strings.Contains(a.System, "Mode: ask.") {
		t.Errorf("a: model %s, tools %v", a.Model, toolNames(a))
	}
	if b.Model != "m-1" || !slices.Contains(toolNames(b), "write_file") {
		t.Errorf("b: model %s, tools %v", b.Model, toolNames(b))
	}
}

// A todo that costs something asks first: a yes runs it, a skip leaves it out,
// a no refuses it.
//
// Covers: RUN-18, RUN-33, C-56
func TestTodoThatCosts(t *testing.T) {
	for action, want := range map[clew.Choice]clew.TodoStatus{
		clew.ChoiceApprove: clew.TodoCompleted, clew.ChoiceSkip: clew.TodoSkipped, clew.ChoiceReject: clew.TodoFailed, "": clew.TodoSkipped,
	} {
		t.Run(string(action), func(t *testing.T) {
			c := &cast{plan: plans(`[{"id":"a","task":"buy","estimated_cost_usd":2.5,"estimated_duration_sec":30},{"id":"b","task":"other"}]`)}
			plays(t, allowed(), c, func(w *world) {
				w.begin()
				if p := w.underReview().Plan; p.EstimatedCostUSD == nil || *p.EstimatedCostUSD != 2.5 || p.EstimatedDurationSec != 30 || !strings.Contains(p.MermaidDiagram, "buy") {
					t.Errorf("estimates %+v", p)
				}
				w.reviewed(clew.ChoiceApprove)
				q := w.limited("cost")
				if q.Todo == nil || q.Todo.ID != "a" || *q.Todo.EstimatedCostUSD != 2.5 || len(q.Options) != 3 || len(c.of("todo a")) != 0 || len(c.of("todo b")) != 1 {
					t.Errorf("question %+v", q)
				}
				if action == "" {
					w.later(601)
				} else {
					w.answer(action)
				}
				if got := w.todoOf("a").Status; got != want {
					t.Errorf("the todo is %s", got)
				}
				if want == clew.TodoFailed {
					w.limited("retries")
					return
				}
				w.in("completed")
			})
		})
	}
}

// Todos that do not depend on each other are worked on at once, as many as the
// settings allow, the larger priority first.
//
// Covers: RUN-10, RUN-12
func TestTodosAtOnce(t *testing.T) {
	rest := new(gate)
	c := &cast{
		plan: plans(`[{"id":"a","task":"x","priority":1},{"id":"b","task":"x","priority":9},{"id":"c","task":"x","priority":5},{"id":"d","task":"y","priority":99,"depends_on":["b"]}]`),
		todo: func(id string) step { return waits(rest, completes("did "+id)) },
	}
	plays(t, allowed(map[string]any{"run_parallel_todos": 2}), c, func(w *world) {
		w.approve()
		var begun []string
		for _, d := range events[clew.TodoStartedData](w) {
			begun = append(begun, d.TodoID)
		}
		if !slices.Equal(begun, []string{"b", "c"}) || w.model.asked() != 4 {
			t.Errorf("begun %v, %d model calls", begun, w.model.asked())
		}
		rest.open()
		w.in("completed")
	})
}

// A tool's question inside a todo of a run counts as the run's.
func TestTodoTool(t *testing.T) {
	g := &gadget{name: "work", group: tool.GroupEdit, class: clew.ClassOnce}
	c := &cast{todo: only("a", onceThen("refused", calls(call("w", "work", `{}`)), calls(call("f", "report_failure", `{"message":"not allowed","recoverable":false}`))))}
	plays(t, nil, c, func(w *world) {
		w.tools = append(w.tools, g)
		w.approve()
		w.no()
		if len(g.runs()) != 0 {
			t.Error("it ran")
		}
	})
}
