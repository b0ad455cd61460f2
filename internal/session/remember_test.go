package session

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
)

// askedToRemember builds a question whose answer may be remembered.
func askedToRemember() *bench {
	b := newBench()
	b.s.state.Rules = steering{}
	b.atWork()
	must(b.answer(1))
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{
			Ask: clew.AskCommand, Tool: "run", Asking: clew.Asking{ToolCallID: t.Calls[0].ID}, Options: yesNo,
			Remember: &clew.RememberOffer{Scopes: clew.List[clew.RememberScope]{clew.RememberTask, clew.RememberSession}, Pattern: "go test *"},
		})
	}))
	return b
}

// Who may have what remembered, and what that leads to. A refusal leaves the
// question open.
func TestRememberIsPartOfTheAnswer(t *testing.T) {
	type row struct {
		by      clew.UserID
		scope   clew.RememberScope
		pattern string
		code    clew.Code
		rules   int
		types   int // settings_changed
	}
	for _, r := range []row{
		{"ann", clew.RememberTask, "go test *", "", 1, 0},
		{"ann", clew.RememberSession, "go test *", "", 0, 1},
		{"bob", clew.RememberTask, "go test *", "", 1, 0},
		{"bob", clew.RememberSession, "go test *", clew.Forbidden, 0, 0},
		{"eve", clew.RememberTask, "go test *", clew.Forbidden, 0, 0}, // a viewer
		{"ann", "server", "go test *", clew.HitlInvalidResponse, 0, 0},
		{"ann", clew.RememberTask, "*", clew.HitlInvalidResponse, 0, 0},
	} {
		b := askedToRemember()
		must(b.ann(&clew.SetAccessData{UserID: "bob", Role: clew.RoleApprover}))
		must(b.ann(&clew.SetAccessData{UserID: "eve", Role: clew.RoleViewer}))
		_, types, err := b.do(clew.Command{By: by(r.by), Data: &clew.HitlApprovalResponseData{
			RequestID: b.oldestQuestion(), Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: r.scope, Pattern: r.pattern},
		}})
		settings := 0
		for _, typ := range types {
			if typ == clew.EventSettingsChanged {
				settings++
			}
		}
		open := len(b.s.state.Questions)
		if clew.CodeOf(err) != r.code || (err == nil) != (open == 0) || len(b.task().Allowed) != r.rules || settings != r.types {
			t.Errorf("%+v: %v, %d open, rules %v, %v", r, err, open, b.task().Allowed, types)
		}
		b.verify(t)
		b.check(t)
	}
}

// A question that offers nothing takes no rule, nor does a no.
func TestNothingToRemember(t *testing.T) {
	b := newBench()
	b.s.state.Rules = steering{}
	b.asked(1)
	rule := &clew.Remember{Scope: clew.RememberTask, Pattern: "go test *"}
	if _, _, err := b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Remember: rule}); clew.CodeOf(err) != clew.HitlInvalidResponse {
		t.Errorf("nothing was offered: %v", err)
	}
	b = askedToRemember()
	if _, _, err := b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceReject, Remember: rule}); clew.CodeOf(err) != clew.HitlInvalidResponse {
		t.Errorf("with a no: %v", err)
	}
}

// Rules end with their task, and do not come along from elsewhere.
func TestRulesEnd(t *testing.T) {
	yes := &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: "go test *"}}
	b := askedToRemember()
	must(b.ann(yes))
	task := b.task()
	must(b.ann(&clew.ControlCancelData{}))
	if len(task.Allowed) != 0 {
		t.Errorf("after the end there is %v", task.Allowed)
	}
	b = askedToRemember()
	must(b.ann(yes))
	b.s.state.Owner = ""
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Imported: &clew.SessionImportedData{Owner: "bob"}}}))
	if rules := b.s.state.SortedTasks()[0].Allowed; len(rules) != 0 {
		t.Errorf("after an import there is %v", rules)
	}
}

// A fork is another session, and whoever goes back into records from elsewhere
// does not find what strangers allowed there.
func TestRulesStayWhereTheyWereMade(t *testing.T) {
	yes := &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: "go test *"}}
	b := askedToRemember()
	must(b.ann(yes))
	past, err := b.s.state.Encode()
	if err != nil {
		t.Fatal(err)
	}
	then, err := core.DecodeState("s1", past)
	if err != nil || len(then.SortedTasks()[0].Allowed) != 1 {
		t.Fatalf("then %+v was allowed, %v", then.SortedTasks()[0].Allowed, err)
	}
	b.s.state.Owner = ""
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Imported: &clew.SessionImportedData{Owner: "bob"}}}))
	s := b.s.state
	s.Pending = then
	core.Apply(s, clew.Record{Seq: s.Seq + 1, TS: s.TS + 1, Type: clew.EventHistoryRewound}, &clew.HistoryRewoundData{})
	if rules := s.SortedTasks()[0].Allowed; len(rules) != 0 {
		t.Errorf("after a rewind behind the import there is %v", rules)
	}

	b = askedToRemember()
	must(b.ann(yes))
	b.s.state.CreatedMS = 0
	must(b.do(clew.Command{By: by("ann"), Data: &decide.CreateCommand{Owner: "ann", Forked: &clew.ForkPoint{SessionID: "old", MessageID: clew.MessageIDOf(9)}}}))
	if rules := b.s.state.SortedTasks()[0].Allowed; len(rules) != 0 {
		t.Errorf("in a fork there is %v", rules)
	}
}

// A preview names what a rewind takes from what is allowed, and nothing else.
func TestPreviewOfRules(t *testing.T) {
	b := askedToRemember()
	encoded := func() []byte {
		past, err := b.s.state.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return past
	}
	before := encoded()
	must(b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: "go test *"}}))
	after := encoded()
	named := func(past []byte) []clew.RememberedRule {
		then, err := core.DecodeState("s1", past)
		if err != nil {
			t.Fatal(err)
		}
		p := &clew.RewindPreviewAnswer{}
		rewind.Compare(p, b.s.state, then)
		return p.Forgotten
	}
	if rules := named(before); len(rules) != 1 || rules[0].Tool != "run" || rules[0].Pattern != "go test *" {
		t.Errorf("to before the answer goes %+v", rules)
	}
	if rules := named(after); len(rules) != 0 {
		t.Errorf("to after the answer goes %+v", rules)
	}
	b.s.state.FirstOwnSeq = b.s.state.Seq + 1 // all that was so far was in another session
	if rules := named(after); len(rules) != 1 {
		t.Errorf("to another session's past goes %+v", rules)
	}
}
