package session

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// A TurnContext is what an agent has in front of it during a turn: the task as it
// stands, a way to record events, and streams of text. Record may be called
// from several goroutines; the rest belongs to one.
type TurnContext struct {
	s             *Session
	turn          Turn
	lastRewindSeq uint64 // the session's last return when the agent began
	ctx           context.Context
	stream        *Stream       // of Begin, Write and End
	recorded      atomic.Int64  // batches, to tell an agent that does nothing
	seen          atomic.Uint64 // the state that the agent last looked at
}

// A View is a task as its agent sees it.
type View struct {
	Session   clew.SessionID
	Owner     clew.UserID
	Workspace string
	// Checkpoint is the newest one of the workspace, "" if there is none.
	Checkpoint string
	// Moved is the record that last took the session elsewhere in its history.
	Moved    uint64
	Settings map[string]any // the session's own
	Task     Task
	// Root is the root of the task's tree, Tree what the tree used so far and
	// Tasks how many tasks it has.
	Root     Task
	Tree     clew.Usage
	Tasks    int
	Question *clew.Question // the task's oldest open question, nil if none
	Windows  []Window       // the open ones
	// Run is the tree's run if one is under way: whole for its root, without the
	// todos for those who carry them out. Todo is the one that the task carries
	// out.
	Run   *run.Run
	Todo  *clew.Todo
	NowMS int64
	// Held says that the run is paused: nothing new may begin.
	Held bool
	// Blocked says that a question is open which is about no single call:
	// nothing new may begin before its answer.
	Blocked bool
}

// View gives the task as of now. The error says that the turn is over.
func (d *TurnContext) View() (View, error) {
	var v View
	over := true
	err := d.s.read(d.ctx, func(s *Session) {
		t := s.state.Task(d.turn.TaskID)
		if t == nil || t.Turn == nil || t.Turn.ID != d.turn.ID || s.state.LastRewindSeq != d.lastRewindSeq || s.state.PendingRewind != nil {
			return
		}
		over = false
		d.seen.Store(s.state.Seq)
		v = s.view(t)
	})
	if err == nil && over {
		err = clew.Errorf(clew.SessionInvalidState, "the turn is over")
	}
	return v, err
}

func (s *Session) view(t *Task) View {
	v := View{
		Session: s.id, Owner: s.state.Owner, Workspace: s.state.Workspace, Checkpoint: s.state.Checkpoint, Moved: s.state.LastRewindSeq, Settings: maps.Clone(s.state.Settings),
		Task: t.clone(), Tree: s.state.TreeUsage(t.RootTaskID), Blocked: s.state.blockingQuestion(t.TaskID) != nil, Held: s.state.runPaused(t), NowMS: s.host.cfg.Now(),
		Windows: s.state.Windows, // a list that is never changed
	}
	for _, x := range s.state.Tasks {
		if x.RootTaskID == t.RootTaskID && x.TodoID == "" {
			v.Tasks++
		}
	}
	s.viewRun(&v, t)
	for i := range s.state.Questions {
		if subjectOfQuestion(s.state.Questions[i]).task == t.TaskID {
			q := s.state.Questions[i]
			v.Question = &q
			break
		}
	}
	return v
}

// Turn is the turn that the desk belongs to.
func (d *TurnContext) Turn() Turn { return d.turn }

func (d *TurnContext) report(in Intent) clew.Command {
	return clew.Command{
		By:   clew.Principal{User: clew.UserID(d.turn.AgentID)},
		Data: &turnReport{task: d.turn.TaskID, turn: d.turn.ID, lastRewindSeq: d.lastRewindSeq, intent: in},
	}
}

// Ask puts a question to people on behalf of a running tool and waits for the
// answer. It is for tools that cannot be left and come back to; if the server
// dies meanwhile, the tool's call is in doubt.
func (d *TurnContext) Ask(ctx context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	answered := make(chan clew.HitlResolvedData, 1)
	cmd := d.report(toolQuestion{q})
	cmd.Data.(*turnReport).answer = answered
	if _, err := d.submit(cmd); err != nil {
		return clew.HitlResolvedData{}, err
	}
	select {
	case a := <-answered:
		return a, nil
	case <-ctx.Done():
		return clew.HitlResolvedData{}, ctx.Err()
	case <-d.ctx.Done():
		return clew.HitlResolvedData{}, d.ctx.Err()
	}
}

// AskInput is Ask of the package for questions that want a value. It gives the
// question's name.
func AskInput(tx *Tx, s *State, t *Task, q clew.HitlInputRequestData) clew.RequestID {
	s.prepareAsking(&q.Asking, t, tx)
	if q.Ask == "" {
		q.Ask = clew.AskFollowup
	}
	tx.Say(askMessage(t, q.Ask, q.RequestID, q.ToolCallID, q.Question))
	tx.Add(&q)
	was, _ := s.taskState(t.TaskID)
	if is := q.Ask.State(); was != is && was == clew.TaskStateRunning {
		taskStateEvent(tx, t.TaskRef, is, q.RequestID)
	}
	return q.RequestID
}

// await has the answer to a question sent to c. It runs in the session's
// goroutine.
func (s *Session) await(id clew.RequestID, c chan<- clew.HitlResolvedData) {
	if s.awaited == nil {
		s.awaited = map[clew.RequestID]chan<- clew.HitlResolvedData{}
	}
	s.awaited[id] = c
}

// deliverAnswers hands an answer to the tool that waits for it.
func (s *Session) deliverAnswers(events []clew.Event) {
	if len(s.awaited) == 0 {
		return
	}
	for _, e := range events {
		if d, ok := e.Data.(*clew.HitlResolvedData); ok && s.awaited[d.RequestID] != nil {
			s.awaited[d.RequestID] <- *d
			delete(s.awaited, d.RequestID)
		}
	}
}

// Begin makes the reply, unless an earlier attempt at this turn did.
func (d *TurnContext) Begin() error {
	if d.stream != nil {
		return d.stream.Restart()
	}
	var err error
	d.stream, err = d.Open(clew.SayText, "")
	return err
}

// Write streams a piece of the reply to whoever is watching.
func (d *TurnContext) Write(delta string) error { return d.stream.Write(delta) }

// End closes the reply, and with it the turn.
func (d *TurnContext) End() error {
	final := d.stream.Final()
	_, err := d.Do(updateText{m: final, ends: true})
	return err
}

// fail ends a turn that cannot go on: the error goes on record, and nothing is
// left open behind it.
func (d *TurnContext) fail(err error) {
	for _, cut := range []bool{false, true} { // what is too much for one batch is cut
		_, refused := d.Do(turnFailure{err: err, cut: cut})
		if clew.CodeOf(refused) != clew.MessageTooLarge {
			return // recorded, or the turn is over
		}
	}
}

// failTurn makes the events of a turn that failed inside.
func failTurn(tx *Tx, s *State, t *Task, streamed streams, err error, cut bool) {
	tx.Add(clew.NewErrorData(err, clew.ErrorContext{AgentID: t.Turn.AgentID, TaskID: t.TaskID}))
	how := turnEnd{reason: "ended by a failure", code: clew.EndFailed, message: clew.AsError(err).Message, truncate: cut}
	if s.activeRun(t) != nil && (t.Run != nil || t.TodoID != "") {
		failRunTurn(tx, s, t, streamed, how, clew.AsError(err))
		return
	}
	how.ends = parentWaits(s, t)
	endTurn(tx, s, t, streamed, how)
	if how.ends { // its parent hears of it and goes on
		tx.Add(&clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: "failed", Outcome: how.outcome()})
		resumeParent(tx, s, s.Task(t.ParentTaskID), t, "The subtask failed: "+clew.AsError(err).Message, turnEnd{reason: "failed", code: clew.EndFailed})
	}
}

// closeTexts closes a task's growing messages as they stand.
func closeTexts(tx *Tx, s *State, t *Task) {
	for _, m := range s.Messages.Growing() {
		if m.TaskID == t.TaskID {
			m.Partial = false
			tx.Update(withoutOutcome(m))
		}
	}
}

// CancelOrphanedQuestions settles the questions of calls whose tools are gone: nobody would hear
// the answers.
func CancelOrphanedQuestions(tx *Tx, s *State, t *Task, calls []Call) {
	for _, q := range s.Questions {
		a := subjectOfQuestion(q)
		if a.task == t.TaskID && a.call != "" && slices.ContainsFunc(calls, func(c Call) bool { return c.ID == a.call }) {
			tx.Add(&clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the tool is gone", WhyCode: clew.EndInDoubt, TaskID: t.TaskID,
			})
		}
	}
}

// AddChild starts a child task for a call of its parent.
func AddChild(tx *Tx, s *State, t *Task, call Call, text, mode string) {
	child := clew.TaskRef{TaskID: tx.taskID(s, 0), ParentTaskID: t.TaskID, RootTaskID: t.RootTaskID, MonitorID: t.MonitorID}
	id := tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerUser, Text: text,
		AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: child.TaskID, ToolCallID: call.ID,
	})
	tx.Add(&clew.TaskCreatedData{
		TaskRef: child, Task: clip(text, titleRunes*5), Mode: mode, Workspace: s.Workspace,
		AgentID: clew.AgentID("task-" + string(child.TaskID)), ToolCallID: call.ID,
	})
	tx.Add(&clew.TaskSpawnedData{TaskRef: t.TaskRef, ChildTaskID: child.TaskID, MessageID: id})
	tx.Add(&clew.TaskPausedData{TaskRef: t.TaskRef, AwaitingChildID: child.TaskID})
	alone := s.activeRun(t) == nil // many are at work on a run: what people say is for the run
	if alone {
		tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef})
	}
	tx.Add(&clew.TaskStartedData{TaskRef: child})
	if alone {
		tx.Add(&clew.TaskFocusedData{TaskRef: child})
	}
	tx.Add(&clew.TaskActiveData{TaskRef: child})
}

// CompleteChild brings a child's result to its parent. data is what else it has to say
// beside the text, nil for most.
func CompleteChild(tx *Tx, s *State, child *Task, text string, data map[string]any) {
	if s.worksOnTodo(child) {
		todoCompleted(tx, s, child, text, data)
		return
	}
	parent := s.Task(child.ParentTaskID)
	if parent == nil || parent.AwaitingChild != child.TaskID {
		return // it ended before, and was talked to again
	}
	resumeParent(tx, s, parent, child, text, turnEnd{})
}
