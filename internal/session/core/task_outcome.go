package core

import (
	"cmp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// noteTrouble keeps on turns what decides how they end: an error, and a no to
// going on. Both count for the tasks above, too, which wait for this one. find
// gives an open question, turn the turn of a task and the task above it.
func noteTrouble(data any, find func(clew.RequestID) *clew.Question, turn func(clew.TaskID) (*Turn, clew.TaskID)) {
	each := func(id clew.TaskID, fn func(*Turn)) {
		for id != "" {
			t, above := turn(id)
			if t != nil {
				fn(t)
			}
			id = above
		}
	}
	switch d := data.(type) {
	case *clew.ErrorData:
		each(d.Context.TaskID, func(t *Turn) { t.Failure = d.Message })
	case *clew.HitlResolvedData:
		q := find(d.RequestID)
		if q == nil {
			return
		}
		no := refusal(*q)
		switch {
		case no == nil || d.Action == clew.ResolvedCancelled && !d.ByTimeout:
		case d.Action != clew.ResolvedApprove:
			no.StoppedBy = d.ResolvedBy
			each(q.Asking().TaskID, func(t *Turn) { t.Refused = no })
		case no.Status == clew.OutcomeFailed: // it is tried again
			each(q.Asking().TaskID, func(t *Turn) { t.Failure = "" })
		}
	case *clew.MessageCreatedData:
		t, _ := turn(d.Message.TaskID)
		switch {
		case t == nil:
		case d.Message.Say == clew.SayAPIReqDeleted && d.Message.WhyCode == clew.EndInterrupted: // the end of an old record's turn does not say so
			t.Refused = &clew.Outcome{Status: clew.OutcomeStopped, WhyCode: clew.EndInterrupted, StoppedBy: d.Message.StoppedBy}
		case d.Message.Say == clew.SayAPIReqStarted && t.Refused != nil && t.Refused.Status != clew.OutcomeBudget:
			t.Refused = nil // somebody had it go on after all
		}
	}
}

// refusal is what a no to a question comes to, nil if it does not ask whether to
// go on.
func refusal(q clew.Question) *clew.Outcome {
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if !ok {
		return nil
	}
	no := func(status clew.OutcomeStatus, message string) *clew.Outcome {
		return &clew.Outcome{Status: status, WhyCode: clew.EndNotContinued, Message: message}
	}
	switch {
	case d.Limit == LimitBudget || d.Limit == LimitMonth || d.Limit == LimitTime:
		return no(clew.OutcomeBudget, "the budget is used up")
	case d.Ask == clew.AskAPIReqFailed, d.Ask == clew.AskMistakeLimitReached, d.Limit == run.LimitRetries, d.Limit == LimitMistakes:
		return no(clew.OutcomeFailed, d.Reason)
	case d.Limit != "":
		return no(clew.OutcomeStopped, "it was not continued")
	case d.Ask == clew.AskResumeTask:
		return no(clew.OutcomeDenied, "it was not continued")
	}
	return nil
}

// turnOutcome says how a turn ended, or, if its task was aborted, how that did.
// told is what the record itself says of it, nil if nothing: then the turn just
// came to its end.
func turnOutcome(turn *Turn, told *clew.Outcome, aborted bool) *clew.Outcome {
	var o clew.Outcome
	if told != nil {
		o = *told
	}
	if o.Status != "" {
		return &o
	}
	if turn == nil {
		turn = &Turn{}
	}
	o.Status = statusOf(o.WhyCode, aborted)
	if turn.Failure != "" && (o.Status == clew.OutcomeDone || o.WhyCode == clew.EndTimedOut || o.WhyCode == clew.EndFailed) {
		o.WhyCode, o.Message = cmp.Or(o.WhyCode, clew.EndFailed), turn.Failure
		if o.Status == clew.OutcomeDone {
			o.Status = clew.OutcomeFailed
		}
	}
	if no := turn.Refused; no != nil && !givenUp(o.WhyCode) {
		o.Status, o.StoppedBy, o.WhyCode, o.Message = no.Status, no.StoppedBy, cmp.Or(o.WhyCode, no.WhyCode), no.Message
		if no.Status == clew.OutcomeFailed {
			o.Message = cmp.Or(turn.Failure, no.Message)
		}
	}
	return &o
}

// givenUp reports whether a person, or a rewind, ended the work, whatever had
// come before.
func givenUp(c clew.EndCode) bool { return c.Stops() && c != clew.EndNotContinued }

func statusOf(c clew.EndCode, aborted bool) clew.OutcomeStatus {
	switch c {
	case clew.EndFailed:
		return clew.OutcomeFailed
	case clew.EndCancelled, clew.EndReset, clew.EndSkipped, clew.EndPlanRejected:
		return clew.OutcomeCancelled
	case clew.EndDenied:
		return clew.OutcomeDenied
	case "":
		if !aborted {
			return clew.OutcomeDone
		}
	case clew.EndTimedOut:
		if !aborted {
			return clew.OutcomeFailed
		}
	}
	switch {
	case c != clew.EndNotContinued && c.Stops():
		return clew.OutcomeStopped
	case aborted:
		return clew.OutcomeCancelled
	}
	return clew.OutcomeStopped
}

// applyTrouble is noteTrouble for the state.
func applyTrouble(s *State, data any) {
	noteTrouble(data, s.OpenQuestion, func(id clew.TaskID) (*Turn, clew.TaskID) {
		t := s.Task(id)
		if t == nil {
			return nil, ""
		}
		return t.Turn, t.ParentTaskID
	})
}

// applyOutcome keeps on a task how it ended. It comes before the turn is gone.
// Records of the tree before this have no outcome.
func applyOutcome(s *State, id clew.TaskID, told *clew.Outcome, aborted bool) {
	t := s.Task(id)
	if t == nil || t.Turn == nil && told == nil {
		return
	}
	t.Outcome = turnOutcome(t.Turn, told, aborted)
}
