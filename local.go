package clew

// AckData is the data of the local socket's ack.
type AckData struct {
	ClientID ClientID `json:"client_id"`
	PID      int      `json:"pid"`
	PPID     int      `json:"ppid"`
	URL      string   `json:"url,omitempty"`     // where the server is reached by HTTP
	Version  string   `json:"version,omitempty"` // of the server's program
}

// TaskCommandData is the data of the local socket's task_command. Without a
// session it is the one that the client started or named last.
type TaskCommandData struct {
	CommandName TaskCommandName `json:"command_name"`
	SessionID   SessionID       `json:"session_id,omitempty"`
	// ClientMessageID is the client's own name for the command: the answer has
	// it, and a second command of that name has no second effect.
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	Data            any             `json:"data,omitempty"`
}

// A TaskCommandName is a command of the local socket.
type TaskCommandName string

// The task commands, and what each stands for.
const (
	TaskCommandStartNewTask TaskCommandName = "start_new_task" // new_task
	TaskCommandCancelTask   TaskCommandName = "cancel_task"    // control_cancel
	TaskCommandCloseTask    TaskCommandName = "close_task"     // clear_task
	TaskCommandResumeTask   TaskCommandName = "resume_task"    // resume_task
	TaskCommandSendMessage  TaskCommandName = "send_message"   // user_message
	TaskCommandFollow       TaskCommandName = "follow"         // of this connection alone
)

// Values lists the task commands.
func (TaskCommandName) Values() []string {
	return []string{
		string(TaskCommandStartNewTask), string(TaskCommandCancelTask), string(TaskCommandCloseTask),
		string(TaskCommandResumeTask), string(TaskCommandSendMessage), string(TaskCommandFollow),
	}
}

// Command gives the command that the local one stands for, "" if there is none.
func (n TaskCommandName) Command() CommandType {
	switch n {
	case TaskCommandStartNewTask:
		return CommandNewTask
	case TaskCommandCancelTask:
		return CommandControlCancel
	case TaskCommandCloseTask:
		return CommandClearTask
	case TaskCommandResumeTask:
		return CommandResumeTask
	case TaskCommandSendMessage:
		return CommandUserMessage
	}
	return ""
}

// StartNewTaskData is the data of start_new_task. Title and Workspace are those
// of the session that it makes; with a session_id they have no place.
type StartNewTaskData struct {
	Text      string   `json:"text,omitempty"`
	Images    []string `json:"images,omitempty"`
	Mode      string   `json:"mode,omitempty"`
	Title     string   `json:"title,omitempty"`
	Workspace string   `json:"workspace,omitempty"`
}

// A FollowScope says which sessions a client of the local socket hears of beside
// those that it started or named.
type FollowScope string

// The follow scopes.
const (
	FollowAll FollowScope = "all" // every session that something happens in
	FollowOwn FollowScope = "own" // no others
)

// Values lists the follow scopes.
func (FollowScope) Values() []string { return []string{string(FollowAll), string(FollowOwn)} }

// FollowData is the data of follow. ResumeFrom and Epoch are about the session
// that the command names, and as on a WebSocket.
type FollowData struct {
	Scope      FollowScope `json:"scope,omitempty"`
	ResumeFrom string      `json:"resume_from,omitempty"`
	Epoch      string      `json:"epoch,omitempty"`
}

// TaskEventData is the data of the local socket's task_event: an ordinary
// envelope.
type TaskEventData struct {
	Type            EventType       `json:"type"`
	SessionID       SessionID       `json:"session_id,omitempty"`
	MessageID       MessageID       `json:"message_id,omitempty"`
	Timestamp       string          `json:"timestamp"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	Data            any             `json:"data,omitempty"`
}
