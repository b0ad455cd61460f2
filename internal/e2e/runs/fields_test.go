package runs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// fields says, for each event, which fields its data must have and of which
// type. A dot goes into an object, [] into each element of a list, {} into each
// value of a map. A type with ? may be null.
var fields = map[clew.EventType]map[string]string{
	clew.EventSessionState: {
		"status": "string", "current_layer": "string?", "plan": "object?", "todos": "array", "hitl_pending": "object?", "last_message_id": "string?",
		"plan.id": "string", "plan.status": "string", "plan.total_todos": "number", "todos[].id": "string", "todos[].status": "string",
		"runs[].run_id": "string", "runs[].phase": "string",
	},
	clew.EventLayerStart:    {"layer": "string", "description": "string"},
	clew.EventLayerComplete: {"layer": "string", "result": "object", "duration_ms": "number"},
	clew.EventPlanGenerated: merge("", map[string]string{"plan_id": "string", "version": "number", "status": "string"}, planFields),
	clew.EventPlanApproved:  {"plan_id": "string", "approved_by": "string", "execution_starting": "bool"},
	clew.EventPlanModified: merge("updated_todos[].", map[string]string{
		"plan_id": "string", "old_version": "number", "new_version": "number", "changes[].action": "string", "changes[].todo_id": "string", "updated_todos": "array",
	}, todoFields),
	clew.EventTodoStarted:  {"todo_id": "string", "task": "string", "tool": "string", "estimated_duration_sec": "number"},
	clew.EventTodoProgress: {"todo_id": "string", "progress_percentage": "number", "current_step": "string", "items_processed": "number", "items_total": "number"},
	clew.EventTodoCompleted: {
		"todo_id": "string", "task": "string", "status": "string", "result_summary": "object", "duration_ms": "number", "next_todos": "array",
	},
	clew.EventTodoFailed: {
		"todo_id": "string", "task": "string", "status": "string", "error.code": "string", "error.message": "string", "error.recoverable": "bool",
		"retry_count": "number", "max_retries": "number",
	},
	clew.EventExecutionProgress: {
		"total_todos": "number", "completed": "number", "in_progress": "number", "pending": "number", "failed": "number",
		"progress_percentage": "number", "current_todo": "object?", "current_todo.id": "string", "current_todo.task": "string",
	},
	clew.EventHitlPlanReview: merge("plan.", map[string]string{
		"request_id": "string", "plan_id": "string", "message": "string", "options[]": "string", "timeout_sec": "number", "plan.estimated_cost_usd": "number?",
	}, planFields),
	clew.EventHitlApprovalRequest: {
		"request_id": "string", "reason": "string", "options[]": "string", "timeout_sec": "number",
	},
	clew.EventHitlInputRequest: {
		"request_id": "string", "field": "string", "question": "string", "input_type": "string", "required": "bool", "timeout_sec": "number",
	},
	clew.EventHitlClarification: {
		"request_id": "string", "original_input": "string", "ambiguity": "string", "question": "string", "input_type": "string",
		"suggestions[]": "string", "required": "bool", "timeout_sec": "number",
	},
	clew.EventHitlPaused: {"paused_by": "string", "reason": "string", "current_todo": "string", "completed_todos[]": "string", "can_resume": "bool"},
	clew.EventComplete: {
		"status": "string", "response.format": "string", "response.text": "string", "response.summary": "string",
		"response.attachments[].type": "string", "response.attachments[].title": "string", "response.attachments[].url": "string",
		"response.next_actions[]": "string", "statistics.total_todos": "number", "statistics.completed": "number", "statistics.failed": "number",
		"statistics.execution_time_ms": "number", "statistics.tokens_used": "number", "statistics.cost_usd": "number", "report_paths[]": "string",
	},
	clew.EventFailed: {
		"status": "string", "error.code": "string", "error.message": "string", "error.failed_todo": "string", "error.recoverable": "bool",
		"partial_results.completed_todos[]": "string", "partial_results.available_data": "object",
	},
	clew.EventCancelled:    {"status": "string", "reason": "string", "partial_results.completed_todos[]": "string", "partial_results.available_data": "object"},
	clew.EventPlanRejected: {"plan_id": "string", "rejected_by": "string", "reason": "string"},
	clew.EventError:        {"code": "string", "message": "string", "context": "object", "recoverable": "bool", "suggested_action": "string"},
}

var todoFields = map[string]string{
	"id": "string", "task": "string", "tool": "string", "status": "string", "priority": "number", "depends_on": "array", "depends_on[]": "string",
}

var planFields = merge("todos[].", map[string]string{
	"todos": "array", "dependency_graph": "object", "dependency_graph{}": "array", "estimated_duration_sec": "number", "mermaid_diagram": "string",
}, todoFields)

// merge adds fields below a prefix.
func merge(prefix string, own, more map[string]string) map[string]string {
	all := map[string]string{}
	for k, v := range own {
		all[k] = v
	}
	for k, v := range more {
		all[prefix+k] = v
	}
	return all
}

// storyTypes are the events of the table that the story shows.
var storyTypes = []clew.EventType{
	clew.EventLayerStart, clew.EventLayerComplete, clew.EventPlanGenerated, clew.EventPlanApproved, clew.EventPlanModified,
	clew.EventTodoStarted, clew.EventTodoProgress, clew.EventTodoCompleted, clew.EventTodoFailed, clew.EventExecutionProgress,
	clew.EventHitlPlanReview, clew.EventHitlApprovalRequest, clew.EventHitlInputRequest, clew.EventHitlClarification,
	clew.EventHitlPaused, clew.EventComplete,
}

// allTyped checks the fields of all records, and that each type came.
func allTyped(t *testing.T, list []record, want []clew.EventType) {
	t.Helper()
	seen := map[clew.EventType]bool{}
	for _, r := range list {
		seen[r.Event.Type] = true
		typed(t, r.Env.Type, r.Env.Data)
	}
	for _, typ := range want {
		if !seen[typ] {
			t.Errorf("there was no %s", typ)
		}
	}
}

// typed checks the fields of one event.
func typed(t testing.TB, typ string, data json.RawMessage) {
	t.Helper()
	var v any
	decode(t, data, &v)
	for path, kind := range fields[clew.EventType(typ)] {
		for _, bad := range look(v, path, kind) {
			t.Errorf("%s: %s in %s", typ, bad, data)
		}
	}
	m := v.(map[string]any)
	for _, c := range conditions {
		if string(c.typ) != typ || !c.holds(m) {
			continue
		}
		for path, kind := range c.fields {
			for _, bad := range look(v, path, kind) {
				t.Errorf("%s: %s in %s", typ, bad, data)
			}
		}
	}
}

// conditions are the fields that not every event of their type has.
var conditions = []struct {
	typ    clew.EventType
	holds  func(map[string]any) bool
	fields map[string]string
}{
	// All layers but the last have a next one.
	{clew.EventLayerComplete, func(m map[string]any) bool { return m["layer"] != string(clew.LayerResponse) }, map[string]string{"next_layer": "string"}},
	// The first one has what it understood.
	{clew.EventLayerComplete, func(m map[string]any) bool { return m["layer"] == string(clew.LayerCognitive) }, map[string]string{
		"result.intent.domain": "string", "result.intent.category": "string", "result.intent.confidence": "number",
		"result.entities[].type": "string", "result.entities[].value": "string", "result.entities[].confidence": "number",
	}},
	// What the run's own agent asks about is no todo.
	{clew.EventHitlApprovalRequest, func(m map[string]any) bool { return m["todo_id"] != nil }, map[string]string{
		"todo_id": "string", "todo.id": "string", "todo.task": "string", "todo.tool": "string",
	}},
	// Only money is asked about without a tool and without a limit.
	{clew.EventHitlApprovalRequest, func(m map[string]any) bool {
		return m["ask"] == string(clew.AskTool) && m["limit"] == nil && m["tool"] == nil
	}, map[string]string{
		"todo.estimated_cost_usd": "number",
	}},
	{clew.EventHitlInputRequest, func(m map[string]any) bool { return m["input_type"] == string(clew.InputChoice) }, map[string]string{
		"options[].value": "string", "options[].label": "string",
	}},
}

// look follows a path and says what is missing or of another type. Below a null
// that may be one, nothing is missing.
func look(v any, path, kind string) (bad []string) {
	i := strings.IndexAny(path, ".[{")
	switch {
	case path == "":
		if got := kindOf(v); got != strings.TrimSuffix(kind, "?") && (got != "null" || !strings.HasSuffix(kind, "?")) {
			return []string{fmt.Sprintf("is %s, not %s", got, kind)}
		}
		return nil
	case i == 0 && path[0] == '.':
		return look(v, path[1:], kind)
	case i == 0 && path[0] == '[':
		list, ok := v.([]any)
		if !ok {
			return []string{"is no list"}
		}
		for _, x := range list {
			bad = append(bad, look(x, path[2:], kind)...)
		}
		return bad
	case i == 0:
		m, ok := v.(map[string]any)
		if !ok {
			return []string{"is no map"}
		}
		for _, x := range m {
			bad = append(bad, look(x, path[2:], kind)...)
		}
		return bad
	}
	name, rest := path, ""
	if i > 0 {
		name, rest = path[:i], path[i:]
	}
	m, ok := v.(map[string]any)
	x, there := m[name]
	if !ok || !there {
		return []string{name + " is missing"}
	}
	if x == nil && rest != "" {
		if slices.Contains(mayBeNull, name) {
			return nil
		}
		return []string{name + " is null"}
	}
	for _, b := range look(x, rest, kind) {
		bad = append(bad, name+" "+b)
	}
	return bad
}

// mayBeNull are the objects that are null where there is none.
var mayBeNull = []string{"plan", "current_todo", "hitl_pending"}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	case []any:
		return "array"
	}
	return "object"
}
