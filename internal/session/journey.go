package session

import (
	"context"
	"errors"
	"slices"

	"github.com/clew-run/clew"
)

// travels reports whether a command is about the session's history or its
// files. There is more to those than a decision: the journal is read, files are
// written.
func travels(data any) bool {
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

// journey carries such a command out. It runs in the caller's goroutine.
func (s *Session) journey(ctx context.Context, cmd clew.Command) (Receipt, error) {
	l, err := s.standing(ctx)
	if err != nil {
		return Receipt{}, err
	}
	if cmd.ClientMessageID != "" {
		if r, repeat, err := s.repeated(ctx, cmd); repeat || err != nil {
			return r, err
		}
	}
	if l.returning {
		return Receipt{}, errReturning()
	}
	switch d := cmd.Data.(type) {
	case *clew.RewindData:
		return s.rewind(ctx, cmd, l, aim{target: d.Target, keep: d.KeepTarget, files: d.RestoreCheckpoint})
	case *clew.DeleteMessageConfirmData:
		return s.rewind(ctx, cmd, l, aim{target: d.Target, files: d.RestoreCheckpoint})
	case *clew.EditMessageConfirmData:
		return s.rewind(ctx, cmd, l, aim{target: d.Target, files: d.RestoreCheckpoint, then: &clew.UserMessageData{Text: d.Text, Images: d.Images}})
	case *clew.ClearMessagesData:
		first := 0
		return s.rewind(ctx, cmd, l, aim{target: clew.Target{Index: &first}})
	case *clew.UndoRewindData:
		return s.undo(ctx, cmd, l, clew.KindUndo, d.RestoreCheckpoint)
	case *clew.RedoRewindData:
		return s.undo(ctx, cmd, l, clew.KindRedo, d.RestoreCheckpoint)
	case *clew.RewindPreviewData:
		return s.preview(ctx, cmd, l, aim{target: d.Target, keep: d.KeepTarget, files: d.RestoreCheckpoint})
	case *clew.DeleteMessageData:
		return s.preview(ctx, cmd, l, aim{target: d.Target, files: s.host.cfg.Files != nil, lenient: true})
	case *clew.EditMessageData:
		return s.preview(ctx, cmd, l, aim{target: d.Target, files: s.host.cfg.Files != nil, lenient: true})
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
	var t Taken
	for repeat, returning := false, true; returning; {
		pos, _ := s.feed.End()
		err := s.look(ctx, func(s *Session) {
			t, repeat = s.state.takenAs(cmd.By.User, cmd.ClientMessageID)
			open := s.state.Returning
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
	_, _, wait, err := s.feed.Next(pos, make([]*Item, 1))
	if err != nil || wait == nil {
		if errors.Is(err, ErrFeedClosed) {
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
func (s *Session) failure(ctx context.Context, t Taken) error {
	w := watcher{s: s}
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

// standing is where a session stands.
type standing struct {
	seq, moved uint64
	total      int
	quiet      int
	tail       []clew.Message
	removed    []Span
	queue      []clew.QueuedMessage
	undo, redo []Move
	checkpoint string
	first      string
	place      Workplace
	returning  bool // files are on their way
	folds      []fold
}

func (s *Session) standing(ctx context.Context) (standing, error) {
	var l standing
	err := s.look(ctx, func(s *Session) { l = s.here() })
	return l, err
}

func (s *Session) here() standing {
	st := s.state
	return standing{
		seq: st.Seq, moved: st.Moved, total: st.Total, quiet: st.Quiet, tail: slices.Clone(st.Messages.Tail()), removed: append([]Span{}, st.Removed...), queue: st.queued(),
		undo: append([]Move{}, st.Undo...), redo: append([]Move{}, st.Redo...), checkpoint: st.Checkpoint, first: st.First, folds: append([]fold{}, s.folds...),
		place: Workplace{Session: s.id, Dir: st.Workspace, Settings: st.Settings}, returning: st.Returning != nil,
	}
}

// aim is where somebody wants to go.
type aim struct {
	target  clew.Target
	keep    bool
	files   bool
	lenient bool // without a checkpoint the files are left
	hash    string
	then    *clew.UserMessageData
}

// rewind takes the session back to a message.
func (s *Session) rewind(ctx context.Context, cmd clew.Command, l standing, a aim) (Receipt, error) {
	if a.then != nil {
		if err := s.host.storeImages(ctx, a.then); err != nil {
			return Receipt{}, err
		}
	}
	c, err := s.plot(ctx, l, a)
	if err != nil {
		return Receipt{}, err
	}
	if c.to == l.seq && c.hash == "" { // nothing would change
		return Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{}}, nil
	}
	return s.take(ctx, cmd, c, l.place)
}

// plot finds the way to where somebody wants to go.
func (s *Session) plot(ctx context.Context, l standing, a aim) (course, error) {
	c := course{kind: clew.KindRewind, id: newRewindID(), keep: a.keep, then: a.then, moved: l.moved, to: l.seq}
	w := watcher{s: s, l: l}
	at, cut, err := w.find(ctx, a.target, a.keep)
	if err != nil {
		return c, err
	}
	c.from = at
	if cut > 0 {
		c.to = cut - 1
	}
	if c.past, err = s.pastFrom(l).at(ctx, c.to); err != nil {
		return c, err
	}
	if !a.files {
		return c, nil
	}
	if c.hash = a.hash; c.hash == "" {
		c.hash, err = w.checkpoint(ctx, c, cut)
	}
	if err == nil && s.host.cfg.Files == nil {
		err = clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints, so files cannot be taken back")
	}
	if err != nil && a.lenient {
		c.hash, err = "", nil
	}
	return c, err
}

// undo takes the last rewind back, or does it again.
func (s *Session) undo(ctx context.Context, cmd clew.Command, l standing, kind clew.RewindKind, files *bool) (Receipt, error) {
	list, word := l.undo, "undo"
	if kind == clew.KindRedo {
		list, word = l.redo, "do again"
	}
	if len(list) == 0 {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "there is no rewind to %s", word)
	}
	last := list[len(list)-1]
	c := course{kind: kind, id: newRewindID(), to: last.Seq - 1, from: last.From, keep: last.Keep, hash: last.Files, moved: l.moved}
	if files != nil && !*files {
		c.hash = ""
	}
	var err error
	if c.past, err = s.pastFrom(l).at(ctx, c.to); err != nil {
		return Receipt{}, err
	}
	return s.take(ctx, cmd, c, l.place)
}

// take goes the way. With files it is a journey of its own, which goes on
// without whoever asked for it.
func (s *Session) take(ctx context.Context, cmd clew.Command, c course, place Workplace) (Receipt, error) {
	if c.hash == "" {
		cmd.Data = &travel{course: c}
		return s.submit(ctx, cmd)
	}
	if s.host.cfg.Files == nil {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints, so files cannot be taken back")
	}
	start := cmd
	start.Data = &travel{course: c, start: true}
	begun, err := s.submit(ctx, start)
	if err == nil && begun.Repeat {
		begun, _, err = s.repeated(ctx, cmd)
	}
	if err != nil || begun.Repeat {
		return begun, err
	}
	done := make(chan outcome, 1)
	s.trips.Go(func() { done <- s.restoreFiles(cmd, c, place) })
	select {
	case out := <-done:
		out.receipt.Records = append(begun.Records, out.receipt.Records...)
		out.receipt.ClientMessageID = cmd.ClientMessageID
		return out.receipt, out.err
	case <-ctx.Done():
		return Receipt{}, timedOut(ctx)
	}
}

// finishReturn goes on with a return that was cut off. It runs in the session's
// goroutine before anything else does.
func (s *Session) finishReturn() {
	r := s.state.Returning
	if r == nil || s.host.cfg.Files == nil || s.state.Owner == "" {
		return
	}
	c := course{kind: r.Kind, id: r.RewindID, from: r.FromMessageID, keep: r.KeepTarget, hash: r.Hash, moved: s.state.Moved}
	c.to, _ = r.To.Seq()
	if r.Text != "" || len(r.Images) > 0 {
		c.then = &clew.UserMessageData{Text: r.Text, Images: r.Images}
	}
	cmd := clew.Command{By: clew.Principal{User: r.By}, ClientMessageID: r.Cause}
	place := Workplace{Session: s.id, Dir: s.state.Workspace, Settings: s.state.Settings}
	s.trips.Go(func() {
		out := s.restoreFiles(cmd, c, place)
		s.host.cfg.Log.Info("a return that was cut off is settled", "session", s.id, "rewind", c.id, "err", out.err)
	})
}
