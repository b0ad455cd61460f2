package transfer

import (
	"context"
	"encoding/json"

	"github.com/clew-run/clew"
)

// A historyPlan is a model history in the making. The results of the last answer's
// calls become ends of those calls, as in a session of ours: a call whose end is
// not on record would be taken up again.
type historyPlan struct {
	j *job
	// lastAnswer is the last message with calls that is sent, if no other answer
	// follows it; results is the one that has their results. -1 for none.
	lastAnswer, results int

	looked []messageShape
}

// A messageShape is what planning has to know of a message.
type messageShape struct {
	answer, calls, results bool
}

func (m *historyPlan) look(raw json.RawMessage) (int64, error) {
	message, err := fromFileModel(raw, imageCodec{ctx: context.Background(), blobs: discardBlobs{}}, m.j.tools)
	if err != nil {
		return 0, err
	}
	g := messageShape{}
	if !message.Hidden() {
		g.answer = message.Role == clew.SpeakerAssistant
		for _, p := range message.Content {
			g.calls = g.calls || g.answer && p.Type == clew.PartToolUse
			g.results = g.results || !g.answer && p.Type == clew.PartToolResult
		}
	}
	m.looked = append(m.looked, g)
	if message.IsSummary || message.IsTruncationMarker { // it stands before messages that are older
		return 0, nil
	}
	return message.TS, nil
}

func (m *historyPlan) count() {
	m.lastAnswer, m.results = -1, -1
	for i, g := range m.looked {
		switch {
		case g.calls:
			m.lastAnswer, m.results = i, -1
		case g.answer:
			m.lastAnswer, m.results = -1, -1
		case g.results && m.lastAnswer >= 0 && m.results < 0:
			m.results = i
		}
	}
	m.looked = nil
	m.j.tools = map[string]string{}
}

func (b *tasksBuilder) readMind(m *historyPlan, d document, p planned) (clew.ModelMessage, error) {
	raw, err := d.spool.get(p.place)
	if err != nil {
		return clew.ModelMessage{}, err
	}
	return fromFileModel(raw, b.pics, m.j.tools)
}

func (b *tasksBuilder) apiMessage(ts int64, m *historyPlan, d document, list []planned, i int) error {
	message, err := b.readMind(m, d, list[i])
	if err != nil {
		return err
	}
	if i == m.results {
		return b.ends(ts, m, message)
	}
	if !message.Hidden() && message.Role == clew.SpeakerUser {
		message.Content = m.known(message.Content)
		if len(message.Content) == 0 {
			return nil
		}
	}
	if err := b.tell(ts, m.j, message); err != nil || i != m.lastAnswer {
		return err
	}
	m.j.open = map[string]bool{}
	for _, c := range message.ToolCalls() {
		m.j.open[c.ToolCallID] = true
	}
	if m.results < 0 {
		return nil
	}
	// All results but the last go on record now, so that the last one, which
	// makes the model's next message, can have that message's time.
	results, err := b.readMind(m, d, list[m.results])
	if err != nil {
		return err
	}
	for _, p := range results.Content {
		if len(m.j.open) <= 1 {
			break
		}
		if p.Type == clew.PartToolResult && m.j.open[p.ToolCallID] {
			if err := b.ended(ts, m, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// known leaves out results of calls that nobody made: no model takes them.
func (m *historyPlan) known(parts clew.List[clew.Part]) clew.List[clew.Part] {
	var out clew.List[clew.Part]
	for _, p := range parts {
		if p.Type != clew.PartToolResult || p.Tool != "" {
			out = append(out, p)
		}
	}
	return out
}

// ends puts the results on record that are not yet, and tells the rest of the
// message.
func (b *tasksBuilder) ends(ts int64, m *historyPlan, message clew.ModelMessage) error {
	var rest clew.List[clew.Part]
	for _, p := range message.Content {
		switch {
		case p.Type != clew.PartToolResult:
			rest = append(rest, p)
		case m.j.open[p.ToolCallID]:
			if err := b.ended(ts, m, p); err != nil {
				return err
			}
		}
	}
	if len(rest) == 0 {
		return nil
	}
	message.Content = rest
	return b.tell(ts, m.j, message)
}

func (b *tasksBuilder) ended(ts int64, m *historyPlan, p clew.Part) error {
	delete(m.j.open, p.ToolCallID)
	d := &clew.ToolProgressData{
		ToolCallID: p.ToolCallID, Tool: p.Tool, Status: clew.ToolComplete, AgentID: m.j.agent, TaskID: m.j.ref.TaskID,
		MonitorID: clew.MainMonitor, Output: p.Text, Images: p.Images,
	}
	if p.IsError {
		d.Status, d.Error = clew.ToolError, p.Text
	}
	return b.add(ts, d)
}
