package clew

import (
	"encoding/json"
	"fmt"
)

// A SessionStatus is what a session is doing as a whole.
type SessionStatus string

// The session statuses.
const (
	StatusIdle          SessionStatus = "idle"
	StatusPlanning      SessionStatus = "planning"
	StatusAwaitingInput SessionStatus = "awaiting_input"
	StatusExecuting     SessionStatus = "executing"
	StatusPaused        SessionStatus = "paused"
	StatusCompleted     SessionStatus = "completed"
	StatusFailed        SessionStatus = "failed"
	StatusCancelled     SessionStatus = "cancelled"
)

// Values lists the statuses.
func (SessionStatus) Values() []string {
	return []string{
		string(StatusIdle), string(StatusPlanning), string(StatusAwaitingInput), string(StatusExecuting),
		string(StatusPaused), string(StatusCompleted), string(StatusFailed), string(StatusCancelled),
	}
}

// A TaskState is what a task is doing right now; it follows from its open ask.
type TaskState string

// The task states.
const (
	TaskStateRunning     TaskState = "running"
	TaskStateInteractive TaskState = "interactive"
	TaskStateResumable   TaskState = "resumable"
	TaskStateIdle        TaskState = "idle"
)

// Values lists the states.
func (TaskState) Values() []string {
	return []string{string(TaskStateRunning), string(TaskStateInteractive), string(TaskStateResumable), string(TaskStateIdle)}
}

// State gives the state of a task whose open ask this is; "" is no open ask.
func (a Ask) State() TaskState {
	switch a.Class() {
	case ClassInteractive:
		return TaskStateInteractive
	case ClassResumable:
		return TaskStateResumable
	case ClassIdle:
		return TaskStateIdle
	default:
		return TaskStateRunning
	}
}

// A TaskStatus is how far a task has come in its life.
type TaskStatus string

// The task statuses.
const (
	TaskStatusActive    TaskStatus = "active"
	TaskStatusCompleted TaskStatus = "completed"
	TaskStatusDelegated TaskStatus = "delegated" // waits for a child task
	TaskStatusAborted   TaskStatus = "aborted"
)

// Values lists the statuses.
func (TaskStatus) Values() []string {
	return []string{string(TaskStatusActive), string(TaskStatusCompleted), string(TaskStatusDelegated), string(TaskStatusAborted)}
}

// SessionState is the data of session_state: the session as of one record.
// Fields without a value are null, not absent, where clients rely on them.
type SessionState struct {
	// Status, CurrentLayer, Plan and Todos describe the run of the main monitor.
	Status       SessionStatus `json:"status"`
	CurrentLayer Layer         `json:"current_layer" clew:"nullable"`
	Plan         *PlanSummary  `json:"plan"`
	Todos        List[Todo]    `json:"todos"`
	// HitlPending is the oldest open question, HitlQueue holds the others.
	HitlPending *Question `json:"hitl_pending"`
	// LastMessageID is the client's position: the newest record in this state.
	LastMessageID MessageID `json:"last_message_id" clew:"nullable"`

	ClientID  ClientID `json:"client_id"`
	Epoch     string   `json:"epoch"`
	Title     string   `json:"title"`
	Owner     UserID   `json:"owner"`
	Workspace string   `json:"workspace,omitempty"`
	Archived  bool     `json:"archived,omitempty"` // it was put away

	Messages     List[Message]      `json:"messages"`      // the transcript's tail
	OpenMessages List[OpenMessage]  `json:"open_messages"` // text so far of growing ones
	HitlQueue    List[Question]     `json:"hitl_queue"`
	Runs         List[RunState]     `json:"runs"`
	Monitors     List[MonitorState] `json:"monitors"`
	Agents       List[AgentState]   `json:"agents"` // those that have a turn now, oldest first
	Windows      List[WindowState]  `json:"windows"`
	Notices      List[NoticeState]  `json:"notices"`
	// Queue holds what was said and waits for the agent, in order.
	Queue List[QueuedMessage] `json:"queue"`
	// Allowed is what people let be remembered for tasks, as far as it holds now.
	Allowed List[RememberedRule] `json:"allowed"`
	// Viewers are those who watch now. It is not on record.
	Viewers List[Viewer] `json:"viewers"`

	Usage *Usage `json:"usage,omitempty"`
	// CanUndo and CanRedo say that there is a rewind to undo, or to do again.
	CanUndo bool `json:"can_undo,omitempty"`
	CanRedo bool `json:"can_redo,omitempty"`
	// Returning is the rewind under way, nil for most of the time.
	Returning *RewindStartedData `json:"returning,omitempty"`
	// Checkpoint is the newest one of the workspace's files, ForkedFrom where
	// the session branched off.
	Checkpoint string     `json:"checkpoint,omitempty"`
	ForkedFrom *ForkPoint `json:"forked_from,omitempty"`
	// Environment is PATH and the variables of toolchains that commands have from
	// the terminal where the session began.
	Environment map[string]string `json:"environment,omitempty"`
	// Role is what the receiving client may do.
	Role Role `json:"role,omitempty"`
}

// MarshalJSON writes null for the nullable names that are empty. The messages,
// which are most of it, are written as a plain slice: what a MarshalJSON method
// returns is gone over once more by the encoder above it.
func (s SessionState) MarshalJSON() ([]byte, error) {
	type plain SessionState
	out := struct {
		plain
		CurrentLayer  *Layer     `json:"current_layer"`
		LastMessageID *MessageID `json:"last_message_id"`
		Messages      []Message  `json:"messages"`
	}{plain: plain(s), Messages: notNil(s.Messages)}
	if s.CurrentLayer != "" {
		out.CurrentLayer = &s.CurrentLayer
	}
	if s.LastMessageID != "" {
		out.LastMessageID = &s.LastMessageID
	}
	return encode(out)
}

func notNil(l List[Message]) []Message {
	if l == nil {
		return []Message{}
	}
	return l
}

// An OpenMessage is the current text of a message that is still growing. The
// next delta starts at offset len(Text), or len(Reasoning) for thinking.
type OpenMessage struct {
	MessageID MessageID `json:"message_id"`
	ReplyTo   MessageID `json:"reply_to,omitempty"`
	AgentID   AgentID   `json:"agent_id,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
	Text      string    `json:"text"`
	Reasoning string    `json:"reasoning,omitempty"`
}

// A QueuedMessage is a message that waits, as session_state shows it.
type QueuedMessage struct {
	MessageID       MessageID       `json:"message_id"`
	Text            string          `json:"text"`
	Images          []string        `json:"images,omitempty"`
	MonitorID       MonitorID       `json:"monitor_id,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"` // the task that it was said to by name
	Mode            string          `json:"mode,omitempty"`
	NewTask         bool            `json:"new_task,omitempty"`
	UserID          UserID          `json:"user_id,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	TS              int64           `json:"ts"`
	// WindowID is the window whose agent it waits for, Component what was used there.
	WindowID  string        `json:"window_id,omitempty"`
	Component *ComponentUse `json:"component,omitempty"`
}

// A RunState is one run as session_state shows it.
type RunState struct {
	RunID        string        `json:"run_id"`
	MonitorID    MonitorID     `json:"monitor_id"`
	TaskID       TaskID        `json:"task_id,omitempty"`
	Status       SessionStatus `json:"status"`
	CurrentLayer Layer         `json:"current_layer,omitempty"`
	// Phase is where the run stands in the table of states: understanding,
	// planning, review, executing, responding, completed, failed or cancelled.
	Phase  string `json:"phase,omitempty"`
	Paused bool   `json:"paused,omitempty"`
	// PausedSinceMS is when it was paused (Unix ms).
	PausedSinceMS int64        `json:"paused_since_ms,omitempty"`
	PausedWhy     string       `json:"paused_why,omitempty"` // what was said to it
	Plan          *PlanSummary `json:"plan"`
	Todos         List[Todo]   `json:"todos"`
	// ReportPaths is where the reports of a run that is done are.
	ReportPaths []string `json:"report_paths,omitempty"`
	// Ended says how it ended, nil as long as it goes on.
	Ended *Outcome `json:"ended,omitempty"`
}

// A MonitorState is one virtual desktop as session_state shows it.
type MonitorState struct {
	MonitorID MonitorID `json:"monitor_id"`
	AgentID   AgentID   `json:"agent_id,omitempty"`
	Busy      bool      `json:"busy"`
	Queued    int       `json:"queued"`
	// TaskID is the task in focus, Title what it is about, in short.
	TaskID TaskID `json:"task_id,omitempty"`
	Title  string `json:"title,omitempty"`
	// HeldUntilMS is until when its agents wait for room in its budget (Unix ms), 0 if
	// they do not.
	HeldUntilMS int64 `json:"held_until_ms,omitempty"`
}

// An AgentState is an agent that has a turn now.
type AgentState struct {
	AgentID   AgentID   `json:"agent_id"`
	Kind      AgentKind `json:"kind"`
	Role      string    `json:"role"` // its name for this turn
	MonitorID MonitorID `json:"monitor_id"`
	TaskID    TaskID    `json:"task_id"`
	WindowID  string    `json:"window_id,omitempty"` // of a window's agent
	Title     string    `json:"title,omitempty"`     // what its task is about, in short
	Waiting   bool      `json:"waiting,omitempty"`   // for a person
	SinceMS   int64     `json:"since_ms"`            // when the turn began (Unix ms)
}

// A WindowState is one window as session_state shows it.
type WindowState struct {
	WindowID  string            `json:"window_id"`
	MonitorID MonitorID         `json:"monitor_id,omitempty"`
	Title     string            `json:"title"`
	GroupID   string            `json:"group_id,omitempty"`
	AgentID   AgentID           `json:"agent_id,omitempty"`
	Status    WindowAgentStatus `json:"status,omitempty"`
	Content   *WindowContent    `json:"content,omitempty"`
	// Version counts the changes of content, from 1 on. ActionID is the last one.
	Version  int    `json:"version"`
	ActionID string `json:"action_id,omitempty"`
	// Failed is why what it shows could not be drawn.
	Failed   string  `json:"failed,omitempty"`
	LockedBy AgentID `json:"locked_by,omitempty"` // the agent that alone may change it
	Layouts  Layouts `json:"layouts,omitzero"`
	// App is the app that runs in it, nil if none said that it is ready.
	App *AppState `json:"app,omitempty"`
	// AppRequests are what agents want of the app and wait for.
	AppRequests []AppRequest `json:"app_requests,omitempty"`
	// AppCalls are what the page of a tool server asked its server for, oldest first:
	// the last 8.
	AppCalls []AppCall `json:"app_calls,omitempty"`
}

// An AppState is what the app in a window can be asked and told.
type AppState struct {
	App      string   `json:"app,omitempty"`
	Queries  []string `json:"queries,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

// An AppRequest is what an agent wants of an app, until it has its answer.
type AppRequest struct {
	RequestID  RequestID   `json:"request_id"`
	Kind       AppProtocol `json:"kind"`
	Name       string      `json:"name"`
	Params     any         `json:"params,omitempty"`
	DeadlineMS int64       `json:"deadline_ms"`
}

// An AppCall is a tool call that the page in a window asked for.
type AppCall struct {
	RequestID RequestID     `json:"request_id"` // the page's own name for it
	Tool      string        `json:"tool"`
	Status    AppCallStatus `json:"status"`
	// Result is the address of what the tool server answered, a blob of JSON: a
	// CallToolResult of MCP, also one that says isError. With status done.
	Result string `json:"result,omitempty"`
	Error  string `json:"error,omitempty"` // why there is no result, with status refused
}

// An AppCallStatus is where the call of a page stands.
type AppCallStatus string

// The statuses.
const (
	AppCallRunning AppCallStatus = "running"
	AppCallWaiting AppCallStatus = "waiting" // for a person
	AppCallDone    AppCallStatus = "done"
	AppCallRefused AppCallStatus = "refused" // it may not run, or ended without a result
)

// Values lists the statuses.
func (AppCallStatus) Values() []string {
	return []string{string(AppCallRunning), string(AppCallWaiting), string(AppCallDone), string(AppCallRefused)}
}

// A NoticeState is a notice that nobody has dismissed yet.
type NoticeState struct {
	NoticeID string  `json:"notice_id"`
	Title    string  `json:"title,omitempty"`
	Text     string  `json:"text"`
	AgentID  AgentID `json:"agent_id,omitempty"`
	TS       int64   `json:"ts"`
}

// Bounds is a window's place on its monitor, in pixels.
type Bounds struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// A Question is an open question as session_state shows it: the data of the
// hitl_* event that announced it, with the event's type beside.
type Question struct {
	Type EventType
	Data any // *HitlPlanReviewData, *HitlApprovalRequestData, …
}

// QuestionTypes lists the events that open a question.
var QuestionTypes = []EventType{EventHitlPlanReview, EventHitlApprovalRequest, EventHitlInputRequest, EventHitlClarification}

// Asking gives what all questions have in common, nil if Data is not that of a
// question.
func (q Question) Asking() *Asking {
	switch d := q.Data.(type) {
	case *HitlPlanReviewData:
		return &d.Asking
	case *HitlApprovalRequestData:
		return &d.Asking
	case *HitlInputRequestData:
		return &d.Asking
	case *HitlClarificationData:
		return &d.Asking
	}
	return nil
}

// RequestID gives the question's id, "" if Data is not that of a question.
func (q Question) RequestID() RequestID {
	if a := q.Asking(); a != nil {
		return a.RequestID
	}
	return ""
}

// MarshalJSON writes the data with the type as its first field.
func (q Question) MarshalJSON() ([]byte, error) {
	data, err := MarshalData(q.Data)
	if err != nil {
		return nil, err
	}
	if len(data) < 2 || data[0] != '{' {
		return nil, fmt.Errorf("question %s without data", q.Type)
	}
	b := append([]byte(`{"type":`), appendString(nil, string(q.Type))...)
	if len(data) > 2 {
		b = append(b, ',')
	}
	return append(b, data[1:]...), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (q *Question) UnmarshalJSON(b []byte) error {
	var head struct {
		Type EventType `json:"type"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	ev, err := DecodeEvent(head.Type, b)
	if err != nil {
		return err
	}
	*q = Question(ev)
	if q.RequestID() == "" {
		return fmt.Errorf("%q is not a question", head.Type)
	}
	return nil
}
