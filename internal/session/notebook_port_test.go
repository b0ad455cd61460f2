package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// runner works for notebooks as a function.
type runner func(ctx context.Context, desk *session.NotebookContext) error

func (r runner) Work(ctx context.Context, desk *session.NotebookContext) error { return r(ctx, desk) }

func (r runner) Lose(context.Context, session.NotebookView) {}

// simple does all work in the simplest way: files have two cells, and what runs says so.
func simple(ctx context.Context, desk *session.NotebookContext) error {
	for {
		v, err := desk.Look(ctx)
		if err != nil {
			return err
		}
		r := next(&v.Notebook)
		if r == nil {
			return nil
		}
		if _, err := desk.Report(ctx, r); err != nil {
			return err
		}
	}
}

func next(n *core.Notebook) decide.NotebookReport {
	kernel := func(state clew.KernelState) decide.NotebookReport {
		return decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: state, KernelID: "k1"}}
	}
	switch {
	case n.Closed || n.Kernel.Wanted == clew.WishStop:
		return kernel(clew.KernelStopped)
	case n.Status == clew.NotebookOpening:
		return decide.ReadNotebook{NotebookReadData: clew.NotebookReadData{Hash: "h", Cells: clew.List[clew.NotebookCell]{
			{CellID: "a", Type: clew.CellCode, Source: "1"}, {CellID: "b", Type: clew.CellCode, Source: "2"},
		}}}
	case n.Save != nil:
		return decide.SavedNotebook{NotebookSavedData: clew.NotebookSavedData{Path: n.Path, Hash: "h2"}}
	case n.Run != nil:
		return decide.FinishCell{CellFinishedData: clew.CellFinishedData{RunID: n.Run.ID, Status: clew.CellOK, ExecutionCount: n.Kernel.Count + 1}}
	case n.Kernel.Wanted != "":
		return kernel(clew.KernelIdle)
	case len(n.Queue) > 0 && n.Kernel.State != clew.KernelIdle:
		return kernel(clew.KernelIdle)
	case len(n.Queue) > 0:
		return decide.StartCell{RunID: n.Queue[0].ID, KernelID: "k1"}
	}
	return nil
}

func byAnn(data any) clew.Command { return clew.Command{By: ann, Data: data} }

// notebooks is what those who watch see of a session's notebooks.
func notebooks(t *testing.T, j session.Journal, id clew.SessionID) clew.Entities {
	t.Helper()
	records := journaled(t, j, id)
	s := fresh(t, j, id, records[len(records)-1].Seq)
	return s.Project()
}

// Work begins when there is something to do, and ends everything that there is.
func TestNotebooksWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Notebooks: runner(simple)})
		id := create(t, h, "")
		do(t, h, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
		synctest.Wait()
		e := notebooks(t, j, id)
		if len(e.Notebooks) != 1 || e.Notebooks[0].Status != clew.NotebookReady || len(e.Cells) != 2 {
			t.Fatalf("opened: %+v", e.Notebooks)
		}
		nb := e.Notebooks[0].NotebookID
		do(t, h, id, byAnn(&clew.NotebookRunData{NotebookID: nb, All: true}))
		synctest.Wait()
		if e = notebooks(t, j, id); e.Cells[1].Status != clew.CellOK || e.Cells[1].ExecutionCount != 2 || e.Notebooks[0].Kernel.State != clew.KernelIdle {
			t.Fatalf("run: %+v of %+v", e.Cells, e.Notebooks)
		}
		do(t, h, id, byAnn(&clew.NotebookCloseData{NotebookID: nb}))
		synctest.Wait()
		if s := fresh(t, j, id, uint64(len(journaled(t, j, id)))); len(s.Notebooks) != 0 {
			t.Errorf("closed: %+v", s.Notebooks)
		}
		checkFold(t, j, h, id)
	})
}

// Nobody is called for ever for a notebook that cannot be worked for.
func TestNotebooksFail(t *testing.T) {
	for name, work := range map[string]runner{
		"error": func(context.Context, *session.NotebookContext) error {
			return clew.Errorf(clew.ExecutionFailed, "no python")
		},
		"panic":   func(context.Context, *session.NotebookContext) error { panic("no python") },
		"nothing": func(ctx context.Context, d *session.NotebookContext) error { _, err := d.Look(ctx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				j := new(journaltest.Memory).Node("a")
				h := start(t, j, session.Config{Notebooks: runner(func(ctx context.Context, d *session.NotebookContext) error { calls++; return work(ctx, d) })})
				id := create(t, h, "")
				do(t, h, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
				synctest.Wait()
				if e := notebooks(t, j, id); e.Notebooks[0].Status != clew.NotebookFailed || e.Notebooks[0].Problem == "" || calls != 1 {
					t.Errorf("after %d calls: %+v", calls, e.Notebooks)
				}
			})
		})
	}
}

// losing notes whether there is time to end a kernel that is lost.
type losing struct {
	runner
	lost chan error
}

func (l losing) Lose(ctx context.Context, _ session.NotebookView) { l.lost <- ctx.Err() }

// The kernel of a notebook that was closed is ended, although nobody works for it any
// more once it is on record that the work failed.
func TestClosedNotebookLosesItsKernel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := make(chan error, 9)
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Notebooks: losing{func(ctx context.Context, d *session.NotebookContext) error {
			if v, err := d.Look(ctx); err != nil || v.Notebook.Closed {
				return clew.Errorf(clew.ExecutionFailed, "it cannot be ended")
			}
			return simple(ctx, d)
		}, lost}})
		id := create(t, h, "")
		do(t, h, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
		synctest.Wait()
		nb := notebooks(t, j, id).Notebooks[0].NotebookID
		do(t, h, id, byAnn(&clew.NotebookRunData{NotebookID: nb, All: true}))
		synctest.Wait()
		do(t, h, id, byAnn(&clew.NotebookCloseData{NotebookID: nb}))
		synctest.Wait()
		select {
		case err := <-lost:
			if err != nil {
				t.Errorf("it is to be ended with a context that is over: %v", err)
			}
		default:
			t.Error("it is not ended")
		}
	})
}

// Who works for a notebook hears of what others want, and that the work is over.
func TestNotebookAwaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		woken, over := make(chan core.Notebook, 9), make(chan error, 9)
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Notebooks: runner(func(ctx context.Context, d *session.NotebookContext) error {
			for {
				v, err := d.Look(ctx)
				if err != nil {
					over <- err
					return err
				}
				woken <- v.Notebook
				if r := next(&v.Notebook); r != nil && v.Notebook.Run == nil {
					if _, err := d.Report(ctx, r); err != nil {
						over <- err
						return err
					}
					continue
				}
				if err := d.Await(ctx, v.Seq); err != nil {
					over <- err
					return err
				}
			}
		})})
		id := create(t, h, "")
		do(t, h, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
		synctest.Wait()
		nb := notebooks(t, j, id).Notebooks[0].NotebookID
		said := do(t, h, id, say("m1", "hello")) // something to go back to
		do(t, h, id, byAnn(&clew.NotebookRunData{NotebookID: nb, Cells: []string{"a"}}))
		synctest.Wait()
		for len(woken) > 0 {
			<-woken
		}
		do(t, h, id, byAnn(&clew.KernelInterruptData{}))
		synctest.Wait()
		if n := <-woken; n.Run == nil || n.Kernel.Wanted != clew.WishInterrupt {
			t.Errorf("woken with %+v", n)
		}
		do(t, h, id, byAnn(&clew.RewindData{Target: at(said.Records[0])}))
		synctest.Wait()
		if err := <-over; !errors.Is(err, session.ErrNotebookOver) {
			t.Errorf("taken back: %v", err)
		}
		if len(over) > 0 {
			t.Errorf("%d more ends", len(over))
		}
	})
}

// A run that was under way when the server died is given again to whoever works then.
func TestNotebookAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(journaltest.Memory)
		first := start(t, m.Node("a"), session.Config{Notebooks: runner(func(ctx context.Context, d *session.NotebookContext) error {
			for {
				v, err := d.Look(ctx)
				if err != nil {
					return err
				}
				r := next(&v.Notebook)
				if r == nil || v.Notebook.Run != nil { // it takes long
					if err := d.Await(ctx, v.Seq); err != nil {
						return err
					}
					continue
				}
				if _, err := d.Report(ctx, r); err != nil {
					return err
				}
			}
		})})
		id := create(t, first, "")
		do(t, first, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
		synctest.Wait()
		nb := notebooks(t, m.Node("a"), id).Notebooks[0].NotebookID
		do(t, first, id, byAnn(&clew.NotebookRunData{NotebookID: nb, Cells: []string{"a"}}))
		synctest.Wait()
		stop(first)
		var found []core.CellRun
		second := start(t, m.Node("a"), session.Config{Notebooks: runner(func(ctx context.Context, d *session.NotebookContext) error {
			if v, err := d.Look(ctx); err == nil && v.Notebook.Run != nil {
				res, err := d.Report(ctx, decide.StartCell{RunID: v.Notebook.Run.ID, KernelID: "k1"})
				if err != nil {
					return err
				}
				found = append(found, res.Run)
			}
			return simple(ctx, d)
		})})
		do(t, second, id, rename("r1"))
		synctest.Wait()
		if len(found) != 1 || found[0].MsgID == "" {
			t.Fatalf("found %+v", found)
		}
		starts := 0
		for _, r := range journaled(t, m.Node("a"), id) {
			if r.Type == clew.EventCellStarted {
				starts++
			}
		}
		if e := notebooks(t, m.Node("a"), id); starts != 1 || e.Cells[0].Status != clew.CellOK {
			t.Errorf("%d starts, cells %+v", starts, e.Cells)
		}
	})
}

// Without anybody who does the work none is opened, and long sources are blobs.
func TestNotebookCommandsAtTheHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{})
		id := create(t, h, "")
		if _, err := h.Do(t.Context(), id, byAnn(&clew.NotebookOpenData{})); clew.CodeOf(err) != clew.SessionInvalidState {
			t.Errorf("opened: %v", err)
		}
		stop(h)
		stored := &storedSources{}
		h = start(t, j, session.Config{Notebooks: runner(simple), Blobs: stored})
		do(t, h, id, byAnn(&clew.NotebookOpenData{Path: "x.ipynb"}))
		synctest.Wait()
		long := strings.Repeat("x", core.CellSourceMax+1)
		nb := notebooks(t, j, id).Notebooks[0].NotebookID
		do(t, h, id, byAnn(&clew.NotebookEditData{NotebookID: nb, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "a", Source: &long}}}))
		if c := notebooks(t, j, id).Cells[0]; c.SourceBlob != "address" || c.Source != "" || stored.put != long {
			t.Errorf("cell %+v", c)
		}
	})
}

type storedSources struct{ put string }

func (s *storedSources) PutBlob(_ context.Context, _ blob.For, data []byte) (string, error) {
	s.put = string(data)
	return "address", nil
}

func (s *storedSources) Blob(context.Context, string) ([]byte, error) { return []byte(s.put), nil }
