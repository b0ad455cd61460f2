package history

import (
	"slices"

	"github.com/clew-run/clew"
)

// StoreMax is how many entries the message store shows by default.
const StoreMax = 200

// An EntryType is a kind of entry of the message store.
type EntryType string

// The entry types.
const (
	EntryText         EntryType = "text"
	EntryToolStart    EntryType = "tool_start"
	EntryToolComplete EntryType = "tool_complete"
	EntryError        EntryType = "error"
	EntryResult       EntryType = "result"
)

// An Entry is one line of the message store.
type Entry struct {
	Role      clew.Speaker `json:"role"`
	Type      EntryType    `json:"type"`
	Content   string       `json:"content,omitempty"`
	Timestamp int64        `json:"timestamp"` // Unix ms

	ToolCallID string  `json:"tool_call_id,omitempty"`
	ToolName   string  `json:"tool_name,omitempty"`
	ToolInput  string  `json:"tool_input,omitempty"` // summary
	Success    *bool   `json:"success,omitempty"`
	Output     string  `json:"output,omitempty"` // summary
	Error      *string `json:"error,omitempty"`

	DurationMS   int64 `json:"duration_ms,omitempty"`
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`

	agent clew.AgentID
	id    clew.MessageID
}

// A Store is the message store as a fold of a session's records: what people
// said, what agents said, which tools ran and what came of it, in short. The
// zero value is empty.
type Store struct {
	entries   []Entry
	updatedMS int64
}

// Add folds one record in.
func (s *Store) Add(r clew.Record, data any) {
	n := len(s.entries)
	switch d := data.(type) {
	case *clew.MessageCreatedData:
		s.message(r, d.Message)
	case *clew.MessageUpdatedData:
		s.message(r, d.Message)
	case *clew.QueueChangedData:
		if i := s.at(d.Removed); i >= 0 {
			s.entries = slices.Delete(s.entries, i, i+1)
		}
	case *clew.ToolProgressData:
		s.tool(r, d)
	case *clew.ErrorData:
		s.add(Entry{Role: clew.SpeakerSystem, Type: EntryError, Content: d.Message, Timestamp: r.TS})
	case *clew.CompleteData:
		s.add(Entry{Role: clew.SpeakerSystem, Type: EntryResult, Timestamp: r.TS, DurationMS: d.Statistics.ExecutionTimeMS})
	case *clew.TaskCompletedData:
		s.result(d)
	default:
		return
	}
	if len(s.entries) != n || s.updatedMS == 0 {
		s.updatedMS = r.TS
	}
}

func (s *Store) add(e Entry) { s.entries = append(s.entries, e) }

// message adds what was said once it is said to its end.
func (s *Store) message(r clew.Record, m clew.Message) {
	if m.Type != clew.TypeSay || m.Partial || m.Text == "" {
		return
	}
	switch m.Say {
	case clew.SayUserFeedback, clew.SayText, clew.SayCompletionResult:
	default:
		return
	}
	e := Entry{Role: m.Role, Type: EntryText, Content: m.Text, Timestamp: m.TS, agent: m.AgentID, id: m.MessageID}
	if i := s.at(m.MessageID); i >= 0 { // it waited, and was changed
		s.entries[i] = e
		return
	}
	s.add(e)
}

// at finds the entry of a message, -1 if there is none.
func (s *Store) at(id clew.MessageID) int {
	for i := len(s.entries) - 1; id != "" && i >= 0; i-- {
		if s.entries[i].id == id {
			return i
		}
	}
	return -1
}

// tool adds a call and turns it into its end. Without an id the end belongs to
// the latest open start of that tool by the same agent.
func (s *Store) tool(r clew.Record, d *clew.ToolProgressData) {
	e := s.open(d)
	if d.Status == clew.ToolRunning {
		if e == nil {
			s.add(Entry{
				Role: clew.SpeakerAssistant, Type: EntryToolStart, ToolCallID: d.ToolCallID, ToolName: d.Tool, ToolInput: d.Summary,
				Timestamp: r.TS, agent: d.AgentID,
			})
		}
		return
	}
	if e == nil { // refused before it began
		s.add(Entry{Role: clew.SpeakerAssistant, ToolCallID: d.ToolCallID, ToolName: d.Tool, agent: d.AgentID})
		e = &s.entries[len(s.entries)-1]
	}
	ok := d.Status == clew.ToolComplete
	e.Type, e.Success, e.Output, e.Timestamp, e.DurationMS = EntryToolComplete, &ok, d.Summary, r.TS, d.DurationMS
	if d.Error != "" {
		text := d.Error
		e.Error = &text
	}
	s.updatedMS = r.TS
}

func (s *Store) open(d *clew.ToolProgressData) *Entry {
	for i := len(s.entries) - 1; i >= 0; i-- {
		e := &s.entries[i]
		if e.Type != EntryToolStart || e.agent != d.AgentID {
			continue
		}
		if e.ToolCallID == d.ToolCallID || d.ToolCallID == "" && e.ToolName == d.Tool {
			return e
		}
	}
	return nil
}

// result completes the entry that a finished task made: tokens in and out.
func (s *Store) result(d *clew.TaskCompletedData) {
	if d.ParentTaskID != "" || len(s.entries) == 0 {
		return
	}
	if e := &s.entries[len(s.entries)-1]; e.Type == EntryResult {
		e.InputTokens, e.OutputTokens = d.TokenUsage.TokensIn, d.TokenUsage.TokensOut
	}
}

// Load gives a page in order of time: limit entries (0 = StoreMax), leaving out
// offset of them, counted from the newest.
func (s *Store) Load(limit, offset int) []Entry {
	if limit <= 0 {
		limit = StoreMax
	}
	end := max(0, len(s.entries)-max(0, offset))
	return s.entries[max(0, end-limit):end]
}

// UpdatedMS is when the store last changed.
func (s *Store) UpdatedMS() int64 { return s.updatedMS }
