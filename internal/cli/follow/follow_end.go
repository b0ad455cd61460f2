package follow

import (
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
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

// A course follows one piece of work through the records to its end: the task
// that a message started or went on with, or, without a message, whatever is
// under way.
type course struct {
	said clew.ClientMessageID // "" for what is under way
	task clew.TaskID          // known once the message is accepted

	roots  map[clew.TaskID]clew.TaskID
	blind  bool // there may be tasks that roots does not have
	runs   map[clew.TaskID]bool
	usage  map[clew.TaskID]clew.Usage // of the task and all below it
	limits map[clew.RequestID]outcome // questions whether to go on, with what a no comes to

	queued   bool        // the message waits for what is under way
	answered clew.TaskID // whose question the message answered
	answer   string      // what the task came to
	words    string      // what its agent said last
	reports  []string    // where the reports of a plan are
	failure  string
	stopped  bool
	refused  *outcome // somebody said no to going on
}

func newCourse(said clew.ClientMessageID) *course {
	return &course{
		said: said, roots: map[clew.TaskID]clew.TaskID{}, runs: map[clew.TaskID]bool{},
		usage: map[clew.TaskID]clew.Usage{}, limits: map[clew.RequestID]outcome{},
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
		k.state(d)
	case *clew.TaskCreatedData:
		k.roots[d.TaskID] = d.RootTaskID
		k.runs[d.TaskID] = d.RunID != "" && d.TodoID == ""
	case *clew.MessageAcceptedData:
		if k.said != "" && d.ClientMessageID == k.said {
			k.task = firstTask(d.TaskID, k.rootOf(k.answered))
			k.stopped, k.failure, k.answer, k.words, k.refused = false, "", "", "", nil
		}
	case *clew.MessageQueuedData:
		k.queued = k.queued || k.said != "" && d.ClientMessageID == k.said
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
		k.asked(d)
	case *clew.HitlResolvedData:
		k.resolved(d)
	}
}

// state learns from how things stood when we came.
func (k *course) state(d *clew.SessionState) {
	for _, q := range openOf(*d) {
		if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok {
			k.asked(d)
		}
	}
	for _, r := range d.Runs {
		k.runs[r.TaskID] = true
	}
	if k.said == "" { // what was said last may be the answer already
		for _, m := range d.Messages {
			k.message(m)
		}
		for _, r := range d.Runs {
			k.reports = r.ReportPaths
		}
	}
}

// tasks learns of those that are older than we are here.
func (k *course) tasks(list []clew.HistoryItem) {
	k.blind = false
	for _, t := range list {
		if k.roots[t.ID] == "" {
			k.roots[t.ID] = firstTask(t.RootTaskID, t.ID)
		}
	}
}

// asked keeps what a no to a question means, if it asks whether to go on.
func (k *course) asked(d *clew.HitlApprovalRequestData) {
	switch {
	case d.Limit == "budget" || d.Limit == "time":
		k.limits[d.RequestID] = outcome{EndedBudget, "the budget is used up"}
	case d.Ask == clew.AskAPIReqFailed, d.Ask == clew.AskMistakeLimitReached, d.Limit == "retries", d.Limit == "mistakes":
		k.limits[d.RequestID] = outcome{EndedFailed, d.Reason}
	case d.Limit != "":
		k.limits[d.RequestID] = outcome{EndedStopped, "the answer to going on was no"}
	}
}

func (k *course) resolved(d *clew.HitlResolvedData) {
	if k.said != "" && d.ClientMessageID == k.said {
		k.answered = d.TaskID
	}
	no, asked := k.limits[d.RequestID]
	switch {
	case !asked || d.Action == clew.ResolvedCancelled && !d.ByTimeout:
	case d.Action != clew.ResolvedApprove:
		k.refused = &no
	case no.Status == EndedFailed: // it is tried again
		k.failure = ""
	}
}

func firstTask(ids ...clew.TaskID) clew.TaskID {
	for _, id := range ids {
		if id != "" {
			return id
		}
	}
	return ""
}

// rootOf is the task that a task is below, or itself.
func (k *course) rootOf(id clew.TaskID) clew.TaskID { return firstTask(k.roots[id], id) }

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
		if k.stopped = false; k.refused != nil && k.refused.Status != EndedBudget {
			k.refused = nil // somebody had it go on after all
		}
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
	return k.main(id) || k.task == "" || id == "" || k.roots[id] == k.task || k.roots[id] == "" && k.blind
}

// judge finds the end.
func (k *course) judge(ev clew.Event) *outcome {
	switch d := ev.Data.(type) {
	case *clew.CompleteData:
		if k.main(d.TaskID) {
			k.answer, k.reports = env.FirstOf(d.Response.Text, k.answer), d.ReportPaths
			return &outcome{Status: EndedDone}
		}
	case *clew.FailedData:
		if k.main(d.TaskID) {
			return k.over(outcome{EndedFailed, d.Error.Message})
		}
	case *clew.CancelledData:
		if k.main(d.TaskID) {
			return k.over(outcome{EndedCancelled, d.Reason})
		}
	case *clew.TaskAbortedData:
		if !k.main(d.TaskID) {
			break
		}
		if d.Reason == "failed" {
			return k.over(outcome{EndedFailed, k.failure})
		}
		return k.over(outcome{EndedCancelled, d.Reason})
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
		return k.over(outcome{EndedFailed, k.failure})
	case k.stopped:
		return k.over(outcome{EndedStopped, "somebody interrupted it"})
	}
	return k.over(outcome{Status: EndedDone})
}

// over takes a no to going on into account.
func (k *course) over(e outcome) *outcome {
	if no := k.refused; no != nil && e.Status == EndedFailed {
		e = outcome{no.Status, env.FirstOf(e.Message, no.Message)}
	} else if no != nil {
		e = *no
	}
	return &e
}

// result is the final answer, as far as there is one.
func (k *course) result() string { return env.FirstOf(k.answer, k.words) }

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
