package view

import (
	"encoding/json"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// settleReach is how many records beyond a page are read for what became of its
// calls and questions. What is settled later shows as it was; a call seldom
// takes hundreds.
const settleReach = 10_000

// AcceptReach is how many records after a person's words are read for how they
// reached an agent: what does not wait is accepted in the batch that creates it.
const AcceptReach = 100

// Outcomes is what later records say of a page's messages, in the making.
type Outcomes struct {
	open  map[clew.MessageID]bool           // not settled to this day
	asked map[clew.RequestID]clew.MessageID // the questions under way
	// over says up to where in the journal a task's calls have their results: a
	// model is asked again only after all of them.
	over map[clew.TaskID]clew.MessageID
	// left says where in the journal a task came to rest.
	left map[clew.TaskID]uint64
}

// NewOutcomes begins to follow what becomes of these messages.
func NewOutcomes(open []clew.MessageID) Outcomes {
	o := Outcomes{open: map[clew.MessageID]bool{}, asked: map[clew.RequestID]clew.MessageID{}, over: map[clew.TaskID]clew.MessageID{}, left: map[clew.TaskID]uint64{}}
	for _, id := range open {
		o.open[id] = true
	}
	return o
}

// awaits reports whether more is to be known of a message.
func (o *Outcomes) awaits(m *clew.Message) bool {
	if m.Type != clew.TypeAsk || o.open[m.MessageID] {
		return false
	}
	if m.RequestID != "" && m.Answer == nil && !m.IsAnswered {
		return true
	}
	return m.ToolCallID != "" && (m.Tool == nil || !m.Tool.Status.Ended()) && o.over[m.TaskID] < m.MessageID
}

// progressFields is tool_progress without what is large.
type progressFields struct {
	ToolCallID   string            `json:"tool_call_id"`
	Tool         string            `json:"tool"`
	Status       clew.ToolStatus   `json:"status"`
	TaskID       clew.TaskID       `json:"task_id"`
	MessageID    clew.MessageID    `json:"message_id"`
	Summary      string            `json:"summary"`
	Title        string            `json:"title"`
	Error        string            `json:"error"`
	InDoubt      bool              `json:"in_doubt"`
	OutputBlob   string            `json:"output_blob"`
	DurationMS   int64             `json:"duration_ms"`
	Effect       *clew.Effect      `json:"effect"`
	AllowedBy    *clew.AllowedBy   `json:"allowed_by"`
	ExitCode     *int              `json:"exit_code"`
	LimitReached clew.CommandLimit `json:"limit_reached"`
	StoppedBy    clew.UserID       `json:"stopped_by"`
	WhyCode      clew.EndCode      `json:"why_code"`
	InOutput     bool              `json:"error_in_output"`
}

func (p *progressFields) data() *clew.ToolProgressData {
	return &clew.ToolProgressData{
		ToolCallID: p.ToolCallID, Tool: p.Tool, Status: p.Status, TaskID: p.TaskID, MessageID: p.MessageID, Summary: p.Summary, Title: p.Title,
		Error: p.Error, InDoubt: p.InDoubt, OutputBlob: p.OutputBlob, DurationMS: p.DurationMS, Effect: p.Effect, AllowedBy: p.AllowedBy,
		ExitCode: p.ExitCode, LimitReached: p.LimitReached, StoppedBy: p.StoppedBy, WhyCode: p.WhyCode, ErrorInOutput: p.InOutput,
	}
}

// settles takes in what a record says of the messages so far. It is noteOutcome
// for those that are not in the tail.
func (f *PageFold) settles(r clew.Record) error {
	if len(f.Messages) == 0 {
		return nil
	}
	switch r.Type {
	case clew.EventToolProgress:
		var p progressFields
		if err := json.Unmarshal(r.Data(), &p); err != nil {
			return err
		}
		d := p.data()
		core.Translate(d)
		if i, ok := f.at[clew.ToolMessage(r.Seq, d)]; ok {
			f.Messages[i].NoteTool(d)
		}
	case clew.EventHitlPlanReview, clew.EventHitlApprovalRequest, clew.EventHitlInputRequest, clew.EventHitlClarification:
		var a struct {
			RequestID clew.RequestID `json:"request_id"`
			MessageID clew.MessageID `json:"message_id"`
		}
		if err := json.Unmarshal(r.Data(), &a); err != nil {
			return err
		}
		if i, ok := f.at[a.MessageID]; ok { // or asked anew, in a fork
			m := &f.Messages[i]
			if m.Tool == nil {
				ev, err := clew.DecodeEvent(r.Type, r.Data())
				if err != nil {
					return err
				}
				core.Translate(ev.Data)
				core.ShowCall(m, ev.Data)
			}
			m.RequestID, m.Answer, m.IsAnswered = a.RequestID, nil, false
			f.asked[a.RequestID] = a.MessageID
		}
	case clew.EventHitlResolved:
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return err
		}
		core.Translate(ev.Data)
		d, ok := ev.Data.(*clew.HitlResolvedData)
		if id, known := f.asked[d.RequestID]; ok && known {
			delete(f.asked, d.RequestID)
			f.Messages[f.at[id]].NoteAnswer(r.TS, d)
		}
	case clew.EventTaskIdle, clew.EventTaskCompleted, clew.EventTaskAborted:
		var d struct {
			TaskID    clew.TaskID    `json:"task_id"`
			RequestID clew.RequestID `json:"request_id"`
		}
		if err := json.Unmarshal(r.Data(), &d); err != nil {
			return err
		}
		if d.RequestID == "" {
			f.endCalls(r, d.TaskID)
		}
	}
	return nil
}

func (f *PageFold) endCalls(r clew.Record, task clew.TaskID) {
	f.over[task], f.left[task] = r.MessageID(), r.Seq
	for i := range f.Messages {
		f.Messages[i].EndCall(task)
	}
}

// Waits reports whether records beyond the page matter to it.
func (f *PageFold) Waits(read uint64) bool {
	if f.growing > 0 {
		return true
	}
	if read >= f.End+settleReach {
		return false
	}
	for i := range f.Messages {
		if f.awaits(&f.Messages[i]) || f.undelivered(&f.Messages[i], read) || f.mayBeHandedOver(&f.Messages[i], read) {
			return true
		}
	}
	return false
}

// mayBeHandedOver reports whether words that a short-lived agent has may go to the main
// one later: in the batch in which that agent leaves.
func (f *PageFold) mayBeHandedOver(m *clew.Message, read uint64) bool {
	if m.Delivery != clew.DeliveryEphemeral {
		return false
	}
	left, gone := f.left[m.TaskID]
	return !gone || read < left+AcceptReach
}

// undelivered reports whether how a person's words reached an agent may be told
// right after what was read.
func (f *PageFold) undelivered(m *clew.Message, read uint64) bool {
	if m.Role != clew.SpeakerUser || m.AgentID != "" || m.Delivery != "" {
		return false
	}
	if _, waits := f.waiting[m.MessageID]; waits {
		return false
	}
	seq, err := m.MessageID.Seq()
	return err == nil && read < seq+AcceptReach
}
