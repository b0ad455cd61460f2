package session

import (
	"encoding/json"

	"github.com/clew-run/clew"
)

// What became of the tool calls and questions that messages show, and of what
// people said, is kept on the messages. It follows from the records in one way,
// which the fold, a page that is read from the journal, and clients (PROTOCOL.md)
// have in common:
//
//   - tool_progress is about the message that it names. One that ends a call
//     without naming a message is about the message right before it.
//   - hitl_resolved is about the message that its question names.
//   - When a task's turn is over, so are its calls.
//   - The first message_accepted of a message says how it was delivered.

const (
	shortRunes = 200 // of what a message tells of its call
	pathsShown = 20
)

// turnOver is the error of a call that had no result when its turn ended.
const turnOver = "the turn was over"

// recorded is a message as it goes on record. Tool, Answer and Delivery are not
// the message's own: they are what other records make of it.
func recorded(m clew.Message) clew.Message {
	m.Tool, m.Answer, m.Delivery = nil, nil, ""
	return m
}

// replace puts the new form of a message in the place of the old one.
func replace(old *clew.Message, m clew.Message) {
	m.Tool, m.Answer, m.Delivery = old.Tool, old.Answer, old.Delivery
	*old = m
}

// toolMessage names the message that a tool_progress is about, "" if none.
func toolMessage(seq uint64, d *clew.ToolProgressData) clew.MessageID {
	switch {
	case d.MessageID != "":
		return d.MessageID
	case d.Status == clew.ToolRunning:
		return ""
	}
	return clew.MessageIDOf(seq - 1)
}

// noteTool says on a message where its call stands. A call ends once. What the
// message points to is never changed in place: readers may have it.
func noteTool(m *clew.Message, d *clew.ToolProgressData) {
	if m.ToolCallID != d.ToolCallID || m.TaskID != d.TaskID || m.Tool != nil && m.Tool.Status != clew.ToolRunning {
		return
	}
	t := clew.MessageTool{}
	if m.Tool != nil {
		t = *m.Tool
	}
	t.Name, t.Status = d.Tool, d.Status
	if d.Status == clew.ToolRunning && t.Input == "" {
		t.Input = clip(d.Summary, shortRunes)
	}
	if d.Summary != "" {
		t.Summary = clip(d.Summary, shortRunes)
	}
	if d.Title != "" {
		t.Title = clip(d.Title, shortRunes)
	}
	if d.AllowedBy != nil {
		by := *d.AllowedBy
		by.Rule = clip(by.Rule, shortRunes)
		t.AllowedBy = &by
	}
	if d.Effect != nil {
		t.HasDiff = d.Effect.Diff != ""
		t.Paths = nil
		for _, path := range d.Effect.Paths[:min(len(d.Effect.Paths), pathsShown)] {
			t.Paths = append(t.Paths, clip(path, shortRunes))
		}
	}
	t.Error, t.DurationMS, t.InDoubt, t.OutputBlob = clip(d.Error, shortRunes), d.DurationMS, d.InDoubt, d.OutputBlob
	m.Tool = &t
}

// endCall ends the call of a message if its task's turn is over.
func endCall(m *clew.Message, task clew.TaskID) {
	if m.TaskID != task || m.Tool == nil || m.Tool.Status != clew.ToolRunning {
		return
	}
	t := *m.Tool
	t.Status, t.Error = clew.ToolError, turnOver
	m.Tool = &t
}

// noteAnswer says on a message what became of its question.
func noteAnswer(m *clew.Message, ts int64, d *clew.HitlResolvedData) {
	comment := d.Comment
	if comment == "" {
		comment = d.Instruction
	}
	m.IsAnswered = true // settled, be it that nobody answered
	m.Answer = &clew.MessageAnswer{
		Action: d.Action, By: d.ResolvedBy, ByTimeout: d.ByTimeout, TS: ts,
		Comment: clip(comment, shortRunes), Value: clip(valueText(d.Value), shortRunes),
	}
}

func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// noteDelivery says on a message how it reached an agent. Words for a run reach
// several of them; all but the first come to the same.
func noteDelivery(m *clew.Message, d *clew.MessageAcceptedData) {
	if m.Delivery == "" {
		m.Delivery = d.Delivery
	}
}

// noteOutcome keeps on the tail's messages what a record says of them. settled is
// the question that the record answers.
func (s *State) noteOutcome(r clew.Record, data any, settled *clew.Question) {
	switch d := data.(type) {
	case *clew.ToolProgressData:
		if id := toolMessage(r.Seq, d); id != "" {
			if m := s.Message(id); m != nil {
				noteTool(m, d)
			}
		}
	case *clew.MessageAcceptedData:
		if m := s.Message(d.MessageID); m != nil {
			noteDelivery(m, d)
		}
	case *clew.HitlResolvedData:
		if settled == nil {
			return
		}
		if m := s.Message(settled.Asking().MessageID); m != nil {
			noteAnswer(m, r.TS, d)
		}
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

func (s *State) endCalls(task clew.TaskID) {
	for i := range s.Messages {
		endCall(&s.Messages[i], task)
	}
}

// unsettled lists the messages whose questions are open or whose calls are under
// way: what is said of them now is all there is.
func (s *State) unsettled() []clew.MessageID {
	var ids []clew.MessageID
	for _, q := range s.Questions {
		if a := q.Asking(); a != nil && a.MessageID != "" {
			ids = append(ids, a.MessageID)
		}
	}
	for _, t := range s.tasks() {
		for _, c := range t.Calls {
			if c.MessageID != "" && c.Status != CallDone {
				ids = append(ids, c.MessageID)
			}
		}
	}
	return ids
}
