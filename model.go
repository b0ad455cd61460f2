package clew

import "encoding/json"

// A ModelMessage is one entry of a task's model history: what a model is given
// and what it answered. The transcript is for people, this is for models.
type ModelMessage struct {
	Role    Speaker    `json:"role"` // user or assistant
	Content List[Part] `json:"content"`
	TS      int64      `json:"ts,omitempty"` // Unix ms
	// MessageID is the message of the transcript that it belongs to: it stays
	// exactly as long as that one stays.
	MessageID MessageID `json:"message_id,omitempty"`

	// A summary stands for the messages whose CondenseParent names it, a marker
	// for those whose TruncationParent does. Those are kept, and not sent.
	IsSummary          bool   `json:"is_summary,omitempty"`
	CondenseID         string `json:"condense_id,omitempty"`
	CondenseParent     string `json:"condense_parent,omitempty"`
	IsTruncationMarker bool   `json:"is_truncation_marker,omitempty"`
	TruncationID       string `json:"truncation_id,omitempty"`
	TruncationParent   string `json:"truncation_parent,omitempty"`
}

// Hidden reports whether the message is kept but no longer sent.
func (m ModelMessage) Hidden() bool { return m.CondenseParent != "" || m.TruncationParent != "" }

// ToolCalls lists the calls that the message asks for.
func (m ModelMessage) ToolCalls() []Part {
	var calls []Part
	for _, p := range m.Content {
		if p.Type == PartToolUse {
			calls = append(calls, p)
		}
	}
	return calls
}

// A PartType is a kind of content.
type PartType string

// The part types.
const (
	PartText       PartType = "text"
	PartImage      PartType = "image"
	PartThinking   PartType = "thinking"
	PartToolUse    PartType = "tool_use"
	PartToolResult PartType = "tool_result"
)

// Values lists the part types.
func (PartType) Values() []string {
	return []string{string(PartText), string(PartImage), string(PartThinking), string(PartToolUse), string(PartToolResult)}
}

// A Part is one piece of a model message.
type Part struct {
	Type PartType `json:"type"`
	// Text is what was said or thought, or what a tool returned.
	Text string `json:"text,omitempty"`
	// Images holds data URLs or blob addresses: one with type image, any number
	// with a tool's result.
	Images []string `json:"images,omitempty"`
	// Signature and Encrypted are a provider's own and go back to it as they
	// came: proof of a thought, or the thought itself under seal.
	Signature string `json:"signature,omitempty"`
	Encrypted string `json:"encrypted_content,omitempty"`

	ToolCallID string          `json:"tool_call_id,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"` // of a tool call: a JSON object
	IsError    bool            `json:"is_error,omitempty"`
}

// ModelMessageData is the data of model_message.
type ModelMessageData struct {
	TaskID    TaskID       `json:"task_id"`
	AgentID   AgentID      `json:"agent_id,omitempty"`
	MonitorID MonitorID    `json:"monitor_id,omitempty"`
	Message   ModelMessage `json:"message"`
	// Hides says, with a summary or a marker, how many of the messages sent
	// until now it stands for, counted from the oldest.
	Hides int `json:"hides,omitempty"`
	// TimelineTo says how far the main agent of the monitor has heard the timeline
	// with it, WindowsHash which open windows the model was told of; absent if it was
	// told neither.
	TimelineTo  int64  `json:"timeline_to,omitempty"`
	WindowsHash string `json:"windows_hash,omitempty"`
}

// A ToolClass says what may be done about a call whose outcome is unknown.
type ToolClass string

// The tool classes.
const (
	ClassReadOnly   ToolClass = "read_only"  // changes nothing: run it again
	ClassRepeatable ToolClass = "repeatable" // running it again with its key has no second effect
	ClassCheckable  ToolClass = "checkable"  // the tool can find out whether it happened
	ClassOnce       ToolClass = "once"       // never run it again by itself
)

// Values lists the classes.
func (ToolClass) Values() []string {
	return []string{string(ClassReadOnly), string(ClassRepeatable), string(ClassCheckable), string(ClassOnce)}
}

// An Effect is what a tool call would do, exactly. An approval covers the
// Digest, so it covers nothing else.
type Effect struct {
	Summary     string            `json:"summary"` // one line for people
	Command     string            `json:"command,omitempty"`
	Argv        []string          `json:"argv,omitempty"`
	Directory   string            `json:"directory,omitempty"`
	Environment map[string]string `json:"environment,omitempty"` // what the command finds set, secrets left out
	Network     bool              `json:"network,omitempty"`     // the command can reach the network
	Sandbox     string            `json:"sandbox,omitempty"`     // what holds the command, "none" for nothing
	Limits      *CommandLimits    `json:"limits,omitempty"`      // of the command, as far as they are not the usual ones
	Paths       []string          `json:"paths,omitempty"`       // files it touches, relative to the workspace
	Diff        string            `json:"diff,omitempty"`        // how a file would change
	DiffCut     bool              `json:"diff_cut,omitempty"`    // Diff does not show all of it, and says so in a line
	URL         string            `json:"url,omitempty"`
	Server      string            `json:"server,omitempty"` // tool server
	// Digest is the SHA-256 of all of the above, the tool's schema and the
	// session, in hex.
	Digest string `json:"digest"`
}

// CommandLimits are what a command may use of the machine. 0 is the usual limit.
type CommandLimits struct {
	MemoryMB  int64 `json:"memory_mb,omitempty"`
	Processes int   `json:"processes,omitempty"` // and threads
	CPUWeight int   `json:"cpu_weight,omitempty"`
	FileMB    int64 `json:"file_mb,omitempty"` // of a file that it writes
	OpenFiles int   `json:"open_files,omitempty"`
}

// SettingsChangedData is the data of settings_changed: settings that hold in
// this session only. A null value takes a key back.
type SettingsChangedData struct {
	Settings map[string]any `json:"settings"`
}
