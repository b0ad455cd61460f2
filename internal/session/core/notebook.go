package core

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
)

// A Notebook is a notebook of the session: its cells, its kernel and what is to be done
// for it. State.Notebooks is replaced, never changed in place, and so are the lists and
// what the pointers in it point to: runners read them while the session goes on.
type Notebook struct {
	ID string `json:"id"`
	// Path is the file, from the workspace, "" if there is none yet. New says that it is
	// made if there is none.
	Path     string              `json:"path,omitempty"`
	New      bool                `json:"new,omitempty"`
	Status   clew.NotebookStatus `json:"status"`
	Problem  string              `json:"problem,omitempty"`
	Conflict bool                `json:"conflict,omitempty"`
	// PathTaken is another file that it was to be saved as, and that is there already.
	PathTaken string `json:"path_taken,omitempty"`
	Version   int    `json:"version"`
	// Hash is that of the file as it was last read or written, Metadata the address of
	// the notebook's own metadata in it.
	Hash       string `json:"hash,omitempty"`
	Metadata   string `json:"metadata,omitempty"`
	KernelName string `json:"kernel_name,omitempty"` // that the opener or the file wants

	Cells  []*Cell   `json:"cells,omitempty"`
	Kernel Kernel    `json:"kernel"`
	Queue  []CellRun `json:"queue,omitempty"` // what waits, in order
	Run    *CellRun  `json:"run,omitempty"`   // what is under way
	// Save is what somebody wants written, nil if nobody does.
	Save *clew.NotebookSaveRequestedData `json:"save,omitempty"`
	// Variables is the address of what the kernel knew after the last run.
	Variables string `json:"variables,omitempty"`
	// Rerun is the last one of the kernel, nil if there was none. It is replaced, never
	// changed in place.
	Rerun *Rerun `json:"rerun,omitempty"`

	// Seq is the record that last changed anything here, ChangedSeq the one that last
	// changed what the file has, FileSeq the one that the file is as of, and WrittenSeq
	// the one that says so.
	Seq        uint64 `json:"seq"`
	ChangedSeq uint64 `json:"changed_seq,omitempty"`
	FileSeq    uint64 `json:"file_seq,omitempty"`
	WrittenSeq uint64 `json:"written_seq,omitempty"`
	// Closed says that nobody sees the notebook any more: it is here until its kernel
	// has ended.
	Closed bool `json:"closed,omitempty"`
}

// A Cell is one cell and what became of its last run.
type Cell struct {
	clew.NotebookCell
	// Number counts the cells of the session in the order in which they came.
	Number int `json:"number"`
	// Status is what the last run came to. That the cell waits or runs follows from the
	// notebook.
	Status     clew.CellStatus `json:"status,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	RunID      string          `json:"run_id,omitempty"`
	By         clew.UserID     `json:"by,omitempty"`
	TaskID     clew.TaskID     `json:"task_id,omitempty"`
	StartedMS  int64           `json:"started_ms,omitempty"`
	DurationMS int64           `json:"duration_ms,omitempty"`
	// EditedSeq is the record that last changed the source, RanSeq the one that says
	// that the cell began to run; 0 if it never did here.
	EditedSeq uint64 `json:"edited_seq,omitempty"`
	RanSeq    uint64 `json:"ran_seq,omitempty"`
	// Outputs are the records of the messages that the last run shows.
	Outputs     []Span `json:"outputs,omitempty"`
	OutputsLost bool   `json:"outputs_lost,omitempty"`
	LeftOut     int    `json:"left_out,omitempty"`
	OutputBlob  string `json:"output_blob,omitempty"`
	StateHash   string `json:"state_hash,omitempty"`
	// Variables is the address of what the kernel knew after the run.
	Variables string `json:"variables,omitempty"`
}

// A Kernel is the kernel of a notebook.
type Kernel struct {
	ID     string           `json:"id,omitempty"`
	Name   string           `json:"name,omitempty"`
	State  clew.KernelState `json:"state"`
	Wanted clew.KernelWish  `json:"wanted,omitempty"`
	// WantedSeq is the record by which a person, an agent or the session wanted that last.
	WantedSeq uint64               `json:"wanted_seq,omitempty"`
	Node      string               `json:"node,omitempty"`
	Reason    string               `json:"reason,omitempty"`
	Info      *clew.KernelLanguage `json:"info,omitempty"`
	// FreshSeq is the record at which it began to know nothing, RanSeq the one at which
	// it last began to run something since then. Count is the number of its last run.
	FreshSeq uint64 `json:"fresh_seq,omitempty"`
	RanSeq   uint64 `json:"ran_seq,omitempty"`
	Count    int    `json:"count,omitempty"`
	// SinceSeq is the record from which on the session shows what ran in the kernel of the
	// notebook: FreshSeq, but where a rerun repeated what ran in an earlier one, or the
	// kernel is ahead.
	SinceSeq uint64 `json:"since_seq,omitempty"`
	// Ahead says that it ran what the notebook does not show any more.
	Ahead bool `json:"ahead,omitempty"`
}

// A CellRun is a run of a cell, or of code without one, that waits or is under way.
type CellRun struct {
	ID     string `json:"id"`
	CellID string `json:"cell_id,omitempty"`
	Code   string `json:"code,omitempty"` // in place of a cell
	Silent bool   `json:"silent,omitempty"`
	// Repeats is the run that this one repeats, "" for most.
	Repeats string `json:"repeats,omitempty"`
	// Batch is the record that it was queued by, with others perhaps.
	Batch uint64      `json:"batch"`
	By    clew.UserID `json:"by,omitempty"`
	// TaskID and CallID are the agent's call that waits for it.
	TaskID clew.TaskID `json:"task_id,omitempty"`
	CallID string      `json:"call_id,omitempty"`

	// What follows is of the run under way. MsgID is the kernel's name of the request.
	MsgID    string `json:"msg_id,omitempty"`
	KernelID string `json:"kernel_id,omitempty"`
	SinceMS  int64  `json:"since_ms,omitempty"`
	// RequestID is the open question that the code asked with input(), Answer what was
	// said to it or to the one before.
	RequestID clew.RequestID `json:"request_id,omitempty"`
	Answer    *CellAnswer    `json:"answer,omitempty"`
}

// A CellAnswer is what somebody said to a question of a running cell. A password is not
// on record: it is in the memory of the node that took it, or it is lost.
type CellAnswer struct {
	RequestID clew.RequestID `json:"request_id"`
	Value     string         `json:"value,omitempty"`
	Password  bool           `json:"password,omitempty"`
	Declined  bool           `json:"declined,omitempty"` // there is no value
}

// What a state has room for of notebooks.
const (
	NotebooksMax    = 8
	CellsMax        = 1000      // of a notebook
	CellRunsMax     = 1000      // that wait
	CellSourceMax   = 64 << 10  // bytes of a source in a record; a longer one is a blob
	CellSourcesMax  = 512 << 10 // bytes of all inline sources of a notebook
	CellOutputsMax  = 1000      // messages that a run shows
	cellReasonRunes = 500
	kernelRunes     = 200 // of the names that a kernel has
)

// Notebook finds an open notebook, nil if there is none.
func (s *State) Notebook(id string) *Notebook {
	if n := s.AnyNotebook(id); n != nil && !n.Closed {
		return n
	}
	return nil
}

// AnyNotebook is Notebook for one that was closed, too, while its kernel is to be ended.
func (s *State) AnyNotebook(id string) *Notebook {
	if i := slices.IndexFunc(s.Notebooks, func(n Notebook) bool { return n.ID == id }); i >= 0 {
		return &s.Notebooks[i]
	}
	return nil
}

// OpenNotebooks are those that people see.
func (s *State) OpenNotebooks() []*Notebook {
	var list []*Notebook
	for i := range s.Notebooks {
		if !s.Notebooks[i].Closed {
			list = append(list, &s.Notebooks[i])
		}
	}
	return list
}

// HasWork reports whether somebody has to do something for the notebook.
func (n *Notebook) HasWork() bool {
	return n.Status == clew.NotebookOpening || n.Save != nil || len(n.Queue) > 0 || n.Run != nil || n.Closed ||
		n.Kernel.Wanted != "" || n.Kernel.State == clew.KernelStarting || n.Kernel.State == clew.KernelRestarting || n.Rerun.UnderWay()
}

// awaitsPerson reports whether nothing happens before somebody answers a question.
func (n *Notebook) awaitsPerson() bool {
	return n.Run != nil && n.Run.RequestID != "" && n.Kernel.Wanted == "" && n.Save == nil
}

// Unsaved reports whether the file does not have all of the notebook.
func (n *Notebook) Unsaved() bool { return n.ChangedSeq > n.FileSeq }

// Cell finds a cell, nil if there is none.
func (n *Notebook) Cell(id string) *Cell {
	if i := n.CellIndex(id); i >= 0 {
		return n.Cells[i]
	}
	return nil
}

// CellIndex is the place of a cell, -1 if there is none.
func (n *Notebook) CellIndex(id string) int {
	return slices.IndexFunc(n.Cells, func(c *Cell) bool { return c.CellID == id })
}

// Busy reports whether a cell runs or waits to.
func (n *Notebook) Busy(cell string) bool {
	return n.Run != nil && n.Run.CellID == cell || slices.ContainsFunc(n.Queue, func(r CellRun) bool { return r.CellID == cell })
}

// KernelToStart names the kernel that is started for the notebook next: the one that its
// file names by now, which may not be the one that runs.
func (n *Notebook) KernelToStart() string { return cmp.Or(n.KernelName, "python3") }

// Bytes counts the sources that are in records.
func (n *Notebook) Bytes() (sum int) {
	for _, c := range n.Cells {
		sum += len(c.Source) + len(c.Metadata)
	}
	return sum
}

// Stale reports whether what a cell shows is not what its source gives now.
func (n *Notebook) Stale(c *Cell) bool {
	switch {
	case c.RanSeq == 0:
		return c.SavedOutputs != "" && c.EditedSeq > 0
	case c.EditedSeq > c.RanSeq:
		return true
	}
	return c.RanSeq < n.Kernel.FreshSeq || !n.Kernel.State.Alive()
}

// RunOf finds a run that waits or is under way, nil if there is none.
func (n *Notebook) RunOf(id string) *CellRun {
	if n.Run != nil && n.Run.ID == id {
		return n.Run
	}
	if i := slices.IndexFunc(n.Queue, func(r CellRun) bool { return r.ID == id }); i >= 0 {
		return &n.Queue[i]
	}
	return nil
}

// CallRuns counts the runs that an agent's call waits for.
func (s *State) CallRuns(task clew.TaskID, call string) (n int) {
	for i := range s.Notebooks {
		b := &s.Notebooks[i]
		if b.Run.waitedFor(task, call) {
			n++
		}
		for j := range b.Queue {
			if b.Queue[j].waitedFor(task, call) {
				n++
			}
		}
	}
	return n
}

func (r *CellRun) waitedFor(task clew.TaskID, call string) bool {
	return r != nil && task != "" && r.TaskID == task && r.CallID == call
}

// AwaitsCell reports whether one of a task's calls waits for cells.
func (t *Task) AwaitsCell() bool {
	return slices.ContainsFunc(t.Calls, func(c Call) bool { return c.Status == CallCell })
}

// CellRunIDs names the runs that the record at seq queues.
func CellRunIDs(session clew.SessionID, seq uint64, n int) []string {
	list, first := make([]string, n), DeriveID("cr_", session, seq)
	for i := range list {
		list[i] = first + suffix(i)
	}
	return list
}

// CellMsgID is the kernel's name of the request that runs a cell.
func CellMsgID(session clew.SessionID, run string) string {
	return digest("cell_", string(session)+"/"+run)
}

// CellID names the i-th cell that the record at seq makes.
func CellID(session clew.SessionID, seq uint64, i int) string {
	return DeriveID("c", session, seq)[:13] + suffix(i)
}
