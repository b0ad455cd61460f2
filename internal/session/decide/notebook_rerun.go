package decide

import (
	"fmt"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// kernelsAfterRewind does what the settings say about kernels that are ahead of their
// notebooks, now that the session is elsewhere. files says that files went there as well.
func kernelsAfterRewind(tx *Tx, s *core.State, files bool, by clew.UserID) {
	policy := s.AgentRules().KernelAfterRewind
	for _, n := range s.OpenNotebooks() {
		open := s.KernelQuestion(n.ID)
		switch {
		case !n.Kernel.Ahead:
			settleKernelQuestion(tx, s, n)
		case open != nil: // it was open then, and is again
		case policy == clew.KernelKeep:
		case policy == clew.KernelRerun || policy == clew.KernelFresh:
			takeKernel(tx, n, policy, files, by)
		default:
			askAboutKernel(tx, s, n, files)
		}
	}
}

// takeKernel has a kernel that is ahead go where a person or the settings want it.
func takeKernel(tx *Tx, n *core.Notebook, policy clew.KernelPolicy, files bool, by clew.UserID) {
	switch policy {
	case clew.KernelRerun:
		tx.Add(&clew.KernelRerunRequestedData{
			NotebookID: n.ID, RerunID: core.DeriveID("rr_", tx.s.ID, tx.seq+uint64(tx.Len())), Since: recordID(n.Kernel.SinceSeq), Files: files, By: by,
		})
	case clew.KernelFresh:
		tx.Add(&clew.KernelChangedData{NotebookID: n.ID, State: n.Kernel.State, Wanted: stronger(n.Kernel.Wanted, clew.WishRestart), By: by})
	case clew.KernelAsk, clew.KernelKeep:
	}
}

// recordID names a record, "" before the first one.
func recordID(seq uint64) clew.MessageID {
	if seq == 0 {
		return ""
	}
	return clew.MessageIDOf(seq)
}

// askAboutKernel asks what becomes of a kernel.
func askAboutKernel(tx *Tx, s *core.State, n *core.Notebook, files bool) {
	k := &clew.KernelQuestion{NotebookID: n.ID, Files: files}
	k.Cells, k.DurationMS = n.RanInKernel()
	q := &clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "kernel", Question: aboutKernel(n, k), InputType: clew.InputChoice, Strict: true, Required: true, Kernel: k,
		Options: []clew.InputOption{
			{Value: string(clew.KernelRerun), Label: "Run the cells again in a fresh kernel"},
			{Value: string(clew.KernelFresh), Label: "Start a fresh, empty kernel"},
			{Value: string(clew.KernelKeep), Label: "Keep the kernel as it is"},
		},
	}
	q.RequestID = clew.RequestID(core.DeriveID("req_", s.ID, tx.seq+uint64(tx.Len())))
	q.MonitorID, q.MessageID = clew.MainMonitor, tx.NextID()
	tx.Say(clew.Message{Type: clew.TypeAsk, Ask: clew.AskFollowup, Role: clew.SpeakerSystem, Text: q.Question, MonitorID: q.MonitorID, RequestID: q.RequestID})
	tx.Add(q)
}

func aboutKernel(n *core.Notebook, k *clew.KernelQuestion) string {
	name := n.Path
	if name == "" {
		name = "the notebook"
	}
	text := fmt.Sprintf("The kernel of %s has run cells after this point. ", name)
	switch k.Cells {
	case 0:
		text += "Nothing ran before them. "
	case 1:
		text += fmt.Sprintf("One cell ran before them and took %s. ", took(k.DurationMS))
	default:
		text += fmt.Sprintf("%d cells ran before them and took %s. ", k.Cells, took(k.DurationMS))
	}
	if k.Files {
		text += "Running them again leaves your files as they are now. "
	} else {
		text += "If cells write files or use the network, running them again does so again. "
	}
	return text + "What should happen to the kernel?"
}

func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Second {
		return "less than a second"
	}
	return d.Round(time.Second).String()
}

// settleKernelQuestion withdraws the question about a kernel that is not ahead any more.
func settleKernelQuestion(tx *Tx, s *core.State, n *core.Notebook) {
	q := s.KernelQuestion(n.ID)
	if q == nil {
		return
	}
	tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the kernel is another one now", Scope: q.Asking().Scope})
	answered(tx, s, q.Asking().MessageID)
}

// kernelAnswer looks whether a question about a kernel can be answered so.
func kernelAnswer(s *core.State, q clew.Question, a reply) error {
	if core.KernelOfQuestion(q) == nil || a.value != string(clew.KernelRerun) {
		return nil
	}
	if err := mayRerun(s); err != nil {
		return err
	}
	for _, t := range s.Tasks {
		if s.HasWork(t) {
			return clew.Errorf(clew.SessionInvalidState, "an agent is at work: stop it or wait, then answer again")
		}
	}
	return nil
}

// followKernelAnswer does what was answered.
func followKernelAnswer(tx *Tx, s *core.State, q clew.Question, a reply, by clew.UserID) {
	k := core.KernelOfQuestion(q)
	if k == nil || a.action != clew.ResolvedAnswer {
		return
	}
	n := s.Notebook(k.NotebookID)
	value, _ := a.value.(string)
	if n != nil && n.Kernel.Ahead {
		takeKernel(tx, n, clew.KernelPolicy(value), k.Files, by)
	}
}

// mayRerun refuses what cannot be while a kernel runs again what ran.
func mayRerun(s *core.State) error {
	if s.Rerunning() {
		return clew.Errorf(clew.SessionInvalidState, "a kernel is running cells again: wait, or interrupt it first")
	}
	return nil
}

// StartRerun begins a rerun: what runs again is known, and the files are saved.
type StartRerun struct {
	RerunID string
	Runs    []clew.RepeatedRun // without their run ids
	// Saved is how files are now, nil if they are left alone; Before is the checkpoint that
	// the first run found.
	Saved  *core.SavedFiles
	Before string
}

func (d StartRerun) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	if n.Rerun == nil || n.Rerun.ID != d.RerunID || n.Rerun.Status != clew.RerunPreparing {
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "nobody wants this rerun")
	}
	data := &clew.KernelRerunStartedData{NotebookID: n.ID, RerunID: d.RerunID, Runs: clew.List[clew.RepeatedRun]{}}
	if d.Saved != nil {
		tx.Add(savedQuietly(tx, s, n, *d.Saved, "before cells run again"))
		data.FilesBefore, data.FilesAfter = d.Before, d.Saved.Hash
	}
	ids := core.CellRunIDs(s.ID, tx.seq+uint64(tx.Len()), len(d.Runs))
	for i, run := range d.Runs {
		run.RunID = ids[i]
		data.Runs = append(data.Runs, run)
	}
	tx.Add(data)
	return NotebookResult{}, nil
}

// EndRerun ends a rerun of which nothing waits or runs any more. Reason says what else than
// a cell went wrong. Restored is the checkpoint that files are as of, "" if they were left alone.
type EndRerun struct {
	RerunID  string
	Reason   string
	Restored string
}

func (d EndRerun) decide(tx *Tx, _ *core.State, n *core.Notebook) (NotebookResult, error) {
	x := n.Rerun
	if !x.UnderWay() || x.ID != d.RerunID || n.Run != nil && n.Run.Repeats != "" {
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "this rerun is not to be ended")
	}
	status := clew.RerunOK
	switch {
	case d.Reason != "":
		status = clew.RerunStopped
	case x.Done < x.Total:
		status, d.Reason = clew.RerunStopped, whyStopped(n)
	case len(x.Differences) > 0:
		status = clew.RerunDiffers
	}
	endRerun(tx, n, clew.KernelRerunFinishedData{Status: status, Reason: d.Reason, FilesRestored: d.Restored})
	return NotebookResult{}, nil
}

// SaveFiles notes how files are: before a kernel runs anything, or after a cell.
type SaveFiles struct {
	Saved  core.SavedFiles
	Reason string
}

func (d SaveFiles) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	if s.PendingRewind != nil {
		return NotebookResult{}, ErrRewindPending()
	}
	if d.Saved.Hash == "" || d.Saved.Hash == s.Checkpoint {
		return NotebookResult{}, nil
	}
	tx.Add(savedQuietly(tx, s, n, d.Saved, d.Reason))
	return NotebookResult{}, nil
}

// savedQuietly is a checkpoint of which nothing is said in the transcript.
func savedQuietly(tx *Tx, s *core.State, n *core.Notebook, files core.SavedFiles, reason string) *clew.CheckpointSavedData {
	saved := core.CheckpointSaved(files, reason)
	saved.FromHash, saved.TS, saved.SuppressMessage, saved.NotebookID = s.Checkpoint, tx.NextTS(), true, n.ID
	return saved
}

// restore takes a fresh kernel to a cell: all cells of code up to it run again.
func (a notebookActor) restore(tx *Tx, s *core.State, d *clew.CheckpointRestoreData) error {
	n, err := target(s, clew.KernelTarget{NotebookID: d.NotebookID})
	if err != nil {
		return err
	}
	if err := mayRerun(s); err != nil {
		return err
	}
	if d.CellIndex == nil || *d.CellIndex < 0 || *d.CellIndex >= len(n.Cells) {
		return clew.Errorf(clew.SessionInvalidState, "there is no such cell: the notebook has %d, and the first is 0", len(n.Cells))
	}
	var cells []string
	for _, c := range n.Cells[:*d.CellIndex+1] {
		if c.Type == clew.CellCode {
			cells = append(cells, c.CellID)
		}
	}
	if n.Kernel.State.Alive() {
		dropRuns(tx, s, n, n.Queue, stronger(n.Kernel.Wanted, clew.WishRestart), a.by)
	}
	return a.queue(tx, s, n, cells, "", false)
}
