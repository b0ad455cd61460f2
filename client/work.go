package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Work is one piece of work in a session's state: the task that a message started
// or went on with, or, without a message, whatever is under way. It belongs to the
// goroutine of its Replica.
type Work struct {
	said clew.ClientMessageID // "" for what is under way
	task clew.TaskID          // known once the message is accepted

	state  *Replica
	began  bool                       // a state is known
	over   map[clew.TaskID]bool       // tasks that are at rest
	before map[clew.TaskID]clew.Usage // what those at rest had used when we came
	since  clew.MessageID             // the message; what is said about it comes later
	queued bool                       // it waits for what is under way
}

// NewWork looks for the work that the command with this id asked for, or, with "",
// for what is under way. state is the replica that takes the changes in.
func NewWork(said clew.ClientMessageID, state *Replica) *Work {
	return &Work{said: said, state: state, over: map[clew.TaskID]bool{}, before: map[clew.TaskID]clew.Usage{}}
}

// Take looks at the state after a change and says how the work ended, nil as long
// as it goes on.
func (w *Work) Take(d *clew.StateChangedData) *clew.Outcome {
	if !w.began {
		w.began = true
		for i := range w.state.Tasks {
			t := &w.state.Tasks[i]
			if w.over[t.TaskID] = w.endOf(t) != nil; w.over[t.TaskID] {
				w.before[t.TaskID] = t.Usage
			}
		}
	}
	w.find(d)
	if w.said != "" && w.task == "" {
		return nil // what happens before the message is taken is not about it
	}
	return w.end()
}

// Task is the task that is followed, "" before the message was taken, and without
// one.
func (w *Work) Task() clew.TaskID { return w.task }

// Questions are those that are open and belong to the work.
func (w *Work) Questions() []clew.Question {
	return slices.DeleteFunc(slices.Clone(w.state.Questions), func(q clew.Question) bool {
		asking := q.Asking()
		return asking != nil && !w.Mine(asking.TaskID)
	})
}

// find looks for the message, and for the task that it is for.
func (w *Work) find(d *clew.StateChangedData) {
	if w.said == "" || w.task != "" {
		return
	}
	for i := range w.state.Queue {
		w.queued = w.queued || w.state.Queue[i].ClientMessageID == w.said
	}
	for i := range d.Put.Message {
		if m := &d.Put.Message[i]; m.ClientMessageID == w.said && m.TaskID != "" {
			w.task, w.since = w.rootOf(m.TaskID), m.MessageID
		}
	}
}

// end finds the end: of the task that is followed, or of one that was under way.
func (w *Work) end() (end *clew.Outcome) {
	held := false
	for i := range w.state.Tasks {
		t := &w.state.Tasks[i]
		o, was := w.endOf(t), w.over[t.TaskID]
		w.over[t.TaskID] = o != nil
		held = held || t.TaskID == w.task
		if o != nil && end == nil && (t.TaskID == w.task || w.task == "" && t.ParentTaskID == "" && !was) {
			end = o
		}
	}
	if w.task != "" && !held {
		return &clew.Outcome{Status: clew.OutcomeStopped, Message: "the session was taken back to before it"}
	}
	return end
}

// Last is how the work ended that came last: nothing is under way now.
func (w *Work) Last() *clew.Outcome {
	var newest *clew.TaskInfo
	for i := range w.state.Tasks {
		if t := &w.state.Tasks[i]; t.ParentTaskID == "" && (newest == nil || t.CreatedMS >= newest.CreatedMS) {
			newest = t
		}
	}
	if newest != nil {
		if o := w.endOf(newest); o != nil {
			return o
		}
	}
	return &clew.Outcome{Status: clew.OutcomeDone}
}

// endOf is how a task ended, nil while it goes on. A run ends as a whole, whatever
// its turns do.
func (w *Work) endOf(t *clew.TaskInfo) *clew.Outcome {
	if r := w.runOf(t.TaskID); r != nil {
		return r.Ended
	}
	return t.Outcome
}

// runOf is the run that a task carries, nil if it carries none.
func (w *Work) runOf(id clew.TaskID) *clew.RunInfo {
	for i := range w.state.Runs {
		if w.state.Runs[i].TaskID == id {
			return &w.state.Runs[i]
		}
	}
	return nil
}

// rootOf is the task that a task is below, or itself.
func (w *Work) rootOf(id clew.TaskID) clew.TaskID {
	for i := range w.state.Tasks {
		if t := &w.state.Tasks[i]; t.TaskID == id && t.RootTaskID != "" {
			return t.RootTaskID
		}
	}
	return id
}

// Main reports whether a task is the one that is followed, not one below it.
func (w *Work) Main(id clew.TaskID) bool {
	return id == w.task || w.task == "" && w.rootOf(id) == id
}

// Mine reports whether a task is the one that is followed, or below it.
func (w *Work) Mine(id clew.TaskID) bool {
	return w.task == "" || id == "" || w.rootOf(id) == w.task
}

// About reports whether a message of a task of this work came after what was asked for.
func (w *Work) About(m *clew.Message) bool { return m.MessageID > w.since && w.Mine(m.TaskID) }

// Answer is the final answer, as far as there is one: what the task came to, or
// else what its agent said last.
func (w *Work) Answer() string {
	var answer, words string
	for i := range w.state.Messages {
		m := &w.state.Messages[i]
		if m.Type != clew.TypeSay || m.Partial || m.MessageID <= w.since || w.said != "" && w.task == "" || !w.Main(m.TaskID) {
			continue
		}
		switch {
		case m.Role == clew.SpeakerUser && m.AgentID == "":
			answer, words = "", "" // to what was said before
		case m.Say == clew.SayCompletionResult && m.Role == clew.SpeakerAssistant:
			answer = m.Text
		case m.Say == clew.SayText && m.Role == clew.SpeakerAssistant && strings.TrimSpace(m.Text) != "":
			words = m.Text
		}
	}
	return cmp.Or(answer, words)
}

// Reports are where the reports of a plan are.
func (w *Work) Reports() (paths []string) {
	for i := range w.state.Runs {
		if r := &w.state.Runs[i]; w.Main(r.TaskID) {
			paths = r.ReportPaths
		}
	}
	return paths
}

// Usage is what the work used. What its task had used for earlier work is not in it.
func (w *Work) Usage() (sum clew.Usage) {
	for i := range w.state.Tasks {
		if t := &w.state.Tasks[i]; w.Mine(t.TaskID) {
			sum = sum.Add(t.Usage.Sub(w.before[t.TaskID]))
		}
	}
	return sum
}

// Paused reports whether what is followed is a plan that is paused. A call that was
// under way then may still end; its step goes no further.
func (w *Work) Paused() bool {
	switch {
	case w.state.Status.Status != clew.StatusPaused || len(w.state.Questions) > 0:
		return false
	case w.task != "":
		return w.runOf(w.task) != nil
	}
	return w.said == "" || w.queued
}
