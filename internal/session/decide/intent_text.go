package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// OpenText makes a message that grows; the messages before it end with it.
type OpenText struct {
	Turn   core.Turn
	Say    clew.Say
	Call   string
	Before []clew.Message
}

func (o OpenText) decide(tx *Tx, _ *core.State, t *core.Task) (Result, error) {
	for _, m := range o.Before {
		tx.Update(m)
	}
	m := NewReply(tx.NextID(), tx.NextTS(), t.MonitorID, &o.Turn)
	m.Say, m.ToolCallID = o.Say, o.Call
	tx.Say(m)
	return Result{Opened: m}, nil
}

// UpdateText puts a message on record as it stands. With ends the turn is over.
type UpdateText struct {
	M    clew.Message
	Ends bool
}

func (u UpdateText) decide(tx *Tx, _ *core.State, t *core.Task) (Result, error) {
	tx.Update(u.M)
	if u.Ends {
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	}
	return Result{}, nil
}

// ToolQuestion asks on behalf of a running tool, which waits for the answer.
type ToolQuestion struct{ Q clew.HitlInputRequestData }

func (q ToolQuestion) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	return Result{Question: AskInput(tx, s, t, q.Q)}, nil
}

// A StreamedIntent is decided with the text of growing messages, which the state
// knows only up to its last snapshot.
type StreamedIntent interface {
	Intent
	With(texts streams) Intent
}

var _, _, _ StreamedIntent = TurnFailure{}, TodoFailure{}, ChangeWindow{}

// TurnFailure ends a turn that cannot go on.
type TurnFailure struct {
	Err      error
	Cut      bool // as in closing
	streamed streams
}

// With implements StreamedIntent.
func (f TurnFailure) With(texts streams) Intent {
	f.streamed = texts
	return f
}

func (f TurnFailure) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	failTurn(tx, s, t, f.streamed, f.Err, f.Cut)
	return Result{}, nil
}

// TodoFailure ends the turn of a task that carries out a todo, and the todo.
type TodoFailure struct {
	Reason   string
	Failure  clew.Failure
	streamed streams
}

// With implements StreamedIntent.
func (f TodoFailure) With(texts streams) Intent {
	f.streamed = texts
	return f
}

func (f TodoFailure) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	FailTodo(tx, s, t, f.streamed, f.Reason, f.Failure)
	return Result{}, nil
}
