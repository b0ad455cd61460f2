package clew

// A View is what a connection is sent of a session.
type View string

// The views.
const (
	ViewRecords View = "records" // the journal, from which a client makes the state
	ViewState   View = "state"   // the state, as entities that changed
)

// Values lists the views.
func (View) Values() []string { return []string{string(ViewRecords), string(ViewState)} }

// ConnectedData is the data of connected: what this connection is.
type ConnectedData struct {
	ClientID ClientID `json:"client_id"`
	Role     Role     `json:"role"`
	Epoch    string   `json:"epoch"`
	View     View     `json:"view"`
}

// TextData is the data of text: a piece of a message that grows. It is written
// over what stands at Offset, in bytes of UTF-8; what lies behind stays.
type TextData struct {
	MessageID MessageID `json:"message_id"`
	Field     TextField `json:"field,omitempty"`
	Offset    int       `json:"offset"`
	Delta     string    `json:"delta"`
}

// A TextField says which text of a message grows.
type TextField string

// The fields.
const (
	FieldText      TextField = ""
	FieldReasoning TextField = "reasoning"
)

// Values lists the fields that are named.
func (TextField) Values() []string { return []string{string(FieldReasoning)} }

// StateChangedData is the data of state_changed: what differs between the state
// after the record From and the one after the record To. Without From it is the
// whole state.
type StateChangedData struct {
	From MessageID `json:"from,omitempty"`
	To   MessageID `json:"to"`
	// Total counts the messages of the transcript.
	Total int `json:"total"`
	// Commands names those whose records lie between From and To.
	Commands []ClientMessageID `json:"commands,omitempty"`
	// Reset names collections to be emptied, Del what is to be removed from
	// others; then comes what is put.
	Reset []EntityKind            `json:"reset,omitempty"`
	Del   map[EntityKind][]string `json:"del,omitempty"`
	Put   StatePut                `json:"put,omitzero"`
}

// StatePut holds entities that are new or changed, each of them whole.
type StatePut struct {
	Session  *SessionInfo          `json:"session,omitempty"`
	Status   *StatusInfo           `json:"status,omitempty"`
	Usage    *Usage                `json:"usage,omitempty"`
	Queue    *List[QueuedMessage]  `json:"queue,omitempty"`
	Rules    *List[RememberedRule] `json:"rules,omitempty"`
	Monitors *List[MonitorState]   `json:"monitors,omitempty"`
	Agents   *List[AgentState]     `json:"agents,omitempty"`
	Viewers  *List[Viewer]         `json:"viewers,omitempty"`

	Message  []Message         `json:"message,omitempty"`
	Task     []TaskInfo        `json:"task,omitempty"`
	Run      []RunInfo         `json:"run,omitempty"`
	Todo     []TodoInfo        `json:"todo,omitempty"`
	Question []Question        `json:"question,omitempty"`
	Window   []WindowState     `json:"window,omitempty"`
	Notice   []NoticeState     `json:"notice,omitempty"`
	Problem  []Problem         `json:"problem,omitempty"`
	Settled  []SettledQuestion `json:"settled,omitempty"`
	Notebook []NotebookInfo    `json:"notebook,omitempty"`
	Cell     []CellInfo        `json:"cell,omitempty"`
}
