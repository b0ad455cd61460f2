package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// The layers follow each other, each announced at its start and its end, each
// with its own prompt and tools, and the next one knows what came before.
//
// Covers: RUN-01, RUN-02, RUN-03, RUN-05, RUN-06, RUN-10, RUN-29, RUN-30
func TestLayers(t *testing.T) {
	c := &cast{plan: plans(`[{"id":"a","task":"look","tool":"read_file","priority":10},{"id":"b","task":"write","priority":8,"depends_on":["a"]}]`)}
	plays(t, allowed(), c, func(w *world) {
		w.info = prices
		w.begin()
		w.in("review")
		q := w.underReview()
		if q.Version != 1 || q.Message != "Well?" || len(q.Plan.Todos) != 2 || q.TimeoutSec != 300 {
			t.Errorf("review %+v", q)
		}
		if g := events[clew.PlanGeneratedData](w); len(g) != 1 || g[0].Version != 1 || g[0].Status != clew.PlanPendingApproval || g[0].MermaidDiagram == "" {
			t.Errorf("generated %+v", g)
		}
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
		w.idle()

		var way []string
		for _, d := range events[clew.LayerStartData](w) {
			way = append(way, string(d.Layer))
		}
		if got := strings.Join(way, " "); got != "cognitive planning execution response" {
			t.Errorf("layers %s", got)
		}
		way = nil
		for _, d := range events[clew.LayerCompleteData](w) {
			way = append(way, string(d.Layer)+">"+string(d.NextLayer))
			if d.DurationMS < 0 || d.Result == nil {
				t.Errorf("end of a layer: %+v", d)
			}
		}
		if got := strings.Join(way, " "); got != "cognitive>planning planning>execution execution>response response>" {
			t.Errorf("layers end %s", got)
		}
		first := events[clew.LayerCompleteData](w)[0].Result
		if first.Intent == nil || first.Intent.Confidence != 0.9 || len(first.Entities) != 1 || first.Entities[0].Value != "a.txt" {
			t.Errorf("understood %+v", first)
		}
		if a := events[clew.PlanApprovedData](w); len(a) != 1 || !a[0].ExecutionStarting || a[0].ApprovedBy != "ann" {
			t.Errorf("approved %+v", a)
		}
		end := events[clew.CompleteData](w)
		if len(end) != 1 || end[0].Response.Text != "All done." || end[0].Response.Summary != "Done." || len(end[0].Response.NextActions) != 1 {
			t.Fatalf("end %+v", end)
		}
		if s := end[0].Statistics; s.TotalTodos != 2 || s.Completed != 2 || s.TokensUsed != 5*18 || s.CostUSD <= 0 {
			t.Errorf("statistics %+v", s)
		}
		for _, p := range end[0].ReportPaths {
			if !strings.HasPrefix(p, "/reports/"+string(w.id)+"/") {
				t.Errorf("report %s", p)
			}
		}
		if n := len(end[0].Reports); n == 0 || n != len(end[0].ReportPaths) || n != len(end[0].Response.Attachments) {
			t.Errorf("%d reports, paths %v", n, end[0].ReportPaths)
		}
	})
	tools := map[string][]string{"understand": {"ask_clarification", "report_understanding"}, "respond": {"respond"}}
	for who, want := range tools {
		if got := toolNames(c.of(who)[0]); !slices.Equal(got, want) {
			t.Errorf("%s is offered %v", who, got)
		}
	}
	planner := toolNames(c.of("plan")[0])
	if !slices.Contains(planner, "propose_plan") || !slices.Contains(planner, "read_file") || slices.Contains(planner, "write_file") || slices.Contains(planner, "new_task") {
		t.Errorf("the planner is offered %v", planner)
	}
	doer := toolNames(c.of("todo a")[0])
	for _, name := range []string{"report_progress", "report_failure", "attempt_completion", "ask_followup", "new_task", "write_file", "read_file"} {
		if !slices.Contains(doer, name) {
			t.Errorf("a todo is not offered %s", name)
		}
	}
	for _, name := range []string{"propose_plan", "respond", "report_understanding"} {
		if slices.Contains(doer, name) {
			t.Errorf("a todo is offered %s", name)
		}
	}
	for who, want := range map[string]string{"understand": "report_understanding", "plan": "Tools that steps can use", "todo a": "one step of a plan", "respond": "Call respond"} {
		if !strings.Contains(c.of(who)[0].System, want) {
			t.Errorf("prompt of %s: %.200q", who, c.of(who)[0].System)
		}
	}
	if got := heardText(c.of("plan")[0]); !strings.Contains(got, "the request") || !strings.Contains(got, "report_understanding") {
		t.Errorf("the planner knows %.400s", got)
	}
	if got := heardText(c.of("todo b")[0]); !strings.Contains(got, "did a") || !strings.Contains(got, "the request") || strings.Contains(got, "propose_plan") {
		t.Errorf("the second step knows %.400s", got)
	}
	if got := heardText(c.of("respond")[0]); !strings.Contains(got, "did a") || !strings.Contains(got, "did b") || !strings.Contains(got, "propose_plan") {
		t.Errorf("the last layer knows %.600s", got)
	}
}

// Layers have no tools but their own: whoever calls another is refused, whatever
// the settings allow.
func TestLayersRefuseOtherTools(t *testing.T) {
	touch := &gadget{name: "touch", group: "edit", class: clew.ClassOnce}
	shell := &gadget{name: "shell", group: "command", class: clew.ClassOnce}
	server := &gadget{name: "mcp__peer__do", server: "peer", class: clew.ClassOnce}
	look := &gadget{name: "look"}
	all := calls(call("1", "touch", `{}`), call("2", "shell", `{}`), call("3", "mcp__peer__do", `{}`), call("4", "new_task", `{"message":"write"}`),
		call("5", "switch_mode", `{"mode":"code"}`), call("6", "attempt_completion", `{"result":"x"}`), call("7", "update_todos", `{"todos":[]}`), call("8", "report_failure", `{"message":"x","recoverable":false}`))
	c := &cast{
		understand: inTurn(all, calls(call("9", "look", `{}`), call("10", "propose_plan", `{"todos":["x"]}`)), understands),
		plan:       inTurn(all, calls(call("9", "look", `{}`)), calls(call("10", "respond", `{"text":"x"}`)), plans(`[{"id":"a","task":"do it"}]`)),
		respond:    inTurn(all, calls(call("9", "look", `{}`)), responds("Done.")),
	}
	set := map[string]any{"always_allow_mcp": true, "always_allow_execute": true, "mistake_limit": 100, "mcp_servers": map[string]any{"peer": map[string]any{"url": "http://127.0.0.1:1"}}}
	plays(t, allowed(set), c, func(w *world) {
		w.always = true
		w.tools = append(w.tools, touch, shell, server, look)
		w.approve()
		w.in("completed")
		if n := len(touch.runs()) + len(shell.runs()) + len(server.runs()); n != 0 {
			t.Errorf("%d calls ran", n)
		}
		if n := len(look.runs()); n != 1 {
			t.Errorf("the planner looked %d times", n)
		}
		if n := len(events[clew.TaskToolFailedData](w)); n != 3*8+2+1+1 {
			t.Errorf("%d calls were refused", n)
		}
		if n := len(w.tasks()); n != 2 {
			t.Errorf("%d tasks", n)
		}
	})
}

// What was meant is asked before the plan is made, and the answer counts as if it
// had been in the request.
//
// Covers: RUN-04, C-20
func TestClarification(t *testing.T) {
	c := &cast{understand: inTurn(calls(call("q", "ask_clarification", `{"ambiguity":"two files","question":"Which \u202efile?","suggestions":["a","b\u0007"]}`)), understands)}
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		q, ok := w.question().Data.(*clew.HitlClarificationData)
		if !ok || q.OriginalInput != "the request" || q.Ambiguity != "two files" || !q.Required || q.TimeoutSec != 300 {
			t.Fatalf("question %+v", w.question().Data)
		}
		if q.Question != `Which \u202efile?` || q.Suggestions[1] != `b\u0007` {
			t.Errorf("people see %q %q", q.Question, q.Suggestions)
		}
		w.crash()
		w.do(&clew.HitlClarificationResponseData{RequestID: q.RequestID, Value: "the second one"})
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
	})
	for _, who := range []string{"plan", "todo a"} {
		if !strings.Contains(heardText(c.of(who)[0]), "the second one") {
			t.Errorf("%s does not know the answer", who)
		}
	}
}

// A wish goes to the planner with the plan as it stands, and makes a version of
// its own with a review of its own. The old one is not carried out.
//
// Covers: RUN-07, RUN-05
func TestWishForThePlan(t *testing.T) {
	c := &cast{plan: inTurn(plans(`[{"id":"a","task":"look"},{"id":"b","task":"write"}]`), plans(`[{"id":"a","task":"look"},{"id":"c","task":"ask"}]`))}
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		first := w.underReview()
		w.reviewed(clew.ChoiceModify, "do not write")
		second := w.underReview()
		if second.Version != 2 || second.PlanID != first.PlanID || second.RequestID == first.RequestID {
			t.Errorf("reviews %+v, %+v", first, second)
		}
		m := events[clew.PlanModifiedData](w)
		if len(m) != 1 || m[0].OldVersion != 1 || m[0].NewVersion != 2 || fmt.Sprint(m[0].Changes) != "[{add c ask} {remove b }]" {
			t.Errorf("modified %+v", m)
		}
		if err := w.try(&clew.HitlPlanResponseData{RequestID: first.RequestID, Action: clew.ChoiceApprove}); clew.CodeOf(err) != clew.HitlRequestExpired {
			t.Errorf("an answer to the old review: %v", err)
		}
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
	})
	if got := heardText(c.of("plan")[1]); !strings.Contains(got, "do not write") {
		t.Errorf("the planner knows %.300s", got)
	}
	if len(c.of("todo b")) != 0 || len(c.of("todo c")) != 1 {
		t.Error("the wrong steps were carried out")
	}
}

// What a person changed beside a wish holds, whatever the planner makes of it.
func TestEditsBesideAWish(t *testing.T) {
	same := plans(`[{"id":"a","task":"look"},{"id":"b","task":"write"}]`)
	c := &cast{plan: inTurn(same, same)} // the planner hears nothing
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		w.do(&clew.HitlPlanResponseData{RequestID: w.underReview().RequestID, Action: clew.ChoiceModify, Instruction: "be quick", Modifications: []clew.PlanEdit{
			{Action: clew.PlanRemove, TodoID: "b"}, {Action: clew.PlanUpdate, TodoID: "a", Task: "look closely"}, {Action: clew.PlanAdd, Task: "tidy up"},
		}})
		w.crash()
		got := ""
		for _, todo := range w.underReview().Plan.Todos {
			got += todo.Task + ","
		}
		if got != "look closely,tidy up," {
			t.Errorf("under review is %q", got)
		}
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
	})
}

// A plan that is rejected is not carried out, and the run has ended.
//
// Covers: RUN-08
func TestPlanRejected(t *testing.T) {
	c := &cast{}
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		w.reviewed(clew.ChoiceReject)
		w.in("cancelled")
		w.idle()
		if len(events[clew.PlanRejectedData](w)) != 1 || len(events[clew.CancelledData](w)) != 1 || len(c.of("todo a")) != 0 {
			t.Errorf("transcript:\n%s", w.story())
		}
		w.begin() // and the next one works
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
	})
}

// Of two plans in one answer the first is looked at; the second does not pass
// for what the planner makes of a wish.
func TestTwoPlansAtOnce(t *testing.T) {
	c := &cast{plan: inTurn(calls(call("p1", "propose_plan", `{"todos":["first"]}`), call("p2", "propose_plan", `{"todos":["second"]}`)), plans(`[{"task":"third"}]`))}
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		if q := w.underReview(); q.Plan.Todos[0].Task != "first" {
			t.Errorf("review of %+v", q.Plan.Todos)
		}
		w.reviewed(clew.ChoiceModify, "no")
		if q := w.underReview(); q.Plan.Todos[0].Task != "third" || q.Version != 2 {
			t.Errorf("review of %+v", q.Plan.Todos)
		}
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
	})
}
