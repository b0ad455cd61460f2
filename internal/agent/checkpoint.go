package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/policy"
)

// Files are saved at user messages, and before and after every call that may
// change them. What the records say is always a state that was there: if the
// server dies after a call has changed files and before that is on record, the
// call is in doubt, and the files are saved as they are found then.

// mayChange reports whether a tool may change files. A command may do anything,
// and what a tool server does only it knows.
func mayChange(s tool.Spec) bool {
	return s.Class != clew.ClassReadOnly && s.Group != tool.GroupFetch && s.Group != tool.GroupControl
}

// A workspaceSnapshot is a look at the files that goes on record with the next batch. A nil
// one is none.
type workspaceSnapshot struct {
	decide.SeenFiles
	warn  func(turn clew.MessageID) // notes that people were told of trouble
	leave func()
}

// seen is what goes on record.
func (s *workspaceSnapshot) seen() *decide.SeenFiles {
	if s == nil {
		return nil
	}
	return &s.SeenFiles
}

// done lets the next one look. It is called after the batch is on record, with
// what became of it.
func (s *workspaceSnapshot) done(r decide.Result) {
	if s == nil {
		return
	}
	if r.Warned != "" {
		s.warn(r.Warned)
	}
	s.leave()
}

// snap saves the files as they are. Trouble with that never stops the work.
func (w *worker) snap(ctx context.Context, v session.View, reason string) *workspaceSnapshot {
	if w.apart != "" { // the session's files are elsewhere; they are saved when the todo's come to them
		return nil
	}
	return w.snapAt(ctx, v, w.placeDir(), reason)
}

func (w *worker) snapAt(ctx context.Context, v session.View, dir, reason string) *workspaceSnapshot {
	if w.cfg.Files == nil || !w.values.Checkpoints || dir == "" {
		return nil
	}
	leave, err := w.lanes.enter(ctx, v.Session)
	if err != nil {
		return nil // the turn is over
	}
	s := &workspaceSnapshot{leave: leave, warn: func(turn clew.MessageID) { w.lanes.warn(v.Session, turn) }}
	s.Dir, s.Reason = dir, reason
	if s.Saved, err = w.save(ctx, rewind.Workspace{Session: v.Session, Owner: v.Owner, Dir: dir, Settings: v.Settings}, reason); err != nil {
		s.Problem, s.Warned = visible(clew.AsError(err).Message), w.lanes.warned(v.Session)
		if ctx.Err() == nil {
			w.cfg.Log.Warn("the files could not be saved", "session", v.Session, "workspace", dir, "err", err)
		}
	}
	return s
}

// save makes an error of a panic: nobody may go back to files that were not saved, and
// the turn would end before that is on record.
func (w *worker) save(ctx context.Context, place rewind.Workspace, reason string) (saved core.SavedFiles, err error) {
	defer func() {
		if x := recover(); x != nil {
			w.cfg.Log.Error("saving files panicked", "session", place.Session, "panic", x, "stack", string(debug.Stack()))
			err = clew.WrapError(clew.Internal, fmt.Errorf("panic: %v", x), "it failed inside the server")
		}
	}()
	return w.cfg.Files.Save(ctx, place, reason)
}

// placeDir is the workspace's directory, "" if there is none.
func (w *worker) placeDir() string {
	switch {
	case w.noPlace != nil:
		return ""
	case w.later != "":
		return w.later
	case w.workspace != nil:
		return w.workspace.Dir
	}
	return ""
}

// snapMessage saves the files as a user finds them when saying something: before
// the turn does anything.
func (w *worker) snapMessage(ctx context.Context, v session.View) *workspaceSnapshot {
	waiting := decide.Waiting(&v.Task)
	if v.Task.ParentTaskID != "" || len(waiting) == 0 || w.untouched(v) {
		return nil
	}
	s := w.snap(ctx, v, core.CauseMessage.Reason(""))
	if s != nil {
		s.Message = waiting[len(waiting)-1].MessageID
	}
	return s
}

// untouched reports whether the session's own directory was never written to.
// Many sessions only talk: they need no checkpoints, and the first one is made
// before the first change.
func (w *worker) untouched(v session.View) bool {
	if v.Workspace != "" || v.Checkpoint != "" {
		return false
	}
	dir, err := os.Open(w.placeDir())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = dir.Close() }()
	_, err = dir.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// snapBefore saves the files before calls that are about to begin. Those that
// have to ask first have theirs saved when they begin.
func (w *worker) snapBefore(ctx context.Context, v session.View, plans []*preparedCall) *workspaceSnapshot {
	for _, p := range plans {
		if !p.own && p.begins() && mayChange(p.spec) {
			return w.snap(ctx, v, core.CauseBefore.Reason(p.call.Tool))
		}
	}
	return nil
}

// begins reports whether a call may begin as things are.
func (p *preparedCall) begins() bool {
	switch {
	case p.wrong != "" || p.action == nil || p.decision.Kind == policy.Deny:
		return false
	case p.call.Status == core.CallApproved:
		return p.action.Effect.Digest == p.call.Digest
	}
	return p.decision.Kind == policy.Allow
}

// snapAfter saves what a call has done.
func (w *worker) snapAfter(ctx context.Context, v session.View, p *preparedCall) *workspaceSnapshot {
	if !mayChange(p.spec) {
		return nil
	}
	return w.snap(ctx, v, core.CauseAfter.Reason(p.call.Tool))
}

// snapFound saves what calls left behind that were running when the server
// stopped.
func (w *worker) snapFound(ctx context.Context, v session.View, calls []core.Call) *workspaceSnapshot {
	for _, c := range calls {
		if _, own := w.ownTool(c.Tool); !own && c.Class != clew.ClassReadOnly {
			return w.snap(ctx, v, core.CauseStopped.Reason(c.Tool))
		}
	}
	return nil
}

// perUserQueue lets one snap of a session at a time through, from the look at the files
// to the record of it. So the records have the states of the files in their
// order, also where several todos are worked on at once.
type perUserQueue struct {
	mu   sync.Mutex
	open map[clew.SessionID]*userQueue
	said map[clew.SessionID]clew.MessageID // the turn in which people were last told of trouble
}

type userQueue struct {
	turn  chan struct{}
	users int
}

func (l *perUserQueue) enter(ctx context.Context, id clew.SessionID) (leave func(), err error) {
	l.mu.Lock()
	if l.open == nil {
		l.open = map[clew.SessionID]*userQueue{}
	}
	x := l.open[id]
	if x == nil {
		x = &userQueue{turn: make(chan struct{}, 1)}
		l.open[id] = x
	}
	x.users++
	l.mu.Unlock()
	select {
	case x.turn <- struct{}{}:
		return func() { <-x.turn; l.exit(id, x) }, nil
	case <-ctx.Done():
		l.exit(id, x)
		return nil, ctx.Err()
	}
}

func (l *perUserQueue) exit(id clew.SessionID, x *userQueue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.users--; x.users == 0 {
		delete(l.open, id)
	}
}

// warned is the turn in which people were last told that saving fails.
func (l *perUserQueue) warned(id clew.SessionID) clew.MessageID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said[id]
}

// warn notes that they were told.
func (l *perUserQueue) warn(id clew.SessionID, turn clew.MessageID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said == nil || len(l.said) >= cacheMax {
		l.said = map[clew.SessionID]clew.MessageID{}
	}
	l.said[id] = turn
}
