package clew

// A state is sent to those who watch it as entities: whole, by kind and key.
// state_changed has those that changed. What session_state shows as well has
// the same type here.

// An EntityKind is a kind of entity.
type EntityKind string

// The kinds. Of the first ones there is one each, the others have keys.
const (
	EntitySession  EntityKind = "session"
	EntityStatus   EntityKind = "status"
	EntityUsage    EntityKind = "usage"
	EntityQueue    EntityKind = "queue"
	EntityRules    EntityKind = "rules"
	EntityMonitors EntityKind = "monitors"
	EntityAgents   EntityKind = "agents"
	EntityViewers  EntityKind = "viewers"

	EntityMessage  EntityKind = "message"
	EntityTask     EntityKind = "task"
	EntityRun      EntityKind = "run"
	EntityTodo     EntityKind = "todo"
	EntityQuestion EntityKind = "question"
	EntityWindow   EntityKind = "window"
	EntityNotice   EntityKind = "notice"
	EntityProblem  EntityKind = "problem"
	EntitySettled  EntityKind = "settled"
	EntityNotebook EntityKind = "notebook"
	EntityCell     EntityKind = "cell"
)

// EntityKinds lists the kinds in the order in which they are written.
var EntityKinds = []EntityKind{
	EntitySession, EntityStatus, EntityUsage, EntityQueue, EntityRules, EntityMonitors, EntityAgents, EntityViewers,
	EntityMessage, EntityTask, EntityRun, EntityTodo, EntityQuestion, EntityWindow, EntityNotice, EntityProblem, EntitySettled,
	EntityNotebook, EntityCell,
}

// Values lists the kinds.
func (EntityKind) Values() []string {
	return names(EntityKinds)
}

// A SessionInfo is what a session is.
type SessionInfo struct {
	Title      string     `json:"title"`
	Owner      UserID     `json:"owner"`
	Workspace  string     `json:"workspace,omitempty"`
	Archived   bool       `json:"archived,omitempty"`
	ForkedFrom *ForkPoint `json:"forked_from,omitempty"`
	Forks      int        `json:"forks,omitempty"` // sessions that were made from this one's past
	// Environment is PATH and the variables of toolchains that commands have from
	// the terminal where the session began.
	Environment map[string]string `json:"environment,omitempty"`
}

// A StatusInfo is what a session is doing.
type StatusInfo struct {
	Status       SessionStatus `json:"status"`
	CurrentLayer Layer         `json:"current_layer,omitempty"`
	// Front is the run or the task whose plan is shown.
	Front      string             `json:"front,omitempty"`
	CanUndo    bool               `json:"can_undo,omitempty"`
	CanRedo    bool               `json:"can_redo,omitempty"`
	Returning  *RewindStartedData `json:"returning,omitempty"` // a rewind under way
	Checkpoint string             `json:"checkpoint,omitempty"`
	LastMove   *LastMove          `json:"last_move,omitempty"`
}

// A LastMove is what last took a session elsewhere in its history, or its files.
type LastMove struct {
	Kind      RewindKind `json:"kind"`
	MessageID MessageID  `json:"message_id"` // the record
	RewindID  string     `json:"rewind_id,omitempty"`
	// FromMessageID is the message that it was asked for by.
	FromMessageID MessageID      `json:"from_message_id,omitempty"`
	Removed       int            `json:"removed,omitempty"`  // messages that went
	Restored      int            `json:"restored,omitempty"` // messages that are back
	Files         *FilesReturned `json:"files,omitempty"`
	Failed        string         `json:"failed,omitempty"` // why it was not done
	By            UserID         `json:"by,omitempty"`
}

// A TaskInfo is one task.
type TaskInfo struct {
	TaskRef
	RunID      string     `json:"run_id,omitempty"` // the run that it carries, or is part of
	TodoID     string     `json:"todo_id,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // the parent's call that gets the result
	AgentID    AgentID    `json:"agent_id,omitempty"`
	AgentKind  AgentKind  `json:"agent_kind,omitempty"`
	WindowID   string     `json:"window_id,omitempty"` // of a window's agent
	Text       string     `json:"text,omitempty"`      // what was asked for, in short
	Mode       string     `json:"mode,omitempty"`
	Status     TaskStatus `json:"status"`
	State      TaskState  `json:"state"`
	RequestID  RequestID  `json:"request_id,omitempty"` // the question that the state follows from
	Focused    bool       `json:"focused,omitempty"`
	AtWork     bool       `json:"at_work,omitempty"` // its turn is not over, be it that it waits
	PutAway    bool       `json:"put_away,omitempty"`
	CreatedMS  int64      `json:"created_ms"`
	EndedMS    int64      `json:"ended_ms,omitempty"`
	Usage      Usage      `json:"usage,omitzero"`
	Added      int        `json:"added,omitempty"`   // lines that it and the tasks below it added to files
	Removed    int        `json:"removed,omitempty"` // lines that they removed
	Result     string     `json:"result,omitempty"`  // in short
	Outcome    *Outcome   `json:"outcome,omitempty"` // how its last turn ended, nil while one is under way
	// Plan is that of a task that has one without a run.
	Plan *PlanSummary `json:"plan,omitempty"`
}

// A RunInfo is one run. Its todos are entities of their own.
type RunInfo struct {
	RunID         string        `json:"run_id"`
	MonitorID     MonitorID     `json:"monitor_id"`
	TaskID        TaskID        `json:"task_id,omitempty"`
	Status        SessionStatus `json:"status"`
	CurrentLayer  Layer         `json:"current_layer,omitempty"`
	Phase         string        `json:"phase,omitempty"` // as in RunState
	Paused        bool          `json:"paused,omitempty"`
	PausedSinceMS int64         `json:"paused_since_ms,omitempty"`
	PausedWhy     string        `json:"paused_why,omitempty"` // what was said to it
	Plan          *PlanSummary  `json:"plan"`
	ReportPaths   []string      `json:"report_paths,omitempty"`
	Ended         *Outcome      `json:"ended,omitempty"` // how it ended, nil as long as it goes on
}

// A TodoInfo is a todo of a run or of a task. Its key is both ids with a slash
// between them.
type TodoInfo struct {
	Of string `json:"of"` // the run or the task
	Todo
}

// Key names the todo.
func (t *TodoInfo) Key() string { return t.Of + "/" + t.ID }

// A Problem is an error that is on record.
type Problem struct {
	MessageID MessageID `json:"message_id"` // the record
	TS        int64     `json:"ts"`
	ErrorData
}

// A SettledQuestion is a question that is not open any more, and what became of
// it.
type SettledQuestion struct {
	RequestID RequestID `json:"request_id"`
	Type      EventType `json:"type"` // of the event that asked
	Ask       Ask       `json:"ask,omitempty"`
	Limit     string    `json:"limit,omitempty"`
	MessageID MessageID `json:"message_id,omitempty"` // the ask in the transcript
	TaskID    TaskID    `json:"task_id,omitempty"`
	TodoID    string    `json:"todo_id,omitempty"`
	MessageAnswer
}
