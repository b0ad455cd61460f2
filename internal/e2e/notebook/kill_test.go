// Package notebook has stories of notebooks whose server is killed.
package notebook

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

const within = 120 * time.Second

// code leaves a mark each time that it runs, and asks.
const code = "open('ran', 'a').write('x')\nprint('one', flush=True)\nwho = input('who? ')\nprint('hi', who)"

// A server is killed -9 at each place on the way of a cell, with the kernel kept. The
// next one brings the cell to its end; it runs at most once.
func TestKillAtEveryPoint(t *testing.T) {
	python := jupytertest.Python(t)
	bin := proc.Program(t, "crashpoints")
	for _, at := range nightly.Third([]string{
		"kernel.starting", "kernel.started", "cell.intent", "cell.sent", "cell.output", "cell.reply", "cell.recorded", "input.asked", "input.sent", "notebook.saved",
		"cell.replayed", // by the second server
	}) {
		t.Run(at, func(t *testing.T) {
			s := &story{Stage: proc.NewStage(t, proc.Setup{
				Program: bin, Session: "sess_notebook", Files: map[string]string{"readme.txt": "Hello.\n"},
				Env: map[string]string{"PATH": filepath.Dir(python) + ":/usr/bin:/bin"},
			})}
			t.Cleanup(func() { s.endKernels(t) })
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			points := []string{at}
			if at == "cell.replayed" {
				points = []string{"cell.output", at}
			}
			for _, point := range points {
				_ = s.Srv.Start("CLEW_CRASH_AT=" + point + ":1") // the second may be killed before it is ready
				s.play(ctx)
				select {
				case <-s.Srv.Exited():
				case <-ctx.Done():
					t.Fatal("the server was not killed")
				}
				s.again = true
			}
			s.Start()
			s.play(ctx)
			s.check(ctx, at)
			if err := s.Command(ctx, "shut down", clew.CommandKernelShutdown, &clew.KernelShutdownData{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// A story is one session with a notebook.
type story struct {
	*proc.Stage
	again bool            // the server was killed
	dirs  map[string]bool // of all kernels that there were, see nobodyLeft
}

// play brings the notebook to its end, as far as the server lives.
func (s *story) play(ctx context.Context) {
	if s.Create(ctx) != nil || s.Command(ctx, "open", clew.CommandNotebookOpen, &clew.NotebookOpenData{Path: "a.ipynb", New: true}) != nil {
		return
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		told, err := s.told(ctx)
		if err != nil || told.finished != nil && told.saved {
			return
		}
		if told.read && told.queued == 0 && s.Command(ctx, "run", clew.CommandKernelExecute, &clew.KernelExecuteData{Code: code}) != nil {
			return
		}
		// What was not written when the server died is written when somebody wants it.
		if s.again && told.finished != nil && s.Command(ctx, "save", clew.CommandNotebookSave, &clew.NotebookSaveData{NotebookID: told.notebook}) != nil {
			return
		}
		if q := told.question; q != "" {
			if s.Command(ctx, "answer", clew.CommandHitlInputResponse, &clew.HitlInputResponseData{RequestID: q, Value: "Ada"}) != nil {
				return
			}
		}
		select {
		case <-tick.C:
		case <-s.Srv.Exited():
			return
		case <-ctx.Done():
			return
		}
	}
}

// what the records tell.
type told struct {
	notebook string
	read     bool
	queued   int
	started  int
	finished *clew.CellFinishedData
	saved    bool
	question clew.RequestID // that is open
	streams  []clew.Message
}

// printed is what the transcript has of the cell's words.
func (t told) printed() (text string) {
	for _, m := range t.streams {
		text += m.Text
	}
	return text
}

func (t *told) message(m clew.Message) {
	if m.Cell == nil || m.Cell.Output != clew.OutputStream {
		return
	}
	if i := slices.IndexFunc(t.streams, func(x clew.Message) bool { return x.MessageID == m.MessageID }); i >= 0 {
		t.streams[i] = m
		return
	}
	t.streams = append(t.streams, m)
}

func (s *story) told(ctx context.Context) (t told, err error) {
	list, _, err := s.Replay(ctx, s.Session)
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.NotebookReadData:
			t.notebook, t.read = d.NotebookID, true
		case *clew.CellQueuedData:
			t.queued++
		case *clew.CellStartedData:
			t.started++
		case *clew.CellFinishedData:
			t.finished = d
		case *clew.NotebookSavedData:
			t.saved = d.Problem == "" && !d.Conflict
		case *clew.HitlInputRequestData:
			t.question = d.RequestID
		case *clew.HitlResolvedData:
			t.question = ""
		case *clew.MessageCreatedData:
			t.message(d.Message)
		case *clew.MessageUpdatedData:
			t.message(d.Message)
		}
	}
	return t, err
}

func (s *story) check(ctx context.Context, at string) {
	s.T.Helper()
	told, err := s.told(ctx)
	if err != nil || told.finished == nil {
		s.T.Fatalf("the cell did not end: %+v, %v", told, err)
	}
	status, ran, printed := clew.CellOK, "x", "one\nhi Ada\n"
	if at == "cell.intent" { // it is on record, and the kernel never heard of it
		status, ran, printed = clew.CellAborted, "", ""
	}
	if told.printed() != printed || told.finished.OutputsLost {
		s.T.Errorf("it printed %q: %+v", told.printed(), *told.finished)
	}
	if told.started != 1 || told.finished.Status != status || s.File("ran") != ran || !told.saved {
		s.T.Errorf("started %d times, ran %q, saved %v: %+v", told.started, s.File("ran"), told.saved, *told.finished)
	}
}

// endKernels leaves nothing running.
func (s *story) endKernels(t *testing.T) {
	s.Srv.Kill()
	proc.EndKernels(t, filepath.Join(s.Dir, "data"))
}
