package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// many makes a plan of n todos.
func many(n int, todo string) string {
	return `{"todos":[` + strings.TrimSuffix(strings.Repeat(todo+",", n), ",") + `]}`
}

// A plan that is wrong never reaches people: the model hears what is wrong, all
// of it, in words that have an end.
//
// Covers: RUN-10, RUN-12
func TestBadPlans(t *testing.T) {
	for name, tt := range map[string]struct {
		input string
		want  []string
	}{
		"no todos":           {`{}`, []string{"todos"}},
		"empty":              {`{"todos":[]}`, []string{"todos", "minItems"}},
		"null":               {`null`, []string{"object"}},
		"a text":             {`"later"`, []string{"object"}},
		"todos no list":      {`{"todos":{"a":"b"}}`, []string{"/todos", "array"}},
		"numbers for steps":  {`{"todos":[1,true]}`, []string{"/todos/0", "/todos/1"}},
		"wrong types":        {`{"todos":[{"id":"a","task":7},{"id":"b","task":"x","priority":"high","depends_on":{"a":1}}]}`, []string{"/todos/0/task", "/todos/1/priority", "/todos/1/depends_on"}},
		"no task":            {`{"todos":[{"id":"a"},{"id":"b","task":" "}]}`, []string{"/todos/0", "task"}},
		"blank task":         {`{"todos":[{"id":"b","task":" "}]}`, []string{"no task text"}},
		"a cycle":            {`{"todos":[{"id":"a","task":"x","depends_on":["b"]},{"id":"b","task":"y","depends_on":["a"]}]}`, []string{"circle: a -> b -> a"}},
		"itself":             {`{"todos":[{"id":"a","task":"x","depends_on":["a"]}]}`, []string{"itself"}},
		"unknown id":         {`{"todos":[{"id":"a","task":"x","depends_on":["zz"]}]}`, []string{"zz", "no todo"}},
		"same ids":           {`{"todos":[{"id":"a","task":"x"},{"id":"a","task":"y"}]}`, []string{"already"}},
		"odd ids":            {`{"todos":[{"id":"../x","task":"x"},{"id":"a\u202e","task":"y"}]}`, []string{"../x", "A-Z"}},
		"unknown tool":       {`{"todos":[{"id":"a","task":"x","tool":"rm"}]}`, []string{`tool "rm"`}},
		"a tool of a layer":  {`{"todos":[{"id":"a","task":"x","tool":"propose_plan"}]}`, []string{"propose_plan"}},
		"unknown mode":       {`{"todos":[{"id":"a","task":"x","mode":"root"}]}`, []string{`mode "root"`}},
		"unknown profile":    {`{"todos":[{"id":"a","task":"x","profile":"big"}]}`, []string{`profile "big"`}},
		"all at once":        {`{"todos":[{"id":"a","task":"x","tool":"rm","mode":"root","profile":"big","depends_on":["zz"]}]}`, []string{`"rm"`, `"root"`, `"big"`, `"zz"`}},
		"too many":           {many(10_000, `{"task":"x"}`), []string{"10000 todos"}},
		"too many, all bad":  {many(3000, `{"task":"x","tool":"rm","priority":5}`), []string{"3000 todos", "500", "more"}},
		"too many misfits":   {many(3000, `{"task":7,"priority":"x"}`), []string{"/todos/0/task", "more"}},
		"a huge task":        {`{"todos":[{"task":"` + strings.Repeat("x", 100_000) + `"}]}`, []string{"/todos/0/task", "maxLength"}},
		"a huge tool":        {`{"todos":[{"task":"x","tool":"` + strings.Repeat("x", 100_000) + `"}]}`, []string{"tool"}},
		"large all together": {many(400, `{"task":"`+strings.Repeat("é", 3000)+`"}`), []string{"bytes"}},
		"a negative cost":    {`{"todos":[{"task":"x","estimated_cost_usd":-5}]}`, []string{"estimated_cost_usd"}},
		"a negative time":    {`{"todos":[{"task":"x","estimated_duration_sec":-5}]}`, []string{"estimated_duration_sec"}},
		"half a priority":    {`{"todos":[{"task":"x","priority":1.5}]}`, []string{"priority"}},
		"a cost of words":    {`{"todos":[{"task":"x","estimated_cost_usd":"NaN"},{"task":"y","estimated_cost_usd":"Infinity"}]}`, []string{"/todos/0/estimated_cost_usd", "/todos/1/estimated_cost_usd"}},
		"a large cost":       {`{"todos":[{"task":"x","estimated_cost_usd":1e300}]}`, []string{"estimated_cost_usd"}},
		"no number":          {`{"todos":[{"task":"x","estimated_cost_usd":1e999}]}`, []string{"out of range"}},
		"a million digits":   {many(200, `{"task":"x","priority":1e-999999}`), []string{"out of range"}},
		"quoted digits":      {many(200, `{"task":"x","priority":"1e999999"}`), []string{"out of range"}},
		"a large priority":   {`{"todos":[{"task":"x","priority":99999999999999999999}]}`, []string{"priority"}},
		"deep":               {`{"todos":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`, []string{"/todos/0"}},
		"a deep task":        {`{"todos":[{"task":` + strings.Repeat(`{"task":`, 5000) + `1` + strings.Repeat(`}`, 5000) + `}]}`, []string{"/todos/0/task"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cast{plan: inTurn(proposes(tt.input), plans(`[{"id":"a","task":"do it"}]`))}
			plays(t, allowed(), c, func(w *world) {
				w.begin()
				w.in("review")
				if q := w.underReview(); q.Version != 1 || q.Plan.Todos[0].Task != "do it" {
					t.Fatalf("under review is %+v", q.Plan.Todos)
				}
				d := w.result("p")
				got := fmt.Sprint(d.Output)
				if d.Status != clew.ToolError || !d.Mistake || len(got) > 20_000 {
					t.Errorf("result %s of %d bytes, %.200s", d.Status, len(got), got)
				}
				for _, want := range tt.want {
					if !strings.Contains(got, want) {
						t.Errorf("the model hears nothing of %q: %.400s", want, got)
					}
				}
				if strings.Contains(got, "file:") || strings.Contains(got, "Go ") {
					t.Errorf("the model hears of our insides: %.400s", got)
				}
				if len(events[clew.PlanGeneratedData](w)) != 1 {
					t.Error("the bad plan is on record")
				}
			})
		})
	}
}

// Mistakes of form are made good where there is no doubt what was meant, and
// what a planner has no say in does not count.
//
// Covers: RUN-10, RUN-12
func TestMendedPlans(t *testing.T) {
	const usual = "a:agent:0:[] "
	for name, tt := range map[string]struct{ input, want string }{
		"a list":          {`[{"id":"a","task":"x"}]`, usual},
		"texts":           {`{"todos":["x","y"]}`, "todo_001:agent:0:[] todo_002:agent:0:[] "},
		"quoted numbers":  {`{"todos":[{"id":"a","task":"x","priority":" 7 ","estimated_cost_usd":"0"}]}`, "a:agent:7:[] "},
		"whole numbers":   {`{"todos":[{"id":"a","task":"x","priority":7.0,"estimated_duration_sec":6e1}]}`, "a:agent:7:[] "},
		"numbers for ids": {`{"todos":[{"id":1,"task":"x"},{"id":2,"task":"y","depends_on":1},{"id":3,"task":"z","depends_on":[1,2]}]}`, "1:agent:0:[] 2:agent:0:[1] 3:agent:0:[1 2] "},
		"places":          {`{"todos":[{"task":"x"},{"task":"y","depends_on":["#1"]}]}`, "todo_001:agent:0:[] todo_002:agent:0:[todo_001] "},
		"one dependency":  {`{"todos":[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":"a"}]}`, usual + "b:agent:0:[a] "},
		"twice the same":  {`{"todos":[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a","a",""]}]}`, usual + "b:agent:0:[a] "},
		"nulls":           {`{"message":null,"todos":[{"id":"a","task":"x","tool":null,"priority":null,"depends_on":null,"estimated_cost_usd":null,"mode":null,"profile":null}]}`, usual},
		"spaces":          {`{"todos":[{"id":" a ","task":" x ","tool":" read_file "}]}`, "a:read_file:0:[] "},
		"done already": {`{"todos":[{"id":"a","task":"x","status":"completed","task_id":"task_1","result_summary":{"text":"all done"},"progress_percentage":100,
			"error":{"code":"X","message":"y"},"retry_count":3,"started_ms":1,"duration_ms":5,"current_step":"end"}]}`, usual},
		"done, of wrong types": {`{"todos":[{"id":"a","task":"x","status":7,"error":"no","retry_count":"many","progress_percentage":1e999}]}`, usual},
		"keys of other worlds": {`{"__proto__":{"admin":true},"constructor":1,"run_id":7,"text":5,"data":[],"todos":[{"id":"a","task":"x","__proto__":{"tool":"rm"},"prototype":null}]}`, usual},
		"the last of two":      {`{"todos":[],"todos":[{"id":"a","task":"x"}]}`, usual},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cast{plan: proposes(tt.input)}
			plays(t, allowed(), c, func(w *world) {
				w.begin()
				got := ""
				for _, td := range w.underReview().Plan.Todos {
					got += fmt.Sprintf("%s:%s:%d:%v ", td.ID, td.Tool, td.Priority, td.DependsOn)
					if td.Status != clew.TodoPending || td.TaskID != "" || td.ResultSummary != nil || td.Error != nil || td.RetryCount != 0 || td.ProgressPercentage != 0 {
						t.Errorf("it has begun already: %+v", td)
					}
				}
				if got != tt.want {
					t.Errorf("the plan is %s, want %s", got, tt.want)
				}
				w.reviewed(clew.ChoiceApprove)
				w.in("completed")
			})
		})
	}
}

// What people agree to is what they see: nothing hides or moves text in a plan.
//
// Covers: RUN-05
func TestPlanHidesNothing(t *testing.T) {
	c := &cast{plan: proposes(`{"message":"fine\u202e","todos":[{"id":"a","task":"remove \u202egpj.exe\u0000\u001b[2K and \u200bgo\nhome"}]}`)}
	plays(t, allowed(), c, func(w *world) {
		w.begin()
		q := w.underReview()
		if got := q.Plan.Todos[0].Task; got != "remove \\u202egpj.exe\\u0000\\u001b[2K and \\u200bgo\nhome" {
			t.Errorf("people see %q", got)
		}
		if q.Message != `fine\u202e` || strings.ContainsAny(q.Plan.MermaidDiagram, "\u202e\u200b\x1b") {
			t.Errorf("people see %q and %q", q.Message, q.Plan.MermaidDiagram)
		}
		w.reviewed(clew.ChoiceModify, "once more") // the same text is the same step
		if q := w.underReview(); q.Version != 2 || len(q.Plan.Todos) != 1 {
			t.Errorf("review %+v", q)
		}
	})
}

// After too many plans that are none a person is asked. A yes has the planner
// try again, a no ends the run.
//
// Covers: MSG-11
func TestPlannerThatDoesNotLearn(t *testing.T) {
	for name, again := range map[string]bool{"go on": true, "stop": false} {
		t.Run(name, func(t *testing.T) {
			bad := proposes(`{"todos":[]}`)
			c := &cast{plan: inTurn(bad, says("I think about it."), bad, plans(`[{"id":"a","task":"do it"}]`))}
			plays(t, allowed(map[string]any{"mistake_limit": 3}), c, func(w *world) {
				w.begin()
				q := w.limited("mistakes")
				if n := len(c.of("plan")); n != 3 || q.RunID == "" || q.TimeoutSec != 600 {
					t.Errorf("after %d tries: %+v", n, q)
				}
				if !again {
					w.no()
					w.in("cancelled")
					w.idle()
					return
				}
				w.yes()
				w.reviewed(clew.ChoiceApprove)
				w.in("completed")
			})
		})
	}
}

// A planner that never gets it right and a person who never answers: the run
// ends by itself.
func TestPlannerNobodyAnswersFor(t *testing.T) {
	c := &cast{plan: says("no plan today")}
	plays(t, allowed(map[string]any{"mistake_limit": 2}), c, func(w *world) {
		w.begin()
		w.limited("mistakes")
		w.later(601)
		w.in("cancelled")
		w.idle()
	})
}

// JSON in words is taken where it fits; words without any are a mistake, but for
// the last layer, where they are the answer.
//
// Covers: RUN-03, RUN-04, RUN-05, RUN-29
func TestAnswersInWords(t *testing.T) {
	const understood = `{"domain":"d","category":"c","confidence":0.5}`
	const planned = `{"todos":[{"id":"w","task":"in words"}]}`
	for name, tt := range map[string]struct {
		understand, plan, respond string
		task, answer              string
		mistakes                  int
	}{
		"plain JSON":      {understood, planned, `{"text":"The answer."}`, "in words", "The answer.", 0},
		"in a fence":      {"```json\n" + understood + "\n```", "```\n" + planned + "\n```", "```json\n{\"text\":\"The answer.\"}\n```", "in words", "The answer.", 0},
		"with prose":      {"I think [really] it is {this}: " + understood + ". Right?", "Files [1] and {2}: " + planned + " ok", "The answer.", "in words", "The answer.", 0},
		"after another":   {`{"a":1} ` + understood, `{"looked":["at","this"]} and then ` + planned, "The answer.", "in words", "The answer.", 0},
		"a bare list":     {understood, `Steps: ["in words"]`, "The answer.", "in words", "The answer.", 0},
		"an answer shows": {understood, planned, `Set it to {"text":"other"} please.`, "in words", `Set it to {"text":"other"} please.`, 0},
		"only words":      {"I see.", "I shall do it.", "The answer.", "do it", "The answer.", 2},
		"broken JSON":     {`{"domain":"d"`, `{"todos":[{"task":}]}`, `{"text":`, "do it", `{"text":`, 2},
		"wrong JSON":      {`{"domain":"d"}`, `{"todos":[{"task":7}]}`, `{"words":"x"}`, "do it", `{"words":"x"}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cast{understand: inTurn(says(tt.understand), understands), plan: inTurn(says(tt.plan), plans(`[{"id":"a","task":"do it"}]`)), respond: says(tt.respond)}
			plays(t, allowed(), c, func(w *world) {
				w.begin()
				if q := w.underReview(); q.Plan.Todos[0].Task != tt.task {
					t.Errorf("the plan is %+v", q.Plan.Todos)
				}
				w.reviewed(clew.ChoiceApprove)
				w.in("completed")
				if end := events[clew.CompleteData](w); end[0].Response.Text != tt.answer {
					t.Errorf("the answer is %q", end[0].Response.Text)
				}
				if n := len(events[clew.TaskToolFailedData](w)); n != tt.mistakes {
					t.Errorf("%d mistakes\n%s", n, w.story())
				}
				for _, who := range []string{"understand", "plan", "respond"} {
					for _, req := range c.of(who) {
						callsNamedOnce(t, who, req)
					}
				}
			})
		})
	}
}

// callsNamedOnce checks what vendors do: they refuse a request with two calls of one
// name, and one with a result that belongs to no call.
func callsNamedOnce(t *testing.T, who string, req llm.Request) {
	t.Helper()
	named := map[string]bool{}
	for _, m := range req.Messages {
		for _, p := range m.Content {
			switch {
			case p.Type == clew.PartToolUse && (p.ToolCallID == "" || named[p.ToolCallID]):
				t.Errorf("%s hears of two calls named %q", who, p.ToolCallID)
			case p.Type == clew.PartToolResult && !named[p.ToolCallID]:
				t.Errorf("%s hears a result of no call, %q", who, p.ToolCallID)
			case p.Type == clew.PartToolUse:
				named[p.ToolCallID] = true
			}
		}
	}
}

// A clarification in words is one too, and so is an understanding that is wrong
// in every way a mistake.
//
// Covers: RUN-03, RUN-04
func TestBadUnderstanding(t *testing.T) {
	c := &cast{understand: inTurn(
		calls(call("1", "report_understanding", `{"domain":"","category":7,"confidence":1.5,"entities":[{"type":"x"}]}`)),
		calls(call("2", "report_understanding", `{"domain":"d","category":"c","confidence":"NaN"}`)),
		calls(call("3", "ask_clarification", `{"question":""}`)),
		says(`Which one? {"ambiguity":"two of them","question":"Which one?"}`), understands)}
	plays(t, allowed(map[string]any{"mistake_limit": 10}), c, func(w *world) {
		w.begin()
		for id, want := range map[string][]string{"1": {"/domain", "/category", "/confidence", "/entities/0"}, "2": {"/confidence"}, "3": {"ambiguity", "/question"}} {
			for _, s := range want {
				if got := fmt.Sprint(w.result(id).Output); !strings.Contains(got, s) {
					t.Errorf("call %s: nothing of %s in %s", id, s, got)
				}
			}
		}
		q, ok := w.question().Data.(*clew.HitlClarificationData)
		if !ok || q.Question != "Which one?" {
			t.Fatalf("question %+v", w.question().Data)
		}
		w.do(&clew.HitlClarificationResponseData{RequestID: q.RequestID, Value: "this"})
		w.in("review")
	})
}

// A response that is wrong is refused as well, and a giant one does not end the
// run.
//
// Covers: RUN-29
func TestBadResponse(t *testing.T) {
	giant := strings.Repeat("x", 300_000)
	c := &cast{respond: inTurn(calls(call("1", "respond", `{}`)), calls(call("2", "respond", `{"text":"x","format":"exe","next_actions":[7]}`)),
		calls(call("3", "respond", fmt.Sprintf(`{"text":%q}`, giant))), responds("Short."))}
	plays(t, allowed(map[string]any{"mistake_limit": 10}), c, func(w *world) {
		w.approve()
		w.in("completed")
		if n := len(events[clew.TaskToolFailedData](w)); n != 3 {
			t.Errorf("%d mistakes", n)
		}
		if end := events[clew.CompleteData](w); end[0].Response.Text != "Short." {
			t.Errorf("the answer is %.100q", end[0].Response.Text)
		}
	})
}
