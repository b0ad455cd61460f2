package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Notebooks does the work of notebooks: it reads and writes their files, and runs their
// cells in kernels. The session starts Work for each notebook that has something to do
// and that nobody works for, and once for each whose kernel is said to be alive when the
// session is loaded; there is no other way in. Work goes on while there is something to do
// and returns when there is not: it is called again when there is. What it brings about
// goes through the NotebookContext.
type Notebooks interface {
	Work(ctx context.Context, desk *NotebookContext) error
	// Lose ends the kernel of a notebook that is on record as lost, because Work failed.
	Lose(ctx context.Context, v NotebookView)
}

// notebookWork is somebody at work for a notebook.
type notebookWork struct {
	desk   *NotebookContext
	cancel context.CancelFunc
	// waiter is closed when the notebook has changed beyond the record after, nil if
	// nobody waits.
	waiter chan struct{}
	after  uint64
}

// startNotebooks starts the work for notebooks that have something to do and that nobody
// works for. It ends that for notebooks that are gone or were taken back, and wakes who
// waits for a change.
func (s *Session) startNotebooks() {
	if s.host.cfg.Notebooks == nil || s.state.Owner == "" {
		return
	}
	for id, w := range s.notebooks {
		n := s.state.AnyNotebook(id)
		if n == nil || s.state.LastRewindSeq != w.desk.lastRewindSeq {
			w.cancel() // it stays here until it has left: no two work for one notebook
			delete(s.attended, id)
		}
		if w.waiter != nil && (n == nil || n.Seq > w.after || s.state.LastRewindSeq != w.desk.lastRewindSeq) {
			close(w.waiter)
			w.waiter = nil
		}
	}
	s.dropPasswords()
	if s.state.PendingRewind != nil { // files are only taken back once everybody has left
		clear(s.attended)
		return
	}
	for i := range s.state.Notebooks {
		n := &s.state.Notebooks[i]
		idle := n.Kernel.State.Alive() && !s.attended[n.ID]
		if s.notebooks[n.ID] == nil && (n.HasWork() || idle) {
			s.startNotebook(n.ID)
		}
	}
}

// keepPassword keeps what somebody answered to the question of a running cell: it is on no
// record, so that no copy of one has it.
func (s *Session) keepPassword(of clew.RequestID, password string) {
	if of == "" {
		return
	}
	if s.passwords == nil {
		s.passwords = map[clew.RequestID]string{}
	}
	s.passwords[of] = password
}

// dropPasswords forgets those whose runs are over.
func (s *Session) dropPasswords() {
	for id := range s.passwords {
		if !slices.ContainsFunc(s.state.Notebooks, func(n core.Notebook) bool {
			return n.Run != nil && n.Run.Answer != nil && n.Run.Answer.RequestID == id
		}) {
			delete(s.passwords, id)
		}
	}
}

func (s *Session) startNotebook(id string) {
	ctx, cancel := context.WithCancel(context.Background())
	desk := &NotebookContext{s: s, id: id, lastRewindSeq: s.state.LastRewindSeq, ctx: ctx}
	w := &notebookWork{desk: desk, cancel: cancel}
	if s.notebooks == nil {
		s.notebooks = map[string]*notebookWork{}
	}
	s.notebooks[id] = w
	if s.attended == nil {
		s.attended = map[string]bool{}
	}
	s.attended[id] = true
	s.agents.Add(1)
	s.host.loops.Go(func() { // Close waits for it
		defer s.agents.Done()
		defer cancel()
		s.workNotebook(ctx, desk)
		// There may be more to do by now.
		_ = s.read(context.Background(), func(s *Session) {
			if s.notebooks[id] == w {
				delete(s.notebooks, id)
			}
		})
	})
}

// loseWithin is how long the end of a kernel that is lost may take.
const loseWithin = 30 * time.Second

// workNotebook does the work. Nothing is left to do behind one who failed: a notebook
// would be tried for ever.
func (s *Session) workNotebook(ctx context.Context, desk *NotebookContext) {
	err := s.workNotebookSafely(ctx, desk)
	if ctx.Err() != nil || errors.Is(err, ErrNotebookOver) {
		return
	}
	if err == nil {
		idle := false
		_ = s.read(ctx, func(s *Session) {
			n := s.state.AnyNotebook(desk.id)
			idle = n != nil && n.HasWork() && s.state.PendingRewind == nil && desk.recorded.Load() == 0 && desk.seen.Load() == n.Seq
		})
		if !idle {
			return
		}
		err = clew.Errorf(clew.ExecutionFailed, "the work for the notebook was left unfinished")
	}
	s.host.cfg.Log.Warn("notebook failed", "session", s.id, "notebook", desk.id, "err", err)
	before, known := desk.Look(ctx)
	_, _ = desk.Report(ctx, decide.FailNotebook{Reason: clew.AsError(err).Message}) // it may be over
	now, err := desk.Look(ctx)
	// With the record of it that the notebook is gone, the work for it is over.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), loseWithin)
	defer cancel()
	switch {
	case err == nil && now.Notebook.Kernel.State == clew.KernelLost:
		s.host.cfg.Notebooks.Lose(ending, now)
	case errors.Is(err, ErrNotebookOver) && known == nil && before.Notebook.Kernel.State.Alive(): // it was closed, and is gone with that
		s.host.cfg.Notebooks.Lose(ending, before)
	}
}

func (s *Session) workNotebookSafely(ctx context.Context, desk *NotebookContext) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.host.cfg.Log.Error("notebook panicked", "session", s.id, "notebook", desk.id, "panic", p, "stack", string(debug.Stack()))
			err = clew.WrapError(clew.ExecutionFailed, fmt.Errorf("panic: %v", p), "the work for the notebook failed")
		}
	}()
	return s.host.cfg.Notebooks.Work(ctx, desk)
}

// stopNotebooks ends the work for notebooks. It does not wait, as stopTurns does not.
func (s *Session) stopNotebooks() {
	for _, w := range s.notebooks {
		w.cancel()
	}
}

// notebookView runs in the session's goroutine.
func (s *Session) notebookView(n *core.Notebook) NotebookView {
	v := NotebookView{
		Session: s.id, Owner: s.state.Owner, Workspace: s.state.Workspace, Environment: s.state.Environment,
		Settings: maps.Clone(s.state.Settings), FilesNode: s.state.FilesNode, Notebook: *n, Seq: n.Seq, AsOf: s.state.Seq, Rewinding: s.state.PendingRewind != nil,
	}
	if s.host.cfg.Peers != nil {
		v.Node = s.host.cfg.Peers.Self()
	}
	if n.Run == nil || n.Run.Answer == nil {
		return v
	}
	a := *n.Run.Answer
	v.Answer = &NotebookAnswer{RequestID: a.RequestID, Value: a.Value, Declined: a.Declined}
	if a.Password && !a.Declined {
		password, here := s.passwords[a.RequestID]
		v.Answer.Value, v.Answer.Lost = password, !here
	}
	return v
}
