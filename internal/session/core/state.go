package core

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/prompt"
)

// State is the fold of a session's records. It is plain data: Decide reads it,
// Apply changes it, and its JSON form is the snapshot that opening starts from.
// Its size is bounded, whatever the session's age.
type State struct {
	ID        clew.SessionID `json:"id"`
	Owner     clew.UserID    `json:"owner"`
	Title     string         `json:"title,omitempty"`
	Workspace string         `json:"workspace,omitempty"`
	// Environment is PATH and the variables of toolchains in the terminal where the
	// session began, for commands; nil if it began elsewhere.
	Environment map[string]string `json:"environment,omitempty"`
	CreatedMS   int64             `json:"created_ms"`
	// LastUsedMS is when a person last did something in the session.
	LastUsedMS int64                     `json:"last_used_ms,omitempty"`
	Access     map[clew.UserID]clew.Role `json:"access,omitempty"`
	// Archived says that lists leave the session out. Nobody is at work in it and
	// nobody is asked.
	Archived bool `json:"archived,omitempty"`
	// Forks counts the sessions that were made from this one's past.
	Forks int `json:"forks,omitempty"`
	// Revoked are those who lost their access last: it is gone from their lists.
	Revoked []clew.UserID `json:"revoked,omitempty"`

	// Head is the record that this state is as of.
	Seq uint64 `json:"seq"`
	TS  int64  `json:"ts"`

	// Messages is the transcript's tail. Total counts all of it, Quiet those that
	// people do not see.
	Messages Transcript `json:"messages,omitzero"`
	Total    int        `json:"total"`
	Quiet    int        `json:"quiet,omitempty"`

	// Tasks holds the tasks under way and those that ended last.
	Tasks   map[clew.TaskID]*Task `json:"tasks,omitempty"`
	Started int                   `json:"started,omitempty"` // tasks so far
	// Monitors has the main one first. It is replaced, never changed in place.
	Monitors []Monitor `json:"monitors,omitempty"`
	// Questions are the open ones, oldest first.
	Questions []clew.Question `json:"questions,omitempty"`
	// Reminded says when people were reminded of an open question.
	Reminded map[clew.RequestID]int64 `json:"reminded,omitempty"`
	// Asked says when each of them was put.
	AskedTimes map[clew.RequestID]AskedTimes `json:"asked,omitempty"`
	// Settings are those of this session alone.
	Settings map[string]any `json:"settings,omitempty"`
	Usage    clew.Usage     `json:"usage"`
	// FailingProvider is the one whose last call was given up, "" once it has answered.
	FailingProvider string `json:"failing_provider,omitempty"`
	// Spent is what was paid for, by day and model.
	Spent []Spent `json:"spent,omitempty"`

	// Instructions are the files that models go by, nil before any were read.
	Instructions *clew.InstructionsRead `json:"instructions,omitempty"`

	// Windows are the open ones, on all monitors. FocusedWindow is the one that a person
	// brought to the front last. Notices are those that nobody has dismissed, oldest
	// first. The lists are replaced, never changed in place.
	Windows       []Window           `json:"windows,omitempty"`
	FocusedWindow string             `json:"focused_window,omitempty"`
	Notices       []clew.NoticeState `json:"notices,omitempty"`
	// AppRequests are what agents want of the apps in windows, oldest first.
	AppRequests []AppRequest `json:"app_requests,omitempty"`
	// AppCalls are what pages of tool servers asked their servers for, oldest first.
	AppCalls []AppCall `json:"app_calls,omitempty"`
	// Notebooks are the open ones, and those that were closed while their kernels are to
	// be ended. The list is replaced, never changed in place. CellsMade counts their cells.
	Notebooks []Notebook `json:"notebooks,omitempty"`
	CellsMade int        `json:"cells_made,omitempty"`
	// Timeline is what main agents have yet to hear of people and other agents.
	Timeline prompt.Timeline `json:"timeline,omitzero"`
	// Reload is what turns showed and what can be shown again.
	Reload prompt.Reload `json:"reload,omitzero"`

	// Removed are the parts of the journal that are hidden, in order. Undo and
	// Redo hold the rewinds that can be undone or done again, the newest last.
	Removed []Span        `json:"removed,omitempty"`
	Undo    []RewindEntry `json:"undo,omitempty"`
	Redo    []RewindEntry `json:"redo,omitempty"`
	// LastMove is the last of all these, also of files, and whether it was done.
	LastMove *clew.LastMove `json:"last_move,omitempty"`
	// Problems are the last errors on record, Settled the questions that were
	// settled last.
	Problems []clew.Problem         `json:"problems,omitempty"`
	Settled  []clew.SettledQuestion `json:"settled,omitempty"`
	// Moved is the record that last took the session elsewhere in its history.
	LastRewindSeq uint64 `json:"moved,omitempty"`
	// Returning is what is being done about files, nil for most of the time.
	PendingRewind *PendingRewind `json:"returning,omitempty"`
	// Checkpoint is the newest one of the files, First the session's first one.
	Checkpoint      string          `json:"checkpoint,omitempty"`
	FirstCheckpoint string          `json:"first_checkpoint,omitempty"`
	ForkedFrom      *clew.ForkPoint `json:"forked_from,omitempty"`
	// FilesNode is the node that has the workspace as the agents left it, ""
	// if there is one node or nothing is known. FilesWait is what a person
	// wants to wait for.
	FilesNode string                 `json:"files_node,omitempty"`
	FilesWait *clew.MissingWorkspace `json:"files_wait,omitempty"`
	// Begun is the first record of its own of a session that has others' behind
	// it.
	FirstOwnSeq uint64 `json:"begun,omitempty"`

	// Taken holds the commands whose repeats are recognised, oldest first.
	Processed []ProcessedCommand `json:"taken,omitempty"`

	processedIndex map[takenKey]int // index into Taken, nil until the next command is taken
	Rules          Rules            `json:"-"` // nil for a state on its own

	projected  *projectedNotebooks // what Project last made of Notebooks
	Pending    *State              `json:"-"` // what the next record takes the session to
	keepHidden bool                // model messages that are hidden stay, for exports
}

// Rules is what Decide has to know of the settings. Its methods are pure and
// quick.
type Rules interface {
	// Steers says whether a running turn takes what is said meanwhile.
	Steers(settings map[string]any) bool
	// AutoApproval gives the flags that hold with a session's settings.
	AutoApproval(settings map[string]any) clew.AutoApprovalFlags
	// CheckSettings says whether a session may change settings like this.
	CheckSettings(changes map[string]any) error
	// Budgeted says whether the server itself has a budget, which only an
	// administrator may raise.
	Budgeted() bool
	// Run gives what the settings say about runs.
	Run(settings map[string]any) run.Rules
	// ReminderSec says how long before a question's deadline people are
	// reminded of it, 0 for never.
	ReminderSec(settings map[string]any) int
	// Remember says whether a question's answer may have this remembered, and
	// which change of the session's settings that takes, nil for none.
	Remember(settings map[string]any, q *clew.HitlApprovalRequestData, r clew.Remember) (changes map[string]any, err error)
	// Agents gives what the settings say about agents beside each other.
	Agents(settings map[string]any) AgentRules
	// CheckMode says whether there is such a mode.
	CheckMode(settings map[string]any, mode string) error
}

// ProcessedCommand is a command that took effect: which records it made.
type ProcessedCommand struct {
	By    clew.UserID          `json:"by"`
	ID    clew.ClientMessageID `json:"id"`
	First uint64               `json:"first"`
	Count int                  `json:"count"`
}

// takenKey tells commands apart: each user has its own names.
type takenKey struct {
	by clew.UserID
	id clew.ClientMessageID
}

func (t ProcessedCommand) key() takenKey { return takenKey{t.By, t.ID} }

// What a state has room for.
const (
	TakenMax  = 1000 // repeats recognised
	QueueMax  = 10   // messages waiting for the agent of a monitor
	AccessMax = 1000 // users with access beside the owner
)

// Exists reports whether the session was created.
func (s *State) Exists() bool { return s.CreatedMS > 0 }

// Busy reports whether work is under way that must go on without anyone asking.
func (s *State) Busy() bool {
	if s.PendingRewind != nil {
		return true
	}
	for _, t := range s.Tasks {
		if s.HasWork(t) {
			return true
		}
	}
	return slices.ContainsFunc(s.Notebooks, func(n Notebook) bool { return n.HasWork() })
}

// waitsForPeople reports whether all that is under way are cells whose code asked
// somebody.
func (s *State) waitsForPeople() bool {
	if s.PendingRewind != nil || len(s.Questions) == 0 {
		return false
	}
	for _, t := range s.Tasks {
		if s.HasWork(t) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Notebooks, func(n Notebook) bool { return n.HasWork() && !n.awaitsPerson() })
}

// Status is the session's status in one word: that of the run on the main monitor, or
// what all agents do.
func (s *State) Status() clew.SessionStatus {
	if t := s.Focused(clew.MainMonitor); t != nil && t.Run != nil && (t.Turn == nil && t.Run.Phase.Ended() && !s.AtWork() || t.Turn != nil && s.ActiveRun(t) != nil) {
		if st := t.Run.SessionStatus(); st != clew.StatusExecuting && st != clew.StatusPlanning || len(s.Questions) == 0 || s.Busy() {
			return st
		}
		return clew.StatusAwaitingInput
	}
	switch {
	case s.Busy() && !s.waitsForPeople():
		return clew.StatusExecuting
	case len(s.Questions) > 0:
		return clew.StatusAwaitingInput
	case s.AtWork():
		return clew.StatusExecuting
	}
	return clew.StatusIdle
}

// RoleOf gives what a principal may do here, RoleNone for a stranger. The role
// of the credentials is a ceiling.
func (s *State) RoleOf(p clew.Principal) clew.Role {
	switch {
	case p.User == s.Owner && p.Role == clew.RoleAdmin:
		return clew.RoleOwner
	case p.User == s.Owner:
		return lesser(clew.RoleOwner, p.Role)
	case s.Access[p.User] != clew.RoleNone:
		return lesser(s.Access[p.User], p.Role)
	case p.Role == clew.RoleAdmin: // may watch every session
		return clew.RoleAdmin
	}
	return clew.RoleNone
}

// reach orders roles by what their credentials let somebody do. It is not the
// order of CommandInfo.Allows, where an administrator may only watch.
var reach = map[clew.Role]int{clew.RoleViewer: 1, clew.RoleApprover: 2, clew.RoleOwner: 3, clew.RoleAdmin: 4}

func lesser(a, b clew.Role) clew.Role {
	if reach[b] < reach[a] {
		return b
	}
	return a
}

// DisplayTitle is the session's title, or what its first task is about.
func (s *State) DisplayTitle() string {
	if s.Title != "" || len(s.Tasks) == 0 {
		return s.Title
	}
	return PlainLine(s.SortedTasks()[0].Text, TitleRunes-1)
}

// Message gives a copy of a message that is at hand, nil for others.
func (s *State) Message(id clew.MessageID) *clew.Message { return s.Messages.Get(id) }

// ProcessedAs finds what an earlier command of the user with this id made.
func (s *State) ProcessedAs(by clew.UserID, id clew.ClientMessageID) (ProcessedCommand, bool) {
	key := takenKey{by, id}
	if s.processedIndex == nil { // just loaded
		if i := slices.IndexFunc(s.Processed, func(t ProcessedCommand) bool { return t.key() == key }); i >= 0 {
			return s.Processed[i], true
		}
		return ProcessedCommand{}, false
	}
	i, ok := s.processedIndex[key]
	if !ok {
		return ProcessedCommand{}, false
	}
	return s.Processed[i], true
}

// take remembers the command that caused a record. It forgets the oldest in
// slices, so that the index is rebuilt rarely.
func (s *State) take(r clew.Record) {
	if n := len(s.Processed); n > 0 && s.Processed[n-1].key() == (takenKey{r.By, r.Cause}) {
		s.Processed[n-1].Count++
		return
	}
	if len(s.Processed) >= TakenMax+TakenMax/4 {
		s.Processed = slices.Clone(s.Processed[len(s.Processed)-TakenMax+1:])
		s.processedIndex = nil
	}
	if s.processedIndex == nil {
		s.processedIndex = make(map[takenKey]int, len(s.Processed)+1)
		for i, t := range s.Processed {
			s.processedIndex[t.key()] = i
		}
	}
	t := ProcessedCommand{By: r.By, ID: r.Cause, First: r.Seq, Count: 1}
	s.Processed = append(s.Processed, t)
	s.processedIndex[t.key()] = len(s.Processed) - 1
}
