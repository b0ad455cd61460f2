package view

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A MarkKind says what a mark of a timeline stands for.
type MarkKind string

// The kinds of marks.
const (
	MarkUser       MarkKind = "user"       // a person said something
	MarkAssistant  MarkKind = "assistant"  // an agent did
	MarkTool       MarkKind = "tool"       // a call that nobody was asked about
	MarkQuestion   MarkKind = "question"   // somebody has to decide
	MarkAnswer     MarkKind = "answer"     // a question was settled
	MarkCheckpoint MarkKind = "checkpoint" // the files were saved
	MarkError      MarkKind = "error"
	MarkRun        MarkKind = "run"    // a run began, was approved or ended
	MarkRewind     MarkKind = "rewind" // the session was taken elsewhere in its history
	MarkFork       MarkKind = "fork"   // another session was made from it
)

// A Mark is a place in a session's history.
type Mark struct {
	MessageID  clew.MessageID `json:"message_id" doc:"The record; of user, assistant, tool and question a message of the transcript"`
	TS         int64          `json:"ts"`
	Kind       MarkKind       `json:"kind" enum:"user,assistant,tool,question,answer,checkpoint,error,run,rewind,fork"`
	Label      string         `json:"label"`
	What       string         `json:"what,omitempty" doc:"Which of its kind: of an answer the choice, of a tool its name, of a run began, approved, completed, failed or cancelled, of a rewind before, after or undone, of a checkpoint why: message, before, after, stopped or person"`
	Subject    string         `json:"subject,omitempty" doc:"What it is about: of an answer the question, of a tool what it was called with, of a run its task, of a rewind the message, of a checkpoint the tool or who asked for it"`
	Words      string         `json:"words,omitempty" doc:"What was said with an answer, or the value that was given; of a checkpoint a person's reason"`
	Asked      *MarkAsked     `json:"asked,omitempty" doc:"Of a question and its answer: what is asked"`
	ByTimeout  bool           `json:"by_timeout,omitempty" doc:"Nobody answered in time"`
	Target     bool           `json:"target,omitempty" doc:"rewind and fork_session can name it: the session goes to before it"`
	RequestID  clew.RequestID `json:"request_id,omitempty"`
	Checkpoint string         `json:"checkpoint,omitempty" doc:"The hash of the checkpoint"`
	TaskID     clew.TaskID    `json:"task_id,omitempty"`
	Hidden     bool           `json:"hidden,omitempty" doc:"The session was taken back from it"`
	Removed    int            `json:"removed,omitempty" doc:"Messages that a rewind took back"`
	Restored   int            `json:"restored,omitempty" doc:"Messages that a rewind brought back"`
	Session    clew.SessionID `json:"session,omitempty" doc:"The session that a fork made"`
}

// A Timeline is a session's history at a glance.
type Timeline struct {
	Marks  []Mark `json:"marks" nullable:"false"`
	Steps  []Step `json:"steps" nullable:"false" doc:"The parts of the history that have a name, 40 at most, without what the session was taken back from"`
	Total  int    `json:"total" doc:"Marks before they were thinned out"`
	FromTS int64  `json:"from_ts" doc:"Of the first record that was looked at"`
	ToTS   int64  `json:"to_ts" doc:"Of the last one"`
	// Next is where the part before this one ends, 0 if there is none.
	Next int64 `json:"next,omitempty" doc:"What to give as to for the part before, if the session is too long for one"`
}

// TimelineQuery says which part of a timeline is wanted.
type TimelineQuery struct {
	FromTS, ToTS int64 // 0 is from the first, up to the last
	Hidden       bool  // with what the session was taken back from
}

const (
	marksMax   = 2000    // of one timeline
	markRunes  = 100     // of a label
	marksReach = 100_000 // records that are looked at for one timeline
)

// Timeline gives the marks of a session in the order they happened.
func (t *Pager) Timeline(ctx context.Context, q TimelineQuery) (out Timeline, err error) {
	from, to := uint64(1), t.Last
	if q.FromTS > 0 {
		if from, err = t.firstSince(ctx, q.FromTS); err != nil {
			return Timeline{}, err
		}
	}
	if q.ToTS > 0 {
		if to, err = t.firstSince(ctx, q.ToTS+1); err != nil {
			return Timeline{}, err
		}
		to--
	}
	first := from
	if to >= marksReach {
		first = max(from, to-marksReach+1)
	}
	m := timelineBuilder{removed: t.Removed, hidden: q.Hidden, at: map[clew.MessageID]int{}, asked: map[clew.RequestID]askedMark{}, saved: map[clew.MessageID]clew.UserID{}}
	for r, err := range t.Journal.Read(ctx, t.ID, first, to) {
		if err == nil {
			err = m.add(r)
		}
		if err != nil {
			return Timeline{}, err
		}
		if out.FromTS == 0 {
			out.FromTS = r.TS
		}
		out.ToTS = r.TS
	}
	if first > from {
		out.Next = out.FromTS - 1
	}
	out.Marks, out.Total, out.Steps = Sample(m.marks, marksMax), len(m.marks), m.steps.merged(stepsMax)
	return out, nil
}

// firstSince gives the first record at or after a time, one past the last if
// there is none. The times of records rise.
func (t *Pager) firstSince(ctx context.Context, ts int64) (uint64, error) {
	lo, hi := uint64(1), t.Last+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		before := false
		for r, err := range t.Journal.Read(ctx, t.ID, mid, mid) {
			if err != nil {
				return 0, err
			}
			before = r.TS < ts
		}
		if before {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// timelineBuilder is a timeline in the making.
type timelineBuilder struct {
	removed []core.Span
	hidden  bool
	marks   []Mark
	at      map[clew.MessageID]int         // messages whose words may come later
	asked   map[clew.RequestID]askedMark   // questions
	saved   map[clew.MessageID]clew.UserID // checkpoints that people asked for
	steps   stepBuilder
}

func (m *timelineBuilder) add(r clew.Record) error {
	gone := core.IsHidden(m.removed, r.Seq)
	switch r.Type {
	case clew.EventHistoryRewound, clew.EventRewindUndone:
		// It hides itself with what it hides, and is seen where that ends.
		if span, ok := core.SpanOf(m.removed, r.Seq); ok && span.To == r.Seq {
			gone = false
		}
	case clew.EventMessageUpdated:
		if bytes.Contains(r.Data(), []byte(`"partial":true`)) {
			return nil // its last form comes
		}
	}
	if gone && !m.hidden {
		return nil
	}
	if !gone {
		if err := m.steps.add(r); err != nil {
			return err
		}
	}
	mark, err := m.mark(r)
	if err != nil || mark.Kind == "" {
		return err
	}
	mark.MessageID, mark.TS, mark.Hidden, mark.Label = r.MessageID(), r.TS, gone, core.FirstLine(mark.Label, markRunes)
	mark.Subject, mark.Words, mark.Target = core.FirstLine(mark.Subject, markRunes), core.FirstLine(mark.Words, markRunes), mark.Target && !gone
	m.marks = append(m.marks, mark)
	return nil
}

// mark gives what a record stands for, without a kind if it is nothing of note.
func (m *timelineBuilder) mark(r clew.Record) (Mark, error) {
	switch r.Type {
	case clew.EventMessageCreated, clew.EventMessageUpdated:
		return m.message(r)
	case clew.EventHitlResolved, clew.EventCheckpointSaved, clew.EventError, clew.EventTaskCreated, clew.EventPlanApproved,
		clew.EventComplete, clew.EventFailed, clew.EventCancelled, clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventSessionForked:
	default:
		if !IsAsking(r.Type) {
			return Mark{}, nil
		}
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return Mark{}, err
	}
	switch d := ev.Data.(type) {
	case *clew.HitlResolvedData:
		return m.answer(d), nil
	case *clew.CheckpointSavedData:
		if d.Kind == clew.CheckpointNotebook { // one for each cell that ran: the cells show it
			return Mark{}, nil
		}
		return m.checkpoint(d), nil
	}
	if IsAsking(r.Type) {
		m.question(ev.Data)
		return Mark{}, nil
	}
	return plainMark(ev.Data), nil
}

// message marks a message. An agent's words come after their message.
func (m *timelineBuilder) message(r clew.Record) (Mark, error) {
	var d struct {
		Message struct {
			MessageID  clew.MessageID   `json:"message_id"`
			Type       clew.MessageType `json:"type"`
			Say        clew.Say         `json:"say"`
			Role       clew.Speaker     `json:"role"`
			Text       string           `json:"text"`
			Summary    string           `json:"summary"`
			AgentID    clew.AgentID     `json:"agent_id"`
			TaskID     clew.TaskID      `json:"task_id"`
			RequestID  clew.RequestID   `json:"request_id"`
			ToolCallID string           `json:"tool_call_id"`
			IsAnswered bool             `json:"is_answered"`
			UserID     clew.UserID      `json:"user_id"`
		} `json:"message"`
	}
	if err := json.Unmarshal(r.Data(), &d); err != nil {
		return Mark{}, err
	}
	x := d.Message
	if r.Type == clew.EventMessageUpdated {
		if i, ok := m.at[x.MessageID]; ok && x.Text != "" {
			m.marks[i].Label = core.PlainLine(x.Text, markRunes)
		}
		return Mark{}, nil
	}
	mark := Mark{Label: core.PlainLine(x.Text, markRunes), TaskID: x.TaskID, RequestID: x.RequestID, Target: true}
	switch {
	case x.Role == clew.SpeakerUser && x.AgentID != "": // an agent, or a run, told another what to do
		mark.Kind = MarkAssistant
		if x.Summary != "" {
			mark.Label = x.Summary
		}
	case x.Role == clew.SpeakerUser:
		mark.Kind = MarkUser
	case x.Type == clew.TypeAsk && x.ToolCallID != "" && x.IsAnswered:
		mark.Kind, mark.What, mark.Subject = MarkTool, toolName(x.Text), subjectOf(x.Summary)
		mark.Label = strings.TrimSpace(mark.What + " " + mark.Subject)
	case x.Type == clew.TypeAsk:
		mark.Kind, mark.Label = MarkQuestion, x.Text
		m.asked[x.RequestID] = askedMark{text: x.Text, at: len(m.marks)}
	case x.Say == clew.SayText, x.Say == clew.SayCompletionResult, x.Say == clew.SaySubtaskResult:
		mark.Kind = MarkAssistant
	case strings.HasSuffix(string(x.Say), "error"):
		mark.Kind = MarkError
	case x.Say == clew.SayCheckpointSaved: // its checkpoint comes next
		m.saved[x.MessageID] = x.UserID
		return Mark{}, nil
	default:
		return Mark{}, nil
	}
	if mark.Kind == MarkUser || mark.Kind == MarkAssistant {
		m.at[x.MessageID] = len(m.marks)
	}
	return mark, nil
}

// toolName reads it from the text of a call's message.
func toolName(text string) string {
	var call struct {
		Tool string `json:"tool"`
	}
	if json.Unmarshal([]byte(text), &call) != nil || call.Tool == "" {
		return text
	}
	return call.Tool
}

// subjectFields are what tells one call of a tool from another, by weight.
var subjectFields = []string{"command", "pattern", "url", "query", "question", "task", "path", "file_path", "notebook_path", "name"}

// subjectOf is what a call is about, from the short form of its input: the one
// or two fields that tell it apart.
func subjectOf(summary string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(summary), &fields) != nil {
		return summary
	}
	var words []string
	for _, name := range subjectFields {
		if text, ok := fields[name].(string); ok && text != "" && len(words) < 2 {
			words = append(words, text)
		}
	}
	if len(words) == 0 && len(fields) > 0 {
		return summary
	}
	return strings.Join(words, " ")
}
