package session

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// KeepHidden has the state keep the model messages that a summary or a marker
// hides. It is for folds that are exported: a session's own state is bounded,
// and has the journal for what is hidden.
func (s *State) KeepHidden() { s.keepHidden = true }

// decideCondense takes the wish for a summary. A task at rest gets a turn just
// for that; one at work does it before it next asks the model.
func decideCondense(tx *Tx, s *State, d *clew.CondenseContextData) error {
	id := d.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	switch {
	case t == nil && d.TaskID == "":
		return clew.Errorf(clew.TaskNotFound, "no task is in focus")
	case t == nil:
		return clew.Errorf(clew.TaskNotFound, "no task %s", id)
	case len(t.History) == 0:
		return clew.Errorf(clew.SessionInvalidState, "the task has no messages to put into a summary")
	case t.Condense && t.Turn != nil:
		return nil // asked for already
	}
	tx.Add(&clew.CondenseRequestedData{TaskID: t.TaskID})
	if t.Turn != nil {
		return nil
	}
	switch {
	case s.AtWork():
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	case s.runPaused(t):
		return clew.Errorf(clew.SessionInvalidState, "the task's run is paused")
	case s.blockingQuestion(t.TaskID) != nil:
		return clew.Errorf(clew.SessionInvalidState, "a question about the task is open")
	}
	tx.Add(&clew.TaskActiveData{TaskRef: t.TaskRef})
	return nil
}

func applyCondenseRequested(s *State, r clew.Record, d *clew.CondenseRequestedData) {
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	t.Condense, t.Condensed = true, 0
	if t.Turn == nil {
		t.Status, t.EndedMS = clew.TaskStatusActive, 0
		t.Turn = &Turn{ID: clew.MessageIDOf(r.Seq), AgentID: t.AgentID, TaskID: t.TaskID, Condense: true}
		t.Steps, t.AutoApproved, t.Mistakes = 0, 0, 0
	}
}

// applyModelCall folds what the transcript says about calls to the model.
func applyModelCall(t *Task, m clew.Message) {
	forSummary := m.ContextCondense != nil
	switch {
	case m.Say == clew.SayAPIReqStarted:
		t.Request, t.Condensing = m.MessageID, forSummary
		if !forSummary { // a summary is no step of the turn
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
