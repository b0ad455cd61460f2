package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool"
)

// What models may hand over in the layers, good and bad.
var (
	understandings = []step{
		understands, understands, says("I see."), says(`{"domain":"d","category":"c","confidence":1}`), calls(call("u", "report_understanding", `{"confidence":9}`)),
		calls(call("q", "ask_clarification", `{"ambiguity":"a","question":"which?"}`)), calls(call("p", "propose_plan", `{"todos":["x"]}`)),
		calls(call("u", "report_understanding", `{"domain":"d","category":"c","confidence":1}`), call("q", "ask_clarification", `{"ambiguity":"a","question":"which?"}`)),
	}
	proposals = []step{
		plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z","estimated_cost_usd":3},{"id":"d","task":"z"}]`),
		plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z"},{"id":"d","task":"z"},{"id":"e","task":"more","depends_on":["c","d"]}]`),
		plans(`["one","two","three"]`), plans(`[{"id":"a","task":"other"}]`), plans(`[{"id":"a","task":"x","depends_on":["a"]}]`), plans(`7`), says("Later."),
		says(`{"todos":["in words"]}`), calls(call("l", "look", `{}`)), calls(call("w", "once", `{}`)), calls(call("l", "look", `{}`), call("p", "propose_plan", `{"todos":["x","y"]}`), call("p", "propose_plan", `{"todos":["z"]}`)),
	}
	responses = []step{responds("Done."), says("Done."), calls(call("r", "respond", `{}`)), calls(call("w", "once", `{}`)), calls(call("r", "respond", `{"text":"a"}`), call("r", "respond", `{"text":"b"}`))}
	efforts   = []step{
		completes("did it"), completes("did it"), calls(call("f", "report_failure", `{"message":"no","recoverable":true}`)),
		calls(call("f", "report_failure", `{"message":"no","recoverable":false}`), call("c", "attempt_completion", `{"result":"both"}`)),
		calls(call("g", "report_progress", `{"percentage":50}`)), calls(call("g", "report_progress", `{"percentage":-1}`)),
		calls(call("p", "propose_plan", `{"todos":["x"]}`)), calls(call("r", "respond", `{"text":"x"}`)),
	}
)

// play is a model that does anything in any role.
func (d *dice) play(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	list := efforts
	trouble := d.roll(15)
	switch who := role(req); {
	case trouble == 0:
		return fails(busy, "Half a ", "sentence")(ctx, req, on)
	case trouble == 1:
		_ = pauseFor(ctx, 5)
	case who == "understand":
		list = understandings
	case who == "plan":
		list = proposals
	case who == "respond":
		list = responses
	case d.roll(2) == 0:
		return d.improvise(ctx, req, on)
	}
	return list[d.roll(len(list))](ctx, req, on)
}

// Whatever models, tools and people do to a run, and whenever the server dies:
// it comes to an end once it is told to, every call has one result, nothing that
// may run once runs twice, and each todo is completed once at most.
func TestRunChaos(t *testing.T) {
	seeds := nightly.Plays(20, 60)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			d := &dice{r: rand.New(rand.NewPCG(uint64(seed), 3))}
			w := newRun(t, allowed(map[string]any{
				"max_steps_per_turn": 12, "mistake_limit": 3, "auto_approval_max_requests": 8, "run_max_retries": 1, "model_retries": 1, "budget_tokens": 200_000,
				"plan_review_timeout_sec": 0, "run_approval_timeout_sec": 0, "run_input_timeout_sec": 0, "run_clarification_timeout_sec": 0,
			}), &cast{})
			w.model = &model{t: t, any: d.play}
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
			w.begin()
			for range 60 {
				d.steer(w)
			}
			w.end()
			w.audit(gadgets)
			w.atMostOnce()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
	}
}

// steer is a person at a run, or bad luck.
func (d *dice) steer(w *world) {
	id := string("abcde"[d.roll(5)])
	switch n := d.roll(40); {
	case n < 4:
		w.crash()
	case n == 4:
		_ = w.try(&clew.InterruptData{})
	case n == 5 && d.roll(6) == 0:
		_ = w.try(&clew.ControlCancelData{})
	case n <= 7:
		_ = w.try(&clew.ControlPauseData{})
	case n <= 11:
		_ = w.try(&clew.ControlResumeData{})
	case n == 12:
		_ = w.try(&clew.ControlSkipData{TodoID: id})
	case n == 13:
		_ = w.try(&clew.ControlRetryData{TodoID: id})
	case n == 14:
		_ = w.try(&clew.EditPlanData{Modifications: []clew.PlanEdit{{Action: clew.PlanAdd, Task: "an addition"}}})
	case n == 15:
		_ = w.try(&clew.EditPlanData{Modifications: []clew.PlanEdit{{Action: clew.PlanRemove, TodoID: id}}})
	case n == 16:
		_ = w.try(&clew.ControlResumeData{Modifications: []clew.PlanEdit{{Action: clew.PlanUpdate, TodoID: id, Task: "otherwise"}}})
	case n == 17:
		_ = w.try(&clew.UserMessageData{Text: "hear this"})
	case n == 18:
		w.begin()
	case n <= 24:
		sleep(d.roll(8))
	default:
		d.decide(w)
	}
}

// decide answers one of the open questions somehow.
func (d *dice) decide(w *world) {
	list := w.questions()
	if len(list) == 0 {
		return
	}
	q := list[d.roll(len(list))]
	id := q.RequestID()
	often := []clew.Choice{clew.ChoiceApprove, clew.ChoiceApprove, clew.ChoiceApprove, clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceModify, clew.ChoiceReject}
	action := often[d.roll(len(often))]
	switch q.Data.(type) {
	case *clew.HitlPlanReviewData:
		_ = w.try(&clew.HitlPlanResponseData{RequestID: id, Action: action, Instruction: "otherwise"})
	case *clew.HitlInputRequestData:
		_ = w.try(&clew.HitlInputResponseData{RequestID: id, Value: "a"})
	case *clew.HitlClarificationData:
		_ = w.try(&clew.HitlClarificationResponseData{RequestID: id, Value: "this"})
	default:
		_ = w.try(&clew.HitlApprovalResponseData{RequestID: id, Action: action})
	}
}

// end stops everything.
func (w *world) end() {
	for range 30 {
		_ = w.try(&clew.ControlCancelData{})
		_ = w.try(&clew.InterruptData{})
		for _, it := range w.tasks() { // what was left at rest before the run began
			if it.Status == clew.TaskStatusDelegated {
				_ = w.try(&clew.ControlCancelData{TaskID: it.ID})
			}
		}
		sleep(60)
		st := w.state()
		if st.HitlPending == nil && !st.Monitors[0].Busy && (len(st.Runs) == 0 || ended(w.phase())) {
			return
		}
	}
	w.Errorf("it does not come to rest: %s, %+v\n%s", w.phase(), w.state().HitlPending, w.story())
}

// atMostOnce checks that no todo of a run is completed twice, and that none is
// at work once its run has ended.
func (w *world) atMostOnce() {
	w.Helper()
	done := map[string]int{}
	for _, d := range events[clew.TodoCompletedData](w) {
		if done[d.RunID+"/"+d.TodoID]++; done[d.RunID+"/"+d.TodoID] > 1 {
			w.Errorf("%s of %s was completed twice", d.TodoID, d.RunID)
		}
	}
	for _, r := range w.state().Runs {
		for _, t := range r.Todos {
			if t.Status == clew.TodoInProgress {
				w.Errorf("%s of %s is still at work", t.ID, r.RunID)
			}
		}
	}
	for _, d := range events[clew.ExecutionProgressData](w) {
		if d.Completed+d.InProgress+d.Pending+d.Failed+d.Skipped != d.TotalTodos || d.InProgress > 3 {
			w.Errorf("counts: %s", fmt.Sprint(d))
		}
	}
}
