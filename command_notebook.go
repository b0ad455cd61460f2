package clew

// NotebookOpenData is the data of notebook_open. Without a path it begins a notebook that
// has no file until it is saved to one.
type NotebookOpenData struct {
	// Path is the file, from the workspace.
	Path       string `json:"path,omitempty"`
	KernelName string `json:"kernel_name,omitempty"` // "" is what the file names, or python3
	New        bool   `json:"new,omitempty"`         // make the file if there is none
}

// NotebookEditData is the data of notebook_edit. All edits take effect or none.
type NotebookEditData struct {
	NotebookID string `json:"notebook_id"`
	// IfVersion refuses the edits if somebody else has changed the notebook since.
	IfVersion *int           `json:"if_version,omitempty"`
	Edits     List[CellEdit] `json:"edits"`
}

// NotebookRunData is the data of notebook_run: these cells in the notebook's order, or
// all of them. From and To bound all.
type NotebookRunData struct {
	NotebookID string   `json:"notebook_id"`
	Cells      []string `json:"cells,omitempty"`
	All        bool     `json:"all,omitempty"`
	From       string   `json:"from,omitempty"` // the first cell of all
	To         string   `json:"to,omitempty"`   // the last cell of all
}

// NotebookSaveData is the data of notebook_save.
type NotebookSaveData struct {
	NotebookID string `json:"notebook_id"`
	Path       string `json:"path,omitempty"` // another file than before
	// Conflict says what to do if somebody else changed the file.
	Conflict OnConflict `json:"conflict,omitempty"`
}

// NotebookCloseData is the data of notebook_close.
type NotebookCloseData struct {
	NotebookID string `json:"notebook_id"`
}

// A KernelTarget names a kernel by its notebook or by its id. Without either it is the one
// of the only notebook.
type KernelTarget struct {
	NotebookID string `json:"notebook_id,omitempty"`
	KernelID   string `json:"kernel_id,omitempty"`
}

// KernelExecuteData is the data of kernel_execute. With CellIndex that cell gets the code
// and runs, without it a new cell at the end does. With Silent the code runs and no cell
// is made.
type KernelExecuteData struct {
	KernelTarget
	Code      string `json:"code" clew:"empty"`
	Silent    bool   `json:"silent,omitempty"`
	CellIndex *int   `json:"cell_index,omitempty"`
}

// KernelInterruptData is the data of kernel_interrupt.
type KernelInterruptData struct{ KernelTarget }

// KernelRestartData is the data of kernel_restart.
type KernelRestartData struct{ KernelTarget }

// KernelShutdownData is the data of kernel_shutdown.
type KernelShutdownData struct {
	KernelTarget
	Restart bool `json:"restart,omitempty"`
}
