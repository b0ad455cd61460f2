package ask

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func question(data any) clew.Question { return clew.Question{Data: data} }

// A title is short and says what a yes lets happen; a line says what it is about.
func TestTitleAndLine(t *testing.T) {
	todo := &clew.ApprovalTodo{Task: "Remove the cache"}
	for _, c := range []struct {
		data        any
		title, line string
	}{
		{&clew.HitlApprovalRequestData{Tool: "execute_command", Effect: &clew.Effect{Command: "make\nmake test", Directory: "/w"}}, "Run this command?", "make … (in /w)"},
		{&clew.HitlApprovalRequestData{Tool: "run_cell", Effect: &clew.Effect{Command: "x = 1\nx", Directory: "/w"}}, "Run this code?", "x = 1 … (in /w)"},
		{&clew.HitlApprovalRequestData{Tool: "write_file", Effect: &clew.Effect{Summary: "Create a"}}, "Allow Write?", "Create a"},
		{&clew.HitlApprovalRequestData{Tool: "mail\x1b__send", Effect: &clew.Effect{Server: "mail", Summary: "send"}}, "Allow mail␛__send?", "send"},
		{&clew.HitlApprovalRequestData{Todo: todo, Tool: "edit"}, "Allow this step?", "Remove the cache"},
		{&clew.HitlApprovalRequestData{Limit: "budget", Reason: "It has cost $5."}, "A limit was reached. Continue?", "It has cost $5."},
		{&clew.HitlApprovalRequestData{}, "Allow this?", "Allow this?"},
		{&clew.HitlApprovalRequestData{Tool: "edit", Effect: &clew.Effect{Summary: "Edit a", Diff: "+b"}}, "Make this change?", "Edit a"},
		{&clew.HitlApprovalRequestData{Tool: "fetch", Effect: &clew.Effect{Summary: "GET x", URL: "https://x"}}, "Fetch this address?", "GET x"},
		{&clew.HitlApprovalRequestData{Ask: clew.AskUseMcpServer}, "Call this tool?", "Call this tool?"},
		{&clew.HitlApprovalRequestData{Ask: clew.AskAPIReqFailed, Reason: "No answer."}, "The model call failed. Try again?", "No answer."},
		{&clew.HitlApprovalRequestData{Ask: clew.AskResumeTask}, "Resume this task?", "Resume this task?"},
		{&clew.HitlPlanReviewData{Version: 2, Message: "Two steps."}, "Approve the plan? (version 2)", "Two steps."},
		{&clew.HitlPlanReviewData{Version: 2}, "Approve the plan? (version 2)", "Approve the plan? (version 2)"},
		{&clew.HitlInputRequestData{Question: "Which\none?"}, "Which\none?", "Which …"},
		{&clew.HitlClarificationData{Question: "How much?", Ambiguity: "It is not said."}, "How much?", "How much?"},
		{&clew.HitlClarificationData{Ambiguity: "It is not said."}, "It is not said.", "It is not said."},
	} {
		q := question(c.data)
		if title, line := Title(q), Line(q); title != c.title || line != c.line {
			t.Errorf("%+v: %q and %q, want %q and %q", c.data, title, line, c.title, c.line)
		}
	}
}

// All that there is to know stands among the parts, once, and what may be long
// stands before what is short.
func TestParts(t *testing.T) {
	cost := 0.5
	plan := &clew.HitlPlanReviewData{Message: "Two steps."}
	plan.Plan.Todos = []clew.Todo{{ID: "a", Task: "Look.\nAt all."}, {ID: "b", Task: "Do it.", DependsOn: []string{"a", "z"}}}
	plan.Plan.EstimatedCostUSD = &cost
	for name, c := range map[string]struct {
		data any
		want []Part
	}{
		"a command": {&clew.HitlApprovalRequestData{
			Tool: "execute_command", Input: json.RawMessage(`{"command":"make","timeout":5}`), Why: "commands are asked about",
			Effect: &clew.Effect{Command: "make", Directory: "/w", Sandbox: "bwrap", Summary: "Run make", Limits: &clew.CommandLimits{MemoryMB: 512, OpenFiles: 100}, Environment: map[string]string{"B": "2", "A": "1"}},
		}, []Part{
			{Command, "", "make"}, {Field, "timeout", "5"}, {Place, "in", "/w"}, {Fact, "risk", "in a sandbox (bwrap), without network"},
			{Fact, "limits", "512 MB of memory, 100 open files"}, {Fact, "because", "commands are asked about"}, {Variable, "env", "A=1"}, {Variable, "env", "B=2"},
		}},
		"a change": {&clew.HitlApprovalRequestData{
			Tool: "write_file", Reason: "Change x", Effect: &clew.Effect{Summary: "Change x", Diff: "+a", Paths: []string{"x"}},
		}, []Part{{Summary, "", "Change x"}, {Change, "", "+a"}}},
		"files without a change": {&clew.HitlApprovalRequestData{Effect: &clew.Effect{Paths: []string{"x", "y"}}}, []Part{{Place, "files", "x, y"}}},
		"a tool server": {&clew.HitlApprovalRequestData{
			Tool: "send", Input: json.RawMessage(`{"text":"one\ntwo"}`), Effect: &clew.Effect{Server: "mail", Summary: "send …"},
		}, []Part{{Lines, "text", "one\ntwo"}, {Place, "server", "mail"}}},
		"a tool server without input": {&clew.HitlApprovalRequestData{Effect: &clew.Effect{Server: "mail"}}, []Part{{Prose, "", "(without any input)"}, {Place, "server", "mail"}}},
		"a limit":                     {&clew.HitlApprovalRequestData{Limit: "budget", Reason: "It has cost $5."}, []Part{{Prose, "", "It has cost $5."}}},
		"a step":                      {&clew.HitlApprovalRequestData{Todo: &clew.ApprovalTodo{Task: "Remove it"}}, []Part{{Fact, "step", "Remove it"}}},
		"a plan": {plan, []Part{
			{Prose, "", "Two steps."}, {Step, "", "Look.\nAt all."}, {Step, "after “Look”, “z”", "Do it."}, {Fact, "cost", "about $0.50"},
		}},
		"a choice": {&clew.HitlInputRequestData{Options: []clew.InputOption{{Value: 1, Label: "One"}}, DefaultValue: 1}, []Part{
			{Option, "1", "One"}, {Fact, "otherwise", "1 is taken"},
		}},
		"what is not clear":   {&clew.HitlClarificationData{Question: "Q?", Ambiguity: "A.", Suggestions: []string{"x"}}, []Part{{Prose, "", "A."}, {Option, "1", "x"}}},
		"only that it is not": {&clew.HitlClarificationData{Ambiguity: "A."}, nil},
	} {
		if got := Parts(question(c.data)); len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", name, got, c.want)
		}
	}
}

// Where nothing holds a command, nothing keeps it from the network either.
func TestRisk(t *testing.T) {
	for _, c := range []struct {
		sandbox string
		network bool
		want    Part
	}{
		{"", false, Part{Warning, "risk", "no sandbox: it can do whatever the server's user can"}},
		{"none", true, Part{Warning, "risk", "no sandbox: it can do whatever the server's user can, with network"}},
		{"bwrap", true, Part{Warning, "risk", "in a sandbox (bwrap), with network"}},
		{"bwrap", false, Part{Fact, "risk", "in a sandbox (bwrap), without network"}},
	} {
		if got := risk(&clew.Effect{Command: "x", Sandbox: c.sandbox, Network: c.network}); len(got) != 1 || got[0] != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	if got := risk(&clew.Effect{Summary: "Create a"}); got != nil {
		t.Errorf("no command: %+v", got)
	}
	if got := risk(&clew.Effect{Summary: "Run a cell", Sandbox: "none", Network: true}); len(got) != 1 || got[0].Kind != Warning {
		t.Errorf("a cell in which nothing is: %+v", got)
	}
}

// A question says what happens when its time is over.
func TestTimeLeft(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	asking := clew.Asking{RequestID: "r", DeadlineMS: now.Add(5 * time.Minute).UnixMilli()}
	options := clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject}
	for want, data := range map[string]any{
		"expires in 5:00, then denied":       &clew.HitlApprovalRequestData{Asking: asking},
		"expires in 5:00, then skipped":      &clew.HitlApprovalRequestData{Asking: asking, Options: options},
		"expires in 5:00, then cancelled":    &clew.HitlPlanReviewData{Asking: asking},
		"expires in 5:00, then red is taken": &clew.HitlInputRequestData{Asking: asking, DefaultValue: "red", Required: true},
		"expires in 5:00, then left empty":   &clew.HitlInputRequestData{Asking: asking},
		"":                                   &clew.HitlApprovalRequestData{},
	} {
		if got := Deadline(question(data), now); got != want {
			t.Errorf("%T: %q, want %q", data, got, want)
		}
	}
	q := question(&clew.HitlApprovalRequestData{Asking: asking})
	for at, want := range map[time.Duration]string{
		-2 * time.Hour: "expires in 2 h 05 min", 4*time.Minute + 55*time.Second: "expires in 0:05", 5 * time.Minute: "expired", time.Hour: "expired",
	} {
		if got := TimeLeft(q, now.Add(at)); got != want {
			t.Errorf("after %s: %q, want %q", at, got, want)
		}
	}
	if got := Deadline(q, now.Add(time.Hour)); got != "expired" {
		t.Errorf("over: %q", got)
	}
}

// A text is read as what a question asks for, or it says why not.
func TestParseValue(t *testing.T) {
	number := &clew.HitlInputRequestData{InputType: clew.InputNumber, Required: true}
	boolean := &clew.HitlInputRequestData{InputType: clew.InputBoolean, Required: true}
	text := &clew.HitlInputRequestData{InputType: clew.InputText}
	choice := &clew.HitlInputRequestData{InputType: clew.InputChoice, Required: true, Options: []clew.InputOption{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}}
	strict := *choice
	strict.Strict = true
	unclear := &clew.HitlClarificationData{Suggestions: clew.List[string]{"this", "that"}}
	for _, c := range []struct {
		data any
		text string
		want any // nil for an error
	}{
		{number, " 2.5 ", 2.5}, {number, "two", nil}, {number, "", nil},
		{&clew.HitlInputRequestData{InputType: clew.InputNumber, DefaultValue: 7.0}, "", 7.0},
		{boolean, "yes", true}, {boolean, "true", true}, {boolean, "Y", true}, {boolean, "t", true}, {boolean, "1", true},
		{boolean, "no", false}, {boolean, "False", false}, {boolean, "n", false}, {boolean, "0", false}, {boolean, "perhaps", nil}, {boolean, "", nil},
		{text, " words ", "words"}, {text, "", ""},
		{choice, "2", "b"}, {choice, "red ", "r"}, {choice, "3", "3"}, {choice, "green", "green"}, {choice, "", nil},
		{&strict, "green", nil}, {&strict, "blue", "b"}, {&strict, "b", "b"}, // as a program says it
		{unclear, "2", "that"}, {unclear, "THIS", "this"}, {unclear, "neither", "neither"}, {unclear, " ", nil},
	} {
		got, err := ParseValue(question(c.data), c.text)
		if (err != nil) != (c.want == nil) || err == nil && got != c.want {
			t.Errorf("%q to %+v: %v and %v, want %v", c.text, c.data, got, err, c.want)
		}
	}
}

// What a choice and its words send, to each kind of question.
func TestResponse(t *testing.T) {
	asking := clew.Asking{RequestID: "r"}
	act := question(&clew.HitlApprovalRequestData{Asking: asking, Tool: "edit"})
	plan := question(&clew.HitlPlanReviewData{Asking: asking})
	remember := &clew.Remember{Scope: clew.RememberTask, Pattern: "go *"}
	for _, c := range []struct {
		q    clew.Question
		a    client.InboxAnswer
		typ  clew.CommandType
		want any
	}{
		{act, Decide(clew.ChoiceApprove, ""), clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: "r", Action: clew.ChoiceApprove}},
		{act, client.InboxAnswer{Action: clew.ChoiceApprove, Remember: remember}, clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: "r", Action: clew.ChoiceApprove, Remember: remember}},
		{act, Decide(clew.ChoiceReject, " not that "), clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: "r", Action: clew.ChoiceReject, Comment: "not that"}},
		{act, Instead(act, "use make"), clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: "r", Action: clew.ChoiceReject, Comment: "use make"}},
		{plan, Decide(clew.ChoiceReject, "no"), clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: "r", Action: clew.ChoiceReject, Comment: "no"}},
		{plan, Instead(plan, "shorter"), clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: "r", Action: clew.ChoiceModify, Instruction: "shorter"}},
		{question(&clew.HitlInputRequestData{Asking: asking, Field: "f"}), client.InboxAnswer{Value: 2}, clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: "r", Field: "f", Value: 2}},
		{question(&clew.HitlClarificationData{Asking: asking}), client.InboxAnswer{Value: "x"}, clew.CommandHitlClarificationResponse, clew.HitlClarificationResponseData{RequestID: "r", Value: "x"}},
	} {
		if typ, got := Response(c.q, c.a); typ != c.typ || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %s %+v, want %s %+v", c.a, typ, got, c.typ, c.want)
		}
	}
}

// Only what a question takes is offered.
func TestKeys(t *testing.T) {
	offer := &clew.RememberOffer{Scopes: clew.List[clew.RememberScope]{clew.RememberTask}}
	skip := clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject}
	for want, data := range map[string]any{
		"yn":    &clew.HitlApprovalRequestData{Limit: "budget"},
		"yne":   &clew.HitlApprovalRequestData{Tool: "edit", Remember: &clew.RememberOffer{}},
		"ynaes": &clew.HitlApprovalRequestData{Tool: "edit", Remember: offer, Options: skip},
	} {
		got := ""
		for _, k := range Keys(question(data)) {
			got += k.Key
		}
		if got != want {
			t.Errorf("%+v: %s, want %s", data, got, want)
		}
	}
	if k := Keys(question(&clew.HitlPlanReviewData{})); len(k) != 3 || k[2] != (Key{"e", "change it"}) {
		t.Errorf("a plan: %v", k)
	}
}

// How it ended is told in the same words everywhere.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		a                  clew.MessageAnswer
		me                 bool
		elsewhere, settled string
	}{
		{clew.MessageAnswer{Action: clew.ResolvedApprove, By: "bob"}, false, "answered elsewhere by bob: approved", "approved by bob"},
		{clew.MessageAnswer{Action: clew.ResolvedReject, By: "ann", Comment: "later"}, true, "you answered elsewhere: denied", "denied by ann: later"},
		{clew.MessageAnswer{Action: clew.ResolvedModify, Comment: "shorter"}, false, "answered elsewhere by somebody: changed", "changed: shorter"},
		{clew.MessageAnswer{Action: clew.ResolvedSkip}, false, "answered elsewhere by somebody: skipped", "skipped"},
		{clew.MessageAnswer{Action: clew.ResolvedAnswer, Value: "red"}, true, "you answered elsewhere: red", "answered: red"},
		{clew.MessageAnswer{Action: clew.ResolvedAnswer}, true, "you answered elsewhere: answered", "answered"},
		{clew.MessageAnswer{Action: clew.ResolvedReject, ByTimeout: true}, false, "nobody answered in time: denied", "expired: nobody answered in time"},
		{clew.MessageAnswer{Action: clew.ResolvedCancelled}, false, "the question was withdrawn: its work ended", "withdrawn: its work ended first"},
		{clew.MessageAnswer{Action: "tomorrow"}, true, "you answered elsewhere: tomorrow", "tomorrow"},
	} {
		if elsewhere, settled := Elsewhere(c.a, c.me), Settled(c.a); elsewhere != c.elsewhere || settled != c.settled {
			t.Errorf("%+v: %q and %q", c.a, elsewhere, settled)
		}
	}
}

// The web asks in the words of the terminal.
func TestTheWebAsksAlike(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "web", "src", "features", "session", "questions", "words.ts"))
	if err != nil {
		t.Fatal(err)
	}
	english, _, ok := strings.Cut(string(text), "  ko: {")
	if !ok {
		t.Fatal("the English words are not found")
	}
	if want := "allowTool: (tool: string) => `" + fmt.Sprintf(allowTool, "${tool}") + "`,"; !strings.Contains(english, want) {
		t.Errorf("no %s", want)
	}
	for kind, title := range titles {
		if want := fmt.Sprintf("%s: asked(%q),", kind, title); !strings.Contains(english, want) {
			t.Errorf("no %s", want)
		}
	}
}
