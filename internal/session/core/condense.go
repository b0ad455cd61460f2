package core

import (
	"cmp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// KeepHidden has the state keep the model messages that a summary or a marker
// hides. It is for folds that are exported: a session's own state is bounded,
// and has the journal for what is hidden.
func (s *State) KeepHidden() { s.keepHidden = true }

func applyCondenseRequested(s *State, r clew.Record, d *clew.CondenseRequestedData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	t.Condense, t.Condensed = true, 0
	if t.Turn == nil {
		t.Status, t.EndedMS = clew.TaskStatusActive, 0
		t.Turn = &Turn{ID: clew.MessageIDOf(r.Seq), AgentID: t.AgentID, TaskID: t.TaskID, SinceMS: r.TS, Condense: true}
		t.Steps, t.AutoApproved, t.Mistakes = 0, 0, 0
	}
}

// applyModelCall folds what the transcript says about calls to the model.
func applyModelCall(t *Task, m clew.Message) {
	forSummary := m.ContextCondense != nil
	switch {
	case m.Say == clew.SayAPIReqStarted:
		t.Request, t.Condensing = m.MessageID, forSummary
		model, _ := m.Metadata["model"].(string)
		provider, _ := m.Metadata["provider"].(string)
		t.Model = cmp.Or(model, provider) // the echo has no models
		if !forSummary {                  // a summary is no step of the turn
			t.Steps++
		}
		if m.Reserved != nil {
			t.Reserved = *m.Reserved
		}
	case m.Say == clew.SayAPIReqFinished && !forSummary && m.Usage != nil:
		t.Counted = m.Usage.TokensIn + m.Usage.CacheReads + m.Usage.CacheWrites
	case m.Say == clew.SayAPIReqDeleted, m.Ask == clew.AskAPIReqFailed:
		t.endModelCall()
	case m.Say == clew.SayCondenseContext && forSummary:
		t.Condensed = m.ContextCondense.TokensAfter
	case m.Say == clew.SayCondenseContextError && forSummary:
		t.endModelCall()
		t.Condense, t.Condensed = false, m.ContextCondense.TokensBefore
	}
}

// endModelCall ends the call to the model.
func (t *Task) endModelCall() { t.Request, t.Reserved, t.Condensing = "", clew.Usage{}, false }

// applyCover puts a summary or a marker in front of what it hides. Hidden
// messages leave the state: the journal has them, and a rewind folds it anew.
func applyCover(s *State, t *Task, d *clew.ModelMessageData) {
	t.WindowsTold = "" // it may be hidden now
	if d.Hides > 0 {
		t.History = history.Cover(t.History, d.Hides, d.Message)
	} else {
		t.History = append(t.History, d.Message)
	}
	if !s.keepHidden {
		all := len(t.History)
		t.History = history.Effective(t.History)
		t.HiddenCount += all - len(t.History)
	}
	if d.Message.IsTruncationMarker {
		t.Condensed = 0 // the history is a shorter one now
		return
	}
	t.Condense = false
	if t.Condensing {
		t.endModelCall()
	}
}
