package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// ErrNotebookOver says that the work for a notebook is over: the notebook was closed and
// its kernel is gone, the session was taken back, or it left this node. Whoever works for
// it returns; the session calls again if there is something to do.
var ErrNotebookOver = errors.New("the work for the notebook is over")

// A NotebookContext is what the one who works for a notebook has in front of them. Its
// methods may be called from several goroutines; Await from one at a time.
type NotebookContext struct {
	s             *Session
	id            string
	lastRewindSeq uint64 // the session's last return when the work began
	ctx           context.Context
	recorded      atomic.Int64  // reports, to tell one who does nothing
	seen          atomic.Uint64 // the notebook that was last looked at

	mu    sync.Mutex
	grown map[clew.MessageID]int // bytes of growing texts that were sent
}

// A NotebookView is a notebook as the one who works for it sees it. Nothing in it is
// ever changed.
type NotebookView struct {
	Session     clew.SessionID
	Owner       clew.UserID
	Workspace   string
	Settings    map[string]any    // the session's own
	Environment map[string]string // of the terminal where the session began
	Node        string            // this one, "" if it is alone
	FilesNode   string            // that has the files, "" if that is not known
	Notebook    core.Notebook
	Seq         uint64 // the record by which others last changed the notebook: for Await
	AsOf        uint64 // the last record of the session then
	// Answer is what was said to the last question of the run under way, nil if none was
	// answered.
	Answer *NotebookAnswer
	// Rewinding says that files are to be taken back, which waits until everybody has left.
	// Whoever works for the notebook returns, and is called again after it.
	Rewinding bool
}

// A NotebookAnswer is what somebody said to a question of a running cell.
type NotebookAnswer struct {
	RequestID clew.RequestID
	Value     string
	Declined  bool // there is no value
	Lost      bool // it was a password, and this node does not have it: ask again
}

// ID names the notebook.
func (d *NotebookContext) ID() string { return d.id }

// over reports whether the work is over. It runs in the session's goroutine.
func (d *NotebookContext) over(s *Session) bool {
	return s.state.AnyNotebook(d.id) == nil || s.state.LastRewindSeq != d.lastRewindSeq
}

// read runs fn in the session's goroutine with the notebook as it is.
func (d *NotebookContext) read(ctx context.Context, fn func(s *Session, n *core.Notebook)) error {
	over := false
	err := d.s.read(ctx, func(s *Session) {
		if over = d.over(s); !over {
			fn(s, s.state.AnyNotebook(d.id))
		}
	})
	if over {
		return ErrNotebookOver
	}
	return d.ended(err)
}

// ended makes one error of all the ways in which the session leaves.
func (d *NotebookContext) ended(err error) error {
	if err != nil && (d.ctx.Err() != nil || errors.Is(err, errGone)) {
		return ErrNotebookOver
	}
	return err
}

// Look gives the notebook as of now.
func (d *NotebookContext) Look(ctx context.Context) (NotebookView, error) {
	var v NotebookView
	err := d.read(ctx, func(s *Session, n *core.Notebook) {
		v = s.notebookView(n)
		d.seen.Store(n.Seq)
	})
	return v, err
}

// Await returns when the notebook has changed beyond a record, by whomever.
func (d *NotebookContext) Await(ctx context.Context, after uint64) error {
	for {
		waiter := make(chan struct{})
		changed := false
		err := d.read(ctx, func(s *Session, n *core.Notebook) {
			w := s.notebooks[d.id]
			if changed = n.Seq > after || w == nil || w.desk != d; !changed {
				w.waiter, w.after = waiter, after
			}
		})
		if err != nil || changed {
			return err
		}
		select {
		case <-waiter:
		case <-ctx.Done():
			return d.ended(ctx.Err())
		case <-d.ctx.Done():
			return ErrNotebookOver
		case <-d.s.done:
			return ErrNotebookOver
		}
	}
}

// Report puts a report on record. It waits while no records are taken. The error is
// ErrNotebookOver, or says why the report was refused; then nothing is on record.
func (d *NotebookContext) Report(ctx context.Context, r decide.NotebookReport) (decide.NotebookResult, error) {
	out, err := d.s.insist(ctx, clew.Command{Data: &decide.NotebookCommand{NotebookID: d.id, LastRewindSeq: d.lastRewindSeq, Report: r}})
	if errors.Is(err, decide.ErrNotebookGone) {
		return decide.NotebookResult{}, ErrNotebookOver
	}
	if err != nil {
		return decide.NotebookResult{}, d.ended(err)
	}
	d.recorded.Add(1)
	res := out.result.Notebook
	for _, m := range res.Messages {
		if m.Partial {
			if err := d.open(ctx, m); err != nil {
				return res, err
			}
		}
	}
	return res, nil
}

// Grow sends the text of a growing message to whoever is watching, as far as it has grown
// since the last time. It is not on record: CellOutput does that now and then.
func (d *NotebookContext) Grow(m clew.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	offset, known := d.grown[m.MessageID]
	if !known || offset >= len(m.Text) {
		return
	}
	d.grown[m.MessageID] = len(m.Text)
	d.s.stream(m, offset, m.Text[offset:])
}

// shownAtOnce is how many messages are read at a time.
const shownAtOnce = 500

// Shown gives the messages of a run, of which no record is older than since, in their
// order.
func (d *NotebookContext) Shown(ctx context.Context, run string, since uint64) ([]clew.Message, error) {
	var list []clew.Message
	for after := clew.MessageIDOf(max(since, 1)); after != ""; {
		var pager view.Pager
		if err := d.read(ctx, func(s *Session, _ *core.Notebook) { pager = view.NewPager(s.state, s.host.cfg.Journal) }); err != nil {
			return nil, err
		}
		page, err := pager.PageOf(ctx, view.PageQuery{After: after, Limit: shownAtOnce})
		if err != nil {
			return nil, d.ended(err)
		}
		for _, m := range page.Messages {
			if m.Cell != nil && m.Cell.RunID == run {
				list = append(list, core.WithoutOutcome(m))
			}
		}
		after = page.Newer
	}
	return list, nil
}

// Regrow goes on with a message that an earlier attempt left open.
func (d *NotebookContext) Regrow(ctx context.Context, m clew.Message) error { return d.open(ctx, m) }

func (d *NotebookContext) open(ctx context.Context, m clew.Message) error {
	d.mu.Lock()
	if d.grown == nil {
		d.grown = map[clew.MessageID]int{}
	}
	d.grown[m.MessageID] = len(m.Text)
	d.mu.Unlock()
	return d.read(ctx, func(s *Session, _ *core.Notebook) { s.openText(m) })
}
