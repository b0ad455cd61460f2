package session

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// due has the server look what is due.
func (b *bench) due() (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{Data: &decide.TimeoutCommand{}})
}

// settleAll has everything done that is due.
func (b *bench) settleAll() {
	for {
		_, types, err := b.due()
		if err != nil {
			panic(err)
		}
		if len(types) == 0 {
			return
		}
	}
}

// open is the only open question.
func (b *bench) open() *clew.Asking {
	if n := len(b.s.state.Questions); n != 1 {
		panic(fmt.Sprint(n, " questions are open"))
	}
	return b.s.state.Questions[0].Asking()
}

const timeout = 300 // seconds, of the questions in these tests

// The kinds of questions, and what silence means to each.
var kinds = []struct {
	name    string
	to      func(b *bench)
	fitting any // an answer that fits
	action  clew.Resolution
	value   any
	rest    bool   // the turn is over
	heard   string // what the model hears about the call that asked
}{
	{
		name: "command", to: func(b *bench) { b.timed(clew.AskCommand, true, append(yesNo, clew.ChoiceSkip)) },
		fitting: &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove},
		action:  clew.ResolvedSkip, heard: "Nobody decided about this call in time. It was not run.",
	},
	{
		name: "command that cannot be skipped", to: func(b *bench) { b.timed(clew.AskCommand, true, yesNo) },
		fitting: &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove},
		action:  clew.ResolvedReject, heard: "Nobody decided about this call in time. It was not run.",
	},
	{
		name: "limit", to: func(b *bench) { b.timed(clew.AskMistakeLimitReached, false, yesNo) },
		fitting: &clew.HitlApprovalResponseData{Action: clew.ChoiceApprove},
		action:  clew.ResolvedReject, rest: true,
	},
	{
		name: "input with default", to: func(b *bench) {
			b.timedInput(clew.HitlInputRequestData{InputType: clew.InputText, Required: true, DefaultValue: "blue"})
		},
		fitting: &clew.HitlInputResponseData{Value: "red"}, action: clew.ResolvedAnswer, value: "blue", heard: "blue",
	},
	{
		name: "input with a false default", to: func(b *bench) {
			b.timedInput(clew.HitlInputRequestData{InputType: clew.InputBoolean, Required: true, DefaultValue: false})
		},
		fitting: &clew.HitlInputResponseData{Value: true}, action: clew.ResolvedAnswer, value: false, heard: "false",
	},
	{
		name: "optional input", to: func(b *bench) { b.timedInput(clew.HitlInputRequestData{InputType: clew.InputText}) },
		fitting: &clew.HitlInputResponseData{Value: "red"},
		action:  clew.ResolvedAnswer, heard: "Nobody answered in time. There is no value.",
	},
	{
		name: "required input", to: func(b *bench) {
			b.timedInput(clew.HitlInputRequestData{InputType: clew.InputText, Required: true})
		},
		fitting: &clew.HitlInputResponseData{Value: "red"}, action: clew.ResolvedCancelled, rest: true,
		heard: "This call was ended because nobody answered in time before it began. It was not run.",
	},
	{
		name: "clarification", to: func(b *bench) {
			b.create()
			must(b.say("m1"))
			must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
				decide.AskClarification(tx, s, t, clew.HitlClarificationData{
					Asking: clew.Asking{TimeoutSec: timeout}, Question: "which?", InputType: clew.InputText, Suggestions: clew.List[string]{"this"},
				})
			}))
		},
		fitting: &clew.HitlClarificationResponseData{Value: "that"}, action: clew.ResolvedCancelled, rest: true,
	},
	{
		name: "plan review", to: func(b *bench) {
			b.create()
			must(b.say("m1"))
			must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
				decide.AskReview(tx, s, t, clew.HitlPlanReviewData{
					Asking: clew.Asking{TimeoutSec: timeout}, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceModify, clew.ChoiceReject},
				})
			}))
		},
		fitting: &clew.HitlPlanResponseData{Action: clew.ChoiceApprove}, action: clew.ResolvedCancelled, rest: true,
	},
}

// timed asks for an approval, of a call or of the task as a whole.
func (b *bench) timed(ask clew.Ask, call bool, options clew.List[clew.Choice]) {
	b.create()
	must(b.say("m1"))
	q := clew.HitlApprovalRequestData{Ask: ask, Asking: clew.Asking{TimeoutSec: timeout}, Reason: "may it?", Options: options}
	if call {
		b.think()
		must(b.answer(1))
		q.ToolCallID = b.pick(0).ID
	}
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) { decide.AskApproval(tx, s, t, q) }))
}

func (b *bench) timedInput(q clew.HitlInputRequestData) {
	b.atWork()
	must(b.answer(1))
	q.ToolCallID, q.TimeoutSec = b.pick(0).ID, timeout
	b.input(q)
}

// Every kind of question, left alone until its deadline.
//
// Covers: G-04, RUN-21, RUN-22
func TestSilence(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			b := newBench()
			k.to(b)
			a := *b.open()
			if m := b.s.state.Message(a.MessageID); m == nil || a.DeadlineMS != m.TS+timeout*1000 {
				t.Fatalf("the deadline is %d, asked by %+v", a.DeadlineMS, m)
			}
			b.now = a.DeadlineMS - 1
			b.settleAll() // the reminder
			b.open()
			b.now = a.DeadlineMS
			b.refuseAll(t, a.RequestID)
			must(b.due())
			b.checkTimeOut(t, a, k.action, k.value)
			if (b.task().Turn == nil) != k.rest {
				t.Errorf("the turn is %+v", b.task().Turn)
			}
			if h := b.task().History; k.heard != "" {
				if r := h[len(h)-1].Content[0]; r.Type != clew.PartToolResult || r.Text != k.heard {
					t.Errorf("the model hears %+v", r)
				}
			}
			if _, types, err := b.due(); err != nil || len(types) != 0 {
				t.Errorf("it times out again: %v, %v", types, err)
			}
			b.refuseAll(t, a.RequestID)
			b.verify(t)
			b.check(t)
		})
	}
}

// refuseAll sends every kind of answer to a question whose time is over.
func (b *bench) refuseAll(t *testing.T, id clew.RequestID) {
	t.Helper()
	for _, data := range []any{
		&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove},
		&clew.HitlInputResponseData{RequestID: id, Value: "red"},
		&clew.HitlClarificationResponseData{RequestID: id, Value: "that"},
		&clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove},
		&clew.AskResponseData{RequestID: id, AskResponse: clew.YesButtonClicked},
		&clew.AskResponseData{RequestID: id, AskResponse: clew.MessageResponse, Text: "yes"},
		&clew.UserMessageData{RequestID: id, Text: "yes"},
		&clew.AssignQuestionData{RequestID: id, UserID: "ann"},
	} {
		if _, types, err := b.ann(data); clew.CodeOf(err) != clew.HitlRequestExpired || len(types) != 0 {
			t.Errorf("%T at the deadline gives %v, %v", data, types, err)
		}
	}
}

// checkTimeOut checks what clients are told when a question timed out.
func (b *bench) checkTimeOut(t *testing.T, a clew.Asking, action clew.Resolution, value any) {
	t.Helper()
	d := last[clew.HitlResolvedData](b, 1)[0]
	if d.RequestID != a.RequestID || d.Action != action || !d.ByTimeout || d.ResolvedBy != "" || !reflect.DeepEqual(d.Value, value) || d.TaskID != a.TaskID {
		t.Errorf("resolved %+v", d)
	}
	e := last[clew.ErrorData](b, 1)
	if len(e) != 1 || e[0].Code != clew.HitlTimeout || e[0].Number != 5001 ||
		e[0].Context != (clew.ErrorContext{RequestID: a.RequestID, TaskID: a.TaskID, TodoID: a.TodoID}) {
		t.Errorf("the error is %+v", e)
	}
	if m := b.s.state.Message(a.MessageID); !m.IsAnswered {
		t.Errorf("the ask is open: %+v", m)
	}
	if len(b.s.state.Questions) != 0 || len(b.s.state.Reminded) != 0 {
		t.Errorf("left open: %+v, %v", b.s.state.Questions, b.s.state.Reminded)
	}
}

// Every kind of question, answered in the last moment.
//
// Covers: RUN-22, RUN-23, RUN-24, WS-064, WS-065
func TestAnswerInTime(t *testing.T) {
	for _, k := range kinds {
		b := newBench()
		k.to(b)
		a := *b.open()
		b.now = a.DeadlineMS - 1
		st := b.s.sessionState()
		if st.HitlPending == nil || st.HitlPending.RequestID() != a.RequestID || st.HitlPending.Asking().DeadlineMS != a.DeadlineMS {
			t.Errorf("%s: clients are shown %+v", k.name, st.HitlPending)
		}
		for _, other := range kinds {
			if reflect.TypeOf(other.fitting) == reflect.TypeOf(k.fitting) {
				continue
			}
			if _, types, err := b.ann(other.fitting); clew.CodeOf(err) != clew.HitlInvalidResponse || len(types) != 0 {
				t.Errorf("%s: %T gives %v, %v", k.name, other.fitting, types, err)
			}
		}
		must(b.ann(k.fitting))
		if d := last[clew.HitlResolvedData](b, 1)[0]; d.RequestID != a.RequestID || d.ByTimeout || d.ResolvedBy != "ann" {
			t.Errorf("%s: resolved %+v", k.name, d)
		}
		b.verify(t)
		b.now += timeout * 1000
		b.refuseAll(t, a.RequestID)
		if _, types, err := b.due(); err != nil || len(types) != 0 || len(last[clew.ErrorData](b, 1)) != 0 {
			t.Errorf("%s: it times out after its answer: %v, %v", k.name, types, err)
		}
		b.verify(t)
		b.check(t)
	}
}

// A running tool hears of the time-out itself; a question that it cannot do
// without ends its turn.
func TestSilenceToRunningTool(t *testing.T) {
	for _, required := range []bool{false, true} {
		b := newBench()
		b.running()
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID, TimeoutSec: 5}, InputType: clew.InputText, Required: required})
		b.now += 10_000
		b.settleAll()
		call := b.task().Calls
		if required != (b.task().Turn == nil) || !required && call[0].Status != core.CallRunning {
			t.Errorf("required %v: turn %+v, calls %+v", required, b.task().Turn, call)
		}
		b.verify(t)
		b.check(t)
	}
}

// Several questions that are due are settled one after the other, the earliest
// first, and a message that waited is heard then.
func TestManyAreDue(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.answer(3))
	for i, sec := range []int{30, 10, 20} {
		q := clew.HitlApprovalRequestData{Ask: clew.AskCommand, Asking: clew.Asking{ToolCallID: b.pick(i).ID, TimeoutSec: sec}, Options: yesNo}
		must(b.report(func(tx *decide.Tx, s *core.State, task *core.Task) {
			decide.AskApproval(tx, s, task, q)
		}))
	}
	var deadlines []int64
	for _, q := range b.s.state.Questions {
		deadlines = append(deadlines, q.Asking().DeadlineMS)
	}
	slices.Sort(deadlines)
	b.now += 60_000
	asked := slices.Clone(b.s.state.Questions)
	for i, want := range deadlines {
		must(b.due())
		d := last[clew.HitlResolvedData](b, 1)[0]
		j := slices.IndexFunc(asked, func(q clew.Question) bool { return q.RequestID() == d.RequestID })
		if asked[j].Asking().DeadlineMS != want {
			t.Errorf("%d: question %d is settled", i, j)
		}
		b.verify(t)
	}
	if b.s.state.Busy() != (len(b.task().Calls) == 0) || len(last[clew.HitlReminderData](b, 1)) != 0 {
		t.Errorf("calls %+v; reminded of what is over: %v", b.task().Calls, last[clew.HitlReminderData](b, 1))
	}
	b.check(t)
}

// A question without a time-out has no deadline, whatever its maker says.
func TestNoDeadline(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.answer(1))
	b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID, DeadlineMS: 5}, InputType: clew.InputText})
	b.now += 1 << 40
	if b.settleAll(); b.open().DeadlineMS != 0 || b.s.state.NextDeadline() != 0 {
		t.Errorf("it has a deadline: %+v", b.open())
	}
	must(b.ann(&clew.HitlInputResponseData{Value: "x"}))
}

// remindingAfter is rules with a reminder so many seconds before the deadline.
type remindingAfter struct {
	steering
	sec int
}

func (r remindingAfter) ReminderSec(map[string]any) int { return r.sec }

func TestReminders(t *testing.T) {
	for _, tt := range []struct{ timeout, before, want int }{
		{300, 60, 60},
		{120, 60, 60},
		{119, 60, 59}, // at half of it: 59.5 s are shown as 60
		{10, 60, 5},
		{1, 60, 0},
		{300, 0, -1}, // never
		{86400, 3600, 3600},
	} {
		b := newBench()
		b.s.state.Rules = remindingAfter{sec: tt.before}
		b.running()
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID, TimeoutSec: tt.timeout}, InputType: clew.InputText})
		a := *b.open()
		if tt.want < 0 {
			b.now = a.DeadlineMS - 1
			if b.settleAll(); len(last[clew.HitlReminderData](b, 1)) != 0 || b.s.state.NextDeadline() != a.DeadlineMS {
				t.Errorf("%+v: reminded", tt)
			}
			continue
		}
		at := b.s.state.NextDeadline()
		if left := a.DeadlineMS - at; left/1000 != int64(tt.want) {
			t.Errorf("%+v: %d ms are left", tt, left)
		}
		b.now = at - 1
		if _, types, _ := b.due(); len(types) != 0 {
			t.Errorf("%+v: too early", tt)
		}
		b.now = at
		b.settleAll()
		list := last[clew.HitlReminderData](b, 2)
		if len(list) != 1 || list[0].RequestID != a.RequestID || list[0].DeadlineMS != a.DeadlineMS || list[0].TaskID != a.TaskID ||
			int64(list[0].RemainingSec) != (a.DeadlineMS-at+999)/1000 {
			t.Errorf("%+v: reminders %+v", tt, list)
		}
		if b.s.state.NextDeadline() != a.DeadlineMS || b.s.state.Reminded[a.RequestID] == 0 {
			t.Errorf("%+v: next is %d", tt, b.s.state.NextDeadline())
		}
		must(b.ann(&clew.HitlInputResponseData{Value: "x"}))
		if len(b.s.state.Reminded) != 0 || b.s.state.NextDeadline() != 0 {
			t.Errorf("%+v: left behind %v", tt, b.s.state.Reminded)
		}
		b.verify(t)
		b.check(t)
	}
	if sec := (&core.State{}).ReminderSec(); sec != 60 {
		t.Errorf("without rules it is %d s", sec)
	}
}
