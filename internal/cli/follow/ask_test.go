package follow

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
)

func approvalOf(d clew.HitlApprovalRequestData) clew.Question {
	d.RequestID = "req_1"
	if d.Options == nil {
		d.Options = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}
	}
	return clew.Question{Type: clew.EventHitlApprovalRequest, Data: &d}
}

func inputOf(d clew.HitlInputRequestData) clew.Question {
	d.RequestID = "req_1"
	return clew.Question{Type: clew.EventHitlInputRequest, Data: &d}
}

// What is typed makes an answer, or none.
func TestAsk(t *testing.T) {
	offer := &clew.RememberOffer{Scopes: clew.List[clew.RememberScope]{clew.RememberTask}, Pattern: "go test *"}
	goOn := approvalOf(clew.HitlApprovalRequestData{Ask: clew.AskAPIReqFailed})
	plain := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	command := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Remember: offer})
	tool := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Remember: &clew.RememberOffer{Scopes: offer.Scopes}})
	skip := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject}})
	plan := clew.Question{Type: clew.EventHitlPlanReview, Data: &clew.HitlPlanReviewData{
		Asking: clew.Asking{RequestID: "req_1"}, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceModify, clew.ChoiceReject},
	}}
	choice := inputOf(clew.HitlInputRequestData{Required: true, InputType: clew.InputChoice, Options: []clew.InputOption{{Value: "r", Label: "Red"}, {Value: "b", Label: "Blue"}}})
	number := inputOf(clew.HitlInputRequestData{Required: true, InputType: clew.InputNumber, DefaultValue: 7.0})
	unclear := clew.Question{Type: clew.EventHitlClarification, Data: &clew.HitlClarificationData{
		Asking: clew.Asking{RequestID: "req_1"}, Suggestions: clew.List[string]{"this", "that"},
	}}
	decided := func(c clew.Choice) *client.InboxAnswer { return &client.InboxAnswer{Action: c} }
	value := func(v any) *client.InboxAnswer { return &client.InboxAnswer{Value: v} }
	remembered := func(pattern string) *client.InboxAnswer {
		return &client.InboxAnswer{Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: pattern}}
	}
	instead := &client.InboxAnswer{Action: clew.ChoiceReject, Comment: "use make"}
	for _, c := range []struct {
		q     clew.Question
		lines string // typed one after the other, parted by |
		want  *client.InboxAnswer
	}{
		{plain, "y", decided(clew.ChoiceApprove)},
		{plain, "YES", decided(clew.ChoiceApprove)},
		{plain, "n", nil},
		{plain, "n|", decided(clew.ChoiceReject)},
		{plain, "n|use make", instead},
		{plain, "No, use make", instead},
		{plain, "y use make", nil},
		{plain, "d", nil},
		{plain, "r", nil},
		{goOn, "n", decided(clew.ChoiceReject)},
		{goOn, "y", decided(clew.ChoiceApprove)},
		{goOn, "e", nil},
		{plain, "", nil},
		{plain, "yeah", nil},
		{plain, "s", nil},
		{plain, "a", nil},
		{plain, "?", nil},
		{plain, "e|use make", instead},
		{plain, "e||y", decided(clew.ChoiceApprove)},
		{plain, "e|yes", nil},
		{plain, "e|Go ahead.|y", decided(clew.ChoiceApprove)},
		{skip, "s", decided(clew.ChoiceSkip)},
		{command, "a", nil},
		{command, "a|", remembered("go test *")},
		{command, "a|go test ./...", remembered("go test ./...")},
		{tool, "a", remembered("")},
		{plan, "y", decided(clew.ChoiceApprove)},
		{plan, "e|looks good", nil},
		{plan, "e|shorter", &client.InboxAnswer{Action: clew.ChoiceModify, Instruction: "shorter"}},
		{choice, "2", value("b")},
		{choice, "red", value("r")},
		{choice, "green", value("green")},
		{choice, "", nil},
		{number, "2.5", value(2.5)},
		{number, "two", nil},
		{number, "", value(7.0)},
		{unclear, "?", nil},
		{choice, "?", nil},
		{unclear, "2", value("that")},
	} {
		k := &Ask{Q: c.q, Seen: true}
		var got *client.InboxAnswer
		for line := range strings.SplitSeq(c.lines, "|") {
			got = k.Take(line).Answer
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q to %s: %+v, want %+v", c.lines, c.q.Type, got, c.want)
		}
	}
}

// A rule that covers tests and builds says that they are the project's own code.
func TestRuleThatRunsTheWorkspace(t *testing.T) {
	for _, runs := range []bool{false, true} {
		q := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Remember: &clew.RememberOffer{Scopes: clew.List[clew.RememberScope]{clew.RememberTask}, Pattern: "go test *", RunsWorkspace: runs}})
		var out strings.Builder
		(&Screen{w: &out, width: 100}).Question(q, time.Now(), "")
		k := &Ask{Q: q, Seen: true}
		if tell := k.Take("a").Tell; strings.Contains(tell, ask.RunsWorkspace) != runs || strings.Contains(out.String(), ask.RunsWorkspace) != runs {
			t.Errorf("%v: %q, %q", runs, tell, out.String())
		}
	}
}

// Before a rule is made, a person reads what it covers and what is much like it but not covered.
func TestRuleShowsWhatItCovers(t *testing.T) {
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Remember: &clew.RememberOffer{
		Scopes: clew.List[clew.RememberScope]{clew.RememberTask}, Pattern: "git log *", Match: "git log something-else", NearMiss: "git log --output=x",
	}})
	var out strings.Builder
	(&Screen{w: &out, width: 100}).Question(q, time.Now(), "")
	if want := "would allow git log *, but not git log --output=x"; !strings.Contains(out.String(), want) {
		t.Errorf("the card has no %q:\n%s", want, out.String())
	}
	k := &Ask{Q: q, Seen: true}
	if got, want := k.Take("a").Tell, "It would cover git log something-else, and not git log --output=x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// There is no yes before all was seen, and what is typed first at a question that
// took another's place counts for nothing.
func TestAskNeedsToBeSeen(t *testing.T) {
	offer := &clew.RememberOffer{Scopes: clew.List[clew.RememberScope]{clew.RememberTask}}
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x", Remember: offer})
	for _, key := range []string{"y", "yes", "a", "always"} {
		k := &Ask{Q: q}
		if h := k.Take(key); h.Answer != nil || !h.More {
			t.Errorf("%q before all was seen: %+v", key, h)
		}
		if h := k.Take(key); h.Answer == nil {
			t.Errorf("%q after all was seen: %+v", key, h)
		}
		k = &Ask{Q: q, Seen: true, held: true}
		if h := k.Take(key); h.Answer != nil {
			t.Errorf("%q at a question that was not there before: %+v", key, h)
		}
		if h := k.Take(key); h.Answer == nil {
			t.Errorf("%q after an Enter: %+v", key, h)
		}
	}
	k := &Ask{Q: q}
	if h := k.Take("no, thanks"); h.Answer == nil {
		t.Errorf("a no needs nothing to be seen: %+v", h)
	}
	for _, q := range []clew.Question{q, inputOf(clew.HitlInputRequestData{Question: "?"})} {
		k := &Ask{Q: q}
		if h := k.Take(" ? "); !h.More || h.Tell == "" || !k.Seen || h.Answer != nil {
			t.Errorf("? to %s: %+v", q.Type, h)
		}
	}
}

// --yes approves acts and plans. It does not raise limits, try again what
// failed, or make words up.
func TestYesRule(t *testing.T) {
	for _, c := range []struct {
		q    clew.Question
		want bool
	}{
		{approvalOf(clew.HitlApprovalRequestData{Ask: clew.AskCommand}), true},
		{approvalOf(clew.HitlApprovalRequestData{Ask: clew.AskTool}), true},
		{approvalOf(clew.HitlApprovalRequestData{Limit: "requests"}), true},
		{clew.Question{Type: clew.EventHitlPlanReview, Data: &clew.HitlPlanReviewData{}}, true},
		{approvalOf(clew.HitlApprovalRequestData{Limit: "budget"}), false},
		{approvalOf(clew.HitlApprovalRequestData{Limit: "time"}), false},
		{approvalOf(clew.HitlApprovalRequestData{Limit: "retries"}), false},
		{approvalOf(clew.HitlApprovalRequestData{Ask: clew.AskMistakeLimitReached}), false},
		{approvalOf(clew.HitlApprovalRequestData{Ask: clew.AskAPIReqFailed}), false},
		{inputOf(clew.HitlInputRequestData{}), false},
	} {
		if got := yesRule(true).answer(c.q) != nil; got != c.want {
			t.Errorf("%+v: %v", c.q.Data, got)
		}
		if yesRule(false).answer(c.q) != nil {
			t.Errorf("%+v was approved without --yes", c.q.Data)
		}
	}
}

// Keys make a line; special keys do nothing, and what follows Enter is dropped.
func TestTypedLine(t *testing.T) {
	for _, c := range []struct {
		keys []string
		text string
		deed keyAction
	}{
		{[]string{"yes\r"}, "yes", keyEnter},
		{[]string{"y", "e", "s", "\n"}, "yes", keyEnter},
		{[]string{"yy\x7f\r"}, "y", keyEnter},
		{[]string{"no\x15yes\r"}, "yes", keyEnter},
		{[]string{"use  gnu\x17make\r"}, "use  make", keyEnter},
		{[]string{"a\u0085b\uFFFDc\r"}, "abc", keyEnter},
		{[]string{"a\x1b[Db\x1b[3~c\x1bOPd\r"}, "abcd", keyEnter},
		{[]string{"한\xea\xb5", "\xad\r"}, "한국", keyEnter},
		{[]string{"y\rn\r"}, "y", keyEnter},
		{[]string{"y\x03"}, "y", keyLeave},
		{[]string{"\x04"}, "", keyLeave},
		{[]string{"y\x04\r"}, "y", keyEnter},
		{[]string{"y"}, "y", keyNothing},
	} {
		var line lineEditor
		deed := keyNothing
		for _, k := range c.keys {
			deed = line.feed([]byte(k), false)
		}
		if string(line.Text) != c.text || deed != c.deed {
			t.Errorf("%q: %q and %v", c.keys, string(line.Text), deed)
		}
	}
}

// What a terminal marks as pasted is one text, in whatever pieces it comes: its
// newlines are no Enter, and what else is in it does nothing.
func TestMarkedPaste(t *testing.T) {
	for _, c := range []struct {
		keys []string
		text string
		deed keyAction
	}{
		{[]string{"\x1b[200~one\ntwo\r\nthree\r\rfour\x1b[201~"}, "one\ntwo\nthree\n\nfour", keyNothing},
		{[]string{"\x1b[200~one\r", "\ntwo\x1b[201~"}, "one\ntwo", keyNothing},
		{[]string{"a\x1b[200~b\r\x1b[201~\r"}, "ab\n", keyEnter},
		{[]string{"\x1b[2", "00~y\n", "y\n\x1b[20", "1~", "!\r"}, "y\ny\n!", keyEnter},
		{[]string{"\x1b[200~\ta\x04\x15\x7f\x1b[Ab\x1b[201~\r"}, "\tab", keyEnter},
		{[]string{"\x1b[200~a\x1b[201~\x7f\x15b\r"}, "b", keyEnter},
		{[]string{"\x1b[200~a\n\x03"}, "a\n", keyLeave},
		{[]string{"\x1b[201~a\r"}, "a", keyEnter},
	} {
		for _, lines := range []bool{false, true} {
			var line lineEditor
			deed := keyNothing
			for _, k := range c.keys {
				deed = line.feed([]byte(k), lines && several([]byte(k)))
			}
			if string(line.Text) != c.text || deed != c.deed {
				t.Errorf("%q: %q and %v", c.keys, string(line.Text), deed)
			}
		}
	}
}

// What was pasted for one line does not go on in the next.
func TestPasteEndsWithItsLine(t *testing.T) {
	for name, before := range map[string]func(f *lineEditor) lineEditor{
		"begun in the line":     func(f *lineEditor) lineEditor { f.feed([]byte("\x1b[200~a\n"), false); return f.emptied() },
		"begun behind Enter":    func(f *lineEditor) lineEditor { f.feed([]byte("a\rb\r\x1b[200~c\n"), false); return f.emptied() },
		"begun in what is left": func(f *lineEditor) lineEditor { return f.without([]byte("a\r\x1b[200~c\n")) },
	} {
		var first lineEditor
		line := before(&first)
		if deed := line.feed([]byte("y\ny\n"), false); deed != keyNothing || len(line.Text) > 0 {
			t.Errorf("%s: %q and %v", name, string(line.Text), deed)
		}
		if deed := line.feed([]byte("y\n\x1b[201~no\r"), false); deed != keyEnter || string(line.Text) != "no" {
			t.Errorf("%s: %q and %v", name, string(line.Text), deed)
		}
	}
}

// Lines that come together while the agent works are one text: nothing of it is
// sent or lost before an Enter of its own.
func TestPastedLines(t *testing.T) {
	for keys, want := range map[string]bool{
		"one\ntwo": true, "one\ntwo\n": true, "one\r\ntwo\r\n": true, "one\rtwo": true,
		"one\n": false, "one\r\n": false, "\n": false, "\n\n": false, "one": false, "one\n\n": false,
	} {
		if several([]byte(keys)) != want {
			t.Errorf("%q: %v", keys, !want)
		}
	}
	f := &follower{screen: &Screen{w: io.Discard}}
	for _, keys := range []string{"tell ", "one\r\ntwo\nthr\xea", "\xb5\xad\x7fee"} {
		if end := f.typed(t.Context(), []byte(keys)); end != nil {
			t.Fatalf("%q: %+v", keys, end)
		}
	}
	if got := string(f.line.Text); got != "tell one\ntwo\nthree" {
		t.Errorf("the text is %q", got)
	}
	if f.line.feed([]byte("\n"), several([]byte("\n"))) != keyEnter {
		t.Error("Enter does not end it")
	}
	f = &follower{screen: &Screen{w: io.Discard}, asking: &Ask{Q: approvalOf(clew.HitlApprovalRequestData{Tool: "x"}), Seen: true}}
	f.typed(t.Context(), []byte("n\ny\n"))
	if len(f.line.Text) > 0 || f.asking.step != stepReason {
		t.Errorf("at a question only the first line counts: %q, %v", string(f.line.Text), f.asking.step)
	}
}
