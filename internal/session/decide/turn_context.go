package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// AskInput is AskApproval for questions that want a value. It gives the
// question's name.
func AskInput(tx *Tx, s *core.State, t *core.Task, q clew.HitlInputRequestData) clew.RequestID {
	prepareAsking(s, &q.Asking, t, tx)
	if q.Ask == "" {
		q.Ask = clew.AskFollowup
	}
	tx.Say(AskMessage(t, q.Ask, q.RequestID, q.ToolCallID, q.Question))
	tx.Add(&q)
	was, _ := s.TaskState(t.TaskID)
	if is := q.Ask.State(); was != is && was == clew.TaskStateRunning {
		TaskStateEvent(tx, t.TaskRef, is, q.RequestID)
	}
	return q.RequestID
}

// failTurn makes the events of a turn that failed inside.
func failTurn(tx *Tx, s *core.State, t *core.Task, streamed streams, err error, cut bool) {
	tx.Add(clew.NewErrorData(err, clew.ErrorContext{AgentID: t.Turn.AgentID, TaskID: t.TaskID}))
	how := TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed, message: clew.AsError(err).Message, truncate: cut}
	if s.ActiveRun(t) != nil && (t.Run != nil || t.TodoID != "") {
		FailRunTurn(tx, s, t, streamed, how, clew.AsError(err))
		return
	}
	if t.Wake {
		endDelegated(tx, s, t, streamed, how)
		returnResult(tx, s, t, "The task failed: "+clew.AsError(err).Message)
		return
	}
	how.Ends = parentWaits(s, t)
	CloseTurn(tx, s, t, streamed, how)
	if how.Ends { // its parent hears of it and goes on
		tx.Add(&clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: "failed", Outcome: how.outcome()})
		resumeParent(tx, s, s.Task(t.ParentTaskID), t, "The subtask failed: "+clew.AsError(err).Message, TurnEnd{Reason: "failed", Code: clew.EndFailed})
	}
}

// CloseOpenTexts closes a task's growing messages as they stand.
func CloseOpenTexts(tx *Tx, s *core.State, t *core.Task) {
	for _, m := range s.Messages.Growing() {
		if m.TaskID == t.TaskID {
			m.Partial = false
			tx.Update(core.WithoutOutcome(m))
		}
	}
}

// CancelOrphanedQuestions settles the questions of calls whose tools are gone: nobody would hear
// the answers.
func CancelOrphanedQuestions(tx *Tx, s *core.State, t *core.Task, calls []core.Call) {
	for _, q := range s.Questions {
		a := core.SubjectOfQuestion(q)
		if a.Task == t.TaskID && a.Call != "" && slices.ContainsFunc(calls, func(c core.Call) bool { return c.ID == a.Call }) {
			tx.Add(&clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the tool is gone", WhyCode: clew.EndInDoubt, TaskID: t.TaskID,
			})
		}
	}
}

// AddChild starts a child task for a call of its parent, which waits for it.
func AddChild(tx *Tx, s *core.State, t *core.Task, call core.Call, text, mode string) {
	addChild(tx, s, t, call, childTask{text: text, mode: mode})
}

// childTask is what a child task is made of.
type childTask struct {
	text, mode string
	profile    clew.TaskProfile
	wake       bool // its parent does not wait
	fork       *clew.ForkOf
}

func addChild(tx *Tx, s *core.State, t *core.Task, call core.Call, with childTask) clew.TaskID {
	child := clew.TaskRef{TaskID: tx.taskID(s, 0), ParentTaskID: t.TaskID, RootTaskID: t.RootTaskID, MonitorID: t.MonitorID}
	id := tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerUser, Text: with.text,
		AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: child.TaskID, ToolCallID: call.ID,
	})
	tx.Add(&clew.TaskCreatedData{
		TaskRef: child, Task: clew.Clip(with.text, core.TitleRunes*5), Mode: with.mode, Workspace: s.Workspace,
		AgentID: core.TaskAgent(child.TaskID), ToolCallID: call.ID, TaskProfile: with.profile, Wake: with.wake, ForkOf: with.fork,
	})
	tx.Add(&clew.TaskSpawnedData{TaskRef: t.TaskRef, ChildTaskID: child.TaskID, MessageID: id})
	// Many are at work on a run, and others work beside the main agent: what people say
	// is not for the child then.
	alone := s.ActiveRun(t) == nil && !with.wake && !s.Beside(t)
	if !with.wake {
		tx.Add(&clew.TaskPausedData{TaskRef: t.TaskRef, AwaitingChildID: child.TaskID})
	}
	if alone {
		tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef})
	}
	tx.Add(&clew.TaskStartedData{TaskRef: child})
	if alone {
		tx.Add(&clew.TaskFocusedData{TaskRef: child})
	}
	tx.Add(&clew.TaskActiveData{TaskRef: child})
	return child.TaskID
}

// CompleteChild brings a child's result to its parent. data is what else it has to say
// beside the text, nil for most.
func CompleteChild(tx *Tx, s *core.State, child *core.Task, text string, data map[string]any) {
	if s.WorksOnTodo(child) {
		todoCompleted(tx, s, child, text, data)
		return
	}
	if child.Wake {
		returnResult(tx, s, child, text)
		return
	}
	parent := s.Task(child.ParentTaskID)
	if parent == nil || parent.AwaitingChild != child.TaskID {
		return // it ended before, and was talked to again
	}
	resumeParent(tx, s, parent, child, text, TurnEnd{})
}
