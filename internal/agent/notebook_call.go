package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/policy"
)

// prepareNotebook finds out what a call of a tool for notebooks would do.
func (w *worker) prepareNotebook(ctx context.Context, v session.View, p *preparedCall) {
	if w.later != "" {
		w.openPlace(v)
	}
	n, why := w.understand(v, p.call)
	if why != "" {
		p.wrong = why
		return
	}
	if n.opens != "" && w.workspace != nil && w.workspace.Ignored(n.opens, false) {
		p.wrong = fmt.Sprintf("%s is hidden by .clewignore", visible(n.opens))
		return
	}
	if !n.changes() {
		p.spec.Class = clew.ClassReadOnly
	}
	if p.wrong = w.load(ctx, n); p.wrong != "" {
		return
	}
	action := w.notebookAction(ctx, v, p.call, n)
	call := tool.Call{ID: callKey(v, p.call.ID), SessionID: v.Session, TaskID: v.Task.TaskID, Owner: v.Owner, Input: p.call.Input}
	if err := action.Digest(p.spec, call); err != nil {
		p.wrong = plainError(err)
		return
	}
	p.action, p.title = action, action.Effect.Summary
	if n.changes() {
		p.notebook = n
	}
	p.input = w.policyInput(v, p)
	p.decision = policy.Decide(p.input)
}

// notebookAction is what a person is shown of a call, and for one that only reads how it
// is done.
func (w *worker) notebookAction(ctx context.Context, v session.View, c core.Call, n *notebookCall) *tool.Action {
	a := &tool.Action{}
	e := &a.Effect
	if n.book != nil && n.book.Path != "" {
		e.Paths = []string{n.book.Path}
	}
	switch {
	case n.opens != "":
		e.Summary, e.Paths = "Open the notebook "+n.name(), []string{n.opens}
	case n.runs != nil:
		w.runEffect(ctx, v, n, a)
	case n.edits != nil:
		e.Summary, e.Diff = fmt.Sprintf("Change %s of the notebook %s", countCells(len(n.edits)), n.name()), n.diff()
	case n.wish == clew.WishRestart:
		e.Summary = "Restart the kernel of " + n.name()
		w.holds(ctx, v, n, a)
	case n.wish != "":
		e.Summary = fmt.Sprintf("%s the kernel of %s", map[clew.KernelWish]string{clew.WishInterrupt: "Interrupt", clew.WishStop: "Stop"}[n.wish], n.name())
	default:
		e.Summary = "Read the notebook " + n.name()
		if c.Tool == toolKernel {
			e.Summary = "Look at the kernel"
		}
		a.Run = func(ctx context.Context, _ tool.Output) (tool.Result, error) { return w.lookAtNotebook(ctx, v, c, n) }
	}
	return a
}

// runEffect shows the source that would run.
func (w *worker) runEffect(ctx context.Context, v session.View, n *notebookCall, a *tool.Action) {
	if code := n.source(); strings.TrimSpace(code) != "" {
		a.Effect.Command = code
	}
	a.Effect.Summary = fmt.Sprintf("Run %s of the notebook %s", countCells(len(n.runs)), n.name())
	w.holds(ctx, v, n, a)
}

// holds shows what holds the code that a call runs. A kernel that has to be started is a
// part of it; one of the workspace's own is always asked about. To restart a kernel is to
// start one.
func (w *worker) holds(ctx context.Context, v session.View, n *notebookCall, a *tool.Action) {
	r := w.kernelRequest(v)
	r.Name = n.book.KernelToStart()
	if n.wish == "" {
		r.Kernel = decide.KernelInUse(n.book)
	}
	plan := w.cfg.Notebooks.Plan(ctx, r)
	e := &a.Effect
	e.Sandbox, e.Network, e.Directory = plan.Sandbox, plan.Network, r.Workspace
	a.Runs, a.Ask, a.Guarded, a.Protected, a.Refused = true, clew.AskCommand, plan.Guarded, plan.Protected, plan.Refused
	if plan.Running {
		return
	}
	e.Argv = plan.Argv
	a.Protected = a.Protected || plan.FromWorkspace
	program := strings.Join(plan.Argv, " ")
	if e.Summary += ", in a new kernel"; e.Command == "" { // it is all that starts
		e.Command = program
	} else {
		e.Summary += ": " + program
	}
	if plan.Missing != "" && a.Refused == "" {
		a.Refused = "there is no kernel to run it: " + plan.Missing
	}
}

// kernelRequest asks for kernels of the session.
func (w *worker) kernelRequest(v session.View) KernelRequest {
	return KernelRequest{Session: v.Session, Owner: v.Owner, Workspace: w.folder(v), Environment: v.Environment, Values: w.values}
}

// source is all that would run.
func (n *notebookCall) source() string {
	if n.in.Code != "" {
		return n.in.Code
	}
	var parts []string
	for _, id := range n.runs {
		parts = append(parts, n.sourceOf(n.book.Cell(id)))
	}
	return strings.Join(parts, "\n\n")
}

// sourceOf is a cell's source, which load has read where it is a blob.
func (n *notebookCall) sourceOf(c *core.Cell) string {
	if c.SourceBlob != "" {
		return n.loaded[c.SourceBlob]
	}
	return c.Source
}

// hashes bind the call to the sources that it was decided with.
func (n *notebookCall) hashes() (list []string) {
	for _, id := range n.runs {
		hash := ""
		if c := n.book.Cell(id); c != nil { // one that the call makes has its source with it
			hash = decide.SourceOf(c)
		}
		list = append(list, hash)
	}
	return list
}

// sourcesShown is how much of sources that run a person is shown at once, in bytes, and
// goneShown how much of one that goes and is a blob.
const (
	sourcesShown = 256 << 10
	goneShown    = 16 << 10
)

// load reads the sources that a call is about and that the record has no place for: what
// is approved is text and not an address. The text says why it cannot be, "" if it can.
func (w *worker) load(ctx context.Context, n *notebookCall) string {
	n.loaded = map[string]string{}
	room := sourcesShown
	for _, id := range n.runs {
		c := n.book.Cell(id)
		if c == nil {
			continue // the call makes it
		}
		if why := w.loadSource(ctx, n, c); why != "" {
			return why
		}
		if room -= len(n.sourceOf(c)); room < 0 {
			return fmt.Sprintf("the cells have more than the %d KiB that a person can be shown at once: run fewer with one call, or have a person run them", sourcesShown>>10)
		}
	}
	for _, e := range n.edits {
		c := n.book.Cell(e.CellID)
		if c == nil || c.SourceBlob == "" || !replaces(e) {
			continue
		}
		if why := w.loadSource(ctx, n, c); why != "" {
			return why
		}
		if gone := n.loaded[c.SourceBlob]; len(gone) > goneShown {
			n.loaded[c.SourceBlob] = strings.ToValidUTF8(gone[:goneShown], "") + fmt.Sprintf("\n… and %d bytes more", len(gone)-goneShown)
		}
	}
	return ""
}

func (w *worker) loadSource(ctx context.Context, n *notebookCall, c *core.Cell) string {
	if _, done := n.loaded[c.SourceBlob]; done || c.SourceBlob == "" {
		return ""
	}
	b, err := w.cfg.Blobs.Blob(ctx, c.SourceBlob)
	if err != nil {
		w.cfg.Log.Warn("the source of a cell cannot be read", "blob", c.SourceBlob, "err", err)
		return fmt.Sprintf("the source of cell %s cannot be read, so nobody can be shown what this would do: try again later", visible(c.CellID))
	}
	n.loaded[c.SourceBlob] = string(b)
	return ""
}

// replaces reports whether an edit takes a source away.
func replaces(e clew.CellEdit) bool {
	return e.Op == clew.EditDelete || e.Op == clew.EditReplace && e.Source != nil
}

// diff shows edits as a change of text.
func (n *notebookCall) diff() string {
	var b strings.Builder
	for _, e := range n.edits {
		fmt.Fprintf(&b, "@@ %s %s @@\n", e.Op, cmp.Or(e.CellID, "all cells"))
		if c := n.book.Cell(e.CellID); c != nil && replaces(e) {
			writeLines(&b, "-", n.sourceOf(c))
		}
		if e.Source != nil {
			writeLines(&b, "+", *e.Source)
		}
	}
	return b.String()
}

func writeLines(b *strings.Builder, mark, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimRight(line, "\n") + "\n")
	}
}

func countCells(n int) string {
	if n == 1 {
		return "a cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// afterNotebookCall reports whether a call for a notebook has to wait for another one
// that the model made before it.
func (w *worker) afterNotebookCall(v session.View, at int) bool {
	if _, ok := w.notebookTool(v, v.Task.Calls[at].Tool); !ok {
		return false
	}
	for _, c := range v.Task.Calls[:at] {
		if _, ok := w.notebookTool(v, c.Tool); ok && c.Status != core.CallDone {
			return true
		}
	}
	return false
}

// awaitsKernel reports whether a call runs cells in a kernel that is just beginning. What
// holds that one is known once it is there: until then nobody is asked, and nothing is
// decided about what would be another kernel a moment later.
func (w *worker) awaitsKernel(v session.View, c core.Call) bool {
	if _, ok := w.notebookTool(v, c.Tool); !ok {
		return false
	}
	n, why := w.understand(v, c)
	return why == "" && n.runs != nil && decide.KernelBegins(n.book)
}

// nextNotebookCall is the call among those that are undecided which may be carried out
// now. There is one at most: calls for notebooks happen in the order in which the model
// made them.
func nextNotebookCall(plans []*preparedCall) *preparedCall {
	for _, p := range plans {
		if p.notebook == nil {
			continue
		}
		plan := p.plan()
		if plan.Approved && plan.Verdict != decide.VerdictRefuse || plan.Verdict == decide.VerdictOwn {
			return p
		}
		return nil
	}
	return nil
}

// changeNotebook carries a call out: what it asks for and the call's start, or its
// result, are one batch.
func (w *worker) changeNotebook(p *preparedCall) error {
	n, plan := p.notebook, p.plan()
	by := p.decision.By
	if plan.Approved {
		by = clew.AllowedBy{}
	}
	var in decide.Intent
	target := clew.KernelTarget{}
	if n.book != nil {
		target.NotebookID = n.book.ID
	}
	change := decide.ChangeNotebook{Plan: plan, By: by}
	switch {
	case n.runs != nil:
		version := n.book.Version
		queue := decide.QueueCells{Plan: plan, By: by, NotebookID: n.book.ID, Edits: n.edits, Cells: n.runs, Sources: n.hashes(), Kernel: decide.KernelInUse(n.book)}
		if n.edits != nil {
			queue.IfVersion = &version
		}
		in = queue
	case n.opens != "":
		change.Command = &clew.NotebookOpenData{Path: n.opens, New: n.in.New}
		change.Done = fmt.Sprintf("%s is being opened. Call notebook_read again to see its cells.", n.opens)
	case n.edits != nil:
		version := n.book.Version
		change.Command = &clew.NotebookEditData{NotebookID: n.book.ID, IfVersion: &version, Edits: n.edits}
		change.Done = "The notebook was changed." + insertedAs(n.edits)
	case n.wish == clew.WishInterrupt:
		change.Command = &clew.KernelInterruptData{KernelTarget: target}
	case n.wish == clew.WishRestart:
		change.Command = &clew.KernelRestartData{KernelTarget: target}
	default:
		change.Command = &clew.KernelShutdownData{KernelTarget: target}
	}
	if in == nil {
		in = change
	}
	_, err := w.desk.Do(in)
	return ignoreTurnOver(err)
}

// insertedAs names new cells, so that the model can run them.
func insertedAs(edits []clew.CellEdit) string {
	var ids []string
	for _, e := range edits {
		if e.Op == clew.EditInsert {
			ids = append(ids, e.CellID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return " New cells: " + strings.Join(ids, ", ") + "."
}

// kernelList is what the tool says of the kernels that there are.
func (w *worker) kernelList(ctx context.Context, v session.View) (tool.Result, error) {
	list := w.cfg.Notebooks.Kernels(ctx, w.kernelRequest(v))
	type kernel struct {
		Name    string   `json:"name"`
		Argv    []string `json:"argv,omitempty"`
		Missing string   `json:"missing,omitempty"`
	}
	out := []kernel{}
	for _, k := range list {
		out = append(out, kernel{k.Name, k.Argv, k.Missing})
	}
	b, err := json.Marshal(out)
	return tool.Result{Text: string(b)}, err
}
