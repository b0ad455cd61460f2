package session

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

// Page gives a page of the transcript in order of time.
func (w *Watch) Page(ctx context.Context, q view.PageQuery) (clew.MessagesPage, error) {
	t, err := w.pager(ctx)
	if err != nil {
		return clew.MessagesPage{}, err
	}
	return t.PageOf(ctx, q)
}

// Timeline reads the marks of a session from its journal, the newest marksReach
// records of what is wanted.
func (w *Watch) Timeline(ctx context.Context, q view.TimelineQuery) (view.Timeline, error) {
	t, err := w.pager(ctx)
	if err != nil {
		return view.Timeline{}, err
	}
	return t.Timeline(ctx, q)
}

// KernelCheckpoints gives what a notebook's kernel knew after the cells that ended later
// than a time (Unix ms).
func (w *Watch) KernelCheckpoints(ctx context.Context, notebook string, after int64) ([]clew.CheckpointSavedData, error) {
	t, err := w.pager(ctx)
	if err != nil {
		return nil, err
	}
	return t.KernelCheckpoints(ctx, notebook, after)
}

// ToolCall finds a call by the message that shows it. It reads the records from
// a little before the message up to the call's end, and no more than settleReach.
// A call that the session was taken back from is found, too.
func (w *Watch) ToolCall(ctx context.Context, id string, message clew.MessageID) (view.ToolCall, error) {
	t, err := w.pager(ctx)
	if err != nil {
		return view.ToolCall{}, err
	}
	return t.ToolCall(ctx, id, message)
}

// Messages gives a page of the transcript in order of time. offset counts from
// the newest message; before, if given, names the message that the page ends
// in front of.
func (w *Watch) Messages(ctx context.Context, limit, offset int, before clew.MessageID) (clew.MessagesPage, error) {
	return w.Page(ctx, view.PageQuery{Limit: limit, Offset: offset, Before: before})
}

// pager gives the messages at hand and a way to the others.
func (w *Watch) pager(ctx context.Context) (view.Pager, error) {
	t := view.Pager{Journal: w.host.cfg.Journal, ID: w.id}
	err := w.host.at(ctx, w.id, false, func(s *Session) error {
		return s.read(ctx, func(s *Session) { t = view.NewPager(s.state, t.Journal) })
	}, func(node string) (err error) {
		return w.host.callTail(ctx, node, &t)
	})
	return t, err
}
