package session

import "github.com/clew-run/clew"

// What a desk itself records on behalf of its agent.

// openText makes a message that grows; the messages before it end with it.
type openText struct {
	turn   Turn
	say    clew.Say
	call   string
	before []clew.Message
}

func (o openText) decide(tx *Tx, _ *State, _ *Task) (Result, error) {
	for _, m := range o.before {
		tx.Update(m)
	}
	m := newReply(tx.NextID(), tx.NextTS(), &o.turn)
	m.Say, m.ToolCallID = o.say, o.call
	tx.Say(m)
	return Result{Opened: m}, nil
}

// updateText puts a message on record as it stands. With ends the turn is over.
type updateText struct {
	m    clew.Message
	ends bool
}

func (u updateText) decide(tx *Tx, _ *State, t *Task) (Result, error) {
	tx.Update(u.m)
	if u.ends {
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	}
	return Result{}, nil
}

// toolQuestion asks on behalf of a running tool, which waits for the answer.
type toolQuestion struct{ q clew.HitlInputRequestData }

func (q toolQuestion) decide(tx *Tx, s *State, t *Task) (Result, error) {
	return Result{Question: AskInput(tx, s, t, q.q)}, nil
}

// streamed intents are decided with the text of growing messages, which the state
// knows only up to its last snapshot.
type streamedIntent interface {
	Intent
	with(texts streams) Intent
}

// turnFailure ends a turn that cannot go on.
type turnFailure struct {
	err      error
	cut      bool // as in closing
	streamed streams
}

func (f turnFailure) with(texts streams) Intent {
	f.streamed = texts
	return f
}

func (f turnFailure) decide(tx *Tx, s *State, t *Task) (Result, error) {
	failTurn(tx, s, t, f.streamed, f.err, f.cut)
	return Result{}, nil
}

// todoFailure ends the turn of a task that carries out a todo, and the todo.
type todoFailure struct {
	reason   string
	failure  clew.Failure
	streamed streams
}

func (f todoFailure) with(texts streams) Intent {
	f.streamed = texts
	return f
}

func (f todoFailure) decide(tx *Tx, s *State, t *Task) (Result, error) {
	failTodo(tx, s, t, f.streamed, f.reason, f.failure)
	return Result{}, nil
}
