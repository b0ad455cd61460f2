package clew

// A Return is what all records have in common that take a session back, or
// forth again, to how it was at another record: the conversation, what models
// know, plans, todos, open questions and usage. Rights, title and settings stay
// as they are.
type Return struct {
	RewindID string `json:"rewind_id,omitempty"`
	// To is the last record that counts. What was recorded between it and this
	// record is kept, and hidden.
	To MessageID `json:"to"`
	// Files says what became of the workspace's files; nil if they were left.
	Files *FilesReturned `json:"files,omitempty"`
}

// FilesReturned says how a workspace's files were taken back.
type FilesReturned struct {
	Hash    string   `json:"hash"`              // the checkpoint that they are as of
	Before  string   `json:"before,omitempty"`  // a checkpoint of how they were before
	Changed int      `json:"changed,omitempty"` // files, links and directories written
	Removed int      `json:"removed,omitempty"`
	Left    []string `json:"left,omitempty"` // what could not be taken back
}

// RewindStartedData is the data of rewind_started: files are being taken back,
// and nothing else happens meanwhile. Exactly one of history_rewound,
// rewind_undone, checkpoint_restored and rewind_failed follows, whatever
// happens to the server.
type RewindStartedData struct {
	RewindID      string     `json:"rewind_id"`
	Kind          RewindKind `json:"kind"`
	To            MessageID  `json:"to,omitempty"` // "" for files alone
	FromMessageID MessageID  `json:"from_message_id,omitempty"`
	KeepTarget    bool       `json:"keep_target,omitempty"`
	Hash          string     `json:"hash"`
	// Text and Images are what will be said once it is done.
	Text   string   `json:"text,omitempty"`
	Images []string `json:"images,omitempty"`
}

// A RewindKind says which way a session is taken.
type RewindKind string

// The kinds.
const (
	KindRewind RewindKind = "rewind"
	KindUndo   RewindKind = "undo"
	KindRedo   RewindKind = "redo"
	KindFiles  RewindKind = "files" // the files alone
)

// Values lists the kinds.
func (RewindKind) Values() []string {
	return []string{string(KindRewind), string(KindUndo), string(KindRedo), string(KindFiles)}
}

// RewindFailedData is the data of rewind_failed: everything is as it was before
// rewind_started.
type RewindFailedData struct {
	RewindID string `json:"rewind_id"`
	Reason   string `json:"reason"`
}

// HistoryRewoundData is the data of history_rewound. Message ids are in order,
// so a client drops every message from FromMessageID on, or, with KeepTarget,
// every one after it. If it is a rewind that had been undone, messages come back
// that were said after it at first. The counts are of what people see, without
// the bookkeeping of model calls.
type HistoryRewoundData struct {
	Return
	FromMessageID MessageID `json:"from_message_id"`
	KeepTarget    bool      `json:"keep_target"`
	// RemovedMessageIDs names the newest of the messages that went,
	// RemovedCount counts all of them.
	RemovedMessageIDs List[MessageID] `json:"removed_message_ids"`
	RemovedCount      int             `json:"removed_count"`
	Redo              bool            `json:"redo,omitempty"` // it had been undone
	// RestoredMessageIDs names the newest of the messages that are back,
	// RestoredCount counts all of them.
	RestoredMessageIDs []MessageID `json:"restored_message_ids,omitempty"`
	RestoredCount      int         `json:"restored_count,omitempty"`
	CheckpointID       string      `json:"checkpoint_id,omitempty"` // files were taken back to it
}

// RewindUndoneData is the data of rewind_undone. What was said since the rewind
// is hidden in turn. The counts are as in history_rewound.
type RewindUndoneData struct {
	Return
	FromMessageID MessageID `json:"from_message_id"`
	// RestoredMessageIDs names the newest of the messages that are back,
	// RestoredCount counts all of them.
	RestoredMessageIDs List[MessageID] `json:"restored_message_ids"`
	RestoredCount      int             `json:"restored_count"`
	// RemovedMessageIDs names the newest of those that were said since the
	// rewind, RemovedCount counts all of them.
	RemovedMessageIDs []MessageID `json:"removed_message_ids,omitempty"`
	RemovedCount      int         `json:"removed_count,omitempty"`
	CheckpointID      string      `json:"checkpoint_id,omitempty"`
}

// RewindPreviewAnswer is the data of the answer rewind_preview.
type RewindPreviewAnswer struct {
	FromMessageID     MessageID       `json:"from_message_id"`
	KeepTarget        bool            `json:"keep_target"`
	To                MessageID       `json:"to,omitempty"`
	Count             int             `json:"count"` // messages that will go, without the bookkeeping of model calls
	RemovedMessageIDs List[MessageID] `json:"removed_message_ids"`
	// Running says that agents are at work, which will be stopped.
	Running bool `json:"running,omitempty"`
	// Files says how files will change; After is what they will be. FilesCount
	// counts all of them, FilesProblem says why they cannot be taken back.
	Files        []CheckpointFile `json:"files,omitempty"`
	FilesCount   int              `json:"files_count,omitempty"`
	FilesProblem string           `json:"files_problem,omitempty"`
	CheckpointID string           `json:"checkpoint_id,omitempty"`
	// Todos says which todos will stand elsewhere.
	Todos []TodoChange `json:"todos,omitempty"`
	// Reopened are questions that will be open again, Withdrawn those that will
	// be gone.
	Reopened  []Question `json:"reopened,omitempty"`
	Withdrawn []Question `json:"withdrawn,omitempty"`
	// Forgotten is what agents will ask about again: it was allowed after that
	// time. An undo does not bring it back.
	Forgotten []RememberedRule `json:"forgotten,omitempty"`
	// Kernels are those of notebooks that will be ahead of them, or end.
	Kernels []KernelPreview `json:"kernels,omitempty"`
	// Usage is what will no longer be counted. It was spent all the same.
	Usage *Usage `json:"usage,omitempty"`
	// Irreversible names the steps that cannot be undone, newest first;
	// IrreversibleCount counts all that were looked at.
	Irreversible      []IrreversibleStep `json:"irreversible,omitempty"`
	IrreversibleCount int                `json:"irreversible_count,omitempty"`
	ClientMessageID   ClientMessageID    `json:"client_message_id,omitempty"`
}

// A TodoChange says where a todo stands and where it will.
type TodoChange struct {
	ID   string     `json:"id"`
	Task string     `json:"task,omitempty"`
	From TodoStatus `json:"from,omitempty"` // "" if it is not there now
	To   TodoStatus `json:"to,omitempty"`   // "" if it will be gone
}

// An IrreversibleStep is something that was done in the world.
type IrreversibleStep struct {
	MessageID  MessageID `json:"message_id"`
	ToolCallID string    `json:"tool_call_id,omitempty"`
	Tool       string    `json:"tool"`
	Summary    string    `json:"summary"`
	Reason     string    `json:"reason"` // why it cannot be undone, for people
	// Code says the same for programs; Server or URL goes with it.
	Code   IrreversibleCode `json:"code,omitempty"`
	Server string           `json:"server,omitempty"`
	URL    string           `json:"url,omitempty"`
}

// CondenseRequestedData is the data of condense_requested: somebody wants the
// task's model history put into a summary now.
type CondenseRequestedData struct {
	TaskID TaskID `json:"task_id"`
}
