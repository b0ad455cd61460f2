package clew

// A TaskRef says where a task stands in the task tree. A root task has no
// parent and is its own root.
type TaskRef struct {
	TaskID       TaskID `json:"task_id"`
	ParentTaskID TaskID `json:"parent_task_id,omitempty"`
	RootTaskID   TaskID `json:"root_task_id"`
	// MonitorID is the monitor that the task belongs to.
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// TaskCreatedData is the data of task_created.
type TaskCreatedData struct {
	TaskRef
	Task      string  `json:"task"` // what was asked for, in words
	Mode      string  `json:"mode,omitempty"`
	Workspace string  `json:"workspace,omitempty"`
	AgentID   AgentID `json:"agent_id,omitempty"`
	// AgentKind says what the task's agent is there for.
	AgentKind AgentKind `json:"agent_kind,omitempty"`
	// AgentKey is the window or group that a window's agent belongs to, WindowID the
	// window that it began with. ActionID is that of a press that runs beside others.
	AgentKey string `json:"agent_key,omitempty"`
	WindowID string `json:"window_id,omitempty"`
	ActionID string `json:"action_id,omitempty"`
	// ToolCallID is the parent's call that asked for it; it gets the result.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// RunID is the run that the task carries; with TodoID, the run whose todo it
	// carries out.
	RunID   string  `json:"run_id,omitempty"`
	TodoID  string  `json:"todo_id,omitempty"`
	Profile string  `json:"profile,omitempty"` // the model profile in place of the usual one
	Budget  *Budget `json:"budget,omitempty"`  // of a run
	// TaskProfile is the kind of work that the task was delegated as. Wake says that
	// the agent that delegated it does not wait, and hears of the end.
	TaskProfile TaskProfile `json:"task_profile,omitempty"`
	Wake        bool        `json:"wake,omitempty"`
	// ForkOf is the conversation that the task begins with.
	ForkOf *ForkOf `json:"fork_of,omitempty"`
}

// A ForkOf names the beginning of another task's model history.
type ForkOf struct {
	TaskID TaskID `json:"task_id"`
	Count  int    `json:"count"` // messages to the model, from the first one on
	// Condense says that it is long: a summary takes its place before the work begins.
	Condense bool `json:"condense,omitempty"`
}

// A TaskProfile is a kind of work that is delegated.
type TaskProfile string

// The task profiles.
const (
	ProfileDefault TaskProfile = "default" // as the agent that delegates
	ProfileWeb     TaskProfile = "web"     // pages and APIs
	ProfileCode    TaskProfile = "code"    // computing in the sandbox
	ProfileApp     TaskProfile = "app"     // building
)

// Values lists the profiles.
func (TaskProfile) Values() []string {
	return []string{string(ProfileDefault), string(ProfileWeb), string(ProfileCode), string(ProfileApp)}
}

// TaskStartedData is the data of task_started.
type TaskStartedData struct{ TaskRef }

// TaskCompletedData is the data of task_completed.
type TaskCompletedData struct {
	TaskRef
	TokenUsage    Usage                `json:"token_usage"`
	ToolUsage     map[string]ToolUsage `json:"tool_usage"`
	ResultSummary string               `json:"result_summary,omitempty"`
	Outcome       *Outcome             `json:"outcome,omitempty"`
}

// TaskAbortedData is the data of task_aborted.
type TaskAbortedData struct {
	TaskRef
	Reason  string   `json:"reason,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// TaskFocusedData is the data of task_focused.
type TaskFocusedData struct{ TaskRef }

// TaskUnfocusedData is the data of task_unfocused.
type TaskUnfocusedData struct {
	TaskRef
	PutAway bool `json:"put_away,omitempty"` // clear_task, not a change of focus
}

// TaskActiveData is the data of task_active.
type TaskActiveData struct{ TaskRef }

// TaskInteractiveData is the data of task_interactive.
type TaskInteractiveData struct {
	TaskRef
	RequestID RequestID `json:"request_id,omitempty"` // the open question
}

// TaskResumableData is the data of task_resumable.
type TaskResumableData struct {
	TaskRef
	RequestID RequestID `json:"request_id,omitempty"` // the open question
}

// TaskIdleData is the data of task_idle. Without a question the
// task's turn is over.
type TaskIdleData struct {
	TaskRef
	RequestID RequestID `json:"request_id,omitempty"` // the open question
	Outcome   *Outcome  `json:"outcome,omitempty"`    // how the turn ended, if it is over
}

// TaskPausedData is the data of task_paused.
type TaskPausedData struct {
	TaskRef
	AwaitingChildID TaskID `json:"awaiting_child_id,omitempty"`
}

// TaskUnpausedData is the data of task_unpaused.
type TaskUnpausedData struct {
	TaskRef
	CompletedByChildID      TaskID `json:"completed_by_child_id,omitempty"`
	CompletionResultSummary string `json:"completion_result_summary,omitempty"`
}

// TaskSpawnedData is the data of task_spawned. TaskID is the parent.
type TaskSpawnedData struct {
	TaskRef
	ChildTaskID TaskID    `json:"child_task_id"`
	MessageID   MessageID `json:"message_id,omitempty"` // what the child was told
}

// TaskModeSwitchedData is the data of task_mode_switched.
type TaskModeSwitchedData struct {
	TaskRef
	Mode string `json:"mode"`
}

// TaskAskRespondedData is the data of task_ask_responded.
type TaskAskRespondedData struct {
	TaskRef
	RequestID RequestID `json:"request_id,omitempty"`
}

// TaskUserMessageData is the data of task_user_message.
type TaskUserMessageData struct {
	TaskRef
	MessageID MessageID `json:"message_id,omitempty"`
}

// TaskToolFailedData is the data of task_tool_failed.
type TaskToolFailedData struct {
	TaskRef
	Tool       string `json:"tool"`
	Error      string `json:"error"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// TaskTokenUsageUpdatedData is the data of task_token_usage_updated.
type TaskTokenUsageUpdatedData struct {
	TaskRef
	TokenUsage Usage                `json:"token_usage"`
	ToolUsage  map[string]ToolUsage `json:"tool_usage"`
}

// A HistoryItem is a task in the task index.
type HistoryItem struct {
	ID                      TaskID     `json:"id"`
	Number                  int        `json:"number"`
	TS                      int64      `json:"ts"`
	Task                    string     `json:"task"`
	TokensIn                int64      `json:"tokens_in"`
	TokensOut               int64      `json:"tokens_out"`
	CacheWrites             int64      `json:"cache_writes,omitempty"`
	CacheReads              int64      `json:"cache_reads,omitempty"`
	TotalCost               float64    `json:"total_cost"`
	Size                    int64      `json:"size,omitempty"`
	Workspace               string     `json:"workspace,omitempty"`
	Mode                    string     `json:"mode,omitempty"`
	Status                  TaskStatus `json:"status,omitempty"`
	RootTaskID              TaskID     `json:"root_task_id,omitempty"`
	ParentTaskID            TaskID     `json:"parent_task_id,omitempty"`
	DelegatedToID           TaskID     `json:"delegated_to_id,omitempty"`
	ChildIDs                []TaskID   `json:"child_ids,omitempty"`
	AwaitingChildID         TaskID     `json:"awaiting_child_id,omitempty"`
	CompletedByChildID      TaskID     `json:"completed_by_child_id,omitempty"`
	CompletionResultSummary string     `json:"completion_result_summary,omitempty"`
	AgentKind               AgentKind  `json:"agent_kind,omitempty"`
	RunID                   string     `json:"run_id,omitempty"` // the run that it carries or works for
	TodoID                  string     `json:"todo_id,omitempty"`
	Outcome                 *Outcome   `json:"outcome,omitempty"` // how its last turn ended
}
