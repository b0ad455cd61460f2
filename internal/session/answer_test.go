package session

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// followup puts a question for a value about a call of its own.
func followup(q clew.HitlInputRequestData) *bench {
	b := newBench()
	b.atWork()
	must(b.answer(1))
	q.ToolCallID = b.pick(0).ID
	b.input(q)
	return b
}

// Covers: MSG-29, C-35
func TestValues(t *testing.T) {
	colours := []clew.InputOption{{Value: "red"}, {Value: "blue"}, {Value: 3}}
	choice := clew.HitlInputRequestData{InputType: clew.InputChoice, Options: colours}
	strict, other := choice, choice
	strict.Strict, other.Ask = true, clew.AskTool
	text, number := clew.HitlInputRequestData{InputType: clew.InputText}, clew.HitlInputRequestData{InputType: clew.InputNumber}
	boolean, date := clew.HitlInputRequestData{InputType: clew.InputBoolean}, clew.HitlInputRequestData{InputType: clew.InputDate}
	needed := clew.HitlInputRequestData{InputType: clew.InputText, Required: true}
	tests := []struct {
		q     clew.HitlInputRequestData
		value any
		ok    bool
	}{
		{text, "anything", true},
		{text, nil, true},
		{text, "", true},
		{needed, "x", true},
		{needed, "", false},
		{needed, nil, false},
		{choice, "red", true},
		{choice, 3.0, true},
		{choice, "green", true}, // suggestions only
		{strict, "green", false},
		{strict, "blue", true},
		{other, "green", false},
		{number, 7.5, true},
		{number, "7.5", false},
		{number, true, false},
		{boolean, false, true},
		{boolean, "true", false},
		{date, "2026-02-28", true},
		{date, "2026-02-30", false},
		{date, 20260228.0, false},
	}
	for i, tt := range tests {
		for _, data := range []any{
			&clew.HitlInputResponseData{Value: tt.value},
			&clew.AskResponseData{AskResponse: clew.ObjectResponse, Value: tt.value},
		} {
			b := followup(tt.q)
			_, _, err := b.ann(data)
			switch {
			case tt.ok && err != nil, !tt.ok && clew.CodeOf(err) != clew.HitlInvalidResponse:
				t.Errorf("%d: %v for a %s: %v", i, tt.value, tt.q.InputType, err)
			case !tt.ok && len(b.s.state.Questions) != 1:
				t.Errorf("%d: a refused answer settled the question", i)
			case tt.ok:
				d := last[clew.HitlResolvedData](b, 1)[0]
				if d.Action != clew.ResolvedAnswer || !reflect.DeepEqual(d.Value, tt.value) || d.ResolvedBy != "ann" {
					t.Errorf("%d: resolved %+v", i, d)
				}
				h := b.task().History
				if r := h[len(h)-1].Content[0]; r.Type != clew.PartToolResult || r.Text != fmt.Sprint(tt.value) {
					t.Errorf("%d: the asker got %+v", i, r)
				}
			}
			b.verify(t)
		}
	}
}

// ask_response is read as what the question asks for.
//
// Covers: MSG-29, MSG-30, C-20, C-35
func TestAskResponse(t *testing.T) {
	yes, no := clew.YesButtonClicked, clew.NoButtonClicked
	words, object := clew.MessageResponse, clew.ObjectResponse
	value := func(b *bench) {
		b.atWork()
		must(b.answer(1))
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID}, InputType: clew.InputText})
	}
	command := func(b *bench) { b.asked(1) }
	failed := func(b *bench) { b.atWork(); b.approval(clew.AskAPIReqFailed, "", "") }
	tests := []struct {
		to   func(*bench)
		how  clew.AskResponse
		want clew.Resolution
	}{
		{command, yes, clew.ResolvedApprove},
		{command, no, clew.ResolvedReject},
		{command, words, clew.ResolvedReject}, // words approve nothing
		{command, object, clew.ResolvedReject},
		{failed, yes, clew.ResolvedApprove},
		{failed, no, clew.ResolvedReject},
		{failed, words, clew.ResolvedApprove}, // go on, with advice
		{value, yes, clew.ResolvedAnswer},
		{value, no, clew.ResolvedReject},
		{value, words, clew.ResolvedAnswer},
		{value, object, clew.ResolvedAnswer},
	}
	for i, tt := range tests {
		b := newBench()
		tt.to(b)
		id := b.s.state.Questions[0].RequestID()
		must(b.ann(&clew.AskResponseData{RequestID: id, AskResponse: tt.how, Text: "so", Images: []string{"data:,x"}, Value: "so"}))
		d := last[clew.HitlResolvedData](b, 1)[0]
		if d.Action != tt.want || d.RequestID != id || d.TaskID == "" {
			t.Errorf("%d: %s gives %+v, want %s", i, tt.how, d, tt.want)
		}
		said := last[clew.MessageCreatedData](b, 1)[0].Message
		if said.Say == clew.SayError { // how that ended
			said = last[clew.MessageCreatedData](b, 2)[0].Message
		}
		if said.Text != "so" || len(said.Images) != 1 || said.RequestID != id || said.Say != clew.SayUserFeedback {
			t.Errorf("%d: the transcript says %+v", i, said)
		}
		b.verify(t)
	}
}

// What a person says with an answer reaches the model, one way or another.
//
// Covers: MSG-30
func TestWordsWithAnswersAreHeard(t *testing.T) {
	for name, to := range map[string]func(*bench){
		"no": func(b *bench) {
			b.asked(1)
			must(b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceReject, Comment: "not this way"}))
		},
		"yes": func(b *bench) {
			b.asked(1)
			must(b.ann(&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove, Comment: "not this way"}))
			b.start(b.pick(0), clew.ClassReadOnly)
			b.done(b.pick(0), "")
			b.think()
		},
		"message": func(b *bench) { b.asked(1); must(b.ann(&clew.UserMessageData{Text: "not this way"})) },
		"retry": func(b *bench) {
			b.atWork()
			b.approval(clew.AskAPIReqFailed, "", "")
			must(b.ann(&clew.UserMessageData{Text: "not this way"}))
			b.think()
		},
	} {
		b := newBench()
		to(b)
		heard := 0
		for _, m := range b.task().History {
			for _, p := range m.Content {
				heard += strings.Count(p.Text, "not this way")
			}
		}
		if heard != 1 {
			t.Errorf("%s: heard %d times", name, heard)
		}
		b.verify(t)
	}
}

// Covers: C-34
func TestFirstAnswerWins(t *testing.T) {
	b := newBench()
	b.asked(1)
	id := b.s.state.Questions[0].RequestID()
	must(b.ann(&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceReject}))
	for _, data := range []any{
		&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove},
		&clew.AskResponseData{RequestID: id, AskResponse: clew.YesButtonClicked},
		&clew.UserMessageData{RequestID: id, Text: "yes"},
	} {
		_, types, err := b.do(clew.Command{By: by("bob"), Data: data})
		if e := clew.AsError(err); e == nil || e.Code != clew.HitlRequestExpired || len(types) != 0 {
			t.Errorf("%T after the answer gives %v, %v", data, types, err)
		}
	}
	if n := clew.NewErrorData(clew.Errorf(clew.HitlRequestExpired, "x"), clew.ErrorContext{}).Number; n != 5003 {
		t.Errorf("the refusal has number %d", n)
	}
	b.check(t)
}

// Covers: C-34
func TestAnswerWithoutName(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.answer(0))
	old := b.task().TaskID
	must(b.ann(&clew.ResumeTaskData{TaskID: old})) // the oldest question, of another task
	must(b.ann(&clew.NewTaskData{Text: "other"}))
	b.think()
	must(b.answer(2))
	first, second := b.pick(0).ID, b.pick(1).ID
	b.approval(clew.AskCommand, first, "")
	b.approval(clew.AskTool, second, "")
	status := func(id string) core.CallStatus { return b.task().Call(id).Status }
	must(b.ann(&clew.AskResponseData{AskResponse: clew.YesButtonClicked}))
	if status(first) != core.CallApproved || status(second) != core.CallAsked {
		t.Errorf("the calls are %s and %s", status(first), status(second))
	}
	must(b.ann(&clew.AskResponseData{AskResponse: clew.YesButtonClicked}))
	if status(second) != core.CallApproved || len(b.s.state.Questions) != 1 || core.SubjectOfQuestion(b.s.state.Questions[0]).Task != old {
		t.Errorf("left open: %+v", b.s.state.Questions)
	}
	// The old task cannot be taken up beside this one.
	if _, _, err := b.ann(&clew.AskResponseData{AskResponse: clew.YesButtonClicked}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("a second task beside the first: %v", err)
	}
	b.verify(t)
}

// Questions about unclear input and plans belong to a task, not to a call.
//
// Covers: C-20
func TestOtherQuestions(t *testing.T) {
	ask := func(b *bench, data func(t *core.Task) any) {
		b.create()
		must(b.say("m1"))
		must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			tx.Add(data(t))
			decide.TaskStateEvent(tx, t.TaskRef, clew.TaskStateInteractive, "req_1")
		}))
	}
	clarify := func(b *bench) {
		ask(b, func(t *core.Task) any {
			return &clew.HitlClarificationData{Asking: clew.Asking{RequestID: "req_1", TaskID: t.TaskID}, Question: "which?"}
		})
	}
	review := func(b *bench) {
		ask(b, func(t *core.Task) any {
			return &clew.HitlPlanReviewData{Asking: clew.Asking{RequestID: "req_1", TaskID: t.TaskID}, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceModify, clew.ChoiceReject}}
		})
	}
	tests := []struct {
		to   func(*bench)
		data any
		want clew.Resolution
		rest bool
	}{
		{clarify, &clew.HitlClarificationResponseData{RequestID: "req_1", Value: "the second"}, clew.ResolvedAnswer, false},
		{clarify, &clew.AskResponseData{AskResponse: clew.NoButtonClicked}, clew.ResolvedReject, true},
		{clarify, &clew.HitlPlanResponseData{RequestID: "req_1", Action: clew.ChoiceApprove}, "", false},
		{review, &clew.HitlPlanResponseData{RequestID: "req_1", Action: clew.ChoiceApprove}, clew.ResolvedApprove, false},
		{review, &clew.HitlPlanResponseData{RequestID: "req_1", Action: clew.ChoiceModify, Instruction: "less"}, clew.ResolvedModify, false},
		{review, &clew.HitlPlanResponseData{RequestID: "req_1", Action: clew.ChoiceReject}, clew.ResolvedReject, true},
		{review, &clew.HitlInputResponseData{RequestID: "req_1", Value: "x"}, "", false},
	}
	for i, tt := range tests {
		b := newBench()
		tt.to(b)
		if b.s.state.Busy() || b.s.state.Status() != clew.StatusAwaitingInput {
			t.Errorf("%d: the session is %s", i, b.s.state.Status())
		}
		_, _, err := b.ann(tt.data)
		if tt.want == "" {
			if clew.CodeOf(err) != clew.HitlInvalidResponse {
				t.Errorf("%d: %v", i, err)
			}
			continue
		}
		if err != nil || last[clew.HitlResolvedData](b, 1)[0].Action != tt.want || (b.task().Turn == nil) != tt.rest {
			t.Errorf("%d: %v, %+v", i, err, b.task().Turn)
		}
		b.verify(t)
	}
}

// A yes to a question about a limit lets the task go on as far again.
func TestLimits(t *testing.T) {
	for _, limit := range []string{core.LimitBudget, core.LimitMonth, core.LimitSteps, core.LimitMistakes, core.LimitRequests} {
		for _, choice := range []clew.Choice{clew.ChoiceApprove, clew.ChoiceReject} {
			b := newBench()
			b.atWork()
			must(b.answer(1))
			b.start(b.pick(0), clew.ClassReadOnly)
			b.done(b.pick(0), "wrong")
			if task := b.task(); task.AutoApproved != 1 || task.Steps != 1 {
				t.Fatalf("counted %d and %d", task.AutoApproved, task.Steps)
			}
			b.approval(clew.AskAutoApprovalMaxReqReached, "", limit)
			must(b.ann(&clew.HitlApprovalResponseData{Action: choice}))
			task, yes := b.task(), choice == clew.ChoiceApprove
			if task.AutoApproved != 0 || (task.Raised == 1) != (yes && limit == core.LimitBudget) || (task.Turn != nil) != yes {
				t.Errorf("%s, %s: %+v", limit, choice, task)
			}
			if (task.PastMonth != "") != (yes && limit == core.LimitMonth) {
				t.Errorf("%s, %s: the month %q may be passed", limit, choice, task.PastMonth)
			}
			if yes && (task.Steps == 0) != (limit == core.LimitSteps) {
				t.Errorf("%s: %d steps", limit, task.Steps)
			}
			b.verify(t)
		}
	}
}
