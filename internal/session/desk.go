package session

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// A Desk is what an agent has in front of it during a turn: the task as it
// stands, a way to record events, and streams of text. Record may be called
// from several goroutines; the rest belongs to one.
type Desk struct {
	s        *Session
	turn     Turn
	moved    uint64 // the session's last return when the agent began
	ctx      context.Context
	stream   *Stream       // of Begin, Write and End
	recorded atomic.Int64  // batches, to tell an agent that does nothing
	seen     atomic.Uint64 // the state that the agent last looked at
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
func (d *Desk) View() (View, error) {
	var v View
	over := true
	err := d.s.look(d.ctx, func(s *Session) {
		t := s.state.Task(d.turn.TaskID)
		if t == nil || t.Turn == nil || t.Turn.ID != d.turn.ID || s.state.Moved != d.moved || s.state.Returning != nil {
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
		Session: s.id, Owner: s.state.Owner, Workspace: s.state.Workspace, Checkpoint: s.state.Checkpoint, Moved: s.state.Moved, Settings: maps.Clone(s.state.Settings),
		Task: t.clone(), Tree: s.state.TreeUsage(t.RootTaskID), Blocked: s.state.blocking(t.TaskID) != nil, Held: s.state.held(t), NowMS: s.host.cfg.Now(),
		Windows: s.state.Windows, // a list that is never changed
	}
	for _, x := range s.state.Tasks {
		if x.RootTaskID == t.RootTaskID && x.TodoID == "" {
			v.Tasks++
		}
	}
	s.viewRun(&v, t)
	for i := range s.state.Questions {
		if aboutOf(s.state.Questions[i]).task == t.TaskID {
			q := s.state.Questions[i]
			v.Question = &q
			break
		}
	}
	return v
}

// Turn is the turn that the desk belongs to.
func (d *Desk) Turn() Turn { return d.turn }

// Record appends events to the journal.
func (d *Desk) Record(events func(b Batch) []clew.Event) (Receipt, error) {
	return d.RecordTask(func(b Batch, _ *State, _ *Task) []clew.Event { return events(b) })
}

// RecordTask is Record for events that depend on the task as it is at that very
// moment. events runs in the session's goroutine and changes nothing.
func (d *Desk) RecordTask(events func(b Batch, s *State, t *Task) []clew.Event) (Receipt, error) {
	r, err := d.s.do(d.ctx, d.report(events))
	if err == nil {
		d.recorded.Add(1)
	}
	return r, err
}

func (d *Desk) report(events func(b Batch, s *State, t *Task) []clew.Event) clew.Command {
	return clew.Command{
		By:   clew.Principal{User: clew.UserID(d.turn.AgentID)},
		Data: &report{task: d.turn.TaskID, turn: d.turn.ID, moved: d.moved, events: func(b Batch, t *Task) []clew.Event { return events(b, d.s.state, t) }},
	}
}

// Ask puts a question to people on behalf of a running tool and waits for the
// answer. It is for tools that cannot be left and come back to; if the server
// dies meanwhile, the tool's call is in doubt.
func (d *Desk) Ask(ctx context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	answered := make(chan clew.HitlResolvedData, 1)
	_, err := d.RecordTask(func(b Batch, s *State, t *Task) []clew.Event {
		events := AskInput(s, t, b, 0, q)
		d.s.await(events[1].Data.(*clew.HitlInputRequestData).RequestID, answered)
		return events
	})
	if err != nil {
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

// AskInput is Ask of the package for questions that want a value.
func AskInput(s *State, t *Task, b Batch, i int, q clew.HitlInputRequestData) []clew.Event {
	s.ask(&q.Asking, t, b, i)
	if q.Ask == "" {
		q.Ask = clew.AskFollowup
	}
	was, _ := s.stateOf(t.TaskID)
	events := []clew.Event{
		{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: askMessage(t, b, i, q.Ask, q.RequestID, q.ToolCallID, q.Question)}},
		{Type: clew.EventHitlInputRequest, Data: &q},
	}
	if is := q.Ask.State(); was != is && was == clew.TaskStateRunning {
		events = append(events, stateEvent(t.TaskRef, is, q.RequestID))
	}
	return events
}

// await has the answer to a question sent to c. It runs in the session's
// goroutine.
func (s *Session) await(id clew.RequestID, c chan<- clew.HitlResolvedData) {
	if s.awaited == nil {
		s.awaited = map[clew.RequestID]chan<- clew.HitlResolvedData{}
	}
	s.awaited[id] = c
}

// tell hands an answer to the tool that waits for it.
func (s *Session) tell(events []clew.Event) {
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
func (d *Desk) Begin() error {
	if d.stream != nil {
		return d.stream.Restart()
	}
	var err error
	d.stream, err = d.Open(clew.SayText, "")
	return err
}

// Write streams a piece of the reply to whoever is watching.
func (d *Desk) Write(delta string) error { return d.stream.Write(delta) }

// End closes the reply, and with it the turn.
func (d *Desk) End() error {
	final := d.stream.Final()
	_, err := d.RecordTask(func(_ Batch, _ *State, t *Task) []clew.Event {
		return []clew.Event{final, {Type: clew.EventTaskIdle, Data: &clew.TaskIdleData{TaskRef: t.TaskRef}}}
	})
	return err
}

// fail ends a turn that cannot go on: the error goes on record, and nothing is
// left open behind it.
func (d *Desk) fail(err error) {
	for _, cut := range []bool{false, true} { // what is too much for one batch is cut
		_, refused := d.RecordTask(func(b Batch, s *State, t *Task) []clew.Event {
			return failTurn(s, t, d.s.streamed(), b, err, cut)
		})
		if clew.CodeOf(refused) != clew.MessageTooLarge {
			return // recorded, or the turn is over
		}
	}
}

// failTurn makes the events of a turn that failed inside.
func failTurn(s *State, t *Task, streamed streams, b Batch, err error, cut bool) []clew.Event {
	events := []clew.Event{{Type: clew.EventError, Data: clew.NewErrorData(err, clew.ErrorContext{AgentID: t.Turn.AgentID, TaskID: t.TaskID})}}
	how := closing{reason: "ended by a failure", at: 1, cut: cut}
	if s.running(t) != nil && (t.Run != nil || t.TodoID != "") {
		return append(events, broken(s, t, streamed, b, how, clew.AsError(err))...)
	}
	if !awaited(s, t) {
		return append(events, closeTurn(s, t, streamed, b, how)...)
	}
	how.ends = true // its parent hears of it and goes on
	events = append(events, closeTurn(s, t, streamed, b, how)...)
	events = append(events, clew.Event{Type: clew.EventTaskAborted, Data: &clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: "failed"}})
	return append(events, goOn(s, s.Task(t.ParentTaskID), t, "The subtask failed: "+clew.AsError(err).Message, "failed")...)
}

// CloseTexts makes the events that close a task's growing messages as they
// stand.
func CloseTexts(s *State, t *Task) []clew.Event {
	var events []clew.Event
	for _, m := range s.Messages.Growing() {
		if m.TaskID == t.TaskID {
			m.Partial = false
			events = append(events, clew.Event{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: recorded(m)}})
		}
	}
	return events
}

// Forsaken makes the events that settle the questions of calls whose tools are
// gone: nobody would hear the answers.
func Forsaken(s *State, t *Task, calls []Call) []clew.Event {
	var events []clew.Event
	for _, q := range s.Questions {
		a := aboutOf(q)
		if a.task == t.TaskID && a.call != "" && slices.ContainsFunc(calls, func(c Call) bool { return c.ID == a.call }) {
			events = append(events, clew.Event{Type: clew.EventHitlResolved, Data: &clew.HitlResolvedData{
				RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the tool is gone", TaskID: t.TaskID,
			}})
		}
	}
	return events
}

// CloseTurn makes the events that end the turn in the middle, for a reason that
// completes the sentence "This call was …". Its first event is the i-th of the
// batch.
func CloseTurn(s *State, t *Task, b Batch, i int, reason string) []clew.Event {
	return closeTurn(s, t, nil, b, closing{reason: reason, at: i})
}

// Spawn makes the events that start a child task for a call of its parent. Its
// first event is the i-th of the batch.
func Spawn(s *State, t *Task, b Batch, i int, call Call, text, mode string) []clew.Event {
	tx := b.tx(i)
	child := clew.TaskRef{TaskID: tx.taskID(s), ParentTaskID: t.TaskID, RootTaskID: t.RootTaskID, MonitorID: t.MonitorID}
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
	alone := s.running(t) == nil // many are at work on a run: what people say is for the run
	if alone {
		tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef})
	}
	tx.Add(&clew.TaskStartedData{TaskRef: child})
	if alone {
		tx.Add(&clew.TaskFocusedData{TaskRef: child})
	}
	tx.Add(&clew.TaskActiveData{TaskRef: child})
	return tx.Events()
}

// Return makes the events that bring a child's result to its parent. data is
// what else it has to say beside the text, nil for most. Its first event is the
// i-th of the batch.
func Return(s *State, child *Task, b Batch, i int, text string, data map[string]any) []clew.Event {
	if s.carries(child) {
		return todoCompleted(s, child, b, i, text, data)
	}
	parent := s.Task(child.ParentTaskID)
	if parent == nil || parent.AwaitingChild != child.TaskID {
		return nil // it ended before, and was talked to again
	}
	return goOn(s, parent, child, text, "")
}
