package clew

import (
	"math"
	"slices"
)

// A List is a slice that is written as [] when it is empty, never as null, so
// that clients may loop over it without looking.
type List[T any] []T

// MarshalJSON writes an empty list as [].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return MarshalData([]T(l))
}

// A MessageType tells a question from a statement.
type MessageType string

// The message types.
const (
	TypeAsk MessageType = "ask" // somebody has to decide or fill in something
	TypeSay MessageType = "say" // something to read
)

// Values lists the message types.
func (MessageType) Values() []string { return []string{string(TypeAsk), string(TypeSay)} }

// A Speaker is whose message it is in the transcript.
type Speaker string

// The speakers. System messages never go to a model.
const (
	SpeakerUser      Speaker = "user"
	SpeakerAssistant Speaker = "assistant"
	SpeakerSystem    Speaker = "system"
)

// Values lists the speakers.
func (Speaker) Values() []string {
	return []string{string(SpeakerUser), string(SpeakerAssistant), string(SpeakerSystem)}
}

// An APIProtocol is the family of model API that a message came through.
type APIProtocol string

// The API protocols.
const (
	ProtocolOpenAI    APIProtocol = "openai"
	ProtocolAnthropic APIProtocol = "anthropic"
)

// Values lists the protocols.
func (APIProtocol) Values() []string {
	return []string{string(ProtocolOpenAI), string(ProtocolAnthropic)}
}

// A Message is one entry of the transcript, a question (ask) or a statement
// (say). Exactly one of Ask and Say is set, the one that Type names.
type Message struct {
	MessageID MessageID   `json:"message_id"` // id of the record that created it
	TS        int64       `json:"ts"`         // Unix ms of its creation
	Type      MessageType `json:"type"`
	Ask       Ask         `json:"ask,omitempty"`
	Say       Say         `json:"say,omitempty"`
	Role      Speaker     `json:"role"`

	Text      string   `json:"text,omitempty"`
	Images    []string `json:"images,omitempty"` // data URLs or blob addresses
	Reasoning string   `json:"reasoning,omitempty"`
	Partial   bool     `json:"partial,omitempty"` // still growing
	Summary   string   `json:"summary,omitempty"` // short form of a tool's input or output; of a person's words in one plain line, if that is not Text itself

	AgentID         AgentID         `json:"agent_id,omitempty"`
	AgentKind       AgentKind       `json:"agent_kind,omitempty"` // of AgentID
	MonitorID       MonitorID       `json:"monitor_id,omitempty"`
	WindowID        string          `json:"window_id,omitempty"`
	TaskID          TaskID          `json:"task_id,omitempty"`
	ReplyTo         MessageID       `json:"reply_to,omitempty"`
	RequestID       RequestID       `json:"request_id,omitempty"`
	ToolCallID      string          `json:"tool_call_id,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
	UserID          UserID          `json:"user_id,omitempty"`
	QueuedAs        MessageID       `json:"queued_as,omitempty"` // its name while it waited in the queue
	Component       *ComponentUse   `json:"component,omitempty"` // what was used in a window, if that is what the message is about
	Cell            *MessageCell    `json:"cell,omitempty"`      // what a notebook's kernel put out, if that is what the message is

	ProgressStatus    *ProgressStatus    `json:"progress_status,omitempty"`
	Checkpoint        map[string]any     `json:"checkpoint,omitempty"` // with say checkpoint_saved: checkpoint_id and hash; with say error: missing_for, a message whose files were not saved
	ContextCondense   *ContextCondense   `json:"context_condense,omitempty"`
	ContextTruncation *ContextTruncation `json:"context_truncation,omitempty"`
	Instructions      *InstructionsRead  `json:"instructions,omitempty"` // with say instructions_read
	HistoryIndex      *int               `json:"conversation_history_index,omitempty"`

	IsProtected bool           `json:"is_protected,omitempty"`
	IsAnswered  bool           `json:"is_answered,omitempty"`
	APIProtocol APIProtocol    `json:"api_protocol,omitempty"`
	Usage       *Usage         `json:"usage,omitempty"`
	Reserved    *Usage         `json:"reserved,omitempty"` // what a model call may use at most
	Metadata    map[string]any `json:"metadata,omitempty"`

	// With say api_req_deleted: who ended the model call, and why. With say error: who
	// ended the turn or the run, and why.
	StoppedBy UserID  `json:"stopped_by,omitempty"`
	WhyCode   EndCode `json:"why_code,omitempty"`

	// Tool and Answer say what became of what the message shows, Delivery how a
	// person's words reached an agent. They follow from later records: messages in
	// records do not have them, but for the tool of a call that has yet to begin,
	// in the message_created that shows it.
	Tool     *MessageTool   `json:"tool,omitempty"`
	Answer   *MessageAnswer `json:"answer,omitempty"`
	Delivery Delivery       `json:"delivery,omitempty"`
}

// A ComponentUse is what a person did with a button or a form in a window.
type ComponentUse struct {
	Action        string         `json:"action"`
	Label         string         `json:"label,omitempty"`     // what stood on the button
	ActionID      string         `json:"action_id,omitempty"` // of one that runs beside others
	FormData      map[string]any `json:"form_data,omitempty"`
	ComponentPath string         `json:"component_path,omitempty"`
}

// A MessageTool is where the tool call stands that a message shows. Its texts
// are short forms.
type MessageTool struct {
	Name   string     `json:"name"`
	Status ToolStatus `json:"status"`
	Target string     `json:"target,omitempty"` // what it is about, in a line: a path, a pattern, an address, a command
	// Command is what a shell would be given, "" for other tools.
	Command string `json:"command,omitempty"`
	Input   string `json:"input,omitempty"`   // what it was called with
	Summary string `json:"summary,omitempty"` // of the input, and of the output once it is there
	Error   string `json:"error,omitempty"`
	// ErrorInOutput says that Error is how the output begins: who shows the output
	// need not show it.
	ErrorInOutput bool `json:"error_in_output,omitempty"`
	ExitCode      *int `json:"exit_code,omitempty"` // of a command that ended
	// LimitReached is the limit that a command met, "" if none is known.
	LimitReached CommandLimit `json:"limit_reached,omitempty"`
	StoppedBy    UserID       `json:"stopped_by,omitempty"` // who ended or refused it, "" if nobody did
	// WhyCode says why it was not run to its end, "" if it was.
	WhyCode    EndCode    `json:"why_code,omitempty"`
	DurationMS int64      `json:"duration_ms,omitempty"`
	InDoubt    bool       `json:"in_doubt,omitempty"`    // nobody knows whether it took effect
	OutputBlob string     `json:"output_blob,omitempty"` // address of the whole output
	HasDiff    bool       `json:"has_diff,omitempty"`    // it changes a file, and the call's effect says how
	Added      int        `json:"added,omitempty"`       // lines that its diff adds
	Removed    int        `json:"removed,omitempty"`     // lines that its diff removes
	Paths      []string   `json:"paths,omitempty"`       // files it touches, the first of them
	Title      string     `json:"title,omitempty"`       // what it does, in a line for people
	AllowedBy  *AllowedBy `json:"allowed_by,omitempty"`  // why nobody was asked
}

// AllowedBy is the rule by which a call began without a person.
type AllowedBy struct {
	Scope AllowScope `json:"scope"`
	// Rule is the pattern or the host that covers the call, several for a line of
	// commands. Where a whole tool is allowed it is the name of the tool, or of the
	// setting.
	Rule string `json:"rule"`
}

// An AllowScope says where a rule stands.
type AllowScope string

// The scopes of rules.
const (
	AllowedForTask      AllowScope = "task"      // remembered for the task
	AllowedForSession   AllowScope = "session"   // remembered in the session
	AllowedForWorkspace AllowScope = "workspace" // remembered for the directory and the session's owner
	AllowedAlways       AllowScope = "always"    // remembered for the session's owner, in every directory
	AllowedBySettings   AllowScope = "settings"  // in the settings
)

// Values lists the scopes.
func (AllowScope) Values() []string {
	return []string{string(AllowedForTask), string(AllowedForSession), string(AllowedForWorkspace), string(AllowedAlways), string(AllowedBySettings)}
}

// A MessageAnswer is what became of the question that a message shows.
type MessageAnswer struct {
	Action    Resolution `json:"action"`
	By        UserID     `json:"by,omitempty"`
	ByTimeout bool       `json:"by_timeout,omitempty"` // nobody answered in time
	TS        int64      `json:"ts"`
	Comment   string     `json:"comment,omitempty"`
	Value     string     `json:"value,omitempty"`    // what was given, in short
	WhyCode   EndCode    `json:"why_code,omitempty"` // why it was withdrawn, with action cancelled
}

// Check reports what makes m inconsistent: an unknown kind, or an ask or say
// that does not fit the type.
func (m *Message) Check() error {
	switch {
	case m.Type == TypeAsk && m.Say == "" && m.Ask.Class() != "":
	case m.Type == TypeSay && m.Ask == "" && m.Say.Valid():
	case m.Type != TypeAsk && m.Type != TypeSay:
		return Errorf(InvalidMessage, "type %q is neither ask nor say", m.Type)
	default:
		return Errorf(InvalidMessage, "type %q does not fit ask %q and say %q", m.Type, m.Ask, m.Say)
	}
	if !slices.Contains(m.Role.Values(), string(m.Role)) {
		return Errorf(InvalidMessage, "unknown role %q", m.Role)
	}
	return nil
}

// ProgressStatus is how far a tool has come.
type ProgressStatus struct {
	Text       string `json:"text,omitempty"`
	Percentage *int   `json:"percentage,omitempty"`
}

// ContextCondense names the summary that a condense made.
type ContextCondense struct {
	CondenseID   string  `json:"condense_id"`
	Summary      string  `json:"summary,omitempty"`
	TokensBefore int64   `json:"tokens_before,omitempty"`
	TokensAfter  int64   `json:"tokens_after,omitempty"`
	CostUSD      float64 `json:"cost_usd,omitempty"`
}

// InstructionsRead says which files of instructions, such as AGENTS.md, models in
// this session go by from here on. Without files there are none any more.
type InstructionsRead struct {
	Files List[InstructionFile] `json:"files"`
	// Blob is the address of their text as models get it.
	Blob string `json:"blob,omitempty"`
}

// An InstructionFile is one of them.
type InstructionFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of what was read of it
	Bytes  int64  `json:"bytes"`  // of the whole file
	Cut    bool   `json:"cut,omitempty"`
}

// ContextTruncation names the marker that a sliding window set.
type ContextTruncation struct {
	TruncationID string `json:"truncation_id"`
	Hidden       int    `json:"hidden,omitempty"` // messages it hides
}

// Usage counts tokens and money.
type Usage struct {
	TokensIn    int64   `json:"tokens_in"`
	TokensOut   int64   `json:"tokens_out"`
	CacheWrites int64   `json:"cache_writes"`
	CacheReads  int64   `json:"cache_reads"`
	CostUSD     float64 `json:"cost_usd"`
}

// Add gives the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	u.TokensIn += v.TokensIn
	u.TokensOut += v.TokensOut
	u.CacheWrites += v.CacheWrites
	u.CacheReads += v.CacheReads
	u.CostUSD += v.CostUSD
	return u
}

// Sub gives what was used between v and the later u. Costs are to a billionth of a
// dollar, so that no noise of the arithmetic shows.
func (u Usage) Sub(v Usage) Usage {
	u.TokensIn -= v.TokensIn
	u.TokensOut -= v.TokensOut
	u.CacheWrites -= v.CacheWrites
	u.CacheReads -= v.CacheReads
	u.CostUSD = math.Round((u.CostUSD-v.CostUSD)*1e9) / 1e9
	return u
}

// ToolUsage counts the calls of one tool.
type ToolUsage struct {
	Attempts int `json:"attempts"`
	Failures int `json:"failures"`
}
