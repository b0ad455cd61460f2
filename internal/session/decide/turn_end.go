package decide

import (
	"cmp"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// outcome is what a record says of an end that was brought about: its code and
// who did it. completed adds the status.
func (how TurnEnd) outcome() *clew.Outcome {
	if how.Code == "" && how.by == "" {
		return nil
	}
	return &clew.Outcome{StoppedBy: how.by, WhyCode: how.Code, Message: cmp.Or(how.message, how.Reason)}
}

// TurnEnd says how a turn is closed.
type TurnEnd struct {
	Reason      string         // in words; it completes the sentence "This call was …"
	Code        clew.EndCode   // the same for programs, "" if nothing ended early
	by          clew.UserID    // who wanted it, "" if nobody did
	message     string         // what people are told of it, if not the reason
	except      clew.RequestID // a question that is settled already
	Ends        bool           // the task ends: no task_idle, and calls to children are closed too
	calls       bool           // the calls under way have their results already
	rewoundInto bool           // the calls under way have their ends in what was taken back
	truncate    bool           // texts are cut short: whole, they did not fit one batch
}

// cutRunes is what is left of a text that does not fit.
const cutRunes = 2000

// CloseTurn ends a task's turn in the middle so that nothing dangles: open text
// is closed as it stands, every call has a result, no question is left, and
// what the model has not heard yet is in its history.
func CloseTurn(tx *Tx, s *core.State, t *core.Task, streamed streams, how TurnEnd) {
	var said string
	for _, m := range s.Messages.Growing() {
		if m = core.WithoutOutcome(m); m.TaskID != t.TaskID {
			continue
		}
		if o, ok := streamed[m.MessageID]; ok {
			m.Text, m.Reasoning = o.Text, o.Reasoning
		}
		m.Partial, m.Text = false, strings.TrimRight(m.Text, " ")
		if how.truncate {
			m.Text, m.Reasoning = clew.Clip(m.Text, cutRunes), clew.Clip(m.Reasoning, cutRunes)
		}
		if m.Say == clew.SayText {
			said = m.Text
		}
		tx.Update(m)
	}
	CloseUnfinished(tx, t, how)
	abandonCells(tx, s, t, how)
	if t.Request != "" {
		if said != "" {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: clew.ModelMessage{
				Role: clew.SpeakerAssistant, TS: tx.NextTS(), MessageID: t.Request,
				Content: clew.List[clew.Part]{{Type: clew.PartText, Text: said}},
			}})
		}
		tx.Say(clew.Message{
			Type: clew.TypeSay, Say: clew.SayAPIReqDeleted, Role: clew.SpeakerSystem,
			Text: "The model call was " + how.Reason + ".", AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: t.TaskID,
			StoppedBy: how.by, WhyCode: how.Code,
		})
	}
	if t.Turn != nil {
		for _, in := range Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: Heard(in, tx.NextTS())})
		}
	}
	for _, q := range s.Questions {
		if core.SubjectOfQuestion(q).Task == t.TaskID && q.RequestID() != how.except {
			tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: how.Reason, WhyCode: how.Code, TaskID: t.TaskID})
		}
	}
	if !how.Ends {
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef, Outcome: how.outcome()})
	}
}
