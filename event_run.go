package clew

// A Scope says which run an event belongs to, and on which monitor it shows.
type Scope struct {
	RunID     string    `json:"run_id,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// LayerStartData is the data of layer_start.
type LayerStartData struct {
	Layer       Layer  `json:"layer"`
	Description string `json:"description"`
	Scope
}

// LayerCompleteData is the data of layer_complete. The last layer has no next.
type LayerCompleteData struct {
	Layer      Layer        `json:"layer"`
	Result     *LayerResult `json:"result"`
	NextLayer  Layer        `json:"next_layer,omitempty"`
	DurationMS int64        `json:"duration_ms"`
	Scope
}

// A LayerResult is what a layer found out or did: each has fields of its own.
type LayerResult struct {
	// The cognitive layer: what is wanted.
	Intent   *Intent      `json:"intent,omitempty"`
	Entities List[Entity] `json:"entities,omitzero"`
	// The planning layer: the plan that was approved.
	PlanID  string `json:"plan_id,omitempty"`
	Version int    `json:"version,omitempty"`
	// Planning and execution: how many steps there are, and what became of them.
	TotalTodos int `json:"total_todos,omitempty"`
	Completed  int `json:"completed,omitempty"`
	Skipped    int `json:"skipped,omitempty"`
	// The response layer: the form of the answer, and how many reports there are.
	Format  ResponseFormat `json:"format,omitempty"`
	Reports int            `json:"reports,omitempty"`
	// Extra is whatever else an agent of somebody else's says. Older records have
	// all but intent and entities here.
	Extra map[string]any `json:"extra,omitempty"`
}

// An Intent is what the user wants, as the cognitive layer understood it.
type Intent struct {
	Domain     string  `json:"domain"`
	Category   string  `json:"category"`
	Confidence float64 `json:"confidence"` // 0 to 1
}

// An Entity is something the user's text names.
type Entity struct {
	Type       string  `json:"type"`
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
}

// PlanGeneratedData is the data of plan_generated.
type PlanGeneratedData struct {
	PlanID  string     `json:"plan_id"`
	Version int        `json:"version"` // starts at 1
	Status  PlanStatus `json:"status"`
	Plan
	TaskID TaskID `json:"task_id,omitempty"`
	Scope
}

// PlanApprovedData is the data of plan_approved.
type PlanApprovedData struct {
	PlanID            string `json:"plan_id"`
	ApprovedBy        string `json:"approved_by"`
	ExecutionStarting bool   `json:"execution_starting"`
	Scope
}

// PlanModifiedData is the data of plan_modified.
type PlanModifiedData struct {
	PlanID       string           `json:"plan_id"`
	OldVersion   int              `json:"old_version"`
	NewVersion   int              `json:"new_version"`
	Changes      List[PlanChange] `json:"changes"`
	UpdatedTodos List[Todo]       `json:"updated_todos"`
	// Edits are those that people made. They hold in what the planner proposes
	// after them, until the plan is approved.
	Edits  []PlanEdit `json:"edits,omitempty"`
	TaskID TaskID     `json:"task_id,omitempty"`
	Scope
}

// PlanRejectedData is the data of plan_rejected.
type PlanRejectedData struct {
	PlanID     string `json:"plan_id"`
	Reason     string `json:"reason,omitempty"`
	RejectedBy string `json:"rejected_by,omitempty"`
	Scope
}

// TodoStartedData is the data of todo_started.
type TodoStartedData struct {
	TodoID               string `json:"todo_id"`
	Task                 string `json:"task"`
	Tool                 string `json:"tool"`
	EstimatedDurationSec int    `json:"estimated_duration_sec"`
	TaskID               TaskID `json:"task_id,omitempty"`
	Scope
}

// TodoProgressData is the data of todo_progress.
type TodoProgressData struct {
	TodoID             string `json:"todo_id"`
	ProgressPercentage int    `json:"progress_percentage"` // 0 to 100
	CurrentStep        string `json:"current_step"`
	ItemsProcessed     int    `json:"items_processed"`
	ItemsTotal         int    `json:"items_total"`
	Scope
}

// TodoCompletedData is the data of todo_completed.
type TodoCompletedData struct {
	TodoID        string       `json:"todo_id"`
	Task          string       `json:"task"`
	Status        TodoStatus   `json:"status"` // completed
	ResultSummary any          `json:"result_summary"`
	DurationMS    int64        `json:"duration_ms"`
	NextTodos     List[string] `json:"next_todos"` // todos that became ready
	Scope
}

// TodoFailedData is the data of todo_failed.
type TodoFailedData struct {
	TodoID     string     `json:"todo_id"`
	Task       string     `json:"task"`
	Status     TodoStatus `json:"status"` // failed
	Error      Failure    `json:"error"`
	RetryCount int        `json:"retry_count"`
	MaxRetries int        `json:"max_retries"`
	Scope
}

// A Failure says why something failed.
type Failure struct {
	Code        Code   `json:"code"`
	Message     string `json:"message"`
	Recoverable bool   `json:"recoverable"`
	FailedTodo  string `json:"failed_todo,omitempty"`
}

// TodoRetriedData is the data of todo_retried.
type TodoRetriedData struct {
	TodoID     string `json:"todo_id"`
	RetryCount int    `json:"retry_count"` // how many retries this makes; 0 if a person began anew
	MaxRetries int    `json:"max_retries"`
	RetriedBy  UserID `json:"retried_by,omitempty"` // nobody: by itself
	Reason     string `json:"reason,omitempty"`
	// WhyCode says what ended the attempt before, "" if it failed.
	WhyCode EndCode `json:"why_code,omitempty"`
	Scope
}

// TodoSkippedData is the data of todo_skipped.
type TodoSkippedData struct {
	TodoID    string       `json:"todo_id"`
	Reason    string       `json:"reason,omitempty"`
	NextTodos List[string] `json:"next_todos"`
	Scope
}

// ExecutionProgressData is the data of execution_progress. The counts add up
// to TotalTodos.
type ExecutionProgressData struct {
	TotalTodos         int      `json:"total_todos"`
	Completed          int      `json:"completed"`
	InProgress         int      `json:"in_progress"`
	Pending            int      `json:"pending"`
	Failed             int      `json:"failed"`
	Skipped            int      `json:"skipped"`
	ProgressPercentage int      `json:"progress_percentage"`
	CurrentTodo        *TodoRef `json:"current_todo"` // null if none is under way
	Scope
}

// CompleteData is the data of complete.
type CompleteData struct {
	Status      RunResult    `json:"status"` // success
	Response    Response     `json:"response"`
	Statistics  Statistics   `json:"statistics"`
	ReportPaths List[string] `json:"report_paths"`
	Reports     []Report     `json:"reports,omitempty"` // what the paths lead to
	TaskID      TaskID       `json:"task_id,omitempty"`
	Scope
}

// A Report is a file that a run made. It is served under
// /reports/{session_id}/{name}.
type Report struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Size      int    `json:"size"`
	Blob      string `json:"blob"` // the hash of its bytes
}

// A RunResult is how a run ended.
type RunResult string

// The results.
const (
	ResultSuccess   RunResult = "success"
	ResultFailed    RunResult = "failed"
	ResultCancelled RunResult = "cancelled"
)

// Values lists the results.
func (RunResult) Values() []string {
	return []string{string(ResultSuccess), string(ResultFailed), string(ResultCancelled)}
}

// A Response is what a run answers.
type Response struct {
	Format      ResponseFormat   `json:"format"`
	Text        string           `json:"text"`
	Summary     string           `json:"summary"`
	Attachments List[Attachment] `json:"attachments"`
	NextActions List[string]     `json:"next_actions"`
}

// A ResponseFormat says how a response's text is to be read.
type ResponseFormat string

// The formats.
const (
	FormatText     ResponseFormat = "text"
	FormatMarkdown ResponseFormat = "markdown"
	FormatMixed    ResponseFormat = "mixed"
	FormatJSON     ResponseFormat = "json"
)

// Values lists the formats.
func (ResponseFormat) Values() []string {
	return []string{string(FormatText), string(FormatMarkdown), string(FormatMixed), string(FormatJSON)}
}

// An Attachment is a file that belongs to a response.
type Attachment struct {
	Type  AttachmentType `json:"type"`
	Title string         `json:"title"`
	URL   string         `json:"url"`
}

// An AttachmentType says what an attachment shows.
type AttachmentType string

// The attachment types.
const (
	AttachmentChart AttachmentType = "chart"
	AttachmentImage AttachmentType = "image"
	AttachmentTable AttachmentType = "table"
	AttachmentFile  AttachmentType = "file"
)

// Values lists the attachment types.
func (AttachmentType) Values() []string {
	return []string{string(AttachmentChart), string(AttachmentImage), string(AttachmentTable), string(AttachmentFile)}
}

// FailedData is the data of failed.
type FailedData struct {
	Status         RunResult      `json:"status"` // failed
	Error          Failure        `json:"error"`
	PartialResults PartialResults `json:"partial_results"`
	TaskID         TaskID         `json:"task_id,omitempty"`
	Outcome        *Outcome       `json:"outcome,omitempty"`
	Scope
}

// CancelledData is the data of cancelled.
type CancelledData struct {
	Status         RunResult      `json:"status"` // cancelled
	Reason         string         `json:"reason,omitempty"`
	PartialResults PartialResults `json:"partial_results"`
	TaskID         TaskID         `json:"task_id,omitempty"`
	Outcome        *Outcome       `json:"outcome,omitempty"`
	Scope
}
