package session

import (
	"context"
	"errors"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/feed"
)

// isHistoryCommand reports whether a command is about the session's history or its
// files. There is more to those than a decision: the journal is read, files are
// written.
func isHistoryCommand(data any) bool {
	switch data.(type) {
	case *clew.RewindData, *clew.DeleteMessageConfirmData, *clew.EditMessageConfirmData, *clew.ClearMessagesData,
		*clew.UndoRewindData, *clew.RedoRewindData,
		*clew.RewindPreviewData, *clew.DeleteMessageData, *clew.EditMessageData,
		*clew.ForkSessionData, *clew.CheckpointSaveData, *clew.CheckpointDiffData, *clew.CheckpointRestoreData:
		return true
	}
	return false
}

// looksOnly reports whether a command changes nothing, so that it is carried out
// for a session that is read-only.
func looksOnly(data any) bool {
	_, ok := data.(*clew.CheckpointDiffData)
	return ok
}

// runHistoryCommand carries such a command out. It runs in the caller's goroutine.
func (s *Session) runHistoryCommand(ctx context.Context, cmd clew.Command) (Receipt, error) {
	l, err := s.position(ctx)
	if err != nil {
		return Receipt{}, err
	}
	if cmd.ClientMessageID != "" {
		if r, repeat, err := s.repeated(ctx, cmd); repeat || err != nil {
			return r, err
		}
	}
	if l.returning {
		return Receipt{}, decide.ErrRewindPending()
	}
	switch d := cmd.Data.(type) {
	case *clew.RewindData:
		return s.rewind(ctx, cmd, l, rewindTarget{target: d.Target, keep: d.KeepTarget, files: d.RestoreCheckpoint})
	case *clew.DeleteMessageConfirmData:
		return s.rewind(ctx, cmd, l, rewindTarget{target: d.Target, files: d.RestoreCheckpoint})
	case *clew.EditMessageConfirmData:
		return s.rewind(ctx, cmd, l, rewindTarget{target: d.Target, files: d.RestoreCheckpoint, then: &clew.UserMessageData{Text: d.Text, Images: d.Images}})
	case *clew.ClearMessagesData:
		first := 0
		return s.rewind(ctx, cmd, l, rewindTarget{target: clew.Target{Index: &first}})
	case *clew.UndoRewindData:
		return s.undo(ctx, cmd, l, clew.KindUndo, d.RestoreCheckpoint)
	case *clew.RedoRewindData:
		return s.undo(ctx, cmd, l, clew.KindRedo, d.RestoreCheckpoint)
	case *clew.RewindPreviewData:
		return s.preview(ctx, cmd, l, rewindTarget{target: d.Target, keep: d.KeepTarget, files: d.RestoreCheckpoint})
	case *clew.DeleteMessageData:
		return s.preview(ctx, cmd, l, rewindTarget{target: d.Target, files: s.host.cfg.Files != nil, lenient: true})
	case *clew.EditMessageData:
		return s.preview(ctx, cmd, l, rewindTarget{target: d.Target, files: s.host.cfg.Files != nil, lenient: true})
	case *clew.CheckpointRestoreData:
		return s.restore(ctx, cmd, l, d)
	case *clew.CheckpointSaveData:
		return s.save(ctx, cmd, l, d)
	case *clew.CheckpointDiffData:
		return s.diff(ctx, cmd, l, d)
	case *clew.ForkSessionData:
		return s.fork(ctx, cmd, l, d)
	}
	return Receipt{}, clew.Errorf(clew.Internal, "%s is no journey", cmd.Type)
}

// repeated answers a command that was taken before as it was answered then. If
// files are on their way because of it, it waits for them.
func (s *Session) repeated(ctx context.Context, cmd clew.Command) (Receipt, bool, error) {
	var t core.ProcessedCommand
	for repeat, returning := false, true; returning; {
		pos, _ := s.feed.End()
		err := s.read(ctx, func(s *Session) {
			t, repeat = s.state.ProcessedAs(cmd.By.User, cmd.ClientMessageID)
			open := s.state.PendingRewind
			returning = open != nil && open.By == cmd.By.User && open.Cause == cmd.ClientMessageID
		})
		if err != nil || !repeat {
			return Receipt{}, false, err
		}
		if returning {
			if err := s.awaitFeed(ctx, pos); err != nil {
				return Receipt{}, true, err
			}
		}
	}
	r := repeatOf(t)
	if _, ok := cmd.Data.(*clew.ForkSessionData); ok {
		r.SessionID = forkID(s.id, cmd)
	}
	return r, true, s.failure(ctx, t)
}

// awaitFeed waits until the feed has something from a position on.
func (s *Session) awaitFeed(ctx context.Context, pos uint64) error {
	_, _, wait, err := s.feed.Next(pos, make([]*feed.Item, 1))
	if err != nil || wait == nil {
		if errors.Is(err, feed.ErrClosed) {
			return errGone
		}
		return nil // more came than the feed holds
	}
	select {
	case <-wait:
		return nil
	case <-ctx.Done():
		return timedOut(ctx)
	}
}

// failure is why a return failed that a command had asked for, nil if it did not.
func (s *Session) failure(ctx context.Context, t core.ProcessedCommand) error {
	w := historySearch{s: s}
	last, err := w.record(ctx, t.First+uint64(t.Count)-1)
	if err != nil || last.Type != clew.EventRewindFailed {
		return err
	}
	e, err := clew.DecodeEvent(last.Type, last.Data())
	if d, ok := e.Data.(*clew.RewindFailedData); ok && err == nil {
		err = clew.Errorf(clew.CheckpointFailed, "%s", d.Reason)
	}
	return err
}

// position is where a session stands.
type position struct {
	seq, moved uint64
	total      int
	quiet      int
	tail       []clew.Message
	removed    []core.Span
	queue      []clew.QueuedMessage
	undo, redo []core.RewindEntry
	checkpoint string
	first      string
	place      SessionWorkspace
	returning  bool // files are on their way
	folds      []savedState
}

func (s *Session) position(ctx context.Context) (position, error) {
	var l position
	err := s.read(ctx, func(s *Session) { l = s.positionNow() })
	return l, err
}

func (s *Session) positionNow() position {
	st := s.state
	return position{
		seq: st.Seq, moved: st.LastRewindSeq, total: st.Total, quiet: st.Quiet, tail: slices.Clone(st.Messages.Tail()), removed: append([]core.Span{}, st.Removed...), queue: st.QueuedMessages(),
		undo: append([]core.RewindEntry{}, st.Undo...), redo: append([]core.RewindEntry{}, st.Redo...), checkpoint: st.Checkpoint, first: st.FirstCheckpoint, folds: append([]savedState{}, s.folds...),
		place: SessionWorkspace{Session: s.id, Dir: st.Workspace, Settings: st.Settings}, returning: st.PendingRewind != nil,
	}
}

// rewindTarget is where somebody wants to go.
type rewindTarget struct {
	target  clew.Target
	keep    bool
	files   bool
	lenient bool // without a checkpoint the files are left
	hash    string
	then    *clew.UserMessageData
}

// rewind takes the session back to a message.
func (s *Session) rewind(ctx context.Context, cmd clew.Command, l position, a rewindTarget) (Receipt, error) {
	if a.then != nil {
		if err := s.host.storeImages(ctx, a.then); err != nil {
			return Receipt{}, err
		}
	}
	c, err := s.planRewind(ctx, l, a)
	if err != nil {
		return Receipt{}, err
	}
	if c.To == l.seq && c.Checkpoint == "" { // nothing would change
		return Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{}}, nil
	}
	return s.execute(ctx, cmd, c, l.place)
}

// planRewind finds the way to where somebody wants to go.
func (s *Session) planRewind(ctx context.Context, l position, a rewindTarget) (decide.RewindPlan, error) {
	c := decide.RewindPlan{Kind: clew.KindRewind, RewindID: newRewindID(), Keep: a.keep, FollowUp: a.then, LastRewindSeq: l.moved, To: l.seq}
	w := historySearch{s: s, l: l}
	at, cut, err := w.locate(ctx, a.target, a.keep)
	if err != nil {
		return c, err
	}
	c.From = at
	if cut > 0 {
		c.To = cut - 1
	}
	if c.TargetState, err = s.pastFrom(l).Encoded(ctx, c.To); err != nil {
		return c, err
	}
	if !a.files {
		return c, nil
	}
	if c.Checkpoint = a.hash; c.Checkpoint == "" {
		c.Checkpoint, err = w.checkpoint(ctx, c, cut)
	}
	if err == nil && s.host.cfg.Files == nil {
		err = clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints, so files cannot be taken back")
	}
	if err != nil && a.lenient {
		c.Checkpoint, err = "", nil
	}
	return c, err
}

// undo takes the last rewind back, or does it again.
func (s *Session) undo(ctx context.Context, cmd clew.Command, l position, kind clew.RewindKind, files *bool) (Receipt, error) {
	list, word := l.undo, "undo"
	if kind == clew.KindRedo {
		list, word = l.redo, "do again"
	}
	if len(list) == 0 {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "there is no rewind to %s", word)
	}
	last := list[len(list)-1]
	c := decide.RewindPlan{Kind: kind, RewindID: newRewindID(), To: last.Seq - 1, From: last.From, Keep: last.Keep, Checkpoint: last.Files, LastRewindSeq: l.moved}
	if files != nil && !*files {
		c.Checkpoint = ""
	}
	var err error
	if c.TargetState, err = s.pastFrom(l).Encoded(ctx, c.To); err != nil {
		return Receipt{}, err
	}
	return s.execute(ctx, cmd, c, l.place)
}

// execute goes the way. With files it is a journey of its own, which goes on
// without whoever asked for it.
func (s *Session) execute(ctx context.Context, cmd clew.Command, c decide.RewindPlan, place SessionWorkspace) (Receipt, error) {
	if c.Checkpoint == "" {
		cmd.Data = &decide.RewindCommand{RewindPlan: c}
		return s.submit(ctx, cmd)
	}
	if s.host.cfg.Files == nil {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints, so files cannot be taken back")
	}
	start := cmd
	start.Data = &decide.RewindCommand{RewindPlan: c, Start: true}
	begun, err := s.submit(ctx, start)
	if err == nil && begun.Repeat {
		begun, _, err = s.repeated(ctx, cmd)
	}
	if err != nil || begun.Repeat {
		return begun, err
	}
	done := make(chan outcome, 1)
	s.rewinds.Go(func() { done <- s.restoreFiles(cmd, c, place) })
	select {
	case out := <-done:
		out.receipt.Records = append(begun.Records, out.receipt.Records...)
		out.receipt.ClientMessageID = cmd.ClientMessageID
		return out.receipt, out.err
	case <-ctx.Done():
		return Receipt{}, timedOut(ctx)
	}
}

// resumeRewind goes on with a return that was cut off. It runs in the session's
// goroutine before anything else does.
func (s *Session) resumeRewind() {
	r := s.state.PendingRewind
	if r == nil || s.host.cfg.Files == nil || s.state.Owner == "" {
		return
	}
	c := decide.RewindPlan{Kind: r.Kind, RewindID: r.RewindID, From: r.FromMessageID, Keep: r.KeepTarget, Checkpoint: r.Hash, LastRewindSeq: s.state.LastRewindSeq}
	c.To, _ = r.To.Seq()
	if r.Text != "" || len(r.Images) > 0 {
		c.FollowUp = &clew.UserMessageData{Text: r.Text, Images: r.Images}
	}
	cmd := clew.Command{By: clew.Principal{User: r.By}, ClientMessageID: r.Cause}
	place := SessionWorkspace{Session: s.id, Dir: s.state.Workspace, Settings: s.state.Settings}
	s.rewinds.Go(func() {
		out := s.restoreFiles(cmd, c, place)
		s.host.cfg.Log.Info("a return that was cut off is settled", "session", s.id, "rewind", c.RewindID, "err", out.err)
	})
}
