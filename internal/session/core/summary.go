package core

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// LineRunes bounds what a list shows of the last words.
const LineRunes = 120

// Summary is the session's line in its owner's list. It is made with every batch
// of records, so it must cost next to nothing.
func (s *State) Summary() Summary {
	return Summary{
		ID: s.ID, Title: s.DisplayTitle(), Status: string(s.Status()), Workspace: s.Workspace,
		CreatedMS: s.CreatedMS, UpdatedMS: s.TS, LastUsedMS: s.LastUsedMS, LastSeq: s.Seq,
		Owner: s.Owner, CostUSD: s.Usage.CostUSD, TokensIn: s.Usage.TokensIn, TokensOut: s.Usage.TokensOut,
		Questions: len(s.Questions), Plan: s.progress(), LastLine: s.lastLine(), ForkedFrom: s.ForkedFrom, Archived: s.Archived,
		Outcome: s.lastOutcome(), Spent: s.spent(),
	}
}

// SharedMax bounds in how many lists a session stands beside its owner's.
const SharedMax = 100

// progress is how far the run under way on the main monitor is, nil if there is none with a plan.
func (s *State) progress() *PlanProgress {
	root := s.CurrentRun(clew.MainMonitor)
	if root == nil || root.Run.Phase.Ended() || len(root.Run.Todos) == 0 {
		return nil
	}
	c := plan.Count(root.Run.Todos)
	return &PlanProgress{Done: c.Completed + c.Skipped, Total: c.Total}
}

// lastOutcome says how the work ended that came last, "" while something is under way.
func (s *State) lastOutcome() clew.OutcomeStatus {
	var newest *Task
	for _, t := range s.Tasks {
		if t.ParentTaskID == "" && (newest == nil || t.Number > newest.Number) {
			newest = t
		}
	}
	if newest == nil || newest.Outcome == nil || s.AtWork() {
		return ""
	}
	return newest.Outcome.Status
}

// lastLine is the beginning of what a person or an agent said last, in plain words. What the
// engine tells an agent to do was said by nobody.
func (s *State) lastLine() string {
	tail := s.Messages.Tail()
	for i := len(tail) - 1; i >= 0; i-- {
		m := &tail[i]
		if m.Text != "" && (m.Role == clew.SpeakerUser && m.AgentID == "" || m.Say == clew.SayText || m.Say == clew.SayCompletionResult) {
			return PlainLine(m.Text, LineRunes)
		}
	}
	return ""
}

// Summary is a session's line in its owner's list.
type Summary struct {
	ID         clew.SessionID `json:"session_id"`
	Title      string         `json:"title"`
	Status     string         `json:"status"`
	Workspace  string         `json:"workspace,omitempty"`
	CreatedMS  int64          `json:"created_ms"`
	UpdatedMS  int64          `json:"updated_ms"`
	LastUsedMS int64          `json:"last_used_ms,omitempty" doc:"When a person last did something in it; agents continue by themselves"`
	LastSeq    uint64         `json:"last_seq"`
	// Outcome is beside the status, which is idle for programs that wait for that.
	Outcome clew.OutcomeStatus `json:"outcome,omitempty" doc:"How the work ended that came last; absent while something is under way"`

	Owner      clew.UserID     `json:"owner,omitempty"`
	CostUSD    float64         `json:"cost_usd,omitempty"`
	TokensIn   int64           `json:"tokens_in,omitempty"`
	TokensOut  int64           `json:"tokens_out,omitempty"`
	Questions  int             `json:"questions,omitempty" doc:"How many are open"`
	Plan       *PlanProgress   `json:"plan,omitempty" doc:"Of the run under way"`
	LastLine   string          `json:"last_line,omitempty" doc:"The beginning of what was said last"`
	ForkedFrom *clew.ForkPoint `json:"forked_from,omitempty" doc:"Where the session branched off"`
	Archived   bool            `json:"archived,omitempty" doc:"It was put away"`
	EraseMS    int64           `json:"erase_ms,omitempty" doc:"It was deleted, and can be brought back until then"`

	// Spent is nil on lines of older versions; lists of REST leave it out.
	Spent []Spent `json:"spent,omitzero" hidden:"true"`
	// Gone marks a line in the list of somebody whom the session was shared with.
	Gone bool `json:"gone,omitempty" hidden:"true"`
}

// PlanProgress is how far a run is with its todos.
type PlanProgress struct {
	Done  int `json:"done"` // or left out
	Total int `json:"total"`
}
