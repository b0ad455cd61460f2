package decide

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// sayEnd puts into the transcript how work ends that did not come to its end, so
// that it stands there also when the session has gone on.
func (tx *Tx) sayEnd(data any) {
	id, o := core.EndIn(tx.s, tx.events, data)
	t := tx.s.Task(id)
	if t == nil || t.TaskID != t.RootTaskID || t.Turn == nil || !tells(o) || tx.saidAlready(id, o) {
		return
	}
	tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayError, Role: clew.SpeakerSystem, Text: endSentence(o), WhyCode: o.WhyCode, StoppedBy: o.StoppedBy,
		AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: t.TaskID,
	})
}

// tells reports whether an end is told. What somebody interrupted shows that by
// itself, and so does a new beginning.
func tells(o *clew.Outcome) bool {
	switch o.Status {
	case clew.OutcomeFailed, clew.OutcomeBudget, clew.OutcomeDenied:
		return true
	case clew.OutcomeCancelled:
		return o.WhyCode != clew.EndReset
	}
	return false
}

// saidAlready reports whether the task's last word, be it in this batch, is an error
// that gives the reason.
func (tx *Tx) saidAlready(id clew.TaskID, o *clew.Outcome) bool {
	gives := func(m clew.Message) bool {
		return m.Say == clew.SayError && o.Message != "" && strings.Contains(m.Text, o.Message)
	}
	for _, e := range slices.Backward(tx.events) {
		if d, ok := e.Data.(*clew.MessageCreatedData); ok && d.Message.TaskID == id {
			return gives(d.Message)
		}
	}
	for _, m := range slices.Backward(tx.s.Messages.Tail()) {
		if m.TaskID == id {
			return gives(m)
		}
	}
	return false
}

// endSentence says how work ended, and why.
func endSentence(o *clew.Outcome) string {
	text := map[clew.OutcomeStatus]string{
		clew.OutcomeFailed: "Failed", clew.OutcomeBudget: "Stopped", clew.OutcomeDenied: "Stopped", clew.OutcomeCancelled: "Cancelled",
	}[o.Status]
	switch o.WhyCode {
	case clew.EndTimedOut:
		return text + ": nobody answered in time."
	case clew.EndPlanRejected:
		return text + ": the plan was rejected."
	}
	why := strings.TrimRight(strings.TrimPrefix(o.Message, "cancelled "), ".\n ")
	switch {
	case why == "":
	case strings.HasPrefix(why, "by "): // as in: cancelled by the user
		text += " " + why
	default:
		text += ": " + why
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}
