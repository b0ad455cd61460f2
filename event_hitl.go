package clew

import "encoding/json"

// A Choice is one way to answer a question.
type Choice string

// The choices.
const (
	ChoiceApprove Choice = "approve"
	ChoiceModify  Choice = "modify" // plans only
	ChoiceSkip    Choice = "skip"   // approvals only
	ChoiceReject  Choice = "reject"
)

// Values lists the choices.
func (Choice) Values() []string {
	return []string{string(ChoiceApprove), string(ChoiceModify), string(ChoiceSkip), string(ChoiceReject)}
}

// Asking is what all questions have in common.
type Asking struct {
	RequestID  RequestID `json:"request_id"`
	TimeoutSec int       `json:"timeout_sec"`           // 0 = it waits for ever
	DeadlineMS int64     `json:"deadline_ms,omitempty"` // Unix ms; then it settles itself
	// Assignee is whom the owner wants to answer. Only the two of them may then.
	Assignee   UserID    `json:"assignee,omitempty"`
	MessageID  MessageID `json:"message_id,omitempty"` // the ask in the transcript
	AgentID    AgentID   `json:"agent_id,omitempty"`
	AgentKind  AgentKind `json:"agent_kind,omitempty"` // of AgentID
	TaskID     TaskID    `json:"task_id,omitempty"`
	TodoID     string    `json:"todo_id,omitempty"`      // the todo that it is about, or that asks
	ToolCallID string    `json:"tool_call_id,omitempty"` // the call that gets the answer
	// WordsEffect is what a user_message that names no question does to this one.
	WordsEffect WordsEffect `json:"words_effect,omitempty"`
	Scope
}

// HitlPlanReviewData is the data of hitl_plan_review. An answer is about this
// version of the plan and no other.
type HitlPlanReviewData struct {
	Asking
	PlanID  string       `json:"plan_id"`
	Version int          `json:"version"`
	Plan    Plan         `json:"plan"`
	Message string       `json:"message"`
	Options List[Choice] `json:"options"`
}

// HitlApprovalRequestData is the data of hitl_approval_request.
type HitlApprovalRequestData struct {
	Asking
	Ask  Ask           `json:"ask,omitempty"`
	Todo *ApprovalTodo `json:"todo,omitempty"`
	Tool string        `json:"tool,omitempty"`
	// Input is what the tool would be called with, to the letter: decoded, a
	// large number would be another one, or none.
	Input json.RawMessage `json:"input,omitempty"`
	// InputText is the input as a text, where it has a number that a double shows
	// as another one. Faces that read numbers so show this instead.
	InputText string  `json:"input_text,omitempty"`
	Effect    *Effect `json:"effect,omitempty"` // what an approval covers
	Limit     string  `json:"limit,omitempty"`  // the limit that was reached: requests, mistakes, steps, budget, month, time, retries or cost
	// OwnLimit says that it is the run's own limit, which its owner may raise.
	OwnLimit bool       `json:"own_limit,omitempty"`
	Raise    int        `json:"raise,omitempty"` // how many times as much again a yes allows
	Reason   string     `json:"reason"`
	Why      string     `json:"why,omitempty"` // why it was not allowed unasked, for people
	WhyCode  PolicyCode `json:"why_code,omitempty"`
	// WhyArgs is what belongs to the code: names, patterns and numbers.
	WhyArgs map[string]string `json:"why_args,omitempty"`
	Options List[Choice]      `json:"options"`
	// Remember says what may be remembered with a yes, nil if nothing.
	Remember *RememberOffer `json:"remember,omitempty"`
}

// A RememberScope is how long an approval holds beyond the one call.
type RememberScope string

// The scopes.
const (
	RememberTask      RememberScope = "task"      // for calls alike in the task and all below it
	RememberSession   RememberScope = "session"   // a rule among the session's settings
	RememberWorkspace RememberScope = "workspace" // a rule that the server keeps for the owner and the directory
	RememberAlways    RememberScope = "always"    // a rule that the server keeps for the owner, in every directory
)

// Values lists the scopes.
func (RememberScope) Values() []string {
	return []string{string(RememberTask), string(RememberSession), string(RememberWorkspace), string(RememberAlways)}
}

// Kept reports whether the server keeps a rule of the scope, beside its settings.
func (s RememberScope) Kept() bool { return s == RememberWorkspace || s == RememberAlways }

// A RememberOffer is what a question lets people choose.
type RememberOffer struct {
	Scopes   List[RememberScope] `json:"scopes"`
	Pattern  string              `json:"pattern,omitempty"`   // of commands: one to begin with
	Match    string              `json:"match,omitempty"`     // a command that it covers
	NearMiss string              `json:"near_miss,omitempty"` // one that it does not
	Host     string              `json:"host,omitempty"`      // of fetch: the host that it covers
	// RunsWorkspace says that commands which the pattern covers run code of the
	// workspace, such as its tests.
	RunsWorkspace bool `json:"runs_workspace,omitempty"`
	// WhileAuto says that what is remembered for the task holds only while
	// auto-approval is on, as it was when the question was put.
	WhileAuto bool `json:"while_auto,omitempty"`
}

// Remember is what a person wants remembered. Pattern is for commands.
type Remember struct {
	Scope   RememberScope `json:"scope"`
	Pattern string        `json:"pattern,omitempty"`
}

// A RememberedRule is what a task's agents need not ask about again.
type RememberedRule struct {
	ID        RequestID `json:"id"`      // of the question that was answered with it
	TaskID    TaskID    `json:"task_id"` // it holds in this task and all below it
	Tool      string    `json:"tool"`
	Pattern   string    `json:"pattern,omitempty"`    // of commands: a pattern; of fetch: the host
	WhileAuto bool      `json:"while_auto,omitempty"` // see RememberOffer
	By        UserID    `json:"by,omitempty"`
	TS        int64     `json:"ts"`
}

// RuleForgottenData is the data of rule_forgotten.
type RuleForgottenData struct {
	ID     RequestID `json:"id"`
	TaskID TaskID    `json:"task_id"`
	By     UserID    `json:"by,omitempty"`
}

// An ApprovalTodo is a todo that needs approval.
type ApprovalTodo struct {
	ID               string   `json:"id"`
	Task             string   `json:"task"`
	Tool             string   `json:"tool"`
	EstimatedCostUSD *float64 `json:"estimated_cost_usd,omitempty"`
}

// An InputType is the kind of value a question asks for.
type InputType string

// The input types.
const (
	InputText    InputType = "text"
	InputChoice  InputType = "choice"
	InputNumber  InputType = "number"
	InputBoolean InputType = "boolean"
	InputDate    InputType = "date"
)

// Values lists the input types.
func (InputType) Values() []string {
	return []string{string(InputText), string(InputChoice), string(InputNumber), string(InputBoolean), string(InputDate)}
}

// HitlInputRequestData is the data of hitl_input_request.
type HitlInputRequestData struct {
	Asking
	Ask          Ask           `json:"ask,omitempty"`
	Field        string        `json:"field"`
	Question     string        `json:"question"`
	InputType    InputType     `json:"input_type"`
	Options      []InputOption `json:"options,omitempty"` // with input_type choice
	Strict       bool          `json:"strict,omitempty"`  // nothing but the options
	Required     bool          `json:"required"`
	DefaultValue any           `json:"default_value"` // taken at the deadline
	// MissingWorkspace says that the session's files are on another node, nil for
	// all other questions. The values to choose from are WorkspaceWait and
	// WorkspaceContinue.
	MissingWorkspace *MissingWorkspace `json:"missing_workspace,omitempty"`
	// Cell is the run of a notebook's cell whose code asks, nil for all other questions.
	Cell *CellQuestion `json:"cell,omitempty"`
	// Kernel says that a kernel is ahead of its notebook, nil for all other questions.
	Kernel *KernelQuestion `json:"kernel,omitempty"`
}

// The ways to go on without the files of another node.
const (
	WorkspaceWait     = "wait"     // until that node is back
	WorkspaceContinue = "continue" // here, without those files
)

// A MissingWorkspace is a workspace that is not on the node that needs it.
type MissingWorkspace struct {
	Node string `json:"node,omitempty"` // that has the files, "" if that is not known
	Here string `json:"here"`           // the node that asks
	Dir  string `json:"dir,omitempty"`  // "" is a directory that clew made
}

// At reports whether the workspace is missing at a node.
func (m MissingWorkspace) At(node string) bool {
	if m.Node == "" {
		return node == m.Here
	}
	return node != m.Node
}

// An InputOption is one value a person may choose.
type InputOption struct {
	Value any    `json:"value"`
	Label string `json:"label"`
}

// HitlClarificationData is the data of hitl_clarification.
type HitlClarificationData struct {
	Asking
	OriginalInput string       `json:"original_input"`
	Ambiguity     string       `json:"ambiguity"`
	Question      string       `json:"question"`
	InputType     InputType    `json:"input_type"`
	Suggestions   List[string] `json:"suggestions"`
	Required      bool         `json:"required"`
}

// HitlReminderData is the data of hitl_reminder.
type HitlReminderData struct {
	RequestID    RequestID `json:"request_id"`
	DeadlineMS   int64     `json:"deadline_ms"`
	RemainingSec int       `json:"remaining_sec"`
	TaskID       TaskID    `json:"task_id,omitempty"`
	Scope
}

// HitlAssignedData is the data of hitl_assigned.
type HitlAssignedData struct {
	RequestID  RequestID `json:"request_id"`
	Assignee   UserID    `json:"assignee"` // "" = whoever may answer
	AssignedBy UserID    `json:"assigned_by,omitempty"`
	TaskID     TaskID    `json:"task_id,omitempty"`
	Scope
}

// A Resolution is what became of a question.
type Resolution string

// The resolutions.
const (
	ResolvedApprove   Resolution = "approve"
	ResolvedModify    Resolution = "modify"
	ResolvedSkip      Resolution = "skip"
	ResolvedReject    Resolution = "reject"
	ResolvedAnswer    Resolution = "answer"    // a value was given
	ResolvedCancelled Resolution = "cancelled" // its work ended first
)

// Values lists the resolutions.
func (Resolution) Values() []string {
	return []string{
		string(ResolvedApprove), string(ResolvedModify), string(ResolvedSkip), string(ResolvedReject),
		string(ResolvedAnswer), string(ResolvedCancelled),
	}
}

// HitlResolvedData is the data of hitl_resolved.
type HitlResolvedData struct {
	RequestID       RequestID       `json:"request_id"`
	Action          Resolution      `json:"action"`
	ResolvedBy      UserID          `json:"resolved_by,omitempty"`
	ByTimeout       bool            `json:"by_timeout"`
	Value           any             `json:"value,omitempty"`
	Comment         string          `json:"comment,omitempty"`
	WhyCode         EndCode         `json:"why_code,omitempty"` // why it was withdrawn, with action cancelled
	Instruction     string          `json:"instruction,omitempty"`
	Remember        *Remember       `json:"remember,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"`
	Scope
}

// HitlPausedData is the data of hitl_paused.
type HitlPausedData struct {
	PausedBy       string       `json:"paused_by"`
	Reason         string       `json:"reason"`
	WhyCode        EndCode      `json:"why_code,omitempty"` // "" if somebody paused it as such
	CurrentTodo    string       `json:"current_todo"`       // "" if none is under way
	CompletedTodos List[string] `json:"completed_todos"`
	CanResume      bool         `json:"can_resume"`
	Scope
}

// HitlResumedData is the data of hitl_resumed.
type HitlResumedData struct {
	ResumedBy   string `json:"resumed_by"`
	CurrentTodo string `json:"current_todo"`
	Scope
}
