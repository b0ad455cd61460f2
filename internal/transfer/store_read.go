package transfer

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// store makes a session of a message store's file.
func (t *importJob) store(src io.Reader) error {
	s, err := t.spool()
	if err != nil {
		return err
	}
	n, err := io.Copy(s, src)
	if err != nil {
		return failed(err, "the file")
	}
	b := &storeBuilder{builder: t.builder(), ended: map[string]int64{}, d: document{name: "the file", spool: s, place: ref{0, int(n)}, limit: t.limits.Element}}
	own := ""
	err = b.d.fields(func(dec *json.Decoder, a *byteLimit, name string) error {
		switch name {
		case "sessionId":
			return dec.Decode(&own)
		case "messages":
			return b.d.list(dec, a, b.plan)
		}
		var other json.RawMessage
		return dec.Decode(&other)
	})
	if err != nil {
		return err
	}
	if err := t.name(own); err != nil {
		return err
	}
	return b.made()
}

type storeBuilder struct {
	*builder
	d   document
	j   *job
	ts  int64 // how far the file has come
	top int64 // the latest time in it
	n   int

	ended map[string]int64 // when the last call of this name was over
}

// plan reads an entry and keeps its place.
func (b *storeBuilder) plan(raw json.RawMessage) error {
	if b.j == nil { // the session's id may come last, so the task gets its own later
		b.j = newJob(fileItem{}, mainAgent)
	}
	e, err := fromEntry(raw)
	if err != nil {
		return err
	}
	place, err := b.d.spool.put(raw) // behind the file itself
	if err != nil {
		return err
	}
	if b.j.item.Task == "" && e.Role == clew.SpeakerUser {
		b.j.item.Task = text(e.Content)
	}
	if e.Type != history.EntryToolComplete {
		b.ts = max(b.ts, b.sane(e.Timestamp))
	}
	b.n++
	n := b.n
	if e.ToolCallID != "" { // names of calls come again; one ends before the next begins
		b.ts = max(b.ts, b.ended[e.ToolCallID])
		b.ended[e.ToolCallID] = b.sane(e.Timestamp)
	}
	b.top = max(b.top, b.ts, b.sane(e.Timestamp))
	if e.Type == history.EntryToolComplete { // where it stands in the file it began; its time is that of its end
		b.at(b.ts, func(ts int64) error {
			return b.entry(place, func(e fileEntry) error { return b.tool(ts, n, e, clew.ToolRunning) })
		})
		b.at(max(b.ts, b.sane(e.Timestamp)), func(ts int64) error {
			return b.entry(place, func(e fileEntry) error {
				status := clew.ToolError
				if e.Success != nil && *e.Success {
					status = clew.ToolComplete
				}
				return b.tool(ts, n, e, status)
			})
		})
		return nil
	}
	b.at(b.ts, func(ts int64) error {
		return b.entry(place, func(e fileEntry) error { return b.plain(ts, n, e) })
	})
	return nil
}

func fromEntry(raw []byte) (fileEntry, error) {
	var e fileEntry
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, err
	}
	switch e.Type {
	case history.EntryText:
		if e.Role != clew.SpeakerUser && e.Role != clew.SpeakerAssistant {
			return e, bad("a text is of user or assistant, not of %.50q", e.Role)
		}
	case history.EntryToolStart, history.EntryToolComplete:
		if e.ToolName == "" {
			return e, bad("toolName is missing")
		}
	case history.EntryError, history.EntryResult:
	default:
		return e, bad("type %.50q is not known", e.Type)
	}
	return e, nil
}

func (b *storeBuilder) entry(place ref, fn func(e fileEntry) error) error {
	raw, err := b.d.spool.get(place)
	if err != nil {
		return err
	}
	e, err := fromEntry(raw)
	if err != nil {
		return err
	}
	return fn(e)
}

func (b *storeBuilder) plain(ts int64, n int, e fileEntry) error {
	switch e.Type {
	case history.EntryText:
		m := clew.Message{Type: clew.TypeSay, Say: clew.SayText, Role: e.Role, Text: text(e.Content), TS: e.Timestamp}
		if e.Role == clew.SpeakerUser {
			m.Say = clew.SayUserFeedback
		}
		return b.converse(ts, b.j, m)
	case history.EntryToolStart:
		return b.tool(ts, n, e, clew.ToolRunning)
	case history.EntryError:
		return b.add(ts, &clew.ErrorData{
			Code: clew.ExecutionFailed, Number: clew.ExecutionFailed.Number(), Message: text(e.Content),
			SuggestedAction: clew.ExecutionFailed.Info().Action, Context: clew.ErrorContext{TaskID: b.j.ref.TaskID},
		})
	case history.EntryResult:
		return b.result(ts, e)
	case history.EntryToolComplete:
	}
	return nil
}

// tool adds a call beside the task: the file knows too little of it for a model
// history.
func (b *storeBuilder) tool(ts int64, n int, e fileEntry, status clew.ToolStatus) error {
	d := &clew.ToolProgressData{ToolCallID: e.ToolCallID, Tool: e.ToolName, Status: status, AgentID: mainAgent, MonitorID: clew.MainMonitor}
	if d.ToolCallID == "" {
		d.ToolCallID = "imported_" + strconv.Itoa(n)
	}
	if status == clew.ToolRunning {
		d.Summary = string(compact(e.ToolInput))
		var s string
		if json.Unmarshal(e.ToolInput, &s) == nil || d.Summary == "{}" {
			d.Summary = s
		}
		return b.add(ts, d)
	}
	d.Summary = text(e.Output)
	if json.Unmarshal(e.Error, &d.Error) != nil {
		d.Error = string(e.Error)
	}
	return b.add(ts, d)
}

func (b *storeBuilder) result(ts int64, e fileEntry) error {
	seconds := 0.0
	if e.Duration != nil {
		seconds = math.Min(math.Max(*e.Duration, 0), 1e9)
	}
	var usage clew.Usage
	if e.InputTokens != nil {
		usage.TokensIn = max(*e.InputTokens, 0)
	}
	if e.OutputTokens != nil {
		usage.TokensOut = max(*e.OutputTokens, 0)
	}
	err := b.add(ts, &clew.CompleteData{
		Status: clew.ResultSuccess, Response: clew.Response{Format: clew.FormatMarkdown}, TaskID: b.j.ref.TaskID,
		Statistics: clew.Statistics{ExecutionTimeMS: int64(math.Round(seconds * 1000))},
	})
	if err != nil {
		return err
	}
	return b.add(ts, &clew.TaskCompletedData{TaskRef: b.j.ref, TokenUsage: usage, ToolUsage: map[string]clew.ToolUsage{}})
}

func (b *storeBuilder) made() error {
	if b.j == nil {
		return b.build(b.now)
	}
	id := clew.TaskID(b.madeUp())
	b.j.item.ID, b.j.ref.TaskID, b.j.ref.RootTaskID = string(id), id, id
	first := b.top
	for _, s := range b.steps {
		first = min(first, s.ts)
	}
	b.steps = append([]step{{first - 1, func(ts int64) error { return b.begin(ts, b.j) }}}, b.steps...)
	b.builder.finish([]*job{b.j})
	return b.build(first - 2)
}
