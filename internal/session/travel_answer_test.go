package session_test

import (
	"context"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
	"github.com/clew-run/clew/internal/session/view"
)

// asks has an agent that asks once, and works on the files after a yes. Like the
// real one it saves them before and after.
func asks(f *shelf) session.Agent {
	return agentFunc(func(_ context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
		v, err := desk.View()
		if err != nil {
			return err
		}
		if len(v.Task.History) == 0 {
			_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) { asking(tx, s, t, prompt) })
			return err
		}
		saved := func(reason string) *clew.CheckpointSavedData {
			now, _ := f.Save(context.Background(), rewind.Workspace{}, reason)
			return core.CheckpointSaved(now, reason)
		}
		before := saved("before work")
		f.write("work")
		after := saved("after work")
		_, err = sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
			tx.Add(before)
			tx.Add(after)
			tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
		})
		return err
	})
}

// asked waits for the question and gives its name.
func (x *trip) asked() clew.RequestID {
	x.t.Helper()
	until(x.t, watch(x.t, x.h, x.id), func(st clew.SessionState) bool { return st.HitlPending != nil })
	return x.state().HitlPending.RequestID()
}

// answerMark is the timeline's mark of the last answer.
func (x *trip) answerMark() view.Mark {
	x.t.Helper()
	line, err := watch(x.t, x.h, x.id).Timeline(x.t.Context(), view.TimelineQuery{})
	if err != nil {
		x.t.Fatal(err)
	}
	for i := len(line.Marks) - 1; i >= 0; i-- {
		if line.Marks[i].Kind == view.MarkAnswer {
			return line.Marks[i]
		}
	}
	x.t.Fatalf("no answer in %+v", line.Marks)
	return view.Mark{}
}

// An answer that was given by a button is a place to go back to: the question is
// open again, with the files as they were when it was answered, and the answer
// that was given does not count, even if it is sent again.
func TestBackToBeforeAnAnswer(t *testing.T) {
	f := &shelf{}
	x := newTrip(t, session.Config{Agent: asks(f), Files: f})
	f.write("start")
	x.do(&clew.CheckpointSaveData{})
	x.do(&clew.UserMessageData{Text: "a"})
	id := x.asked()
	f.write("by hand") // while the question is open
	yes := x.cmd(&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove})
	do(t, x.h, x.id, yes)
	x.idle()
	f.is(t, "work")

	mark := x.answerMark()
	if !mark.Target || mark.What != "approve" || mark.Subject != "may I?" || mark.RequestID != id {
		t.Errorf("the mark of the answer is %+v", mark)
	}
	p := x.do(&clew.RewindPreviewData{Target: at(mark.MessageID), RestoreCheckpoint: true}).Answer.Data.(*clew.RewindPreviewAnswer)
	if len(p.Reopened) != 1 || p.Reopened[0].RequestID() != id || p.FromMessageID != mark.MessageID || p.Files[0].Content.After != "h:by hand" {
		t.Errorf("the preview is %+v", p)
	}
	x.do(&clew.RewindData{Target: at(mark.MessageID), RestoreCheckpoint: true})
	f.is(t, "by hand")
	st := x.state()
	if st.HitlPending == nil || st.HitlPending.RequestID() != id || st.Messages[len(st.Messages)-1].IsAnswered || st.Messages[len(st.Messages)-1].Answer != nil {
		t.Fatalf("back before the answer: %+v", st)
	}
	x.same()
	if r := do(t, x.h, x.id, yes); !r.Repeat || x.state().HitlPending == nil {
		t.Errorf("the same answer sent again: %+v", r)
	}
	if _, err := x.try(&clew.RewindData{Target: at(mark.MessageID)}); clew.CodeOf(err) != clew.MessageNotFound {
		t.Errorf("to an answer that is hidden: %v", err)
	}

	// Undone, the answer counts again; done again and answered otherwise, it does not.
	x.do(&clew.UndoRewindData{})
	f.is(t, "work")
	if st := x.state(); st.HitlPending != nil || !st.Messages[len(st.Messages)-1].IsAnswered {
		t.Errorf("undone: %+v", st)
	}
	x.do(&clew.RedoRewindData{})
	x.do(&clew.HitlApprovalResponseData{RequestID: x.asked(), Action: clew.ChoiceReject})
	x.idle()
	f.is(t, "by hand")
	x.same()
}

// Where nobody touched the files after an answer, those of before it count, and not
// what was saved for something that came much later.
func TestFilesOfAnAnswerWithoutWork(t *testing.T) {
	for name, later := range map[string]func(x *trip, f *shelf){
		"words": func(x *trip, f *shelf) {
			x.do(&clew.UserMessageData{Text: "b"})
			x.idle()
			f.write("later")
		},
		"files taken back": func(x *trip, f *shelf) {
			f.write("later")
			x.do(&clew.CheckpointRestoreData{CommitHash: "h:later"})
		},
		"a rewind undone": func(x *trip, f *shelf) {
			x.do(&clew.RewindData{Target: at(x.answerMark().MessageID)})
			f.write("later")
			x.do(&clew.UndoRewindData{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &shelf{}
			x := newTrip(t, session.Config{Agent: asksOnly, Files: f})
			f.write("start")
			x.do(&clew.CheckpointSaveData{})
			x.do(&clew.UserMessageData{Text: "a"})
			x.do(&clew.HitlApprovalResponseData{RequestID: x.asked(), Action: clew.ChoiceApprove})
			x.idle()
			mark := x.answerMark()
			later(x, f)
			x.do(&clew.CheckpointSaveData{})
			x.do(&clew.RewindData{Target: at(mark.MessageID), RestoreCheckpoint: true})
			f.is(t, "start")
			x.same()
		})
	}
}

// asksOnly asks once, and does nothing else.
var asksOnly = agentFunc(func(_ context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		if len(t.History) > 0 {
			tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
			return
		}
		asking(tx, s, t, prompt)
	})
	return err
})

// asking has an agent hear a prompt and ask about it.
func asking(tx *decide.Tx, s *core.State, t *core.Task, prompt clew.Message) {
	tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: clew.ModelMessage{
		Role: clew.SpeakerUser, MessageID: prompt.MessageID, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: prompt.Text}},
	}})
	decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{
		Ask: clew.AskCommand, Reason: "may I?", Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
	})
}

// Words that came with an answer go with it, and what is named is the answer's
// record in each case.
func TestBackToBeforeAnAnswerInWords(t *testing.T) {
	x := newTrip(t, session.Config{Agent: asks(&shelf{})})
	x.do(&clew.UserMessageData{Text: "a"})
	id := x.asked()
	x.do(&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceReject, Comment: "not today"})
	x.idle()
	mark := x.answerMark()
	if mark.Words != "not today" || mark.What != "reject" {
		t.Errorf("the mark is %+v", mark)
	}
	texts := x.texts()
	fork := *x
	fork.id = x.do(&clew.ForkSessionData{MessageID: mark.MessageID}).SessionID
	if fork.asked() == id {
		t.Error("the fork's question has the name of the original's")
	}
	x.do(&clew.RewindData{Target: at(mark.MessageID)})
	if x.asked() != id {
		t.Error("another question is open")
	}
	x.wants(texts[:len(texts)-1]...)
	x.same()
}

// A question that was withdrawn with its task was not answered, and other records
// are no places at all.
func TestNoAnswerToGoBackTo(t *testing.T) {
	x := newTrip(t, session.Config{Agent: asks(&shelf{})})
	x.do(&clew.UserMessageData{Text: "a"})
	x.asked()
	x.do(&clew.ControlCancelData{})
	x.idle()
	mark := x.answerMark()
	if mark.Target || mark.What != "cancelled" {
		t.Errorf("the mark is %+v", mark)
	}
	for _, r := range journaled(t, x.j, x.id) {
		_, err := x.try(&clew.RewindPreviewData{Target: at(r.MessageID())})
		if is := r.Type == clew.EventMessageCreated; is != (err == nil) {
			t.Errorf("%s %s: %v", r.MessageID(), r.Type, err)
		}
	}
}

// A return to before an answer that a crash cut off is finished by whoever opens
// the session next.
func TestBackToBeforeAnAnswerGoesOn(t *testing.T) {
	m, f := new(journaltest.Memory), &shelf{}
	stuck := &shelf{hold: make(chan struct{})}
	x := &trip{t: t, j: m.Node("a"), id: "s1"}
	x.h = start(t, x.j, session.Config{Agent: asks(stuck), Files: stuck})
	create(t, x.h, x.id)
	stuck.write("0")
	x.do(&clew.UserMessageData{Text: "a"})
	id := x.asked()
	x.do(&clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove})
	x.idle()
	mark := x.answerMark()
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	cmd := x.cmd(&clew.RewindData{Target: at(mark.MessageID), RestoreCheckpoint: true})
	go func() {
		_, err := x.h.Do(ctx, x.id, cmd)
		lost <- err
	}()
	until(t, watch(t, x.h, x.id), func(st clew.SessionState) bool { return st.Returning != nil })
	m.Down("a")
	f.write("work")
	y := *x
	y.j = m.Node("b")
	y.h = start(t, y.j, session.Config{Agent: asks(f), Files: f})
	if y.asked() != id {
		t.Error("another question is open")
	}
	cancel()
	close(stuck.hold)
	if err := <-lost; err == nil {
		t.Error("the node that was cut off says it did it")
	}
	f.is(t, "0")
	y.same()
}
