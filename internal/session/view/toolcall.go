package view

import (
	"context"
	"encoding/json"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A ToolCall is a tool call whole.
type ToolCall struct {
	ToolCallID string          `json:"tool_call_id"`
	MessageID  clew.MessageID  `json:"message_id"`
	TaskID     clew.TaskID     `json:"task_id,omitempty"`
	Tool       string          `json:"tool"`
	Class      clew.ToolClass  `json:"class,omitempty"`
	Status     clew.ToolStatus `json:"status,omitempty" doc:"Absent if it has not begun"`
	Input      json.RawMessage `json:"input,omitempty"`
	Effect     *clew.Effect    `json:"effect,omitempty" doc:"What it does, as it was shown before it began"`
	AllowedBy  *clew.AllowedBy `json:"allowed_by,omitempty" doc:"The rule by which it began without a person"`

	Output      any      `json:"output,omitempty" doc:"As the model got it"`
	OutputBlob  string   `json:"output_blob,omitempty" doc:"The address of the whole output where output is a part"`
	OutputBytes int64    `json:"output_bytes,omitempty"`
	Images      []string `json:"images,omitempty"`
	Summary     string   `json:"summary,omitempty"`
	Title       string   `json:"title,omitempty" doc:"What it does, in a line for people"`
	Error       string   `json:"error,omitempty"`
	InDoubt     bool     `json:"in_doubt,omitempty" doc:"It may not have completed"`

	ErrorInOutput bool              `json:"error_in_output,omitempty" doc:"The error is how the output begins"`
	ExitCode      *int              `json:"exit_code,omitempty" doc:"Of a command that ended"`
	LimitReached  clew.CommandLimit `json:"limit_reached,omitempty" doc:"The limit that a command met"`
	StoppedBy     clew.UserID       `json:"stopped_by,omitempty" doc:"Who ended or refused it"`
	WhyCode       clew.EndCode      `json:"why_code,omitempty" doc:"Why it was not run to its end"`

	RequestID  clew.RequestID       `json:"request_id,omitempty" doc:"The question about it"`
	Answer     *clew.MessageAnswer  `json:"answer,omitempty"`
	Progress   *clew.ProgressStatus `json:"progress_status,omitempty"`
	StartedMS  int64                `json:"started_ms,omitempty"`
	EndedMS    int64                `json:"ended_ms,omitempty"`
	DurationMS int64                `json:"duration_ms,omitempty"`
}

// callBehind is how many records before a call's message are read for its exact
// input: the model's answer stands there.
const callBehind = 100

// ToolCall gives a call with its whole input and output.
func (t *Pager) ToolCall(ctx context.Context, id string, message clew.MessageID) (ToolCall, error) {
	seq, err := t.place(message)
	if err != nil {
		return ToolCall{}, err
	}
	f := toolCallFinder{seq: seq, call: ToolCall{ToolCallID: id, MessageID: message}}
	all := core.IsHidden(t.Removed, seq)
	for r, err := range t.Journal.Read(ctx, t.ID, max(seq, callBehind+1)-callBehind, min(seq+settleReach, t.Last)) {
		if err != nil {
			return ToolCall{}, err
		}
		if !all && core.IsHidden(t.Removed, r.Seq) {
			continue
		}
		if err := f.add(r); err != nil {
			return ToolCall{}, err
		}
		if f.over {
			break
		}
	}
	return f.call, nil
}

// toolCallFinder is a call that is put together.
type toolCallFinder struct {
	seq    uint64 // of its message
	call   ToolCall
	inputs map[clew.TaskID]json.RawMessage // by those who made a call of that name
	over   bool
}

func (f *toolCallFinder) add(r clew.Record) error {
	if r.Seq < f.seq && r.Type != clew.EventModelMessage {
		return nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	if r.Seq == f.seq {
		return f.shown(ev.Data)
	}
	switch d := ev.Data.(type) {
	case *clew.ModelMessageData:
		f.heard(r, d)
	case *clew.HitlApprovalRequestData:
		if d.MessageID == f.call.MessageID {
			f.call.RequestID, f.call.Effect, f.call.Tool, f.call.Answer = d.RequestID, d.Effect, d.Tool, nil
			if f.call.Input == nil {
				f.call.Input = d.Input
			}
		}
	case *clew.HitlInputRequestData:
		if d.MessageID == f.call.MessageID {
			f.call.RequestID, f.call.Answer = d.RequestID, nil
		}
	case *clew.HitlResolvedData:
		if d.RequestID == f.call.RequestID && d.RequestID != "" {
			var m clew.Message
			m.NoteAnswer(r.TS, d)
			f.call.Answer = m.Answer
		}
	case *clew.ToolProgressData:
		f.moves(r, d)
	case *clew.TaskIdleData:
		f.ends(r, d.TaskID, d.RequestID == "")
	case *clew.TaskCompletedData:
		f.ends(r, d.TaskID, true)
	case *clew.TaskAbortedData:
		f.ends(r, d.TaskID, true)
	}
	return nil
}

// shown takes the message that shows the call.
func (f *toolCallFinder) shown(data any) error {
	d, ok := data.(*clew.MessageCreatedData)
	if !ok || d.Message.ToolCallID != f.call.ToolCallID || f.call.ToolCallID == "" {
		return clew.Errorf(clew.MessageNotFound, "message %s shows no call %q", f.call.MessageID, f.call.ToolCallID)
	}
	f.call.TaskID = d.Message.TaskID
	if input := f.inputs[f.call.TaskID]; input != nil {
		f.call.Input = input
		return nil
	}
	var text struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal([]byte(d.Message.Text), &text) == nil && text.Input != nil {
		f.call.Tool, f.call.Input = text.Tool, text.Input
	}
	return nil
}

func (f *toolCallFinder) heard(r clew.Record, d *clew.ModelMessageData) {
	if r.Seq > f.seq {
		return
	}
	for _, p := range d.Message.ToolCalls() {
		if p.ToolCallID == f.call.ToolCallID {
			if f.inputs == nil {
				f.inputs = map[clew.TaskID]json.RawMessage{}
			}
			f.inputs[d.TaskID] = p.Input
		}
	}
}

func (f *toolCallFinder) moves(r clew.Record, d *clew.ToolProgressData) {
	c := &f.call
	if d.ToolCallID != c.ToolCallID || d.TaskID != c.TaskID {
		return
	}
	if d.ProgressStatus != nil && d.Status == clew.ToolRunning && c.Status == clew.ToolRunning {
		c.Progress = d.ProgressStatus
	}
	if clew.ToolMessage(r.Seq, d) != c.MessageID {
		return
	}
	c.Tool, c.Status = d.Tool, d.Status
	if d.Status == clew.ToolRunning {
		c.StartedMS, c.Class, c.Summary, c.Title, c.AllowedBy = r.TS, d.Class, d.Summary, d.Title, d.AllowedBy
		if d.Effect != nil {
			c.Effect = d.Effect
		}
		return
	}
	c.EndedMS, c.DurationMS, c.Output, c.OutputBlob, c.OutputBytes = r.TS, d.DurationMS, d.Output, d.OutputBlob, d.OutputBytes
	c.Error, c.InDoubt, c.Images = d.Error, d.InDoubt, d.Images
	c.ErrorInOutput, c.ExitCode, c.LimitReached, c.StoppedBy, c.WhyCode = d.ErrorInOutput, d.ExitCode, d.LimitReached, d.StoppedBy, d.WhyCode
	if d.Summary != "" {
		c.Summary = d.Summary
	}
	f.over = true
}

// ends ends the call with its task's turn.
func (f *toolCallFinder) ends(r clew.Record, task clew.TaskID, over bool) {
	if task != f.call.TaskID || !over {
		return
	}
	f.over = true
	if f.call.Status == clew.ToolRunning {
		f.call.Status, f.call.Error, f.call.WhyCode, f.call.EndedMS = clew.ToolError, clew.TurnOver, clew.EndTurnOver, r.TS
	}
}
