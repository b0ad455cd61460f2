package clew

import "encoding/json"

// ActionsData is the data of actions.
type ActionsData struct {
	Actions   List[Action] `json:"actions"`
	AgentID   AgentID      `json:"agent_id,omitempty"`
	MonitorID MonitorID    `json:"monitor_id,omitempty"`
	TaskID    TaskID       `json:"task_id,omitempty"` // whose agent did it
	// ReloadID is the reload option that is shown again.
	ReloadID string `json:"reload_id,omitempty"`
}

// MonitorAddedData is the data of monitor_added.
type MonitorAddedData struct {
	MonitorID MonitorID `json:"monitor_id"`
	AgentID   AgentID   `json:"agent_id"` // its main agent
}

// MonitorRemovedData is the data of monitor_removed. Its tasks have ended, its windows
// are on the main monitor, and so is what waited for its agent.
type MonitorRemovedData struct {
	MonitorID MonitorID       `json:"monitor_id"`
	Moved     List[string]    `json:"moved"`   // windows that went to the main monitor
	Dropped   List[MessageID] `json:"dropped"` // messages that waited and found no room there
	By        UserID          `json:"by,omitempty"`
}

// ToastDismissedData is the data of toast_dismissed.
type ToastDismissedData struct {
	ToastID string `json:"toast_id"` // or that of a notice
	By      UserID `json:"by,omitempty"`
}

// MonitorHeldData is the data of monitor_held.
type MonitorHeldData struct {
	MonitorID MonitorID `json:"monitor_id"`
	UntilMS   int64     `json:"until_ms"` // Unix ms; 0 when it may go on
}

// An Action is one thing the front end shall do.
type Action struct {
	ActionID string         `json:"action_id,omitempty"` // names it in rendering_feedback
	Type     ActionType     `json:"type"`
	WindowID string         `json:"window_id,omitempty"`
	Params   map[string]any `json:"params,omitempty"`
}

// UserInteractedData is the data of user_interacted: where windows lie in the end,
// which one was brought to the front, what was drawn. A close is an action.
type UserInteractedData struct {
	Interactions List[Interaction] `json:"interactions"`
	MonitorID    MonitorID         `json:"monitor_id,omitempty"` // where those that were moved are now
	UserID       UserID            `json:"user_id,omitempty"`
}

// RenderingFailedData is the data of rendering_failed: the first failure of an
// action.
type RenderingFailedData struct {
	WindowID string `json:"window_id"`
	ActionID string `json:"action_id,omitempty"`
	Error    string `json:"error"`
}

// An ActionType is a kind of action. The set is closed.
type ActionType string

// The action types.
const (
	ActionWindowCreate     ActionType = "window.create"
	ActionWindowUpdate     ActionType = "window.update"
	ActionWindowClose      ActionType = "window.close"
	ActionWindowFocus      ActionType = "window.focus"
	ActionNotificationShow ActionType = "notification.show"
	ActionToastShow        ActionType = "toast.show"
	ActionAppQuery         ActionType = "app.query"
	ActionAppCommand       ActionType = "app.command"
)

// Values lists the action types.
func (ActionType) Values() []string {
	return []string{
		string(ActionWindowCreate), string(ActionWindowUpdate), string(ActionWindowClose), string(ActionWindowFocus),
		string(ActionNotificationShow), string(ActionToastShow), string(ActionAppQuery), string(ActionAppCommand),
	}
}

// ProviderStatusData is the data of provider_status.
type ProviderStatusData struct {
	Status   ProviderConnection `json:"status"`
	Provider string             `json:"provider"`
	Message  string             `json:"message,omitempty"`
}

// A ProviderConnection says whether a provider can be reached.
type ProviderConnection string

// The provider connections.
const (
	ProviderConnected    ProviderConnection = "connected"
	ProviderDisconnected ProviderConnection = "disconnected"
	ProviderFailing      ProviderConnection = "error"
)

// Values lists the provider connections.
func (ProviderConnection) Values() []string {
	return []string{string(ProviderConnected), string(ProviderDisconnected), string(ProviderFailing)}
}

// A CommandLimit is something of which a command may use so much and no more.
type CommandLimit string

// The limits that a command can be seen to meet.
const (
	LimitMemory    CommandLimit = "memory"    // it was ended
	LimitProcesses CommandLimit = "processes" // it could not start more of them
	LimitFileSize  CommandLimit = "file_size" // what wrote the file was ended
	LimitTime      CommandLimit = "time"      // it was ended
	LimitDisk      CommandLimit = "disk"      // it wrote while the disk was nearly full, and was ended
	LimitWorkspace CommandLimit = "workspace" // the user's workspaces had become too large, and it was ended
)

// Values lists the limits.
func (CommandLimit) Values() []string {
	return []string{string(LimitMemory), string(LimitProcesses), string(LimitFileSize), string(LimitTime), string(LimitDisk), string(LimitWorkspace)}
}

// ToolProgressData is the data of tool_progress. ToolCallID ties the records of
// one call together.
type ToolProgressData struct {
	ToolCallID string          `json:"tool_call_id"`
	Tool       string          `json:"tool"`
	Status     ToolStatus      `json:"status"`
	AgentID    AgentID         `json:"agent_id,omitempty"`
	TaskID     TaskID          `json:"task_id,omitempty"`
	MonitorID  MonitorID       `json:"monitor_id,omitempty"`
	MessageID  MessageID       `json:"message_id,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`  // to the letter, as the model wrote it
	Output     any             `json:"output,omitempty"` // what the model gets
	Summary    string          `json:"summary,omitempty"`
	Title      string          `json:"title,omitempty"` // what it does, in a line for people, with status running
	Error      string          `json:"error,omitempty"`
	// ErrorInOutput says that Error is how Output begins.
	ErrorInOutput bool `json:"error_in_output,omitempty"`
	ExitCode      *int `json:"exit_code,omitempty"` // of a command that ended
	// LimitReached is the limit that a command met, "" if none is known.
	LimitReached CommandLimit `json:"limit_reached,omitempty"`
	// StoppedBy is who ended or refused the call, WhyCode why it was not run to
	// its end.
	StoppedBy UserID    `json:"stopped_by,omitempty"`
	WhyCode   EndCode   `json:"why_code,omitempty"`
	Class     ToolClass `json:"class,omitempty"`
	// Effect is what begins, with status running: the intent on record.
	Effect *Effect `json:"effect,omitempty"`
	// RequestID names the approval that the start used up.
	RequestID RequestID `json:"request_id,omitempty"`
	// AllowedBy says which rule let it begin without a person, with status running.
	AllowedBy *AllowedBy `json:"allowed_by,omitempty"`
	// Node is the one whose files the call works on, with status running, if it
	// is another one than before. A node that is alone does not say it.
	Node string `json:"node,omitempty"`
	// InDoubt says that nobody knows whether the call took effect.
	InDoubt bool `json:"in_doubt,omitempty"`
	// Mistake says that the model called the tool wrongly; too many in a row
	// lead to a question.
	Mistake bool     `json:"mistake,omitempty"`
	Images  []string `json:"images,omitempty"`
	// OutputBlob is the address of the whole output where Output is a part.
	OutputBlob  string `json:"output_blob,omitempty"`
	OutputBytes int64  `json:"output_bytes,omitempty"`
	// ResultBlob is the address of the result as the page gets it that asked for the
	// call: JSON, as the tool server gave it.
	ResultBlob     string          `json:"result_blob,omitempty"`
	DurationMS     int64           `json:"duration_ms,omitempty"`
	ProgressStatus *ProgressStatus `json:"progress_status,omitempty"`
}

// A ToolStatus is where a tool call stands.
type ToolStatus string

// The tool statuses.
const (
	ToolWaiting  ToolStatus = "waiting" // it has not begun; of messages only
	ToolRunning  ToolStatus = "running"
	ToolComplete ToolStatus = "complete"
	ToolError    ToolStatus = "error"
	ToolStopped  ToolStatus = "stopped" // somebody ended the work, or took the session elsewhere; why_code says which
)

// Ended reports whether a call has its result.
func (s ToolStatus) Ended() bool { return s == ToolComplete || s == ToolError || s == ToolStopped }

// Values lists the tool statuses.
func (ToolStatus) Values() []string {
	return []string{string(ToolWaiting), string(ToolRunning), string(ToolComplete), string(ToolError), string(ToolStopped)}
}

// WindowAgentStatusData is the data of window_agent_status.
type WindowAgentStatusData struct {
	WindowID string            `json:"window_id"`
	AgentID  AgentID           `json:"agent_id"`
	Status   WindowAgentStatus `json:"status"`
}

// A WindowAgentStatus is where a window's agent stands.
type WindowAgentStatus string

// The window agent statuses.
const (
	WindowAgentAssigned WindowAgentStatus = "assigned"
	WindowAgentActive   WindowAgentStatus = "active"
	WindowAgentReleased WindowAgentStatus = "released"
)

// Values lists the window agent statuses.
func (WindowAgentStatus) Values() []string {
	return []string{string(WindowAgentAssigned), string(WindowAgentActive), string(WindowAgentReleased)}
}

// AppProtocolRequestData is the data of app_protocol_request.
type AppProtocolRequestData struct {
	RequestID RequestID   `json:"request_id"`
	WindowID  string      `json:"window_id"`
	Kind      AppProtocol `json:"kind"`
	Name      string      `json:"name"` // the state or command asked for
	Params    any         `json:"params,omitempty"`
	AgentID   AgentID     `json:"agent_id,omitempty"`
	MonitorID MonitorID   `json:"monitor_id,omitempty"`
	TimeoutMS int64       `json:"timeout_ms,omitempty"`
	// DeadlineMS is when the agent stops waiting (Unix ms). The call that waits gets
	// the first answer until then, or an error.
	DeadlineMS int64  `json:"deadline_ms,omitempty"`
	TaskID     TaskID `json:"task_id,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// AppRegisteredData is the data of app_registered: what the app in a window says that
// it can be asked and told.
type AppRegisteredData struct {
	WindowID string   `json:"window_id"`
	App      string   `json:"app,omitempty"`
	Queries  []string `json:"queries,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

// AppCalledData is the data of app_called: the page in a window asked for a tool of its
// server. The task is there for this call alone; no model takes part.
type AppCalledData struct {
	TaskID     TaskID          `json:"task_id"`
	MonitorID  MonitorID       `json:"monitor_id,omitempty"`
	AgentID    AgentID         `json:"agent_id,omitempty"`
	WindowID   string          `json:"window_id"`
	RequestID  RequestID       `json:"request_id"` // the page's own name for it
	ToolCallID string          `json:"tool_call_id"`
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`                // as the server calls it
	Arguments  json.RawMessage `json:"arguments,omitempty"` // to the letter
}

// An AppProtocol says what an agent wants of an app.
type AppProtocol string

// The app requests.
const (
	AppQuery   AppProtocol = "query"   // tell its state
	AppCommand AppProtocol = "command" // do something
)

// Values lists the app requests.
func (AppProtocol) Values() []string { return []string{string(AppQuery), string(AppCommand)} }

// A CheckpointKind says what a checkpoint holds.
type CheckpointKind string

// The checkpoint kinds.
const (
	CheckpointWorkspace CheckpointKind = "workspace"
	CheckpointNotebook  CheckpointKind = "notebook"
)

// Values lists the checkpoint kinds.
func (CheckpointKind) Values() []string {
	return []string{string(CheckpointWorkspace), string(CheckpointNotebook)}
}

// CheckpointInitializedData is the data of checkpoint_initialized.
type CheckpointInitializedData struct {
	TaskID       TaskID         `json:"task_id,omitempty"`
	Kind         CheckpointKind `json:"kind"`
	WorkspaceDir string         `json:"workspace_dir"`
	BaseHash     string         `json:"base_hash"`
	DurationMS   int64          `json:"duration_ms,omitempty"`
}

// CheckpointSavedData is the data of checkpoint_saved.
type CheckpointSavedData struct {
	CheckpointID    string         `json:"checkpoint_id"`
	Kind            CheckpointKind `json:"kind"`
	TS              int64          `json:"ts"`
	MessageID       MessageID      `json:"message_id,omitempty"`
	TaskID          TaskID         `json:"task_id,omitempty"`
	FromHash        string         `json:"from_hash"`
	ToHash          string         `json:"to_hash"`
	DurationMS      int64          `json:"duration_ms"`
	SuppressMessage bool           `json:"suppress_message"`
	Reason          string         `json:"reason,omitempty"` // in words, for people
	Files           int            `json:"files,omitempty"`
	Bytes           int64          `json:"bytes,omitempty"`
	Left            []string       `json:"left,omitempty"` // files that could not be saved

	// Of kind notebook: what the kernel knew after a cell. ToHash is the hash of it,
	// Variables the address of the list. Of kind workspace NotebookID says that files were
	// saved because of a notebook's cells.
	NotebookID string `json:"notebook_id,omitempty"`
	CellID     string `json:"cell_id,omitempty"`
	CellIndex  *int   `json:"cell_index,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	Variables  string `json:"variables,omitempty"`
	// Of a run that repeats another one: Same says that it changed no variable otherwise than
	// at first, though ToHash may be another because of an earlier run. Differing names some
	// of those that it did change otherwise.
	Same      bool     `json:"same,omitempty"`
	Differing []string `json:"differing,omitempty"`
}

// CheckpointRestoredData is the data of checkpoint_restored.
type CheckpointRestoredData struct {
	CheckpointID string         `json:"checkpoint_id"`
	Kind         CheckpointKind `json:"kind"`
	CommitHash   string         `json:"commit_hash"`
	TaskID       TaskID         `json:"task_id,omitempty"`
	DurationMS   int64          `json:"duration_ms"`
	RewindID     string         `json:"rewind_id,omitempty"`
	Files        *FilesReturned `json:"files,omitempty"`
}

// CheckpointUpdatedData is the data of checkpoint_updated.
type CheckpointUpdatedData struct {
	CheckpointID string `json:"checkpoint_id"`
	Hash         string `json:"hash"`
	TaskID       TaskID `json:"task_id,omitempty"`
}

// CheckpointDiffAnswer is the data of the answer checkpoint_diff.
type CheckpointDiffAnswer struct {
	From            string               `json:"from,omitempty"`
	To              string               `json:"to,omitempty"` // "" is the working tree
	Files           List[CheckpointFile] `json:"files"`
	FilesCount      int                  `json:"files_count,omitempty"` // of all that differ, also those that are not in the list
	ClientMessageID ClientMessageID      `json:"client_message_id,omitempty"`
}

// A CheckpointFile is one file that differs.
type CheckpointFile struct {
	Paths   FilePaths   `json:"paths"`
	Content FileContent `json:"content"`

	Status    string `json:"status,omitempty"`    // added, deleted, modified, renamed or mode
	Kind      string `json:"kind,omitempty"`      // file, link or directory
	Binary    bool   `json:"binary,omitempty"`    // the contents are not shown
	Truncated bool   `json:"truncated,omitempty"` // too large to be shown in full
	Unified   string `json:"unified,omitempty"`   // the change of a text, with three lines of context
	Mode      string `json:"mode,omitempty"`      // permissions after, in octal
}

// FilePaths names a file.
type FilePaths struct {
	Relative string `json:"relative"`
	Absolute string `json:"absolute"`
	Old      string `json:"old,omitempty"` // before it was renamed
}

// FileContent is a file before and after; what cannot be read is "".
type FileContent struct {
	Before string `json:"before"`
	After  string `json:"after"`
}
