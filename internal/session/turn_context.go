package session

import (
	"context"
	"maps"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A TurnContext is what an agent has in front of it during a turn: the task as it
// stands, a way to record events, and streams of text. Record may be called
// from several goroutines; the rest belongs to one.
type TurnContext struct {
	s             *Session
	turn          core.Turn
	lastRewindSeq uint64 // the session's last return when the agent began
	ctx           context.Context
	slot          *turnSlot
	stream        *Stream       // of Begin, Write and End
	recorded      atomic.Int64  // batches, to tell an agent that does nothing
	seen          atomic.Uint64 // the state that the agent last looked at
}

// A View is a task as its agent sees it.
type View struct {
	Session   clew.SessionID
	Owner     clew.UserID
	Workspace string
	// Environment is that of the terminal where the session began, nil if none. It
	// is never changed.
	Environment map[string]string
	// Checkpoint is the newest one of the workspace, "" if there is none.
	Checkpoint string
	// FilesNode is the node that has the files, "" if that is not known. OwnPast
	// says that the session wrote all its records itself.
	FilesNode string
	OwnPast   bool
	// Moved is the record that last took the session elsewhere in its history.
	Moved    uint64
	Settings map[string]any // the session's own
	Task     core.Task
	// Root is the root of the task's tree, Tree what the tree used so far and
	// Tasks how many tasks it has.
	Root     core.Task
	Tree     clew.Usage
	Tasks    int
	Question *clew.Question // the task's oldest open question, nil if none
	// Preamble is what the model is told with the next words that it hears, as far as is
	// known now.
	Preamble string
	// Apps says that an app is ready in a window. Windows are the open ones; the list is
	// never changed.
	Apps    bool
	Windows []core.Window
	// Notebooks are the session's; the list is never changed.
	Notebooks []core.Notebook
	// Instructions are the files that models go by, nil before any were read.
	Instructions *clew.InstructionsRead
	// Run is the tree's run if one is under way: whole for its root, without the
	// todos for those who carry them out. Todo is the one that the task carries
	// out.
	Run  *run.Run
	Todo *clew.Todo
	// InTodo is the todo that the task, or the one above it, carries out, "" if none.
	InTodo string
	NowMS  int64
	// Held says that the run is paused, or that its monitor's budget is used up: nothing
	// new may begin.
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

func (s *Session) view(t *core.Task) View {
	v := View{
		Session: s.id, Owner: s.state.Owner, Workspace: s.state.Workspace, Environment: s.state.Environment, Checkpoint: s.state.Checkpoint, FilesNode: s.state.FilesNode, OwnPast: s.state.FirstOwnSeq == 0, Moved: s.state.LastRewindSeq, Settings: maps.Clone(s.state.Settings),
		Task: t.Clone(), Tree: s.state.TreeUsage(t.RootTaskID), Blocked: s.state.Blocked(t.TaskID), Held: s.state.OnHold(t), NowMS: s.host.now(),
		Instructions: s.state.Instructions, // never changed
		Apps:         s.state.AppReady(),
		Windows:      s.state.Windows,
		Notebooks:    s.state.Notebooks,
	}
	if len(decide.Waiting(t)) > 0 {
		v.Preamble = s.state.Preamble(t).Text
	}
	for _, x := range s.state.Tasks {
		if x.RootTaskID == t.RootTaskID && x.TodoID == "" {
			v.Tasks++
		}
	}
	s.viewRun(&v, t)
	if x := s.state.TodoTaskOf(t); x != nil {
		v.InTodo = x.TodoID
	}
	for i := range s.state.Questions {
		if core.SubjectOfQuestion(s.state.Questions[i]).Task == t.TaskID {
			q := s.state.Questions[i]
			v.Question = &q
			break
		}
	}
	return v
}

// Turn is the turn that the desk belongs to.
func (d *TurnContext) Turn() core.Turn { return d.turn }

func (d *TurnContext) report(in decide.Intent) clew.Command {
	return clew.Command{
		By:   clew.Principal{User: clew.UserID(d.turn.AgentID)},
		Data: &decide.TurnReport{Task: d.turn.TaskID, Turn: d.turn.ID, LastRewindSeq: d.lastRewindSeq, Intent: in},
	}
}

// Ask puts a question to people on behalf of a running tool and waits for the
// answer. It is for tools that cannot be left and come back to; if the server
// dies meanwhile, the tool's call is in doubt.
func (d *TurnContext) Ask(ctx context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	answered := make(chan clew.HitlResolvedData, 1)
	cmd := d.report(decide.ToolQuestion{Q: q})
	cmd.Data.(*decide.TurnReport).Answer = answered
	if _, err := d.submit(cmd); err != nil {
		return clew.HitlResolvedData{}, err
	}
	d.slot.put(false)
	select {
	case a := <-answered:
		return a, d.slot.again(d.ctx)
	case <-ctx.Done():
		return clew.HitlResolvedData{}, ctx.Err()
	case <-d.ctx.Done():
		return clew.HitlResolvedData{}, d.ctx.Err()
	}
}

// Await waits until the session is not as the last View gave it any more, without a slot.
// It is for what takes seconds and is on record anyway: what takes longer waits on record.
func (d *TurnContext) Await() error {
	waiter := make(chan struct{})
	changed := false
	err := d.s.read(d.ctx, func(s *Session) {
		t := s.turns[d.turn.TaskID]
		if changed = t == nil || t.desk != d || s.state.Seq > d.seen.Load(); !changed {
			t.waiter, t.after = waiter, d.seen.Load()
		}
	})
	if err != nil || changed {
		return err
	}
	d.slot.put(false)
	select {
	case <-waiter:
		return d.slot.again(d.ctx)
	case <-d.ctx.Done():
		return d.ctx.Err()
	case <-d.s.done:
		return errGone
	}
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
	_, err := d.Do(decide.UpdateText{M: final, Ends: true})
	return err
}

// fail ends a turn that cannot go on: the error goes on record, and nothing is
// left open behind it.
func (d *TurnContext) fail(err error) {
	for _, cut := range []bool{false, true} { // what is too much for one batch is cut
		_, refused := d.Do(decide.TurnFailure{Err: err, Cut: cut})
		if clew.CodeOf(refused) != clew.MessageTooLarge {
			return // recorded, or the turn is over
		}
	}
}

// Spent is what the task has used as far as the view knows.
func (v View) Spent() decide.Spent {
	return decide.Spent{Mistakes: v.Task.Mistakes, Steps: v.Task.Steps, Tree: v.Tree, Raised: v.Root.Raised, PastMonth: v.Root.PastMonth, Run: v.Run, NowMS: v.NowMS}
}

// viewRun completes a view with what the task has to know of its tree and run.
// Only the root sees the todos: a copy of them all for each step of each todo's
// agent would be too much.
func (s *Session) viewRun(v *View, t *core.Task) {
	root := s.state.RootOf(t)
	if t.TaskID == root.TaskID {
		v.Root = v.Task
	} else {
		v.Root = core.Task{TaskRef: root.TaskRef, Raised: root.Raised, PastMonth: root.PastMonth, Allowed: root.Allowed}
	}
	r := s.state.ActiveRun(t)
	switch {
	case r == nil:
	case t.Run == r:
		v.Run = v.Task.Run
	default:
		light := *r
		light.Todos, light.Asked, light.Allowed, light.Decisions, light.Entities = nil, nil, nil, nil, nil
		v.Run = &light
		if todo := plan.Find(r.Todos, t.TodoID); todo != nil {
			c := *todo
			v.Todo = &c
		}
	}
}

// FailTodo ends the turn of a task that carries out a todo, and the todo with
// it. The reason completes the sentence "This call was …".
func (d *TurnContext) FailTodo(reason string, f clew.Failure) error {
	_, err := d.Do(decide.TodoFailure{Reason: reason, Failure: f})
	return err
}

// Do records an intent. The error says that nothing is on record, mostly because
// the turn is over.
func (d *TurnContext) Do(in decide.Intent) (decide.Result, error) { return d.submit(d.report(in)) }

// submit waits while no records are taken: an agent goes on where it was when
// they are again.
func (d *TurnContext) submit(cmd clew.Command) (decide.Result, error) {
	out, err := d.s.insist(d.ctx, cmd)
	if err == nil {
		d.recorded.Add(1)
	}
	return out.result, err
}
