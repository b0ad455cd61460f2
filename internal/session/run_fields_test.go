package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// What the data of a run's events must have: a name, with * for each element of
// a list or each value of a map before it, and its type. "id" is a text that is
// not empty; "?" at the end allows null.
var runFields = map[clew.EventType]string{
	clew.EventLayerStart:    "layer:id description:id run_id:id",
	clew.EventLayerComplete: "layer:id result:object duration_ms:number run_id:id",
	clew.EventPlanGenerated: "plan_id:id version:number status:id todos:list todos.*.id:id todos.*.task:id todos.*.tool:id todos.*.status:id " +
		"todos.*.priority:number todos.*.depends_on:list dependency_graph:object dependency_graph.*:list estimated_duration_sec:number " +
		"estimated_cost_usd:number mermaid_diagram:id",
	clew.EventPlanApproved: "plan_id:id approved_by:id execution_starting:bool",
	clew.EventPlanModified: "plan_id:id old_version:number new_version:number changes:list changes.*.action:id changes.*.todo_id:id " +
		"updated_todos:list updated_todos.*.id:id updated_todos.*.status:id updated_todos.*.depends_on:list",
	clew.EventPlanRejected:  "plan_id:id reason:id",
	clew.EventTodoStarted:   "todo_id:id task:id tool:id estimated_duration_sec:number",
	clew.EventTodoProgress:  "todo_id:id progress_percentage:number current_step:id items_processed:number items_total:number",
	clew.EventTodoCompleted: "todo_id:id task:id status:id result_summary:object duration_ms:number next_todos:list",
	clew.EventTodoFailed:    "todo_id:id task:id status:id error:object error.code:id error.message:id error.recoverable:bool retry_count:number max_retries:number",
	clew.EventTodoRetried:   "todo_id:id retry_count:number max_retries:number",
	clew.EventTodoSkipped:   "todo_id:id reason:id next_todos:list",
	clew.EventExecutionProgress: "total_todos:number completed:number in_progress:number pending:number failed:number skipped:number " +
		"progress_percentage:number current_todo:object?",
	clew.EventHitlPlanReview: "request_id:id plan_id:id plan:object plan.todos:list plan.dependency_graph:object plan.estimated_duration_sec:number " +
		"plan.estimated_cost_usd:number plan.mermaid_diagram:id message:id options:list timeout_sec:number",
	clew.EventHitlApprovalRequest: "request_id:id todo_id:id todo:object todo.id:id todo.task:id todo.tool:id reason:id options:list timeout_sec:number",
	clew.EventHitlPaused:          "paused_by:id reason:id current_todo:string completed_todos:list can_resume:bool",
	clew.EventHitlResumed:         "resumed_by:id current_todo:string",
	clew.EventComplete: "status:id response:object response.format:id response.text:id response.summary:id response.attachments:list " +
		"response.attachments.*.type:id response.attachments.*.title:id response.attachments.*.url:id response.next_actions:list " +
		"statistics:object statistics.total_todos:number statistics.completed:number statistics.failed:number statistics.execution_time_ms:number " +
		"statistics.tokens_used:number statistics.cost_usd:number report_paths:list",
	clew.EventFailed: "status:id error:object error.code:id error.message:id error.failed_todo:id error.recoverable:bool " +
		"partial_results:object partial_results.completed_todos:list partial_results.available_data:object",
	clew.EventCancelled: "status:id reason:id partial_results:object partial_results.completed_todos:list partial_results.available_data:object",
}

// everything plays runs that between them make all events of the table.
func everything() []*bench {
	well, cancelled, failed := newBench(), newBench(), newBench()

	well.executing("a", "b<a$0.4", "c<b", "d")
	well.progressTodo("a", 30)
	must(well.ann(&clew.ControlPauseData{Reason: "lunch"}))
	must(well.ann(&clew.ControlResumeData{Modifications: []clew.PlanEdit{addEdit("e")}}))
	well.approvePlan()
	well.failTodo("a", true)
	well.finishTodo("a")
	well.decideTodo("b", clew.ChoiceApprove)
	must(well.ann(&clew.ControlSkipData{TodoID: "c", Reason: "no need"}))
	for _, id := range []string{"b", "d", "e"} {
		well.finishTodo(id)
	}
	well.respondRun()

	cancelled.reviewing("a$1")
	must(cancelled.ann(&clew.HitlPlanResponseData{RequestID: cancelled.run().Review, Action: clew.ChoiceReject, Comment: "too dear"}))

	failed.executing("a$1", "b")
	failed.decideTodo("a", clew.ChoiceApprove)
	failed.finishTodo("b")
	failed.failTodo("a", false)
	failed.now += 700_000
	failed.settleAll()
	return []*bench{well, cancelled, failed}
}

// Every field that clients are promised is there, with its type, whatever its
// value.
//
// Covers: WS-022, WS-023, WS-024, WS-025, WS-026, WS-027, WS-028, WS-029, WS-030, WS-031, WS-032, WS-033, WS-036, WS-037, WS-038, G-03, C-64, RUN-10, RUN-30, RUN-33
func TestFieldsOfRuns(t *testing.T) {
	met := map[clew.EventType]int{}
	for _, b := range everything() {
		for _, r := range b.records {
			fields, known := runFields[r.Type]
			if !known {
				continue
			}
			met[r.Type]++
			var data any
			if err := json.Unmarshal(r.Data(), &data); err != nil {
				t.Fatal(err)
			}
			for _, f := range strings.Fields(fields) {
				path, kind, _ := strings.Cut(f, ":")
				if err := checkField(data, strings.Split(path, "."), kind); err != nil {
					t.Errorf("%s: %s: %v in %s", r.Type, path, err, r.Data())
				}
			}
		}
	}
	for typ := range runFields {
		if met[typ] == 0 {
			t.Errorf("no run made a %s", typ)
		}
	}
}

func checkField(v any, path []string, kind string) error {
	if len(path) == 0 {
		return checkKind(v, kind)
	}
	if path[0] == "*" {
		var of []any
		switch v := v.(type) {
		case []any:
			of = v
		case map[string]any:
			for _, x := range v {
				of = append(of, x)
			}
		}
		for _, x := range of {
			if err := checkField(x, path[1:], kind); err != nil {
				return err
			}
		}
		return nil
	}
	m, _ := v.(map[string]any)
	x, there := m[path[0]]
	if !there {
		return fmt.Errorf("%s is missing", path[0])
	}
	return checkField(x, path[1:], kind)
}

func checkKind(v any, kind string) error {
	is := false
	kind, null := strings.CutSuffix(kind, "?")
	switch v := v.(type) {
	case nil:
		is = null
	case string:
		is = kind == "string" || kind == "id" && v != ""
	case float64:
		is = kind == "number"
	case bool:
		is = kind == "bool"
	case []any:
		is = kind == "list"
	case map[string]any:
		is = kind == "object"
	}
	if !is {
		return fmt.Errorf("%v is no %s", v, kind)
	}
	return nil
}

// The plan in plan_generated and in its review is the same, and the numbers of
// the examples are the defaults.
//
// Covers: C-64, RUN-20, RUN-33, WS-024, WS-032, WS-033
func TestPlanIsTheSameInItsReview(t *testing.T) {
	b := newBench()
	b.reviewing("a", "b<a$0.4", "c")
	made, asked := last[clew.PlanGeneratedData](b, 1)[0], last[clew.HitlPlanReviewData](b, 1)[0]
	one, _ := json.Marshal(made.Plan)
	two, _ := json.Marshal(asked.Plan)
	if string(one) != string(two) {
		t.Errorf("generated\n%s\nasked about\n%s", one, two)
	}
	if made.Version != 1 || made.Status != clew.PlanPendingApproval || made.EstimatedDurationSec != 120 || *made.EstimatedCostUSD != 0.4 || !strings.Contains(made.MermaidDiagram, "-->") {
		t.Errorf("the plan is %+v", made)
	}
	if asked.TimeoutSec != 300 || fmt.Sprint(asked.Options) != "[approve modify reject]" || asked.PlanID != made.PlanID {
		t.Errorf("the review is %+v", asked)
	}
	b.approvePlan()
	b.finishTodo("a")
	if q := last[clew.HitlApprovalRequestData](b, 1)[0]; q.TimeoutSec != 600 || fmt.Sprint(q.Options) != "[approve skip reject]" || *q.Todo.EstimatedCostUSD != 0.4 || q.TodoID != "b" {
		t.Errorf("the question about the cost is %+v", q)
	}
}
