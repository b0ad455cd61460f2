package transfer

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// A fileEntry is an entry of the message store's file.
type fileEntry struct {
	Role         clew.Speaker      `json:"role"`
	Type         history.EntryType `json:"type"`
	Content      *string           `json:"content,omitempty"`
	ToolCallID   string            `json:"toolCallId,omitempty"`
	ToolName     string            `json:"toolName,omitempty"`
	ToolInput    json.RawMessage   `json:"toolInput,omitempty"`
	Success      *bool             `json:"success,omitempty"`
	Output       *string           `json:"output,omitempty"`
	Error        json.RawMessage   `json:"error,omitempty"`    // a text or null
	Duration     *float64          `json:"duration,omitempty"` // seconds
	InputTokens  *int64            `json:"inputTokens,omitempty"`
	OutputTokens *int64            `json:"outputTokens,omitempty"`
	Timestamp    int64             `json:"timestamp"`
}

// A blobStore is the message store in the making: history.Store says what each
// record comes to, the entries wait on disk.
type blobStore struct {
	spool   *spool
	entries []ref
	last    history.Entry // the newest one
	open    []openTool
	// waiting has the places of messages that may still be changed or taken back.
	waiting map[clew.MessageID]int
	spoken  clew.MessageID // the message of the newest entry, "" if it is of none
}

// openTool is a tool that began and has not ended.
type openTool struct {
	index int
	start history.Entry
	agent clew.AgentID
}

func (s *blobStore) add(r clew.Record, data any) error {
	if d, ok := data.(*clew.TaskCompletedData); ok {
		return s.result(d)
	}
	var one history.Store
	one.Add(r, data)
	got := one.Load(1, 0)
	switch d := data.(type) {
	case *clew.MessageQueuedData: // right after the message itself
		if s.spoken == d.MessageID {
			s.waiting[d.MessageID] = len(s.entries) - 1
		}
	case *clew.MessageAcceptedData:
		delete(s.waiting, d.MessageID)
	case *clew.QueueChangedData:
		if i, ok := s.waiting[d.Removed]; ok {
			s.entries[i] = ref{}
		}
	case *clew.MessageUpdatedData:
		if i, ok := s.waiting[d.Message.MessageID]; ok && len(got) > 0 {
			return s.put(i, got[0])
		}
	}
	if len(got) == 0 {
		return nil
	}
	e := got[0]
	s.spoken = ""
	if d, ok := data.(*clew.MessageCreatedData); ok {
		s.spoken = d.Message.MessageID
	}
	d, ok := data.(*clew.ToolProgressData)
	if !ok {
		return s.append(e)
	}
	i := s.opened(d)
	switch {
	case d.Status == clew.ToolRunning && i >= 0:
		return nil
	case d.Status == clew.ToolRunning:
		s.open = append(s.open, openTool{len(s.entries), e, d.AgentID})
		return s.append(e)
	case i < 0: // refused before it began
		return s.append(e)
	}
	start := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	e.ToolInput = start.start.ToolInput
	return s.put(start.index, e)
}

// opened finds the start of a call: by its id, or without one by the tool's name
// and the agent.
func (s *blobStore) opened(d *clew.ToolProgressData) int {
	for i := len(s.open) - 1; i >= 0; i-- {
		o := s.open[i]
		if o.agent == d.AgentID && (o.start.ToolCallID == d.ToolCallID && d.ToolCallID != "" || d.ToolCallID == "" && o.start.ToolName == d.Tool) {
			return i
		}
	}
	return -1
}

// result adds the tokens to the entry that the end of a run made.
func (s *blobStore) result(d *clew.TaskCompletedData) error {
	if d.ParentTaskID != "" || s.last.Type != history.EntryResult {
		return nil
	}
	s.last.InputTokens, s.last.OutputTokens = d.TokenUsage.TokensIn, d.TokenUsage.TokensOut
	return s.put(len(s.entries)-1, s.last)
}

func (s *blobStore) append(e history.Entry) error {
	s.entries = append(s.entries, ref{})
	s.last = e
	return s.put(len(s.entries)-1, e)
}

func (s *blobStore) put(i int, e history.Entry) error {
	b, err := clew.MarshalData(e)
	if err != nil {
		return err
	}
	s.entries[i], err = s.spool.put(b)
	return err
}

func (e *Export) writeStore(ctx context.Context, w io.Writer) error {
	sp, err := newSpool(e.x.Dir)
	if err != nil {
		return err
	}
	defer sp.close()
	s := &blobStore{spool: sp, waiting: map[clew.MessageID]int{}}
	if err := e.records(ctx, s.add); err != nil {
		return err
	}
	entries := slices.DeleteFunc(s.entries, func(place ref) bool { return place == ref{} })
	if !e.what.All {
		entries = entries[max(0, len(entries)-history.StoreMax):]
	}
	id, err := clew.MarshalData(e.what.Session)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, "{\n  \"sessionId\": "+string(id)+",\n  \"messages\": "); err != nil {
		return err
	}
	l := list{w: w, indent: "  "}
	updated := int64(0)
	for _, place := range entries {
		f, err := s.read(place)
		if err == nil {
			updated = max(updated, f.Timestamp)
			err = l.add(f)
		}
		if err != nil {
			return err
		}
	}
	if err := l.end(); err != nil {
		return err
	}
	stamp, err := json.Marshal(updated)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, ",\n  \"updatedAt\": "+string(stamp)+"\n}\n")
	return err
}

func (s *blobStore) read(place ref) (fileEntry, error) {
	b, err := s.spool.get(place)
	if err != nil {
		return fileEntry{}, err
	}
	var e history.Entry
	if err := json.Unmarshal(b, &e); err != nil {
		return fileEntry{}, err
	}
	return toFileEntry(e)
}

func toFileEntry(e history.Entry) (fileEntry, error) {
	f := fileEntry{Role: e.Role, Type: e.Type, Timestamp: e.Timestamp, ToolCallID: e.ToolCallID, ToolName: e.ToolName}
	var err error
	switch e.Type {
	case history.EntryText, history.EntryError:
		f.Content = &e.Content
	case history.EntryToolStart:
		f.ToolInput, err = toolInput(e.ToolInput)
	case history.EntryToolComplete:
		f.Success, f.Output, f.Error = e.Success, &e.Output, json.RawMessage("null")
		if f.ToolInput, err = toolInput(e.ToolInput); err == nil && e.Error != nil {
			f.Error, err = clew.MarshalData(*e.Error)
		}
	case history.EntryResult:
		seconds := float64(e.DurationMS) / 1000
		f.Duration, f.InputTokens, f.OutputTokens = &seconds, &e.InputTokens, &e.OutputTokens
	}
	return f, err
}

// toolInput writes the short form of an input: an object if it is one, or if there
// is none.
func toolInput(short string) (json.RawMessage, error) {
	if short == "" {
		return json.RawMessage(`{}`), nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(short), &object) == nil && object != nil {
		return compact(json.RawMessage(short)), nil
	}
	return clew.MarshalData(short)
}
