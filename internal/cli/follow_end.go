package cli

import (
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// How work can end, in a word for programs.
const (
	endedDone      = "done"
	endedFailed    = "failed"
	endedCancelled = "cancelled"
	endedStopped   = "stopped" // somebody interrupted it; it can be taken up again
	endedQuestion  = "needs_answer"
	endedBudget    = "budget"
	endedLeft      = "left" // it goes on without us
	endedLost      = "no_server"
)

// An outcome says how the work ended that a command followed.
type outcome struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"` // why, for people
}

// code is the exit code that goes with it.
func (e outcome) code() int {
	switch e.Status {
	case endedDone:
		return exitOK
	case endedQuestion:
		return exitQuestion
	case endedCancelled, endedStopped:
		return exitCancelled
	case endedBudget:
		return exitBudget
	case endedLeft:
		return exitInterrupted
	case endedLost:
		return exitNoServer
	}
	return exitFailure
}

// A course follows one piece of work through the records to its end: the task
// that a message started or went on with, or, without a message, whatever is
// under way.
type course struct {
	said clew.ClientMessageID // "" for what is under way
	task clew.TaskID          // known once the message is accepted

	roots  map[clew.TaskID]clew.TaskID
	runs   map[clew.TaskID]bool
	usage  map[clew.TaskID]clew.Usage // of the task and all below it
	budget map[clew.RequestID]bool    // questions that ask for more money or time

	answer  string // what the task came to
	words   string // what its agent said last
	failure string
	stopped bool
	broke   bool // somebody said no to more money or time
}

func newCourse(said clew.ClientMessageID) *course {
	return &course{
		said: said, roots: map[clew.TaskID]clew.TaskID{}, runs: map[clew.TaskID]bool{},
		usage: map[clew.TaskID]clew.Usage{}, budget: map[clew.RequestID]bool{},
	}
}

// hear takes an envelope in and says how the work ended, nil as long as it goes
// on.
func (k *course) hear(env wire.Envelope) *outcome {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return nil
	}
	k.learn(ev, env.Seq() > 0)
	if k.said != "" && k.task == "" {
		return nil // what happens before the message is taken is not about it
	}
	return k.judge(ev)
}

// learn keeps what has to be known of tasks.
func (k *course) learn(ev clew.Event, record bool) {
	switch d := ev.Data.(type) {
	case *clew.SessionState:
		if k.said == "" { // what was said last may be the answer already
			for _, m := range d.Messages {
				k.message(m)
			}
		}
	case *clew.TaskCreatedData:
		k.roots[d.TaskID] = d.RootTaskID
		k.runs[d.TaskID] = d.RunID != "" && d.TodoID == ""
	case *clew.MessageAcceptedData:
		if k.said != "" && d.ClientMessageID == k.said {
			k.task = d.TaskID
			k.stopped, k.failure, k.answer, k.words = false, "", "", ""
		}
	case *clew.MessageCreatedData:
		k.message(d.Message)
	case *clew.MessageUpdatedData:
		k.message(d.Message)
	case *clew.TaskTokenUsageUpdatedData:
		k.roots[d.TaskID] = d.RootTaskID
		k.usage[d.TaskID] = d.TokenUsage
	case *clew.ErrorData:
		if record && k.mine(d.Context.TaskID) {
			k.failure = d.Message
		}
	case *clew.HitlApprovalRequestData:
		k.budget[d.RequestID] = d.Limit == "budget" || d.Limit == "time"
	case *clew.HitlResolvedData:
		k.broke = k.broke || k.budget[d.RequestID] && d.Action != clew.ResolvedApprove && d.Action != clew.ResolvedCancelled
	}
}

func (k *course) message(m clew.Message) {
	if m.Type != clew.TypeSay || m.Partial || !k.main(m.TaskID) || k.said != "" && k.task == "" {
		return
	}
	switch {
	case m.Role == clew.SpeakerUser && m.AgentID == "":
		k.answer, k.words = "", "" // to what was said before
	case m.Say == clew.SayAPIReqDeleted && strings.Contains(m.Text, "interrupted by the user"):
		k.stopped = true
	case m.Say == clew.SayAPIReqStarted:
		k.stopped = false
	case m.Say == clew.SayCompletionResult && m.Role == clew.SpeakerAssistant:
		k.answer = m.Text
	case m.Say == clew.SayText && m.Role == clew.SpeakerAssistant && strings.TrimSpace(m.Text) != "":
		k.words = m.Text
	}
}

// main reports whether a task is the one that is followed, not one below it.
func (k *course) main(id clew.TaskID) bool {
	return id == k.task || k.task == "" && (k.roots[id] == id || k.roots[id] == "")
}

// mine reports whether a task is the one that is followed, or below it.
func (k *course) mine(id clew.TaskID) bool {
	return k.main(id) || k.task == "" || id == "" || k.roots[id] == k.task || k.roots[id] == ""
}

// judge finds the end.
func (k *course) judge(ev clew.Event) *outcome {
	switch d := ev.Data.(type) {
	case *clew.CompleteData:
		if k.main(d.TaskID) {
			k.answer = firstOf(d.Response.Text, k.answer)
			return &outcome{Status: endedDone}
		}
	case *clew.FailedData:
		if k.main(d.TaskID) {
			return k.over(outcome{endedFailed, d.Error.Message})
		}
	case *clew.CancelledData:
		if k.main(d.TaskID) {
			return k.over(outcome{endedCancelled, d.Reason})
		}
	case *clew.TaskAbortedData:
		if !k.main(d.TaskID) {
			break
		}
		if d.Reason == "failed" {
			return k.over(outcome{endedFailed, k.failure})
		}
		return k.over(outcome{endedCancelled, d.Reason})
	case *clew.TaskIdleData:
		if k.main(d.TaskID) && d.RequestID == "" && d.ParentTaskID == "" && !k.runs[d.TaskID] {
			return k.rest()
		}
	}
	return nil
}

// rest judges a turn that is over without a word of how.
func (k *course) rest() *outcome {
	switch {
	case k.failure != "":
		return k.over(outcome{endedFailed, k.failure})
	case k.stopped:
		return k.over(outcome{endedStopped, "somebody interrupted it"})
	}
	return k.over(outcome{Status: endedDone})
}

// over takes a no to more money into account.
func (k *course) over(e outcome) *outcome {
	if k.broke {
		e = outcome{endedBudget, firstOf(e.Message, "the budget is used up")}
	}
	return &e
}

// result is the final answer, as far as there is one.
func (k *course) result() string { return firstOf(k.answer, k.words) }

// spent is what the work used.
func (k *course) spent() clew.Usage {
	var sum clew.Usage
	for id, u := range k.usage {
		if k.mine(id) {
			sum = sum.Add(u)
		}
	}
	return sum
}
