package transfer

import (
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
)

// modelHistories are the model histories of all tasks, with what summaries and markers
// hide. The session's own fold forgets both the hidden and the old ones.
type modelHistories struct {
	spool *spool
	tasks map[clew.TaskID]*modelHistory
}

// A modelHistory is the model history of one task.
type modelHistory struct {
	entries []*historyEntry
	sent    []*historyEntry // those that a model would get now
	calls   []call          // of the last answer, until all have results
}

// historyEntry is one message of it.
type historyEntry struct {
	place     ref
	condensed string // the summary that stands for it
	truncated string // the marker that does
}

type call struct {
	part   clew.Part
	result *clew.Part
}

func (ms *modelHistories) add(r clew.Record, data any) error {
	switch d := data.(type) {
	case *clew.TaskCreatedData:
		ms.tasks[d.TaskID] = &modelHistory{}
	case *clew.ModelMessageData:
		if m := ms.tasks[d.TaskID]; m != nil { // like the session's fold, which knows no task that was not made
			return ms.message(m, d)
		}
	case *clew.ToolProgressData:
		return ms.tool(r, d)
	case *clew.TaskIdleData:
		if d.RequestID == "" {
			return ms.rest(r, d.TaskID)
		}
	case *clew.TaskCompletedData:
		return ms.rest(r, d.TaskID)
	case *clew.TaskAbortedData:
		return ms.rest(r, d.TaskID)
	}
	return nil
}

func (ms *modelHistories) put(message clew.ModelMessage) (*historyEntry, error) {
	b, err := clew.MarshalData(message)
	if err != nil {
		return nil, err
	}
	place, err := ms.spool.put(b)
	return &historyEntry{place: place}, err
}

func (ms *modelHistories) message(m *modelHistory, d *clew.ModelMessageData) error {
	h, err := ms.put(d.Message)
	if err != nil {
		return err
	}
	if d.Hides > 0 {
		m.cover(h, d)
		return nil
	}
	m.entries = append(m.entries, h)
	if d.Message.Hidden() {
		return nil
	}
	m.sent = append(m.sent, h)
	if d.Message.Role == clew.SpeakerAssistant {
		m.calls = nil
		for _, part := range d.Message.ToolCalls() {
			m.calls = append(m.calls, call{part: part})
		}
	}
	return nil
}

// cover puts a summary or a marker in the place of the oldest messages.
func (m *modelHistory) cover(by *historyEntry, d *clew.ModelMessageData) {
	n := min(d.Hides, len(m.sent))
	at := len(m.entries)
	for i, h := range m.sent[:n] {
		if d.Message.IsSummary {
			h.condensed = d.Message.CondenseID
		} else {
			h.truncated = d.Message.TruncationID
		}
		if i == n-1 {
			at = slices.Index(m.entries, h) + 1
		}
	}
	m.entries = slices.Insert(m.entries, at, by)
	m.sent = append([]*historyEntry{by}, m.sent[n:]...)
}

// tool keeps a result. Once the last one has come, the model hears them all in
// one message; nothing but this order of records says so.
func (ms *modelHistories) tool(r clew.Record, d *clew.ToolProgressData) error {
	m := ms.tasks[d.TaskID]
	if m == nil || d.Status == clew.ToolRunning {
		return nil
	}
	for i := range m.calls {
		if c := &m.calls[i]; c.part.ToolCallID == d.ToolCallID && c.result == nil {
			said, _ := d.Output.(string)
			if said == "" {
				said = d.Error
			}
			c.result = &clew.Part{
				Type: clew.PartToolResult, ToolCallID: d.ToolCallID, Tool: d.Tool, Text: said, Images: d.Images,
				IsError: d.Status == clew.ToolError || d.Status == clew.ToolStopped,
			}
			return ms.settle(m, r)
		}
	}
	return nil
}

func (ms *modelHistories) settle(m *modelHistory, r clew.Record) error {
	var parts clew.List[clew.Part]
	for _, c := range m.calls {
		if c.result == nil {
			return nil
		}
		parts = append(parts, *c.result)
	}
	m.calls = nil
	h, err := ms.put(clew.ModelMessage{Role: clew.SpeakerUser, Content: parts, TS: r.TS, MessageID: r.MessageID()})
	m.entries, m.sent = append(m.entries, h), append(m.sent, h)
	return err
}

// notRun is what the session's fold says of such a call too.
const notRun = "This call was not run: the turn was over."

func (ms *modelHistories) rest(r clew.Record, id clew.TaskID) error {
	m := ms.tasks[id]
	if m == nil || len(m.calls) == 0 {
		return nil
	}
	for i := range m.calls {
		if c := &m.calls[i]; c.result == nil {
			c.result = &clew.Part{Type: clew.PartToolResult, ToolCallID: c.part.ToolCallID, Tool: c.part.Tool, Text: notRun, IsError: true}
		}
	}
	return ms.settle(m, r)
}

func (ms *modelHistories) read(h *historyEntry) (clew.ModelMessage, error) {
	var m clew.ModelMessage
	b, err := ms.spool.get(h.place)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(b, &m)
	if h.condensed != "" {
		m.CondenseParent = h.condensed
	}
	if h.truncated != "" {
		m.TruncationParent = h.truncated
	}
	return m, err
}
