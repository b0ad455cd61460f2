package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool"
)

// A run whose server dies again and again, at any point, comes to its end: what
// may run once runs once, each todo is completed once, and no call dangles.
//
// Covers: RUN-12, RUN-14
func TestRunCrashes(t *testing.T) {
	seeds := nightly.Plays(12, 40)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			d := &dice{r: rand.New(rand.NewPCG(uint64(seed), 11))}
			retry := []string{"ask", "auto"}[d.roll(2)]
			w := newRun(t, allowed(map[string]any{"run_parallel_todos": 4, "model_crash_retry": retry, "mistake_limit": 0, "plan_review_timeout_sec": 0}), d.cast())
			gadgets := map[string]*gadget{
				"once":  {name: "once", class: clew.ClassOnce, group: tool.GroupEdit, run: d.actSoon},
				"asks":  {name: "asks", class: clew.ClassOnce, group: tool.GroupEdit, run: d.actSoon},
				"again": {name: "again", class: clew.ClassRepeatable, group: tool.GroupEdit, run: d.actSoon},
				"look":  {name: "look", parallel: true, run: d.actSoon},
			}
			for _, g := range gadgets {
				w.tools = append(w.tools, g)
			}
			w.open()
			defer w.close()
			w.begin()
			for crashes := 0; !ended(w.phase()); {
				if crashes > 60 {
					t.Fatalf("seed %d: the run does not end\n%s", seed, w.story())
				}
				time.Sleep(time.Duration(d.roll(2500)) * time.Millisecond)
				switch d.roll(3) {
				case 0:
					synctest.Wait()
				case 1: // in the midst of things
					d.settleOne(w, false)
				}
				if d.roll(3) > 0 {
					w.crash()
					crashes++
				}
				d.settleOne(w, true)
			}
			w.in("completed")
			w.audit(gadgets)
			w.eachOnce()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
	}
}

func ended(phase string) bool {
	return phase == "completed" || phase == "failed" || phase == "cancelled"
}

// cast is a model that takes its time. Its plan is a random graph.
func (d *dice) cast() *cast {
	slow := func(s step) step {
		return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
			for range d.roll(3) {
				if err := on(llm.Delta{Text: "Hm. "}); err != nil {
					return llm.Answer{}, err
				}
				if err := pauseFor(ctx, 1); err != nil {
					return llm.Answer{}, err
				}
			}
			return s(ctx, req, on)
		}
	}
	var todos []string
	for i := range 4 + d.roll(5) {
		var deps []string
		for j := range i {
			if d.roll(4) == 0 {
				deps = append(deps, fmt.Sprintf(`"t%d"`, j))
			}
		}
		todos = append(todos, fmt.Sprintf(`{"id":"t%d","task":"part %d","depends_on":[%s]}`, i, i, strings.Join(deps, ",")))
	}
	work := func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		switch n := len(req.Messages); {
		case n > 5 || d.roll(4) == 0:
			return completes("did it")(ctx, req, on)
		case d.roll(6) == 0:
			return calls(call("f", "report_failure", `{"message":"bad luck","recoverable":true}`))(ctx, req, on)
		case d.roll(3) == 0:
			return calls(call("a", "look", `{}`), call("b", "once", `{}`), call("c", "report_progress", `{"percentage":50}`))(ctx, req, on)
		}
		return calls(call("a", []string{"once", "asks", "again", "look"}[d.roll(4)], `{}`))(ctx, req, on)
	}
	return &cast{
		understand: slow(understands), plan: slow(plans("[" + strings.Join(todos, ",") + "]")), respond: slow(responds("Done.")),
		todo: func(string) step { return slow(work) },
	}
}

// settleOne answers the oldest question with a yes.
func (d *dice) settleOne(w *world, wait bool) {
	w.Helper()
	list := w.questions()
	if len(list) == 0 {
		return
	}
	q := list[d.roll(len(list))]
	var data any = &clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove}
	if q.Type == clew.EventHitlPlanReview {
		data = &clew.HitlPlanResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove}
	}
	if _, err := w.host.Do(w.Context(), w.id, clew.Command{Type: commandOf(data), By: ann, Data: data}); err != nil {
		w.Fatal(err)
	}
	if wait {
		synctest.Wait()
	}
}

// eachOnce checks the todos' records: each is completed once, after what it
// depends on, and at most as many are under way as may be.
func (w *world) eachOnce() {
	w.Helper()
	st := w.state()
	todos := st.Runs[len(st.Runs)-1].Todos
	deps, done := map[string][]string{}, map[string]int{}
	for _, t := range todos {
		deps[t.ID] = t.DependsOn
	}
	under := map[string]bool{}
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		switch r.Type {
		case clew.EventTodoStarted:
			id := decoded[clew.TodoStartedData](w, r).TodoID
			if under[id] || done[id] > 0 {
				w.Errorf("%s begins twice at once, or again", id)
			}
			under[id] = true
			for _, other := range deps[id] {
				if done[other] == 0 {
					w.Errorf("%s begins before %s is done", id, other)
				}
			}
			if len(under) > 4 {
				w.Errorf("%d todos are under way", len(under))
			}
		case clew.EventTodoFailed:
			delete(under, decoded[clew.TodoFailedData](w, r).TodoID)
		case clew.EventTodoCompleted:
			id := decoded[clew.TodoCompletedData](w, r).TodoID
			done[id]++
			delete(under, id)
		}
	}
	for _, t := range todos {
		if done[t.ID] != 1 || t.Status != clew.TodoCompleted {
			w.Errorf("%s is %s and was completed %d times", t.ID, t.Status, done[t.ID])
		}
	}
	if n := len(events[clew.CompleteData](w)); n != 1 {
		w.Errorf("the run ended %d times", n)
	}
}
