package clew

import (
	"cmp"
	"encoding/json"
	"strings"
)

// What became of the tool calls and questions that messages show, and of what
// people said, is kept on the messages. It follows from the records in one way,
// which the server, a page that is read from the journal, and clients
// (PROTOCOL.md) have in common:
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

// TurnOver is the error of a call that had no result when its turn ended.
const TurnOver = "the turn was over"

// ToolMessage names the message that the tool_progress with this number is about,
// "" if none.
func ToolMessage(seq uint64, d *ToolProgressData) MessageID {
	switch {
	case d.MessageID != "":
		return d.MessageID
	case d.Status == ToolRunning || seq == 0:
		return ""
	}
	return MessageIDOf(seq - 1)
}

// NewMessageTool is what a message says of a call that has yet to begin.
func NewMessageTool(name string, input json.RawMessage, e *Effect) *MessageTool {
	t := &MessageTool{Name: name, Status: ToolWaiting, Input: short(string(input)), Target: targetOf(input)}
	t.about(e)
	return t
}

// about takes in what an effect says of the call.
func (t *MessageTool) about(e *Effect) {
	if e == nil {
		return
	}
	t.HasDiff, t.Paths = e.Diff != "", nil
	t.Added, t.Removed = changedLines(e.Diff)
	for _, path := range e.Paths[:min(len(e.Paths), pathsShown)] {
		t.Paths = append(t.Paths, short(path))
	}
	if t.Command == "" {
		t.Command = short(e.Command)
	}
	if t.Target == "" {
		t.Target = short(firstLine(cmp.Or(e.Command, strings.Join(e.Paths, ", "), e.URL)))
	}
}

// changedLines counts what a unified diff adds and removes. The names of files stand
// before the first hunk, and look like lines.
func changedLines(diff string) (added, removed int) {
	inHunk := !strings.Contains(diff, "@@ ")
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			inHunk = true
		case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- ") && !inHunk:
			inHunk = false
		case !inHunk:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}

// telling are the fields of a tool's input that say what a call is about, the
// most telling first.
var telling = []string{"command", "path", "pattern", "url", "query", "id", "task", "name", "question", "step"}

// targetOf is what an input is about, "" if it does not tell.
func targetOf(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, key := range telling {
		var text string
		if json.Unmarshal(fields[key], &text) == nil && strings.TrimSpace(text) != "" {
			return short(firstLine(text))
		}
	}
	return ""
}

func firstLine(text string) string {
	text = strings.TrimSpace(text)
	if line, _, more := strings.Cut(text, "\n"); more {
		return line + " …"
	}
	return text
}

// NoteTool says on a message where its call stands. A call ends once. What the
// message points to is never changed in place: readers may have it. It reports
// whether the message's call was meant.
func (m *Message) NoteTool(d *ToolProgressData) bool {
	if m.ToolCallID != d.ToolCallID || m.TaskID != d.TaskID || m.Tool != nil && m.Tool.Status.Ended() {
		return false
	}
	t := MessageTool{}
	if m.Tool != nil {
		t = *m.Tool
	}
	if d.Status == ToolRunning && (t.Input == "" || t.Status == ToolWaiting) {
		t.Input = short(d.Summary)
	}
	t.Name, t.Status = d.Tool, d.Status
	if d.Summary != "" {
		t.Summary = short(d.Summary)
	}
	if d.Title != "" {
		t.Title = short(d.Title)
	}
	if d.AllowedBy != nil {
		by := *d.AllowedBy
		by.Rule = short(by.Rule)
		t.AllowedBy = &by
	}
	t.about(d.Effect)
	t.Error, t.DurationMS, t.InDoubt, t.OutputBlob = short(d.Error), d.DurationMS, d.InDoubt, d.OutputBlob
	t.ErrorInOutput, t.ExitCode, t.LimitReached, t.StoppedBy, t.WhyCode = d.ErrorInOutput, d.ExitCode, d.LimitReached, d.StoppedBy, d.WhyCode
	m.Tool = &t
	return true
}

// EndCall ends the call of a message if its task's turn is over. It reports
// whether there was one to end.
func (m *Message) EndCall(task TaskID) bool {
	if m.TaskID != task || m.Tool == nil || m.Tool.Status != ToolRunning {
		return false
	}
	t := *m.Tool
	t.Status, t.Error, t.WhyCode = ToolError, TurnOver, EndTurnOver
	m.Tool = &t
	return true
}

// NoteAnswer says on a message what became of its question, by the record of
// this time.
func (m *Message) NoteAnswer(ts int64, d *HitlResolvedData) {
	comment := d.Comment
	if comment == "" {
		comment = d.Instruction
	}
	m.IsAnswered = true // settled, be it that nobody answered
	m.Answer = &MessageAnswer{
		Action: d.Action, By: d.ResolvedBy, ByTimeout: d.ByTimeout, TS: ts,
		Comment: short(comment), Value: short(ValueText(d.Value)), WhyCode: d.WhyCode,
	}
}

// NoteDelivery says on a message how it reached an agent. Words for a run reach
// several of them; all but the first come to the same.
func (m *Message) NoteDelivery(d *MessageAcceptedData) {
	if m.Delivery == "" {
		m.Delivery = d.Delivery
	}
}

// ValueText is a value as a text: texts as they are, others as JSON.
func ValueText(v any) string {
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

// short is the short form of a text that a message carries.
func short(text string) string { return Clip(text, shortRunes) }

// Clip shortens text to a number of characters.
func Clip(text string, runes int) string {
	n := 0
	for i := range text {
		if n == runes {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
