package follow

import (
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// How work can end, in a word for programs.
const (
	EndedDone      = "done"
	EndedFailed    = "failed"
	EndedCancelled = "cancelled"
	EndedStopped   = "stopped" // somebody interrupted it; it can be taken up again
	EndedQuestion  = "needs_answer"
	EndedBudget    = "budget"
	EndedPaused    = "paused" // somebody has to resume it
	EndedLeft      = "left"   // it goes on without us
	EndedLost      = "no_server"
)

// An outcome says how the work ended that a command followed.
type outcome struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"` // why, for people
}

// code is the exit code that goes with it.
func (e outcome) code() int {
	switch e.Status {
	case EndedDone:
		return env.ExitOK
	case EndedQuestion, EndedPaused:
		return env.ExitQuestion
	case EndedCancelled, EndedStopped:
		return env.ExitCancelled
	case EndedBudget:
		return env.ExitBudget
	case EndedLeft:
		return env.ExitInterrupted
	case EndedLost:
		return env.ExitNoServer
	}
	return env.ExitFailure
}

// outcomeOf is how work ended by the server's word. What somebody else did is put
// into words here; all else is said by the server.
func outcomeOf(o *clew.Outcome) *outcome {
	message := o.Message
	if o.WhyCode == clew.EndInterrupted {
		message = "somebody interrupted it"
	}
	switch o.Status {
	case clew.OutcomeDone:
		return &outcome{Status: EndedDone}
	case clew.OutcomeCancelled:
		return &outcome{EndedCancelled, message}
	case clew.OutcomeBudget:
		return &outcome{EndedBudget, message}
	case clew.OutcomeStopped, clew.OutcomeDenied:
		return &outcome{EndedStopped, message}
	}
	return &outcome{EndedFailed, message}
}

// An outcomeTracker is one piece of work in a session's state: the task that a message
// started or went on with, or, without a message, whatever is under way.
type outcomeTracker struct {
	said clew.ClientMessageID // "" for what is under way
	task clew.TaskID          // known once the message is accepted

	state  *client.Replica
	began  bool                       // a state is known
	over   map[clew.TaskID]bool       // tasks that are at rest
	before map[clew.TaskID]clew.Usage // what they had used when we came
	since  clew.MessageID             // the message; what is said about it comes later
	queued bool                       // it waits for what is under way
}

func newOutcomeTracker(said clew.ClientMessageID, state *client.Replica) *outcomeTracker {
	return &outcomeTracker{said: said, state: state, over: map[clew.TaskID]bool{}, before: map[clew.TaskID]clew.Usage{}}
}

// take looks at the state after a change and says how the work ended, nil as long
// as it goes on.
func (k *outcomeTracker) take(d *clew.StateChangedData) *outcome {
	if !k.began {
		k.began = true
		for i := range k.state.Tasks {
			t := &k.state.Tasks[i]
			k.over[t.TaskID], k.before[t.TaskID] = k.endOf(t) != nil, t.Usage
		}
	}
	k.find(d)
	if k.said != "" && k.task == "" {
		return nil // what happens before the message is taken is not about it
	}
	return k.end()
}

// find looks for the message, and for the task that it is for.
func (k *outcomeTracker) find(d *clew.StateChangedData) {
	if k.said == "" || k.task != "" {
		return
	}
	for i := range k.state.Queue {
		k.queued = k.queued || k.state.Queue[i].ClientMessageID == k.said
	}
	for i := range d.Put.Message {
		if m := &d.Put.Message[i]; m.ClientMessageID == k.said && m.TaskID != "" {
			k.task, k.since = k.rootOf(m.TaskID), m.MessageID
		}
	}
}

// end finds the end: of the task that is followed, or of one that was under way.
func (k *outcomeTracker) end() (end *outcome) {
	held := false
	for i := range k.state.Tasks {
		t := &k.state.Tasks[i]
		o, was := k.endOf(t), k.over[t.TaskID]
		k.over[t.TaskID] = o != nil
		held = held || t.TaskID == k.task
		if o != nil && end == nil && (t.TaskID == k.task || k.task == "" && t.ParentTaskID == "" && !was) {
			end = outcomeOf(o)
		}
	}
	if k.task != "" && !held {
		return &outcome{EndedStopped, "the session was taken back to before it"}
	}
	return end
}

// last is how the work ended that came last: nothing is under way now.
func (k *outcomeTracker) last() *outcome {
	var newest *clew.TaskInfo
	for i := range k.state.Tasks {
		if t := &k.state.Tasks[i]; t.ParentTaskID == "" && (newest == nil || t.CreatedMS >= newest.CreatedMS) {
			newest = t
		}
	}
	if newest != nil {
		if o := k.endOf(newest); o != nil {
			return outcomeOf(o)
		}
	}
	return &outcome{Status: EndedDone}
}

// endOf is how a task ended, nil while it goes on. A run ends as a whole, whatever
// its turns do.
func (k *outcomeTracker) endOf(t *clew.TaskInfo) *clew.Outcome {
	if r := k.runOf(t.TaskID); r != nil {
		return r.Ended
	}
	return t.Outcome
}

// runOf is the run that a task carries, nil if it carries none.
func (k *outcomeTracker) runOf(id clew.TaskID) *clew.RunInfo {
	for i := range k.state.Runs {
		if k.state.Runs[i].TaskID == id {
			return &k.state.Runs[i]
		}
	}
	return nil
}

// rootOf is the task that a task is below, or itself.
func (k *outcomeTracker) rootOf(id clew.TaskID) clew.TaskID {
	for i := range k.state.Tasks {
		if t := &k.state.Tasks[i]; t.TaskID == id && t.RootTaskID != "" {
			return t.RootTaskID
		}
	}
	return id
}

// main reports whether a task is the one that is followed, not one below it.
func (k *outcomeTracker) main(id clew.TaskID) bool {
	return id == k.task || k.task == "" && k.rootOf(id) == id
}

// mine reports whether a task is the one that is followed, or below it.
func (k *outcomeTracker) mine(id clew.TaskID) bool {
	return k.task == "" || id == "" || k.rootOf(id) == k.task
}

// result is the final answer, as far as there is one: what the task came to, or
// else what its agent said last.
func (k *outcomeTracker) result() string {
	var answer, words string
	for i := range k.state.Messages {
		m := &k.state.Messages[i]
		if m.Type != clew.TypeSay || m.Partial || m.MessageID <= k.since || k.said != "" && k.task == "" || !k.main(m.TaskID) {
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
	return env.FirstOf(answer, words)
}

// reports are where the reports of a plan are.
func (k *outcomeTracker) reports() (paths []string) {
	for i := range k.state.Runs {
		if r := &k.state.Runs[i]; k.main(r.TaskID) {
			paths = r.ReportPaths
		}
	}
	return paths
}

// spent is what the work used.
func (k *outcomeTracker) spent() (sum clew.Usage) {
	for i := range k.state.Tasks {
		if t := &k.state.Tasks[i]; k.mine(t.TaskID) && t.Usage != k.before[t.TaskID] {
			sum = sum.Add(t.Usage)
		}
	}
	return sum
}
