package clew

import "slices"

// AuthData is the data of auth. One of the two is needed.
type AuthData struct {
	Token  string `json:"token,omitempty"`
	APIKey string `json:"api_key,omitempty"`
}

// PongData is the data of pong: none.
type PongData struct{}

// A StateScope says which snapshot a client wants.
type StateScope string

// The state scopes.
const (
	ScopeSession StateScope = "session" // session_state
	ScopeUI      StateScope = "ui"      // state
)

// Values lists the state scopes.
func (StateScope) Values() []string { return []string{string(ScopeSession), string(ScopeUI)} }

// GetStateData is the data of get_state. Without a scope it is session.
type GetStateData struct {
	Scope StateScope `json:"scope,omitempty"`
}

// GetMessagesData is the data of get_messages. Offset counts from the newest.
type GetMessagesData struct {
	Limit  int       `json:"limit,omitempty"` // 0 = 200
	Offset int       `json:"offset,omitempty"`
	Before MessageID `json:"before,omitempty"`
}

// SubscribeMonitorData is the data of subscribe_monitor.
type SubscribeMonitorData struct {
	MonitorID MonitorID `json:"monitor_id"`
}

// HitlPlanResponseData is the data of hitl_plan_response.
type HitlPlanResponseData struct {
	Type          string     `json:"type,omitempty" clew:"enum=plan"` // may say again which answer it is
	RequestID     RequestID  `json:"request_id"`
	Action        Choice     `json:"action" clew:"enum=approve|modify|reject"`
	Comment       string     `json:"comment,omitempty"`
	Instruction   string     `json:"instruction,omitempty"`   // with modify: what the planner shall change
	Modifications []PlanEdit `json:"modifications,omitempty"` // with modify: changes made as they stand
}

// AssignQuestionData is the data of assign_question. Without a user it is
// whoever may answer.
type AssignQuestionData struct {
	RequestID RequestID `json:"request_id"`
	UserID    UserID    `json:"user_id,omitempty"`
}

// EditPlanData is the data of edit_plan. With a version it is refused unless
// that is the plan's.
type EditPlanData struct {
	Modifications List[PlanEdit] `json:"modifications"`
	Version       int            `json:"version,omitempty"`
	MonitorID     MonitorID      `json:"monitor_id,omitempty"`
}

// HitlApprovalResponseData is the data of hitl_approval_response.
type HitlApprovalResponseData struct {
	Type      string    `json:"type,omitempty" clew:"enum=approval"` // may say again which answer it is
	RequestID RequestID `json:"request_id"`
	TodoID    string    `json:"todo_id,omitempty"`
	Action    Choice    `json:"action" clew:"enum=approve|skip|reject"`
	Comment   string    `json:"comment,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	Remember  *Remember `json:"remember,omitempty"` // with approve: do not ask again
}

// HitlInputResponseData is the data of hitl_input_response.
type HitlInputResponseData struct {
	Type      string    `json:"type,omitempty" clew:"enum=input"` // may say again which answer it is
	RequestID RequestID `json:"request_id"`
	Field     string    `json:"field,omitempty"`
	Value     any       `json:"value"`
}

// HitlClarificationResponseData is the data of hitl_clarification_response.
type HitlClarificationResponseData struct {
	Type      string    `json:"type,omitempty" clew:"enum=clarification"` // may say again which answer it is
	RequestID RequestID `json:"request_id"`
	Value     any       `json:"value"`
}

// AskResponseData is the data of ask_response. Without a request id it answers
// the oldest open question of the current task.
type AskResponseData struct {
	RequestID   RequestID   `json:"request_id,omitempty"`
	AskResponse AskResponse `json:"ask_response"`
	Text        string      `json:"text,omitempty"`
	Images      []string    `json:"images,omitempty"`
	Value       any         `json:"value,omitempty"` // with object_response
}

// A MessageMode says how a user message is worked on.
type MessageMode string

// The message modes.
const (
	ModeChat MessageMode = "chat" // an agent answers
	ModeRun  MessageMode = "run"  // the four layers, with a plan
)

// UserMessageData is the data of user_message. Mode is chat, run, or the name
// of a mode of the settings.
type UserMessageData struct {
	Text      string      `json:"text" clew:"empty"` // may be empty with images
	Images    []string    `json:"images,omitempty"`
	MonitorID MonitorID   `json:"monitor_id,omitempty"`
	Mode      MessageMode `json:"mode,omitempty"`
	TaskID    TaskID      `json:"task_id,omitempty"`
	RequestID RequestID   `json:"request_id,omitempty"`
	Budget    *Budget     `json:"budget,omitempty"` // with mode run; the settings' budget holds as well
	// Delivery is what to do with it while an agent works; absent is as the
	// settings say.
	Delivery Arrival `json:"delivery,omitempty"`
	// MayAnswer names the questions that its sender knows of: the words answer no
	// other one. An empty list is none at all; absent is whichever is open.
	MayAnswer []RequestID `json:"may_answer,omitzero"`
}

// Answers reports whether the words may be taken as the answer to a question.
func (d *UserMessageData) Answers(id RequestID) bool {
	return d.MayAnswer == nil || slices.Contains(d.MayAnswer, id)
}

// An Arrival is what a message does that comes while an agent works.
type Arrival string

// The arrivals.
const (
	ArrivalSteer Arrival = "steer" // the agent hears it with its next step
	ArrivalQueue Arrival = "queue" // it waits for the end of the turn
	// ArrivalEphemeral has an agent of its own answer it at once, without the
	// conversation.
	ArrivalEphemeral Arrival = "ephemeral"
)

// Values lists the arrivals.
func (Arrival) Values() []string {
	return []string{string(ArrivalSteer), string(ArrivalQueue), string(ArrivalEphemeral)}
}

// EditQueuedData is the data of edit_queued: the message as it shall be.
type EditQueuedData struct {
	MessageID MessageID `json:"message_id"`
	Text      string    `json:"text" clew:"empty"`
	Images    []string  `json:"images,omitempty"`
}

// RemoveQueuedData is the data of remove_queued.
type RemoveQueuedData struct {
	MessageID MessageID `json:"message_id"`
}

// MoveQueuedData is the data of move_queued. Without Before it goes to the end.
type MoveQueuedData struct {
	MessageID MessageID `json:"message_id"`
	Before    MessageID `json:"before,omitempty"`
}

// SendQueuedData is the data of send_queued.
type SendQueuedData struct {
	MessageID MessageID `json:"message_id"`
}

// WindowMessageData is the data of window_message.
type WindowMessageData struct {
	WindowID string   `json:"window_id"`
	Text     string   `json:"text" clew:"empty"`
	Images   []string `json:"images,omitempty"`
}

// ComponentActionData is the data of component_action.
type ComponentActionData struct {
	WindowID      string         `json:"window_id"`
	Action        string         `json:"action"`
	ActionID      string         `json:"action_id,omitempty"` // a parallel action
	FormData      map[string]any `json:"form_data,omitempty"`
	ComponentPath string         `json:"component_path,omitempty"`
}

// NewTaskData is the data of new_task.
type NewTaskData struct {
	Text      string    `json:"text" clew:"empty"`
	Images    []string  `json:"images,omitempty"`
	Mode      string    `json:"mode,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// ResumeTaskData is the data of resume_task.
type ResumeTaskData struct {
	TaskID TaskID `json:"task_id"`
}

// ClearTaskData is the data of clear_task. Without a task it is the current one.
type ClearTaskData struct {
	TaskID TaskID `json:"task_id,omitempty"`
}

// ControlPauseData is the data of control_pause.
type ControlPauseData struct {
	Reason    string    `json:"reason,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// ControlResumeData is the data of control_resume.
type ControlResumeData struct {
	Modifications []PlanEdit `json:"modifications,omitempty"`
	MonitorID     MonitorID  `json:"monitor_id,omitempty"`
}

// ControlCancelData is the data of control_cancel. Without a task it is the
// run, or the current task if there is no run.
type ControlCancelData struct {
	Reason    string    `json:"reason,omitempty"`
	TaskID    TaskID    `json:"task_id,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// ControlRetryData is the data of control_retry.
type ControlRetryData struct {
	TodoID    string    `json:"todo_id"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// ControlSkipData is the data of control_skip.
type ControlSkipData struct {
	TodoID    string    `json:"todo_id"`
	Reason    string    `json:"reason,omitempty"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
}

// InterruptData is the data of interrupt: none.
type InterruptData struct{}

// InterruptAgentData is the data of interrupt_agent. Agent is the agent's id or
// the role of its present turn.
type InterruptAgentData struct {
	Agent string `json:"agent"`
}

// ResetData is the data of reset: none.
type ResetData struct{}

// SetProviderData is the data of set_provider.
type SetProviderData struct {
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
}

// RemoveMonitorData is the data of remove_monitor.
type RemoveMonitorData struct {
	MonitorID MonitorID `json:"monitor_id"`
}

// RenderingFeedbackData is the data of rendering_feedback.
type RenderingFeedbackData struct {
	WindowID string `json:"window_id"`
	ActionID string `json:"action_id,omitempty"`
	Success  bool   `json:"success"`
	Error    string `json:"error,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
}

// ToastActionData is the data of toast_action.
type ToastActionData struct {
	ToastID string `json:"toast_id"`
	Action  string `json:"action" clew:"enum=dismiss"`
}

// UserInteractionData is the data of user_interaction.
type UserInteractionData struct {
	Interactions List[Interaction] `json:"interactions"`
	MonitorID    MonitorID         `json:"monitor_id,omitempty"`
}

// An Interaction is something the user did to a window.
type Interaction struct {
	Kind     InteractionKind `json:"kind"`
	WindowID string          `json:"window_id"`
	TS       int64           `json:"ts,omitempty"`
	Bounds   *Bounds         `json:"bounds,omitempty"`
	Layout   Layout          `json:"layout,omitempty"` // that the bounds are of, wide if absent
	Drawing  any             `json:"drawing,omitempty"`
}

// An InteractionKind is what the user did.
type InteractionKind string

// The interactions.
const (
	InteractionClose  InteractionKind = "close"
	InteractionFocus  InteractionKind = "focus"
	InteractionMove   InteractionKind = "move"
	InteractionResize InteractionKind = "resize"
	InteractionDraw   InteractionKind = "draw"
)

// Values lists the interactions.
func (InteractionKind) Values() []string {
	return []string{
		string(InteractionClose), string(InteractionFocus), string(InteractionMove),
		string(InteractionResize), string(InteractionDraw),
	}
}

// AppProtocolResponseData is the data of app_protocol_response.
type AppProtocolResponseData struct {
	RequestID RequestID `json:"request_id"`
	WindowID  string    `json:"window_id,omitempty"`
	Result    any       `json:"result,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// AppProtocolReadyData is the data of app_protocol_ready.
type AppProtocolReadyData struct {
	WindowID string   `json:"window_id"`
	App      string   `json:"app,omitempty"`
	Queries  []string `json:"queries,omitempty"`
	Commands []string `json:"commands,omitempty"`
}

// AppCallData is the data of app_call. RequestID is the page's own name for it: asked
// twice, it runs once.
type AppCallData struct {
	WindowID  string         `json:"window_id"`
	RequestID RequestID      `json:"request_id"`
	Tool      string         `json:"tool"` // as the server calls it
	Arguments map[string]any `json:"arguments,omitempty"`
}
