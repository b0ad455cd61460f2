package clew

// AuthResult is the data of auth_result.
type AuthResult struct {
	OK      bool   `json:"ok"`
	UserID  UserID `json:"user_id,omitempty"`
	Role    Role   `json:"role,omitempty"`
	Code    Code   `json:"code,omitempty"`
	Number  int    `json:"number,omitempty"`
	Message string `json:"message,omitempty"`
}

// SyncComplete is the data of sync_complete.
type SyncComplete struct {
	LastMessageID MessageID `json:"last_message_id"`
	Replayed      int       `json:"replayed"`
}

// PresenceData is the data of presence: all who watch, those who came first
// first, up to 100 of them.
type PresenceData struct {
	Viewers List[Viewer] `json:"viewers"`
}

// A Viewer is a person who has the session open.
type Viewer struct {
	UserID  UserID `json:"user_id"`
	Clients int    `json:"clients"`  // connections
	SinceMS int64  `json:"since_ms"` // Unix ms of the oldest of them
}

// PingData is the data of ping: none.
type PingData struct{}

// ErrorData is the data of error.
type ErrorData struct {
	Code            Code         `json:"code"`
	Number          int          `json:"number"`
	Message         string       `json:"message"`
	Recoverable     bool         `json:"recoverable"`
	SuggestedAction string       `json:"suggested_action"`
	Context         ErrorContext `json:"context,omitzero"`
	RetryAfterMS    int64        `json:"retry_after_ms,omitempty"`
	// HasAdvice says that the message itself tells what to do about it.
	HasAdvice bool `json:"has_advice,omitempty"`
}

// ErrorContext says what an error is about.
type ErrorContext struct {
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	CommandType     CommandType     `json:"command_type,omitempty"`
	RequestID       RequestID       `json:"request_id,omitempty"`
	AgentID         AgentID         `json:"agent_id,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"`
	TodoID          string          `json:"todo_id,omitempty"`
	Tool            string          `json:"tool,omitempty"`
	MonitorID       MonitorID       `json:"monitor_id,omitempty"`
}

// NewErrorData writes err for the wire. The cause stays behind: only the code
// and the message, which is safe for people, leave the server.
func NewErrorData(err error, about ErrorContext) *ErrorData {
	e := AsError(err)
	info := e.Code.Info()
	return &ErrorData{
		Code: info.Code, Number: info.Number, Message: e.Message, Recoverable: info.Recoverable,
		SuggestedAction: info.Action, Context: about, RetryAfterMS: e.RetryAfterMS, HasAdvice: e.HasAdvice,
	}
}

// Err gives the error that the data describes.
func (d *ErrorData) Err() *Error {
	return &Error{Code: d.Code, Message: d.Message, RetryAfterMS: d.RetryAfterMS, HasAdvice: d.HasAdvice}
}

// SessionCreatedData is the data of session_created.
type SessionCreatedData struct {
	Owner      UserID     `json:"owner"`
	Title      string     `json:"title"`
	Workspace  string     `json:"workspace,omitempty"`
	ForkedFrom *ForkPoint `json:"forked_from,omitempty"`
	Node       string     `json:"node,omitempty"` // that has the workspace, if there are several
	// Environment is PATH and the variables of toolchains as they were in the
	// owner's terminal, for commands.
	Environment map[string]string `json:"environment,omitempty"`
}

// A ForkPoint is where a forked session branched off.
type ForkPoint struct {
	SessionID SessionID `json:"session_id"`
	MessageID MessageID `json:"message_id"`
}

// SessionArchivedData is the data of session_archived: whether lists leave the
// session out. Nothing of it is deleted.
type SessionArchivedData struct {
	Archived bool   `json:"archived"`
	By       UserID `json:"by,omitempty"`
}

// SessionRenamedData is the data of session_renamed.
type SessionRenamedData struct {
	Title string `json:"title"`
}

// AccessChangedData is the data of access_changed; Role "" takes access back.
type AccessChangedData struct {
	UserID UserID `json:"user_id"`
	Role   Role   `json:"role"`
}

// SessionForkedData is the data of session_forked.
type SessionForkedData struct {
	SessionID     SessionID `json:"session_id"` // the new session
	FromMessageID MessageID `json:"from_message_id"`
}

// SessionImportedData is the data of session_imported: the session came from
// elsewhere, with all its records. It belongs to whoever brought it.
type SessionImportedData struct {
	Owner     UserID    `json:"owner"`
	Workspace string    `json:"workspace,omitempty"`
	Title     string    `json:"title,omitempty"`
	From      SessionID `json:"from,omitempty"`   // what it was called there
	Format    string    `json:"format,omitempty"` // bundle, task-folder, session-log, message-store or notebook
	Node      string    `json:"node,omitempty"`   // that has the workspace, if there are several
	// MissingBlobs are those that its records refer to and that did not come along.
	MissingBlobs []string `json:"missing_blobs,omitempty"`
}

// MessageCreatedData is the data of message_created.
type MessageCreatedData struct {
	Message Message `json:"message"`
}

// MessageUpdatedData is the data of message_updated. Message is the whole
// message as it now is.
type MessageUpdatedData struct {
	Message Message `json:"message"`
}

// A Delivery is the way a message reached an agent.
type Delivery string

// The deliveries.
const (
	DeliveryDirect    Delivery = "direct"    // the agent was free
	DeliverySteer     Delivery = "steer"     // put into the running turn
	DeliveryEphemeral Delivery = "ephemeral" // given to a short-lived agent
	DeliveryAnswer    Delivery = "answer"    // taken as the answer to a question
)

// Values lists the deliveries.
func (Delivery) Values() []string {
	return []string{string(DeliveryDirect), string(DeliverySteer), string(DeliveryEphemeral), string(DeliveryAnswer)}
}

// MessageAcceptedData is the data of message_accepted.
type MessageAcceptedData struct {
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	MessageID       MessageID       `json:"message_id,omitempty"` // the user's message
	AgentID         AgentID         `json:"agent_id,omitempty"`
	MonitorID       MonitorID       `json:"monitor_id,omitempty"`
	Delivery        Delivery        `json:"delivery,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"`
	WindowID        string          `json:"window_id,omitempty"` // that it was said to
	Role            string          `json:"role,omitempty"`      // the agent's name for the turn that hears it
}

// MessageQueuedData is the data of message_queued. What waits is not in the
// transcript: its message is created when an agent hears it. In older journals it
// was created before, and the record does not have its words.
type MessageQueuedData struct {
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	MessageID       MessageID       `json:"message_id,omitempty"` // its name as long as it waits
	Text            string          `json:"text,omitempty"`
	Images          []string        `json:"images,omitempty"`
	UserID          UserID          `json:"user_id,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"` // the task that it was said to by name
	AgentID         AgentID         `json:"agent_id,omitempty"`
	MonitorID       MonitorID       `json:"monitor_id,omitempty"`
	Position        int             `json:"position"` // 1 is next
	NewTask         bool            `json:"new_task,omitempty"`
	Mode            string          `json:"mode,omitempty"`
	Budget          *Budget         `json:"budget,omitempty"` // of the run that it starts
	// WindowID is the window whose agent it waits for, Component what was used there.
	WindowID  string        `json:"window_id,omitempty"`
	Component *ComponentUse `json:"component,omitempty"`
	Role      string        `json:"role,omitempty"` // the name of the turn that it waits for
	// Callback is the task whose result it is: no person sent it, and those of people
	// come first.
	Callback TaskID `json:"callback,omitempty"`
}

// QueueChangedData is the data of queue_changed: what waits from now on, in
// order.
type QueueChangedData struct {
	Queue   List[MessageID] `json:"queue"`
	Removed MessageID       `json:"removed,omitempty"`
	Edited  *QueuedWords    `json:"edited,omitempty"`
	// Reset says that a reset emptied it: what agents were yet to be told, and what they
	// could show again, is gone as well.
	Reset bool `json:"reset,omitempty"`
}

// QueuedWords are the new words of a message that waits.
type QueuedWords struct {
	MessageID MessageID `json:"message_id"`
	Text      string    `json:"text"`
	Images    []string  `json:"images,omitempty"`
}

// MessagesPage is the data of messages_page, and REST's answer for messages.
type MessagesPage struct {
	Messages List[Message] `json:"messages"` // in order of time
	Total    int           `json:"total"`
	// Next is what to give as before to get the page before this one.
	Next MessageID `json:"next,omitempty"`
	// Newer is what to give as after to get the page after this one. Pages that
	// were asked for by after or around have it, unless they end with the newest.
	Newer MessageID `json:"newer,omitempty"`
	// Tasks are those of the messages, and those that started them, as they stood then. Pages
	// that were asked for by as_of have them.
	Tasks           []TaskInfo      `json:"tasks,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}

// MarshalJSON is as for SessionState.
func (p MessagesPage) MarshalJSON() ([]byte, error) {
	type plain MessagesPage
	return encode(struct {
		plain
		Messages []Message `json:"messages"`
	}{plain(p), notNil(p.Messages)})
}

// AgentResponseData is the data of agent_response. Offset counts UTF-8 bytes
// of the message's text; Delta never splits a character.
type AgentResponseData struct {
	MessageID MessageID `json:"message_id"` // the growing message
	ReplyTo   MessageID `json:"reply_to,omitempty"`
	AgentID   AgentID   `json:"agent_id"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
	Offset    int       `json:"offset"`
	Delta     string    `json:"delta"`
}

// AgentThinkingData is the data of agent_thinking. Offset counts UTF-8 bytes
// of the message's reasoning.
type AgentThinkingData struct {
	MessageID MessageID `json:"message_id"`
	ReplyTo   MessageID `json:"reply_to,omitempty"`
	AgentID   AgentID   `json:"agent_id"`
	MonitorID MonitorID `json:"monitor_id,omitempty"`
	Offset    int       `json:"offset"`
	Delta     string    `json:"delta"`
}
