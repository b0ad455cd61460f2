package decide

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// What an agent hears of the cells that ran for a call.
const (
	cellTextMax   = 32 << 10
	cellImagesMax = 4
)

// QueueCells runs cells for an agent's call, which waits for them on record: the agent
// leaves, and goes on when the last one is over. Edits are made first. Without Cells those
// run that the edits inserted or changed. Code runs in place of cells, and nothing of it
// is kept in the notebook.
type QueueCells struct {
	Plan       CallPlan
	By         clew.AllowedBy // the rule that allows it, as with BeginCalls
	NotebookID string
	IfVersion  *int
	Edits      []clew.CellEdit
	Cells      []string
	// Sources are those of Cells as they were approved, see SourceOf, and Kernel is the one
	// that they were approved for, see KernelInUse. Nothing else runs.
	Sources []string
	Kernel  string
	Code    string
	Silent  bool
}

// SourceOf stands for the source of a cell: its hash.
func SourceOf(c *core.Cell) string {
	return sourceHash(NotebookResult{Source: c.Source, SourceBlob: c.SourceBlob})
}

// KernelInUse is the id of the kernel that cells would run in if they were queued now, ""
// if one has to be started first.
func KernelInUse(n *core.Notebook) string {
	k := n.Kernel
	if !k.State.Alive() || k.State == clew.KernelRestarting || k.Wanted == clew.WishRestart || k.Wanted == clew.WishStop {
		return ""
	}
	return k.ID
}

// KernelBegins reports whether the notebook is about to have another kernel than it has on
// record, or one that is not quite there yet.
func KernelBegins(n *core.Notebook) bool {
	k := n.Kernel
	return k.State == clew.KernelStarting || k.State == clew.KernelRestarting || k.Wanted == clew.WishRestart
}

// errMeanwhile is why a call is refused that the model could not have made otherwise.
var errMeanwhile = errors.New("others were faster")

func (q QueueCells) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	mark := tx.Len()
	r.begin(q.Plan, q.By)
	if err := q.queue(tx, s, t); err != nil {
		tx.Truncate(mark)
		r.refuseFor(q.Plan.Call, err)
	}
	return r.res, nil
}

func (q QueueCells) queue(tx *Tx, s *core.State, t *core.Task) error {
	a := notebookActor{task: t.TaskID, call: q.Plan.Call.ID}
	n, err := ready(s, q.NotebookID)
	if err != nil {
		return err
	}
	if q.Kernel != KernelInUse(n) {
		return clew.WrapError(clew.SessionInvalidState, errMeanwhile, "the kernel is another one by now: try again")
	}
	at := tx.Len()
	if len(q.Edits) > 0 {
		if _, err := a.edit(tx, s, &clew.NotebookEditData{NotebookID: n.ID, IfVersion: q.IfVersion, Edits: q.Edits}); err != nil {
			return err
		}
	}
	if q.Code != "" {
		return a.queue(tx, s, n, []string{""}, q.Code, q.Silent)
	}
	cells := q.Cells
	if len(cells) == 0 {
		cells = changedCells(tx, at)
	}
	made := insertedCells(tx, at)
	var ids []string
	for i, id := range cells {
		c := n.Cell(id)
		switch {
		case slices.Contains(made, id):
		case c == nil:
			return noCell(id)
		case c.Type != clew.CellCode:
			return clew.Errorf(clew.SessionInvalidState, "cell %s holds no code", id)
		case len(q.Cells) > 0 && (i >= len(q.Sources) || q.Sources[i] != SourceOf(c)):
			return clew.WrapError(clew.SessionInvalidState, errMeanwhile, "cell %s was changed meanwhile: look at it and try again", id)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return clew.Errorf(clew.SessionInvalidState, "there is nothing to run")
	}
	return a.queue(tx, s, n, ids, "", q.Silent)
}

// insertedCells are the cells of code that the batch makes.
func insertedCells(tx *Tx, at int) (ids []string) {
	for _, e := range tx.Since(at) {
		d, ok := e.Data.(*clew.NotebookChangedData)
		if !ok {
			continue
		}
		for _, edit := range d.Edits {
			if edit.Op == clew.EditInsert && edit.Type == clew.CellCode {
				ids = append(ids, edit.CellID)
			}
		}
	}
	return ids
}

// ChangeNotebook does for an agent what a command of people does: notebook_open,
// notebook_edit, notebook_save, notebook_close, kernel_interrupt, kernel_restart or
// kernel_shutdown. The model hears Done and what came of it, or why it cannot be.
type ChangeNotebook struct {
	Plan    CallPlan
	By      clew.AllowedBy
	Command any
	Done    string
}

func (c ChangeNotebook) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	mark := tx.Len()
	shown := c.Plan.Call
	shown.MessageID = r.begin(c.Plan, c.By)
	text, err := decideNotebook(tx, s, notebookActor{task: t.TaskID}, c.Command)
	if err != nil {
		tx.Truncate(mark)
		r.refuseFor(c.Plan.Call, err)
		return r.res, nil
	}
	r.result(shown, strings.TrimSpace(c.Done+" "+text))
	return r.res, nil
}

// callOutput is what a call hears of runs that are over. end is how the one under way
// ended, nil if those that waited are dropped; why says why they are.
type callOutput struct {
	end    *clew.CellFinishedData
	text   string
	images []string
	why    string
}

// keep is what goes on record of a run whose call waits for others, too.
func (o callOutput) keep(s *core.State, run core.CellRun, gone []core.CellRun) (string, []string) {
	t := s.Task(run.TaskID)
	if t == nil || remaining(s, run, gone) == 0 {
		return "", nil
	}
	c := t.Call(run.CallID)
	if c == nil || c.Status != core.CallCell {
		return "", nil
	}
	room, images := cellTextMax, cellImagesMax
	for _, h := range c.Heard {
		room, images = room-len(h.Text), images-len(h.Images)
	}
	return clipMiddle(o.text, max(room, 0)), o.images[:min(len(o.images), max(images, 0))]
}

// remaining counts the runs that a call waits for once some are gone.
func remaining(s *core.State, run core.CellRun, gone []core.CellRun) int {
	n := s.CallRuns(run.TaskID, run.CallID)
	for _, g := range gone {
		if g.TaskID == run.TaskID && g.CallID == run.CallID {
			n--
		}
	}
	return n
}

// settleCalls gives the calls their results that waited for runs which are gone, and wait
// for no other.
func settleCalls(tx *Tx, s *core.State, gone []core.CellRun, out callOutput) {
	for i, run := range gone {
		t := s.Task(run.TaskID)
		same := func(g core.CellRun) bool { return g.TaskID == run.TaskID && g.CallID == run.CallID }
		if t == nil || slices.ContainsFunc(gone[:i], same) || remaining(s, run, gone) > 0 {
			continue
		}
		c := t.Call(run.CallID)
		if c == nil || c.Status != core.CallCell || callEnded(tx, t.TaskID, c.ID) {
			continue
		}
		dropped := 0
		mine := false
		for _, g := range gone {
			if ended := out.end != nil && g.ID == out.end.RunID; same(g) && ended {
				mine = true
			} else if same(g) {
				dropped++
			}
		}
		endCellCall(tx, t, c, out, mine, dropped)
	}
}

// callEnded reports whether the batch has a call's result already.
func callEnded(tx *Tx, task clew.TaskID, call string) bool {
	return slices.ContainsFunc(tx.Since(0), func(e clew.Event) bool {
		d, ok := e.Data.(*clew.ToolProgressData)
		return ok && d.TaskID == task && d.ToolCallID == call && d.Status != clew.ToolRunning
	})
}

// endCellCall is the result of a call whose cells are over. mine says that the run which
// ended now was one of them, dropped how many never ran.
func endCellCall(tx *Tx, t *core.Task, c *core.Call, out callOutput, mine bool, dropped int) {
	var texts, images []string
	for _, h := range c.Heard {
		texts, images = append(texts, h.Text), append(images, h.Images...)
	}
	failed := ""
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID, MonitorID: t.MonitorID, MessageID: c.MessageID,
	}
	if mine {
		texts, images = append(texts, out.text), append(images, out.images...)
		failed = howFailed(out.end)
		d.DurationMS, d.OutputBlob, d.InDoubt = out.end.DurationMS, out.end.OutputBlob, out.end.Status == clew.CellInDoubt
		if failed != "" && out.text == "" {
			texts = append(texts, failed)
		}
	}
	if dropped > 0 {
		rest := fmt.Sprintf("%d cells were not run.", dropped)
		if out.why != "" {
			rest += " " + out.why
		}
		texts = append(texts, rest)
		if failed == "" {
			failed = rest
		}
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	text := strings.Join(texts, "\n")
	if text == "" {
		text = "It ran, and put nothing out."
	}
	d.Output, d.Images = clipMiddle(text, cellTextMax), images[:min(len(images), cellImagesMax)]
	d.Summary = clew.Clip(text, core.TitleRunes)
	if failed != "" {
		d.Status, d.Error, d.ErrorInOutput = clew.ToolError, failed, true
	}
	tx.Add(d)
	if failed != "" {
		tx.Add(&clew.TaskToolFailedData{TaskRef: t.TaskRef, Tool: c.Tool, Error: failed, ToolCallID: c.ID})
	}
}

// howFailed says in words why a run did not end well, "" if it did.
func howFailed(d *clew.CellFinishedData) string {
	switch d.Status {
	case clew.CellError:
		return strings.TrimSuffix(d.ErrorName+": "+d.ErrorValue, ": ")
	case clew.CellAborted:
		return strings.TrimSpace("The cell was stopped. " + d.Reason)
	case clew.CellInDoubt:
		return strings.TrimSpace("It is not known whether the cell ran to its end. " + d.Reason)
	}
	return ""
}

// clipMiddle keeps the beginning and the end of a text: an error is at its end.
func clipMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if most < 200 {
		return strings.ToValidUTF8(text[:most], "")
	}
	half := most/2 - 40
	head, tail := text[:half], text[len(text)-half:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n… %d bytes left out …\n", len(text)-2*half) + strings.ToValidUTF8(tail, "")
}

// abandonCells takes the runs out of the queue that a task's calls wait for, and asks for
// an interrupt of the one under way. Where the kernels stay behind, there is nothing to
// be done.
func abandonCells(tx *Tx, s *core.State, t *core.Task, how TurnEnd) {
	if how.rewoundInto || how.Code == clew.EndForked || !t.AwaitsCell() {
		return
	}
	stopCells(tx, s, how.by, func(r *core.CellRun) bool { return r.TaskID == t.TaskID })
}

// stopCells stops runs that are under way, and drops those that wait.
func stopCells(tx *Tx, s *core.State, by clew.UserID, which func(r *core.CellRun) bool) {
	for i := range s.Notebooks {
		n := &s.Notebooks[i]
		var gone []core.CellRun
		for j := range n.Queue {
			if r := &n.Queue[j]; which(r) && !dropped(tx, r.ID) {
				gone = append(gone, *r)
			}
		}
		wanted := n.Kernel.Wanted
		if n.Run != nil && which(n.Run) {
			wanted = stronger(wanted, clew.WishInterrupt)
		}
		if len(gone) > 0 || wanted != n.Kernel.Wanted {
			dropRuns(tx, s, n, gone, wanted, by)
		}
	}
}

// dropped reports whether the batch takes a run out of the queue.
func dropped(tx *Tx, run string) bool {
	return slices.ContainsFunc(tx.Since(0), func(e clew.Event) bool {
		d, ok := e.Data.(*clew.KernelChangedData)
		return ok && slices.Contains(d.Dropped, run)
	})
}

// closeCells ends what is left of runs in a state that nobody goes on from: texts that
// grow, and questions of runs that are not under way.
func closeCells(tx *Tx, s *core.State, streamed streams) {
	endRunTexts(tx, s, "", streamed)
	for _, q := range s.Questions {
		c := core.CellOfQuestion(q)
		if c == nil {
			continue
		}
		if n := s.AnyNotebook(c.NotebookID); n != nil && n.Run != nil && n.Run.ID == c.RunID {
			continue
		}
		tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the cell does not run any more"})
		answered(tx, s, q.Asking().MessageID)
	}
}
