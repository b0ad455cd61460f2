package agent_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
)

// books plays the work of notebooks: a file has the cells of cells, of which those with
// blob: and an address have their source there, and what a cell puts out is played by its
// source. A cell "wait" runs until end is closed or somebody
// interrupts the kernel.
type books struct {
	cells []string
	plan  agent.KernelPlan

	// named are the kernels that were looked for, and runs is what the one that runs says
	// that it is.
	named []string
	runs  string

	mu   sync.Mutex
	end  chan struct{}
	slow chan struct{} // a kernel that restarts is there once this is closed; nil for at once
	sent []string      // sources, in the order in which the kernel got them
}

func newBooks(cells ...string) *books {
	return &books{cells: cells, end: make(chan struct{}), plan: agent.KernelPlan{Name: "python3", Argv: []string{"/usr/bin/python3", "-m", "ipykernel"}, Sandbox: "bwrap"}}
}

func (b *books) Plan(_ context.Context, r agent.KernelRequest) agent.KernelPlan {
	b.mu.Lock()
	b.named = append(b.named, r.Name)
	b.mu.Unlock()
	p := b.plan
	p.Running = r.Kernel != ""
	return p
}

func (b *books) Kernels(context.Context, agent.KernelRequest) []agent.KernelPlan {
	return []agent.KernelPlan{b.plan}
}

func (b *books) ran() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sent)
}

// Lose implements session.Notebooks.
func (b *books) Lose(context.Context, session.NotebookView) {}

// Work implements session.Notebooks.
func (b *books) Work(ctx context.Context, desk *session.NotebookContext) error {
	for {
		v, err := desk.Look(ctx)
		if err != nil {
			return ignoreOver(err)
		}
		n := v.Notebook
		var report decide.NotebookReport
		kernel := clew.KernelChangedData{KernelID: cmp.Or(n.Kernel.ID, "k1"), Name: cmp.Or(b.runs, "python3"), State: clew.KernelIdle}
		switch {
		case n.Status == clew.NotebookOpening:
			read := clew.NotebookReadData{Hash: "h", KernelName: "python3"}
			for i, source := range b.cells {
				c := clew.NotebookCell{CellID: string(rune('a' + i)), Type: clew.CellCode, Source: source}
				if address, ok := strings.CutPrefix(source, "blob:"); ok {
					c.Source, c.SourceBlob = "", address
				}
				read.Cells = append(read.Cells, c)
			}
			report = decide.ReadNotebook{NotebookReadData: read}
		case n.Run != nil:
			done, err := b.play(ctx, desk, v)
			if err != nil || !done {
				return ignoreOver(err)
			}
			continue
		case n.Kernel.Wanted == clew.WishRestart && b.slow != nil:
			kernel.State = clew.KernelRestarting
			report = decide.ChangeKernel{KernelChangedData: kernel}
		case n.Kernel.State == clew.KernelRestarting:
			select {
			case <-b.slow:
			case <-ctx.Done():
				return nil
			}
			kernel.KernelID = n.Kernel.ID + "1"
			report = decide.ChangeKernel{KernelChangedData: kernel}
		case n.Kernel.Wanted == clew.WishRestart:
			kernel.KernelID = n.Kernel.ID + "1"
			report = decide.ChangeKernel{KernelChangedData: kernel}
		case n.Kernel.Wanted != "":
			report = decide.ChangeKernel{KernelChangedData: kernel}
		case len(n.Queue) > 0 && !n.Kernel.State.Alive():
			report = decide.ChangeKernel{KernelChangedData: kernel}
		case len(n.Queue) > 0:
			report = decide.StartCell{RunID: n.Queue[0].ID, KernelID: n.Kernel.ID}
		default:
			return nil
		}
		started, err := desk.Report(ctx, report)
		if err != nil {
			return ignoreOver(err)
		}
		if _, ok := report.(decide.StartCell); ok {
			b.mu.Lock()
			b.sent = append(b.sent, started.Source)
			b.mu.Unlock()
		}
	}
}

func ignoreOver(err error) error {
	if errors.Is(err, session.ErrNotebookOver) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// play ends the run under way, once it may.
func (b *books) play(ctx context.Context, desk *session.NotebookContext, v session.NotebookView) (bool, error) {
	run := v.Notebook.Run
	end := decide.FinishCell{CellFinishedData: clew.CellFinishedData{RunID: run.ID, CellID: run.CellID, Status: clew.CellOK, ExecutionCount: v.Notebook.Kernel.Count + 1}}
	switch source := v.Notebook.Cell(run.CellID).Source; source {
	case "wait":
		changed := make(chan error, 1)
		waiting, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() { changed <- desk.Await(waiting, v.Seq) }()
		select {
		case <-b.end:
			cancel()
			<-changed
			end.Text = "it waited"
		case err := <-changed:
			now, err2 := desk.Look(ctx)
			if err := errors.Join(err, err2); err != nil || now.Notebook.Kernel.Wanted == "" {
				return err == nil, err
			}
			end.Status, end.Reason = clew.CellAborted, "it was interrupted"
		}
	case "fail":
		end.Status, end.ErrorName, end.ErrorValue, end.Text = clew.CellError, "ValueError", "no", "ValueError: no"
	case "plot":
		end.Text, end.Images = "<Figure>", []string{session.BlobScheme + strings.Repeat("ab", 32)}
	default:
		end.Text = "ran " + source
	}
	_, err := desk.Report(ctx, end)
	return true, err
}

// runNotebooks is run in a world with notebooks, and one that people opened: a has 1, b
// waits, c fails, d plots.
func runNotebooks(t *testing.T, set map[string]any, fn func(w *world), steps ...step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, set)
		w.books, w.slots = newBooks("1", "wait", "fail", "plot"), session.NewLimiter(func() (int, int) { return 1, 1 })
		w.model = &model{t: t, steps: steps}
		w.open()
		defer w.close()
		w.do(&clew.NotebookOpenData{Path: "a.ipynb"})
		fn(w)
		if left := w.model.left(); left > 0 {
			t.Errorf("%d answers of the model were not asked for", left)
		}
	})
}

var unasked = map[string]any{"auto_approval": true, "always_allow_execute": true, "always_allow_write": true, "always_allow_read_only": true}

// A session without a notebook does not pay for the tools: its agent has them once there
// is a notebook in the folder.
func TestNotebookToolsNearAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.books = newBooks("1")
		w.model = &model{t: t, steps: []step{says("nothing to do"), says("here")}}
		w.open()
		defer w.close()
		w.say("hello")
		w.idle()
		if names := toolNames(w.model.last()); slices.Contains(names, "run_cell") {
			t.Errorf("without a notebook: %v", names)
		}
		if err := os.WriteFile(filepath.Join(w.dir, "new.ipynb"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		w.say("and now?")
		w.idle()
		if names := toolNames(w.model.last()); !slices.Contains(names, "run_cell") {
			t.Errorf("with one: %v", names)
		}
	})
}

// An agent opens a notebook, reads it, changes it and runs what it wrote: each through
// the session's records.
func TestNotebookTools(t *testing.T) {
	runNotebooks(t, unasked, func(w *world) {
		w.say("work in the other notebook")
		time.Sleep(time.Second) // of the bubble: whoever reads the notebook looks again until it is there
		w.idle()
		if r := w.result("open"); !strings.Contains(r.Output.(string), "Call notebook_read again") {
			t.Errorf("open: %+v", r)
		}
		for _, want := range []string{"b.ipynb", "4 cells", "--- cell a (1, code)\n1\n", "--- cell c (3, code)\nfail\n"} {
			if r := w.result("read"); !strings.Contains(r.Output.(string), want) {
				t.Errorf("read: %v, want %q", r.Output, want)
			}
		}
		if r := w.result("edit"); r.Status != clew.ToolComplete || !strings.Contains(r.Output.(string), "New cells: mine") {
			t.Errorf("edit: %+v", r)
		}
		if r := w.result("cells"); r.Status != clew.ToolComplete || r.Output != "ran 2\nran 1" {
			t.Errorf("cells: %+v", r)
		}
		if r := w.result("code"); r.Status != clew.ToolComplete || r.Output != "ran x = 3" {
			t.Errorf("code: %+v", r)
		}
		if got := w.books.ran(); !slices.Equal(got, []string{"2", "1", "x = 3"}) {
			t.Errorf("the kernel got %q", got)
		}
		if r := w.result("again"); !strings.Contains(r.Output.(string), "ok, run 2") || !strings.Contains(r.Output.(string), "kernel python3 idle") {
			t.Errorf("again: %v", r.Output)
		}
		for _, id := range []string{"open", "edit"} { // shown where the call is shown
			if r := w.result(id); r.MessageID == "" {
				t.Errorf("%s: the result belongs to no message: %+v", id, r)
			}
		}
		if r := w.result("list"); !strings.Contains(r.Output.(string), `"name":"python3"`) {
			t.Errorf("list: %v", r.Output)
		}
	}, calls(call("open", "notebook_read", `{"path":"b.ipynb"}`)), calls(call("read", "notebook_read", `{"path":"b.ipynb"}`)),
		// The second call rests on what the first one does.
		calls(call("edit", "notebook_edit", `{"path":"b.ipynb","edits":[{"op":"insert","cell_id":"mine","source":"2","after":"start"},{"op":"delete","cell_id":"d"}]}`),
			call("cells", "run_cell", `{"path":"b.ipynb","cell_ids":["mine","a"]}`)),
		calls(call("code", "run_cell", `{"path":"b.ipynb","code":"x = 3"}`)),
		calls(call("again", "notebook_read", `{"path":"b.ipynb","cells":["a"]}`), call("list", "kernel", `{"action":"kernels"}`)), says("Done."))
}

// The call waits for the cell on record: the agent leaves and the slot is free, and a
// server that takes over goes on with it.
func TestRunCellWaitsOnRecord(t *testing.T) {
	runNotebooks(t, unasked, func(w *world) {
		w.say("run b")
		if release, free := w.slots.Try("ann"); !free {
			t.Error("the agent holds its slot while the cell runs")
		} else {
			release()
		}
		w.crash()
		w.crash()
		if got := w.books.ran(); !slices.Equal(got, []string{"wait"}) {
			t.Errorf("the kernel got %q", got)
		}
		close(w.books.end)
		synctest.Wait()
		w.idle()
		if r := w.result("r"); r.Status != clew.ToolComplete || r.Output != "it waited" {
			t.Errorf("result: %+v", r)
		}
	}, calls(call("r", "run_cell", `{"cell_ids":["b"]}`)), says("Done."))
}

// Who interrupts the kernel ends the call: the model hears that the cell was stopped, and
// those behind it do not run.
func TestRunCellInterrupted(t *testing.T) {
	runNotebooks(t, unasked, func(w *world) {
		w.say("run b and a")
		w.do(&clew.KernelInterruptData{})
		w.idle()
		r := w.result("r")
		if text, _ := r.Output.(string); r.Status != clew.ToolError || !strings.Contains(text, "The cell was stopped") {
			t.Errorf("result: %+v", r)
		}
		if got := w.books.ran(); !slices.Equal(got, []string{"wait"}) {
			t.Errorf("the kernel got %q", got)
		}
	}, calls(call("r", "run_cell", `{"cell_ids":["b","a"]}`)), says("It was stopped."))
}

// An error is the call's result, and pictures reach the model.
func TestRunCellOutcomes(t *testing.T) {
	runNotebooks(t, unasked, func(w *world) {
		w.say("run c and d")
		w.idle()
		if r := w.result("c"); r.Status != clew.ToolError || r.Error != "ValueError: no" {
			t.Errorf("c: %+v", r)
		}
		if r := w.result("d"); r.Status != clew.ToolComplete || len(r.Images) != 1 {
			t.Errorf("d: %+v", r)
		}
		m := w.model.last().Messages
		if part := m[len(m)-1].Content; len(part[len(part)-1].Images) != 1 {
			t.Errorf("the model got %+v", part)
		}
	}, calls(call("c", "run_cell", `{"cell_ids":["c"]}`), call("d", "run_cell", `{"cell_ids":["d"]}`)), says("Done."))
}

// What does not fit is refused with words that help.
func TestNotebookToolsCalledWrongly(t *testing.T) {
	wrong := map[string][3]string{
		"e1": {"run_cell", `{"cell_ids":["z"]}`, "no cell z"},
		"e2": {"run_cell", `{"path":"b.ipynb","code":"1"}`, "notebook_read opens it"},
		"e3": {"run_cell", `{}`, "cell_ids or code"},
		"e4": {"notebook_edit", `{"edits":[{"op":"insert"}]}`, "give the source"},
		"e5": {"notebook_edit", `{"edits":[]}`, "at least one edit"},
		"e6": {"kernel", `{"action":"explode"}`, "action is"},
		"e7": {"notebook_read", `{"file":"x"}`, "does not fit"},
	}
	set := map[string]any{"mistake_limit": 0}
	var steps []step
	for _, id := range []string{"e1", "e2", "e3", "e4", "e5", "e6", "e7"} {
		steps = append(steps, calls(call(id, wrong[id][0], wrong[id][1])))
	}
	runNotebooks(t, set, func(w *world) {
		w.say("try")
		w.idle()
		for id, c := range wrong {
			if r := w.result(id); r.Status != clew.ToolError || !strings.Contains(r.Error, c[2]) {
				t.Errorf("%s: %+v, want %q", id, r, c[2])
			}
		}
	}, append(steps, says("I give up."))...)
}

// A mode without the group has none of the tools, and neither has a server without
// notebooks. The model is told which notebooks are open.
func TestNotebookToolsAreOffered(t *testing.T) {
	offered := func(w *world) bool { return slices.Contains(toolNames(w.model.last()), "run_cell") }
	runNotebooks(t, nil, func(w *world) {
		w.say("hello")
		w.idle()
		if !offered(w) || !strings.Contains(lastText(w.model.last()), `path="a.ipynb"`) {
			t.Errorf("offered %q, told %s", toolNames(w.model.last()), lastText(w.model.last()))
		}
	}, says("Hello."))
	runNotebooks(t, map[string]any{"mode": "ask"}, func(w *world) {
		w.say("hello")
		w.idle()
		if offered(w) {
			t.Error("offered in mode ask")
		}
	}, says("Hello."))
	run(t, nil, func(w *world) {
		w.say("hello")
		w.idle()
		if offered(w) {
			t.Error("offered without notebooks")
		}
	}, says("Hello."))
}
