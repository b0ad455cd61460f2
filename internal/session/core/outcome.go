package core

import (
	"reflect"
	"strings"

	"github.com/clew-run/clew"
)

// WithoutOutcome is a message as it goes on record. Tool, Answer and Delivery are not
// the message's own: they are what other records make of it.
func WithoutOutcome(m clew.Message) clew.Message {
	m.Tool, m.Answer, m.Delivery = nil, nil, ""
	return m
}

// Created is a new message as the tail has it: with its call, if it shows one that
// has yet to begin.
func Created(m clew.Message) clew.Message {
	tool := m.Tool
	m = WithoutOutcome(m)
	if tool != nil && tool.Status == clew.ToolWaiting {
		m.Tool = tool
	}
	return m
}

// ShowCall says on the message of a question which call it is about, where the
// message itself does not: in old journals. It reports whether it did.
func ShowCall(m *clew.Message, data any) bool {
	d, ok := data.(*clew.HitlApprovalRequestData)
	if !ok || d.ToolCallID == "" || d.Tool == "" || m.Tool != nil {
		return false
	}
	m.Tool = clew.NewMessageTool(d.Tool, d.Input, d.Effect)
	return true
}

// ReplaceMessage puts the new form of a message in the place of the old one.
func ReplaceMessage(old *clew.Message, m clew.Message) {
	m.Tool, m.Answer, m.Delivery = old.Tool, old.Answer, old.Delivery
	*old = m
}

// grows reports whether all that is new about a message is that its text got
// longer. Those who watch have that already: it was streamed.
func grows(old, m clew.Message) bool {
	if !old.Partial || !m.Partial || !strings.HasPrefix(m.Text, old.Text) || !strings.HasPrefix(m.Reasoning, old.Reasoning) ||
		len(m.Text)+len(m.Reasoning) == len(old.Text)+len(old.Reasoning) { // begun anew, before anything was recorded
		return false
	}
	old, m = WithoutOutcome(old), WithoutOutcome(m)
	m.Text, m.Reasoning = old.Text, old.Reasoning
	return reflect.DeepEqual(old, m)
}

// noteOutcome keeps on the tail's messages what a record says of them. settled is
// the question that the record answers.
func (s *State) noteOutcome(r clew.Record, data any, settled *clew.Question) {
	switch d := data.(type) {
	case *clew.ToolProgressData:
		if id := clew.ToolMessage(r.Seq, d); id != "" {
			s.Messages.Change(id, func(m *clew.Message) bool { return m.NoteTool(d) && s.countLines(m) })
		}
	case *clew.MessageAcceptedData:
		s.Messages.Change(d.MessageID, func(m *clew.Message) bool {
			was := m.Delivery
			m.NoteDelivery(d)
			return m.Delivery != was
		})
	case *clew.HitlResolvedData:
		if settled == nil {
			return
		}
		s.Messages.Change(settled.Asking().MessageID, func(m *clew.Message) bool {
			m.NoteAnswer(r.TS, d)
			return true
		})
	case *clew.TaskIdleData:
		if d.RequestID == "" {
			s.endCalls(d.TaskID)
		}
	case *clew.TaskCompletedData:
		s.endCalls(d.TaskID)
	case *clew.TaskAbortedData:
		s.endCalls(d.TaskID)
	}
}

// countLines adds what a call changed, once it is done, to its task and to those that
// the task works for.
func (s *State) countLines(m *clew.Message) bool {
	if m.Tool.Status == clew.ToolComplete && m.Tool.Added+m.Tool.Removed > 0 {
		for t := s.Task(m.TaskID); t != nil; t = s.Task(t.ParentTaskID) {
			t.Added += m.Tool.Added
			t.Removed += m.Tool.Removed
		}
	}
	return true
}

func (s *State) endCalls(task clew.TaskID) {
	s.Messages.ChangeAll(func(m *clew.Message) bool { return m.EndCall(task) })
}

// UnsettledMessages lists the messages whose questions are open or whose calls are under
// way: what is said of them now is all there is.
func (s *State) UnsettledMessages() []clew.MessageID {
	var ids []clew.MessageID
	for _, q := range s.Questions {
		if a := q.Asking(); a != nil && a.MessageID != "" {
			ids = append(ids, a.MessageID)
		}
	}
	for _, t := range s.SortedTasks() {
		for _, c := range t.Calls {
			if c.MessageID != "" && c.Status != CallDone {
				ids = append(ids, c.MessageID)
			}
		}
	}
	return ids
}
