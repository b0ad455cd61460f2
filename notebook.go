package clew

import "encoding/json"

// A notebook is a part of a session: cells with a source, a kernel that runs them, and
// what came of each run. The records are the truth; the .ipynb file in the workspace is
// written from them. What a run puts out are messages of the transcript, with
// Message.Cell.

// A CellType is what a cell holds.
type CellType string

// The cell types.
const (
	CellCode     CellType = "code"
	CellMarkdown CellType = "markdown"
	CellRaw      CellType = "raw"
)

// Values lists the cell types.
func (CellType) Values() []string {
	return []string{string(CellCode), string(CellMarkdown), string(CellRaw)}
}

// A CellStatus says what became of the last run of a cell.
type CellStatus string

// The statuses of cells; "" is a cell that was never run here.
const (
	CellQueued  CellStatus = "queued"
	CellRunning CellStatus = "running"
	CellOK      CellStatus = "ok"
	CellError   CellStatus = "error"
	CellAborted CellStatus = "aborted"  // it never ran, or it was stopped
	CellInDoubt CellStatus = "in_doubt" // nobody knows whether it ran to its end
)

// Values lists the statuses.
func (CellStatus) Values() []string {
	return []string{string(CellQueued), string(CellRunning), string(CellOK), string(CellError), string(CellAborted), string(CellInDoubt)}
}

// A NotebookStatus says whether a notebook can be worked with.
type NotebookStatus string

// The statuses of notebooks.
const (
	NotebookOpening NotebookStatus = "opening" // its file is yet to be read
	NotebookReady   NotebookStatus = "ready"
	NotebookFailed  NotebookStatus = "failed" // its file could not be read
)

// Values lists the statuses.
func (NotebookStatus) Values() []string {
	return []string{string(NotebookOpening), string(NotebookReady), string(NotebookFailed)}
}

// A KernelState is what a kernel does.
type KernelState string

// The states of kernels.
const (
	KernelNone       KernelState = "none" // none was started yet
	KernelStarting   KernelState = "starting"
	KernelIdle       KernelState = "idle"
	KernelBusy       KernelState = "busy"
	KernelRestarting KernelState = "restarting"
	KernelDead       KernelState = "dead" // it ended by itself
	KernelLost       KernelState = "lost" // it was on a node that is gone, or its process is
	KernelStopped    KernelState = "stopped"
)

// Values lists the states.
func (KernelState) Values() []string {
	return []string{
		string(KernelNone), string(KernelStarting), string(KernelIdle), string(KernelBusy), string(KernelRestarting), string(KernelDead), string(KernelLost),
		string(KernelStopped),
	}
}

// Alive reports whether there is a process, or is about to be one.
func (s KernelState) Alive() bool {
	switch s {
	case KernelStarting, KernelIdle, KernelBusy, KernelRestarting:
		return true
	case KernelNone, KernelDead, KernelLost, KernelStopped:
	}
	return false
}

// A KernelWish is what somebody wants of a kernel and was not done yet.
type KernelWish string

// The wishes.
const (
	WishInterrupt KernelWish = "interrupt"
	WishRestart   KernelWish = "restart"
	WishStop      KernelWish = "stop"
)

// Values lists the wishes.
func (KernelWish) Values() []string {
	return []string{string(WishInterrupt), string(WishRestart), string(WishStop)}
}

// A KernelPolicy says what becomes of a kernel that is ahead of its notebook, because the
// session was taken back to before something that it ran.
type KernelPolicy string

// The policies.
const (
	KernelAsk   KernelPolicy = "ask"   // somebody is asked which of the others it is
	KernelRerun KernelPolicy = "rerun" // a fresh kernel runs again what ran until there
	KernelFresh KernelPolicy = "fresh" // a fresh, empty kernel
	KernelKeep  KernelPolicy = "keep"  // it stays, and the notebook says that it is ahead
)

// Values lists the policies.
func (KernelPolicy) Values() []string {
	return []string{string(KernelAsk), string(KernelRerun), string(KernelFresh), string(KernelKeep)}
}

// A KernelPreview says what a rewind does to the kernel of a notebook, which cannot go back
// by itself: it has run cells after that point.
type KernelPreview struct {
	NotebookID string `json:"notebook_id"`
	Path       string `json:"path,omitempty"`
	// Policy is what the settings say about it.
	Policy KernelPolicy `json:"policy,omitempty"`
	// Cells counts those that ran before that point, DurationMS is how long they took.
	Cells      int   `json:"cells"`
	DurationMS int64 `json:"duration_ms"`
	// Ends says that there is no notebook at that point: the kernel is shut down.
	Ends bool `json:"ends,omitempty"`
}

// A KernelQuestion asks what becomes of a kernel that is ahead of its notebook. The
// values to choose from are the policies but ask.
type KernelQuestion struct {
	NotebookID string `json:"notebook_id"`
	// Cells counts those whose last run would run again, DurationMS is how long those took.
	// More may run: cells that are gone, and earlier runs.
	Cells      int   `json:"cells"`
	DurationMS int64 `json:"duration_ms"`
	// Files says that files were taken back as well: they are the same after a rerun.
	Files bool `json:"files,omitempty"`
}

// A NotebookCell is a cell as a file has it.
type NotebookCell struct {
	CellID string   `json:"cell_id"`
	Type   CellType `json:"type"`
	Source string   `json:"source,omitempty"`
	// SourceBlob is the address of a source that is too long for a record.
	SourceBlob string `json:"source_blob,omitempty"`
	// ExecutionCount and SavedOutputs are what the file has of an earlier run:
	// SavedOutputs is the address of its outputs, a list as in the file.
	ExecutionCount int             `json:"execution_count,omitempty"`
	SavedOutputs   string          `json:"saved_outputs,omitempty"`
	Metadata       json.RawMessage `json:"metadata,omitempty"`
	Attachments    string          `json:"attachments,omitempty"` // address of those of the file
}

// A CellEditOp is a kind of edit.
type CellEditOp string

// The edits.
const (
	EditInsert  CellEditOp = "insert"  // a new cell behind another one
	EditReplace CellEditOp = "replace" // another source, or another type
	EditMove    CellEditOp = "move"    // behind another cell
	EditDelete  CellEditOp = "delete"
	EditClear   CellEditOp = "clear" // its outputs; without a cell those of all
)

// Values lists the edits.
func (CellEditOp) Values() []string {
	return []string{string(EditInsert), string(EditReplace), string(EditMove), string(EditDelete), string(EditClear)}
}

// A CellEdit is one edit of a notebook.
type CellEdit struct {
	Op CellEditOp `json:"op"`
	// CellID is the cell; that of an insert may be left to the server.
	CellID string   `json:"cell_id,omitempty"`
	After  string   `json:"after,omitempty"` // the cell that an insert or a move is behind; "" is the start
	Type   CellType `json:"type,omitempty"`
	Source *string  `json:"source,omitempty"`
	// SourceBlob takes the place of a source that is too long for a record.
	SourceBlob string `json:"source_blob,omitempty"`
}

// A CellRun is one run of a cell that waits.
type CellRun struct {
	RunID  string `json:"run_id"`
	CellID string `json:"cell_id"`
	// Repeats is the run that this one repeats, "" for most: the kernel hears the same
	// code again, and the cell shows what it showed.
	Repeats string `json:"repeats,omitempty"`
}

// KernelLanguage is what a kernel says of itself.
type KernelLanguage struct {
	Language       string `json:"language,omitempty"`
	Version        string `json:"version,omitempty"`
	Implementation string `json:"implementation,omitempty"`
	FileExtension  string `json:"file_extension,omitempty"`
}

// NotebookOpenedData is the data of notebook_opened: a notebook is there, and its file,
// if it has one, is yet to be read.
type NotebookOpenedData struct {
	NotebookID string `json:"notebook_id"`
	// Path is the file, from the workspace; "" if there is none yet.
	Path       string `json:"path,omitempty"`
	KernelName string `json:"kernel_name,omitempty"`
	New        bool   `json:"new,omitempty"` // the file is made if there is none
	By         UserID `json:"by,omitempty"`
	TaskID     TaskID `json:"task_id,omitempty"` // of an agent that opened it
}

// NotebookReadData is the data of notebook_read: what the file has, or why it cannot be
// read.
type NotebookReadData struct {
	NotebookID string             `json:"notebook_id"`
	Hash       string             `json:"hash,omitempty"` // of the file; "" if there is none
	KernelName string             `json:"kernel_name,omitempty"`
	Cells      List[NotebookCell] `json:"cells"`
	// Metadata is the address of the notebook's own metadata as the file has it.
	Metadata string `json:"metadata,omitempty"`
	Problem  string `json:"problem,omitempty"` // why it could not be read
}

// NotebookChangedData is the data of notebook_changed.
type NotebookChangedData struct {
	NotebookID string         `json:"notebook_id"`
	Version    int            `json:"version"` // after the edits
	Edits      List[CellEdit] `json:"edits"`
	By         UserID         `json:"by,omitempty"`
	TaskID     TaskID         `json:"task_id,omitempty"`
}

// NotebookSaveRequestedData is the data of notebook_save_requested: somebody wants the
// file written.
type NotebookSaveRequestedData struct {
	NotebookID string     `json:"notebook_id"`
	Path       string     `json:"path,omitempty"` // another file than before
	Conflict   OnConflict `json:"conflict,omitempty"`
	By         UserID     `json:"by,omitempty"`
}

// NotebookSavedData is the data of notebook_saved: the file has the cells as of a
// version, or it could not be written.
type NotebookSavedData struct {
	NotebookID   string    `json:"notebook_id"`
	Path         string    `json:"path"`
	Hash         string    `json:"hash,omitempty"`
	Version      int       `json:"version"`
	AsOf         MessageID `json:"as_of,omitempty"` // the record that the file is as of
	CheckpointID string    `json:"checkpoint_id,omitempty"`
	// Conflict says that the file was changed by somebody else, or is not the notebook's
	// and there already: it was left alone.
	Conflict bool   `json:"conflict,omitempty"`
	Problem  string `json:"problem,omitempty"`
}

// NotebookClosedData is the data of notebook_closed.
type NotebookClosedData struct {
	NotebookID string `json:"notebook_id"`
	By         UserID `json:"by,omitempty"`
}

// An OnConflict says what is done about a file that somebody else changed.
type OnConflict string

// What can be done.
const (
	ConflictOverwrite OnConflict = "overwrite"
	ConflictTake      OnConflict = "take"   // the file's cells take the place of those here
	ConflictBeside    OnConflict = "beside" // another file is written beside it
)

// Values lists them.
func (OnConflict) Values() []string {
	return []string{string(ConflictOverwrite), string(ConflictTake), string(ConflictBeside)}
}

// CellQueuedData is the data of cell_queued: cells are to run, in this order.
type CellQueuedData struct {
	NotebookID string        `json:"notebook_id"`
	Runs       List[CellRun] `json:"runs"`
	// Code is what runs in place of a cell: nothing of it is kept in the notebook.
	Code   string `json:"code,omitempty"`
	Silent bool   `json:"silent,omitempty"` // nothing is shown in the transcript
	By     UserID `json:"by,omitempty"`
	// TaskID and ToolCallID are the agent's call that waits for the runs.
	TaskID     TaskID `json:"task_id,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// CellStartedData is the data of cell_started: it is on record before the kernel hears
// of the cell.
type CellStartedData struct {
	NotebookID string `json:"notebook_id"`
	RunID      string `json:"run_id"`
	CellID     string `json:"cell_id,omitempty"`
	KernelID   string `json:"kernel_id"`
	MsgID      string `json:"msg_id"` // the kernel's name of the request
	SourceHash string `json:"source_hash,omitempty"`
}

// CellFinishedData is the data of cell_finished.
type CellFinishedData struct {
	NotebookID     string     `json:"notebook_id"`
	RunID          string     `json:"run_id"`
	CellID         string     `json:"cell_id,omitempty"`
	Status         CellStatus `json:"status"`
	ExecutionCount int        `json:"execution_count,omitempty"`
	DurationMS     int64      `json:"duration_ms,omitempty"`
	// OutputsLost says that output may be missing: a server left the run, and what the
	// kernel printed was not all written down.
	OutputsLost bool `json:"outputs_lost,omitempty"`
	// LeftOut counts the outputs that are not in the transcript. OutputBlob is the
	// address of all of them.
	LeftOut    int    `json:"left_out,omitempty"`
	OutputBlob string `json:"output_blob,omitempty"`
	ErrorName  string `json:"error_name,omitempty"`
	ErrorValue string `json:"error_value,omitempty"`
	Reason     string `json:"reason,omitempty"` // why it was aborted or is in doubt
	// Dropped are the runs that waited behind it and will not happen.
	Dropped []string `json:"dropped,omitempty"`
	// Output and Images are what an agent's call hears of the run that waits for others,
	// too.
	Output string   `json:"output,omitempty"`
	Images []string `json:"images,omitempty"`
}

// A CellQuestion says which run of which cell asks for a value. With Password the value
// is on no record.
type CellQuestion struct {
	NotebookID string `json:"notebook_id"`
	CellID     string `json:"cell_id,omitempty"`
	RunID      string `json:"run_id"`
	Password   bool   `json:"password,omitempty"`
}

// KernelChangedData is the data of kernel_changed. What is left out stays as it was, but
// for Wanted: without one nothing is wanted any more.
type KernelChangedData struct {
	NotebookID string          `json:"notebook_id"`
	KernelID   string          `json:"kernel_id,omitempty"`
	Name       string          `json:"name,omitempty"` // of the kernelspec
	State      KernelState     `json:"state"`
	Wanted     KernelWish      `json:"wanted,omitempty"`
	Node       string          `json:"node,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Info       *KernelLanguage `json:"info,omitempty"`
	By         UserID          `json:"by,omitempty"`
	Dropped    []string        `json:"dropped,omitempty"` // runs that will not happen
}

// KernelRerunRequestedData is the data of kernel_rerun_requested: a fresh kernel is to be
// taken to where the notebook is, by running again what ran. Exactly one
// kernel_rerun_finished follows, and no agent begins anything until then. A fork that
// begins in between has neither the kernel nor the rerun, and no such record comes in it.
type KernelRerunRequestedData struct {
	NotebookID string `json:"notebook_id"`
	RerunID    string `json:"rerun_id"`
	// Since is the record at which the kernel was empty.
	Since MessageID `json:"since"`
	// Files says that files were taken back with the session: they are those of before the
	// first run while cells run, and what they are now in the end.
	Files bool   `json:"files,omitempty"`
	By    UserID `json:"by,omitempty"`
}

// KernelRerunStartedData is the data of kernel_rerun_started: what runs again, in the order
// in which it ran.
type KernelRerunStartedData struct {
	NotebookID string            `json:"notebook_id"`
	RerunID    string            `json:"rerun_id"`
	Runs       List[RepeatedRun] `json:"runs"`
	// FilesBefore is the checkpoint of the files that the first run found, FilesAfter the
	// one that they go back to in the end; "" if files are left alone.
	FilesBefore string `json:"files_before,omitempty"`
	FilesAfter  string `json:"files_after,omitempty"`
}

// A RepeatedRun is a run that happens again, and how it went at first.
type RepeatedRun struct {
	CellRun
	Silent    bool       `json:"silent,omitempty"`
	Status    CellStatus `json:"status"`
	StateHash string     `json:"state_hash,omitempty"`
}

// KernelRerunFinishedData is the data of kernel_rerun_finished.
type KernelRerunFinishedData struct {
	NotebookID string      `json:"notebook_id"`
	RerunID    string      `json:"rerun_id"`
	Status     RerunStatus `json:"status"`
	Reason     string      `json:"reason,omitempty"`
	// FilesRestored is the checkpoint that files are as of, "" if they were left alone.
	FilesRestored string `json:"files_restored,omitempty"`
}

// A RerunStatus says how far a rerun is.
type RerunStatus string

// The statuses.
const (
	RerunPreparing RerunStatus = "preparing" // what ran is being looked up
	RerunRunning   RerunStatus = "running"
	RerunOK        RerunStatus = "ok"      // all ran, and no difference was seen, see RunDifference
	RerunDiffers   RerunStatus = "differs" // all ran, and something came out otherwise
	RerunStopped   RerunStatus = "stopped" // not all ran
)

// Values lists the statuses.
func (RerunStatus) Values() []string {
	return []string{string(RerunPreparing), string(RerunRunning), string(RerunOK), string(RerunDiffers), string(RerunStopped)}
}

// Over reports whether nothing more comes.
func (s RerunStatus) Over() bool { return s == RerunOK || s == RerunDiffers || s == RerunStopped }

// A RerunInfo is the last rerun of a notebook's kernel.
type RerunInfo struct {
	RerunID string      `json:"rerun_id"`
	Status  RerunStatus `json:"status"`
	Total   int         `json:"total"` // runs
	Done    int         `json:"done"`  // of them
	Reason  string      `json:"reason,omitempty"`
	// Differences names the runs that went otherwise than at first.
	Differences List[RunDifference] `json:"differences"`
}

// A RunDifference is a run that went otherwise than at first: it ended otherwise, or the
// kernel knew something else after it. What a kernel knows is seen of Python alone: names,
// types, sizes and short values.
type RunDifference struct {
	CellID string     `json:"cell_id,omitempty"`
	RunID  string     `json:"run_id"` // the first one
	Was    CellStatus `json:"was"`
	Is     CellStatus `json:"is"`
	// State says that the kernel knew something else after it, which it had not before.
	// Variables names some of what.
	State     bool     `json:"state,omitempty"`
	Variables []string `json:"variables,omitempty"`
}

// An OutputKind is what a kernel put out.
type OutputKind string

// The kinds of output.
const (
	OutputStream  OutputKind = "stream"
	OutputDisplay OutputKind = "display_data"
	OutputResult  OutputKind = "execute_result"
	OutputError   OutputKind = "error"
	OutputStatus  OutputKind = "status"
)

// Values lists the kinds.
func (OutputKind) Values() []string {
	return []string{string(OutputStream), string(OutputDisplay), string(OutputResult), string(OutputError), string(OutputStatus)}
}

// A MessageCell says which run of which cell a message is of. Metadata of the message has
// the rest: stream; or execution_count and data; or ename and evalue. data has, by MIME
// type, a string, a JSON value, or {"blob", "bytes"} for what is large.
type MessageCell struct {
	NotebookID string     `json:"notebook_id"`
	CellID     string     `json:"cell_id,omitempty"`
	RunID      string     `json:"run_id"`
	Output     OutputKind `json:"output"`
	DisplayID  string     `json:"display_id,omitempty"`
	Cleared    bool       `json:"cleared,omitempty"` // the cell does not show it any more
}

// A KernelInfo is the kernel of a notebook.
type KernelInfo struct {
	KernelID string      `json:"kernel_id,omitempty"`
	Name     string      `json:"name,omitempty"`
	State    KernelState `json:"state"`
	Wanted   KernelWish  `json:"wanted,omitempty"`
	Node     string      `json:"node,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	// Ahead says that the kernel has run what the notebook does not show any more: the
	// session was taken back.
	Ahead bool            `json:"ahead,omitempty"`
	Info  *KernelLanguage `json:"info,omitempty"`
}

// A NotebookInfo is one notebook. Its cells are entities of their own.
type NotebookInfo struct {
	NotebookID string         `json:"notebook_id"`
	Path       string         `json:"path,omitempty"`
	Status     NotebookStatus `json:"status"`
	Problem    string         `json:"problem,omitempty"`  // why it could not be read or written
	Conflict   bool           `json:"conflict,omitempty"` // the file was changed by somebody else
	// PathTaken is another file that it was to be saved as, and that is there already.
	PathTaken  string        `json:"path_taken,omitempty"`
	Version    int           `json:"version"`
	Hash       string        `json:"hash,omitempty"`
	Unsaved    bool          `json:"unsaved,omitempty"` // the file does not have all of it yet
	Cells      List[string]  `json:"cells"`             // in order
	Kernel     KernelInfo    `json:"kernel"`
	Queue      List[CellRun] `json:"queue"`         // what waits
	Run        *CellRun      `json:"run,omitempty"` // what is under way
	RunSinceMS int64         `json:"run_since_ms,omitempty"`
	// Variables is the address of what the kernel knows after the last run.
	Variables string `json:"variables,omitempty"`
	// Rerun is the last one of this kernel, nil if there was none.
	Rerun *RerunInfo `json:"rerun,omitempty"`
}

// A CellInfo is one cell of a notebook. Its key is both ids with a slash between them.
type CellInfo struct {
	NotebookID string     `json:"notebook_id"`
	CellID     string     `json:"cell_id"`
	Type       CellType   `json:"type"`
	Source     string     `json:"source,omitempty"`
	SourceBlob string     `json:"source_blob,omitempty"`
	Status     CellStatus `json:"status,omitempty"`
	RunID      string     `json:"run_id,omitempty"`
	// ExecutionCount is the kernel's number of the last run.
	ExecutionCount int    `json:"execution_count,omitempty"`
	By             UserID `json:"by,omitempty"`      // who ran it last
	TaskID         TaskID `json:"task_id,omitempty"` // of the agent that ran it last
	StartedMS      int64  `json:"started_ms,omitempty"`
	DurationMS     int64  `json:"duration_ms,omitempty"`
	// Stale says that what it shows is not what its source gives now: it was edited
	// since, or run in a kernel that is gone.
	Stale bool `json:"stale,omitempty"`
	// Outputs are the messages of the last run. SavedOutputs is the address of what the
	// file had, until the cell runs.
	Outputs      List[MessageID] `json:"outputs"`
	SavedOutputs string          `json:"saved_outputs,omitempty"`
	OutputsLost  bool            `json:"outputs_lost,omitempty"`
	LeftOut      int             `json:"left_out,omitempty"`
	OutputBlob   string          `json:"output_blob,omitempty"`
	StateHash    string          `json:"state_hash,omitempty"`
	Reason       string          `json:"reason,omitempty"` // why the run was aborted or is in doubt
}

// Key names the cell.
func (c *CellInfo) Key() string { return c.NotebookID + "/" + c.CellID }
