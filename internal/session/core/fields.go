package core

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/sentence"
)

// Completed completes the events of a batch with what follows from the state and from
// each other: of which kind an agent is, what words do to a question, how work
// ended. It is done here for all of them, so that nobody who makes an event has
// to think of it.
func Completed(s *State, events []clew.Event) {
	f := filler{s: s, made: map[clew.TaskID]*clew.TaskCreatedData{}, turns: map[clew.TaskID]*Turn{}}
	for _, e := range events {
		if d, ok := e.Data.(*clew.TaskCreatedData); ok {
			d.AgentKind = cmp.Or(d.AgentKind, kindOf(d.TaskRef, d.TodoID))
			f.made[d.TaskID] = d
		}
	}
	for _, e := range events {
		f.event(e)
		Translate(e.Data) // as will be done to what is read back: live and folded are the same
		sentence.In(e.Data)
	}
}

type filler struct {
	s     *State
	made  map[clew.TaskID]*clew.TaskCreatedData // tasks that begin in the batch
	turns map[clew.TaskID]*Turn                 // turns as the batch has left them so far
	asked []clew.Question                       // questions that it asked
}

func (f *filler) event(e clew.Event) {
	switch d := e.Data.(type) {
	case *clew.MessageCreatedData:
		d.Message.AgentKind = f.kind(d.Message.AgentID, d.Message.TaskID)
	case *clew.MessageUpdatedData:
		d.Message.AgentKind = f.kind(d.Message.AgentID, d.Message.TaskID)
	case *clew.TaskIdleData:
		if d.RequestID == "" {
			d.Outcome = f.ends(d.TaskID, d.Outcome, false)
		}
	case *clew.TaskAbortedData:
		d.Outcome = f.ends(d.TaskID, d.Outcome, true)
	case *clew.CancelledData:
		d.Outcome = f.ends(d.TaskID, d.Outcome, true)
	case *clew.FailedData:
		d.Outcome = f.ends(d.TaskID, cmp.Or(d.Outcome, &clew.Outcome{WhyCode: clew.EndFailed}), true)
	case *clew.TaskCompletedData:
		d.Outcome = &clew.Outcome{Status: clew.OutcomeDone}
	default:
		if q := clew.Question(e); q.Asking() != nil {
			f.question(q)
		}
	}
	noteTrouble(e.Data, f.find, f.turn)
}

// EndIn is the task whose turn a record ends behind these events, and how; nil if it
// ends none.
func EndIn(s *State, events []clew.Event, data any) (clew.TaskID, *clew.Outcome) {
	ref, told, aborted := clew.TaskID(""), (*clew.Outcome)(nil), false
	switch d := data.(type) {
	case *clew.TaskIdleData:
		if d.RequestID != "" {
			return "", nil
		}
		ref, told = d.TaskID, d.Outcome
	case *clew.TaskAbortedData:
		ref, told, aborted = d.TaskID, d.Outcome, true
	default:
		return "", nil
	}
	f := filler{s: s, turns: map[clew.TaskID]*Turn{}}
	for _, e := range events {
		if q := clew.Question(e); q.Asking() != nil {
			f.asked = append(f.asked, q)
		}
		noteTrouble(e.Data, f.find, f.turn)
	}
	return ref, f.ends(ref, told, aborted)
}

func (f *filler) question(q clew.Question) {
	a := q.Asking()
	a.AgentKind = f.kind(a.AgentID, a.TaskID)
	if a.WordsEffect == "" {
		a.WordsEffect = f.s.wordsEffect(q)
	}
	f.asked = append(f.asked, q)
}

// find gives a question of the batch, or one that was open before it.
func (f *filler) find(id clew.RequestID) *clew.Question {
	for i := range f.asked {
		if f.asked[i].RequestID() == id {
			return &f.asked[i]
		}
	}
	return f.s.OpenQuestion(id)
}

// turn gives a copy of a task's turn, and the task above it. A task that begins
// in the batch has had no trouble yet.
func (f *filler) turn(id clew.TaskID) (*Turn, clew.TaskID) {
	t := f.s.Task(id)
	if t == nil || t.Turn == nil {
		return nil, ""
	}
	if f.turns[id] == nil {
		turn := *t.Turn
		f.turns[id] = &turn
	}
	return f.turns[id], t.ParentTaskID
}

func (f *filler) ends(id clew.TaskID, told *clew.Outcome, aborted bool) *clew.Outcome {
	turn, _ := f.turn(id)
	if t := f.s.Task(id); turn == nil && t != nil && t.Outcome != nil && told == nil {
		return t.Outcome // it was at rest, and stays as it is
	}
	return turnOutcome(turn, told, aborted)
}

// kind says of which kind an agent is that works on a task, or gave it to
// another.
func (f *filler) kind(agent clew.AgentID, task clew.TaskID) clew.AgentKind {
	for agent != "" && task != "" {
		if d := f.made[task]; d != nil {
			if d.AgentID == agent {
				return d.AgentKind
			}
			task = d.ParentTaskID
			continue
		}
		t := f.s.Task(task)
		if t == nil {
			break
		}
		if t.AgentID == agent {
			return t.Kind()
		}
		task = t.ParentTaskID
	}
	if slices.ContainsFunc(f.s.AllMonitors(), func(m Monitor) bool { return m.AgentID == agent }) {
		return clew.AgentMain
	}
	return ""
}

// kindOf says of which kind the agent of a task is.
func kindOf(ref clew.TaskRef, todo string) clew.AgentKind {
	switch {
	case todo != "":
		return clew.AgentStep
	case ref.ParentTaskID != "":
		return clew.AgentTask
	}
	return clew.AgentMain
}
