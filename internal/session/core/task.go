package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/prompt"
)

// A Task is a node of the task tree: one piece of work with its own model
// history. Everything an agent needs to go on with it is here.
type Task struct {
	clew.TaskRef
	Number  int             `json:"number"`
	Text    string          `json:"text"` // what was asked for, in words
	Mode    string          `json:"mode,omitempty"`
	Status  clew.TaskStatus `json:"status"`
	AgentID clew.AgentID    `json:"agent_id"`
	// AgentKind is what the agent is there for, where that does not follow from the
	// task's place in the tree.
	AgentKind  clew.AgentKind `json:"agent_kind,omitempty"`
	Depth      int            `json:"depth,omitempty"`
	CreatedMS  int64          `json:"created_ms"`
	EndedMS    int64          `json:"ended_ms,omitempty"`
	Dismissed  bool           `json:"put_away,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"` // the parent's call that gets the result
	// Key is the window or group that a window's agent belongs to, WindowID the window
	// that it began with, ActionID that of a press which runs beside others.
	Key      string `json:"key,omitempty"`
	WindowID string `json:"window_id,omitempty"`
	ActionID string `json:"action_id,omitempty"`
	// Server is the tool server whose page asked for the one call that the task is there
	// for, "" for most. No model takes part in it.
	Server string `json:"server,omitempty"`
	// Wake says that the parent does not wait for the task, and hears of its end.
	Wake bool `json:"wake,omitempty"`
	// ForkedFrom is the task whose history this one began with, "" for most.
	ForkedFrom clew.TaskID `json:"forked_from,omitempty"`

	Children      []clew.TaskID `json:"children,omitempty"`
	AwaitingChild clew.TaskID   `json:"awaiting_child,omitempty"`
	CompletedBy   clew.TaskID   `json:"completed_by,omitempty"`
	Result        string        `json:"result,omitempty"`
	// Outcome says how the last turn ended, or the task; nil while none has.
	Outcome *clew.Outcome `json:"outcome,omitempty"`

	Usage     clew.Usage                `json:"usage"`
	Model     string                    `json:"model,omitempty"` // that was asked last
	ToolUsage map[string]clew.ToolUsage `json:"tool_usage,omitempty"`

	// History is the model history as far as it is sent. Its elements are never
	// changed in place: agents read it while the session goes on.
	History []clew.ModelMessage `json:"history,omitempty"`
	// Shared counts, in a snapshot only, the first messages that stand in the history
	// of ForkedFrom.
	Shared int `json:"shared,omitempty"`
	// Behind counts the messages that left the history, hidden by a summary or a
	// marker. With the length of the history it only grows.
	HiddenCount int `json:"behind,omitempty"`
	// Condense says that somebody wants a summary, Condensing that the model call
	// under way writes one. Condensed is the size of the history, in tokens, when
	// that was last tried: it has to grow before the next time.
	Condense   bool  `json:"condense,omitempty"`
	Condensing bool  `json:"condensing,omitempty"`
	Condensed  int64 `json:"condensed,omitempty"`
	// Guessed is how many tokens the last answered call was thought to send,
	// Counted how many the provider counted, 0 if it did not say.
	Guessed int64 `json:"guessed,omitempty"`
	Counted int64 `json:"counted,omitempty"`
	// WindowsTold is the hash of the open windows that the model was told of last, "" if
	// it has to be told.
	WindowsTold string `json:"windows_told,omitempty"`
	// Calls are those of the last answer, until all have their results.
	Calls []Call `json:"calls,omitempty"`
	// Inbox holds what was said during the turn and the model has not heard yet.
	Inbox []Input `json:"inbox,omitempty"`
	// Request is the model call under way, "" if none: the message that says so.
	Request clew.MessageID `json:"request,omitempty"`
	// Reserved is what that call may use at most, as far as can be told.
	Reserved clew.Usage `json:"reserved,omitzero"`
	Turn     *Turn      `json:"turn,omitempty"` // nil if the task is at rest

	// Run is the run that the task carries, nil for most. TodoID is the todo of
	// its root's run that the task carries out.
	Run *run.Run `json:"run,omitempty"`
	// RunID is the run that the task carries or works for.
	RunID   string `json:"run_id,omitempty"`
	TodoID  string `json:"todo_id,omitempty"`
	Profile string `json:"profile,omitempty"` // the model profile in place of the usual one
	// Acted says that the task, or one below it, did more than look.
	Acted bool `json:"acted,omitempty"`
	// Added and Removed count the lines that the task and those below it changed.
	Added   int `json:"added,omitempty"`
	Removed int `json:"removed,omitempty"`
	// Tree is what a root's whole tree used.
	Tree clew.Usage `json:"tree,omitzero"`

	PlanID      string      `json:"plan_id,omitempty"`
	PlanVersion int         `json:"plan_version,omitempty"`
	Todos       []clew.Todo `json:"todos,omitempty"`

	// AutoApproved counts what was allowed by itself since a person last
	// decided, Mistakes what the model got wrong in a row, Steps its calls in
	// this turn, Raised how often a person raised the tree's budget.
	AutoApproved int `json:"auto_approved,omitempty"`
	Mistakes     int `json:"mistakes,omitempty"`
	Steps        int `json:"steps,omitempty"`
	Raised       int `json:"raised,omitempty"`
	// PastMonth is the month, such as 2026-11, whose budget people let the tree pass.
	PastMonth string `json:"past_month,omitempty"`
	// Allowed is what people let be remembered for the tree; of roots only.
	Allowed []clew.RememberedRule `json:"rules,omitempty"`
}

// An Input is what somebody said to an agent.
type Input struct {
	MessageID clew.MessageID `json:"message_id"`
	Text      string         `json:"text,omitempty"`
	Images    []string       `json:"images,omitempty"`
	Mode      string         `json:"mode,omitempty"`
	TaskID    clew.TaskID    `json:"task_id,omitempty"`  // "" = the current one
	New       bool           `json:"new,omitempty"`      // it starts a task
	Budget    *clew.Budget   `json:"budget,omitempty"`   // of the run that it starts
	Callback  clew.TaskID    `json:"callback,omitempty"` // the task whose result it is; no person said it
	// WindowID is the window that it was said to, Component what was used there.
	WindowID  string             `json:"window_id,omitempty"`
	Component *clew.ComponentUse `json:"component,omitempty"`

	// Who said it, when, and under which name; only of what waits in the queue.
	TS     int64                `json:"ts,omitempty"`
	UserID clew.UserID          `json:"user_id,omitempty"`
	Client clew.ClientMessageID `json:"client,omitempty"`
	// Unsaid says that it is not in the transcript yet. What waits in an older
	// journal is.
	NotInTranscript bool `json:"unsaid,omitempty"`
}

// A CallStatus is where a tool call stands.
type CallStatus string

// The call statuses.
const (
	CallProposed CallStatus = "proposed" // the model wants it, nothing was decided
	CallAsked    CallStatus = "asked"    // a person has to decide or answer
	CallApproved CallStatus = "approved" // allowed, not begun
	CallRunning  CallStatus = "running"  // begun: the intent is on record
	CallChild    CallStatus = "child"    // a child task is at work on it
	CallApp      CallStatus = "app"      // the app in a window was asked, until a deadline
	CallCell     CallStatus = "cell"     // cells of a notebook run for it
	CallDone     CallStatus = "done"
)

// A Call is a tool call of the model's last answer.
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Input     json.RawMessage `json:"input,omitempty"`
	Status    CallStatus      `json:"status"`
	RequestID clew.RequestID  `json:"request_id,omitempty"`
	MessageID clew.MessageID  `json:"message_id,omitempty"` // the ask in the transcript
	Class     clew.ToolClass  `json:"class,omitempty"`
	Digest    string          `json:"digest,omitempty"` // what was approved or begun
	Comment   string          `json:"comment,omitempty"`
	Result    *clew.Part      `json:"result,omitempty"`
	// Heard is what came of the cells that ran for the call, while others are to run.
	Heard []clew.Part `json:"heard,omitempty"`
}

// A Turn is an agent's work on one message.
type Turn struct {
	// ID is the message that started it.
	ID      clew.MessageID `json:"id"`
	AgentID clew.AgentID   `json:"agent_id"`
	TaskID  clew.TaskID    `json:"task_id"`
	// SinceMS is when it began.
	SinceMS  int64  `json:"since_ms,omitempty"`
	WindowID string `json:"window_id,omitempty"` // that it was said to, of a window's agent
	// Reply is the message that the agent is writing, "" if none is open.
	Reply clew.MessageID `json:"reply,omitempty"`
	// Prompt is what started the turn, until the model has heard it.
	Prompt *Input `json:"prompt,omitempty"`
	// Condense says that the turn is there for a summary only, until somebody
	// says something.
	Condense bool `json:"condense,omitempty"`
	// Acts is what the agent showed in it, and what those did whom it waits for.
	Acts prompt.Acts `json:"acts,omitzero"`
	// Fingerprint is what it began with, empty if what it shows follows from more than
	// that.
	Fingerprint prompt.Fingerprint `json:"fingerprint,omitzero"`
	// Failure is what an error record said during the turn, Refused what a no to
	// going on comes to. They decide how it ends.
	Failure string        `json:"failure,omitempty"`
	Refused *clew.Outcome `json:"refused,omitempty"`
}

// How much is kept of tasks.
const (
	TasksKept     = 200 // tasks in the state; the oldest ended trees leave it
	todosKept     = 48  // with more tasks than these, those of ended todos leave it
	HistoriesKept = 5   // ended root tasks whose model history is at hand
	TitleRunes    = 80
)

// Task finds a task, nil if there is none.
func (s *State) Task(id clew.TaskID) *Task {
	if id == "" {
		return nil
	}
	return s.Tasks[id]
}

// Call finds a call of the last answer, nil if there is none.
func (t *Task) Call(id string) *Call {
	for i := range t.Calls {
		if t.Calls[i].ID == id {
			return &t.Calls[i]
		}
	}
	return nil
}

// Ended reports whether the task is over.
func (t *Task) Ended() bool {
	return t.Status == clew.TaskStatusCompleted || t.Status == clew.TaskStatusAborted
}

// ActiveAncestor is who hears what is said to a task: a child that ended has no history
// any more, so its parent does.
func (s *State) ActiveAncestor(t *Task) *Task {
	for t.Ended() {
		parent := s.Task(t.ParentTaskID)
		if parent == nil {
			break
		}
		t = parent
	}
	return t
}

// BlockingQuestion gives the task's open questions that it cannot go on without and
// that belong to no single call.
func (s *State) BlockingQuestion(id clew.TaskID) *clew.Question {
	for i := range s.Questions {
		q := &s.Questions[i]
		about := SubjectOfQuestion(*q)
		if about.Task == id && about.Call == "" && !s.ofPlan(about) || about.HoldsRun() && s.sameRun(id, about.Task) {
			return q
		}
	}
	return nil
}

// ofPlan reports whether a question is the run's own about one of its todos:
// nothing else waits for it.
func (s *State) ofPlan(a Subject) bool {
	t := s.Task(a.Task)
	return a.Todo != "" && t != nil && t.Run != nil
}

// HoldsRun reports whether a question holds up all tasks of a run.
func (a Subject) HoldsRun() bool {
	return a.Limit == LimitBudget || a.Limit == LimitMonth || a.Limit == LimitTime
}

// allow raises the limit of a tree that a question is about.
func (t *Task) allow(a Subject, ts int64) {
	if a.Limit == LimitMonth {
		t.PastMonth = MonthOf(ts)
		return
	}
	t.Raised += a.raise
}

func (s *State) sameRun(a, b clew.TaskID) bool {
	t, other := s.Task(a), s.Task(b)
	return t != nil && other != nil && t.RootTaskID == other.RootTaskID && s.ActiveRun(t) != nil
}

// RunPaused reports whether the task's run is paused.
func (s *State) RunPaused(t *Task) bool {
	r := s.ActiveRun(t)
	return r != nil && r.Paused
}

// Runnable reports whether the task's agent has something to do now. What waits
// for a person or for a child task waits on record, not in memory. A call that
// was only proposed waits with it: the agent left it for later.
func (s *State) Runnable(t *Task) bool { return s.HasWork(t) && !s.held(t) }

// HasWork is Runnable, be it that the budget of the task's monitor has it wait: that
// ends by itself.
func (s *State) HasWork(t *Task) bool {
	if t.Turn == nil || t.Ended() || s.PendingRewind != nil || s.Rerunning() || s.RunPaused(t) || s.Blocked(t.TaskID) {
		return false
	}
	waits := false
	for _, c := range t.Calls {
		switch c.Status {
		case CallApproved, CallRunning:
			return true
		case CallAsked, CallChild, CallApp, CallCell:
			waits = true
		case CallProposed, CallDone:
		}
	}
	return !waits
}

// TasksOfTree lists the tasks of a tree, oldest first.
func (s *State) TasksOfTree(root clew.TaskID) []*Task {
	var list []*Task
	for _, t := range s.Tasks {
		if t.RootTaskID == root {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, olderTask)
	return list
}

func olderTask(a, b *Task) int { return a.Number - b.Number }

// SortedTasks lists all tasks, oldest first.
func (s *State) SortedTasks() []*Task {
	return slices.SortedFunc(maps.Values(s.Tasks), olderTask)
}

// TreeUsage sums what a task's whole tree used and what its calls under way may
// still use.
func (s *State) TreeUsage(root clew.TaskID) clew.Usage {
	r := s.Task(root)
	if r == nil {
		return clew.Usage{}
	}
	var asking []*Task
	for _, t := range s.Tasks {
		if t.RootTaskID == root && t.Request != "" {
			asking = append(asking, t)
		}
	}
	slices.SortFunc(asking, olderTask) // so that the sum is the same everywhere
	u := r.Tree
	for _, t := range asking {
		u = u.Add(t.Reserved)
	}
	return u
}

// HistoryItem is the task in the task index.
func (t *Task) HistoryItem(workspace string) clew.HistoryItem {
	it := clew.HistoryItem{
		ID: t.TaskID, Number: t.Number, TS: t.CreatedMS, Task: t.Text, Workspace: workspace, Mode: t.Mode, Status: t.Status,
		TokensIn: t.Usage.TokensIn, TokensOut: t.Usage.TokensOut, CacheWrites: t.Usage.CacheWrites,
		CacheReads: t.Usage.CacheReads, TotalCost: t.Usage.CostUSD,
		RootTaskID: t.RootTaskID, ParentTaskID: t.ParentTaskID, ChildIDs: t.Children,
		AwaitingChildID: t.AwaitingChild, DelegatedToID: t.AwaitingChild,
		CompletedByChildID: t.CompletedBy, CompletionResultSummary: t.Result,
		AgentKind: t.Kind(), RunID: t.RunID, TodoID: t.TodoID, Outcome: t.Outcome,
	}
	return it
}

// Clone copies what changes in place. The history's elements do not.
func (t *Task) Clone() Task {
	c := *t
	c.Calls = slices.Clone(t.Calls)
	c.Inbox = slices.Clone(t.Inbox)
	c.History = slices.Clip(t.History)
	c.ToolUsage = maps.Clone(t.ToolUsage)
	c.Todos = slices.Clone(t.Todos)
	if t.Run != nil {
		c.Run = t.Run.Clone()
	}
	if t.Turn != nil {
		turn := *t.Turn
		c.Turn = &turn
	}
	return c
}

// DeriveID makes an id for what the record at seq brings about. It is the same
// whenever the record is decided again, and no other session's.
func DeriveID(prefix string, session clew.SessionID, seq uint64) string {
	return digest(prefix, string(session)+"/"+strconv.FormatUint(seq, 10))
}

func digest(prefix, of string) string {
	sum := sha256.Sum256([]byte(of))
	return prefix + hex.EncodeToString(sum[:12])
}

// suffix tells things apart that one record brings about.
func suffix(i int) string {
	if i == 0 {
		return ""
	}
	return "_" + strconv.Itoa(i)
}

// Subject says what a question is about.
type Subject struct {
	Task     clew.TaskID
	Call     string
	Todo     string
	Message  clew.MessageID
	Ask      clew.Ask
	Limit    string
	OwnLimit bool // the limit is the run's own
	raise    int  // how many times as much again a yes allows
}

// SubjectOfQuestion says what a question is about.
func SubjectOfQuestion(q clew.Question) Subject {
	asking := q.Asking()
	if asking == nil {
		return Subject{}
	}
	a := Subject{Task: asking.TaskID, Call: asking.ToolCallID, Todo: asking.TodoID, Message: asking.MessageID, Ask: clew.AskFollowup}
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		a.Ask, a.Limit, a.OwnLimit, a.raise = d.Ask, d.Limit, d.OwnLimit, max(d.Raise, 1)
	case *clew.HitlInputRequestData:
		a.Ask = d.Ask
	}
	return a
}

// OpenQuestion finds an open question.
func (s *State) OpenQuestion(id clew.RequestID) *clew.Question {
	for i := range s.Questions {
		if s.Questions[i].RequestID() == id {
			return &s.Questions[i]
		}
	}
	return nil
}

// TaskState is what a task is doing: it follows from its open questions.
func (s *State) TaskState(id clew.TaskID) (clew.TaskState, clew.RequestID) {
	for _, q := range s.Questions {
		if a := SubjectOfQuestion(q); a.Task == id && !s.ofPlan(a) {
			if st := a.Ask.State(); st != clew.TaskStateRunning {
				return st, q.RequestID()
			}
		}
	}
	return clew.TaskStateRunning, ""
}

// ToolRunning reports whether a tool is at work.
func (s *State) ToolRunning() bool {
	return slices.ContainsFunc(s.SortedTasks(), func(t *Task) bool {
		return slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Status == CallRunning })
	})
}
