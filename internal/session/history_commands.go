package session

import (
	"context"
	"errors"
	"log/slog"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/rewind"
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
	at, err := s.position(ctx)
	if err != nil {
		return Receipt{}, err
	}
	if cmd.ClientMessageID != "" {
		if r, repeat, err := s.repeated(ctx, cmd); repeat || err != nil {
			return r, err
		}
	}
	if at.Pending {
		return Receipt{}, decide.ErrRewindPending()
	}
	f := s.finder(at)
	switch d := cmd.Data.(type) {
	case *clew.RewindData:
		return s.rewind(ctx, cmd, f, rewind.Target{Target: d.Target, Keep: d.KeepTarget, Files: d.RestoreCheckpoint})
	case *clew.DeleteMessageConfirmData:
		return s.rewind(ctx, cmd, f, rewind.Target{Target: d.Target, Files: d.RestoreCheckpoint})
	case *clew.EditMessageConfirmData:
		return s.rewind(ctx, cmd, f, rewind.Target{Target: d.Target, Files: d.RestoreCheckpoint, FollowUp: &clew.UserMessageData{Text: d.Text, Images: d.Images}})
	case *clew.ClearMessagesData:
		first := 0
		return s.rewind(ctx, cmd, f, rewind.Target{Target: clew.Target{Index: &first}})
	case *clew.UndoRewindData:
		return s.undo(ctx, cmd, f, clew.KindUndo, d.RestoreCheckpoint)
	case *clew.RedoRewindData:
		return s.undo(ctx, cmd, f, clew.KindRedo, d.RestoreCheckpoint)
	case *clew.RewindPreviewData:
		return s.preview(ctx, cmd, f, rewind.Target{Target: d.Target, Keep: d.KeepTarget, Files: d.RestoreCheckpoint})
	case *clew.DeleteMessageData:
		return s.preview(ctx, cmd, f, rewind.Target{Target: d.Target, Files: f.Files != nil, Lenient: true})
	case *clew.EditMessageData:
		return s.preview(ctx, cmd, f, rewind.Target{Target: d.Target, Files: f.Files != nil, Lenient: true})
	case *clew.CheckpointRestoreData:
		if d.Kind == clew.CheckpointNotebook {
			return s.submit(ctx, cmd)
		}
		return s.restore(ctx, cmd, f, d)
	case *clew.CheckpointSaveData:
		return s.save(ctx, cmd, at.Workspace, d)
	case *clew.CheckpointDiffData:
		return s.diff(ctx, cmd, at, d)
	case *clew.ForkSessionData:
		return s.fork(ctx, cmd, f, d)
	}
	return Receipt{}, clew.Errorf(clew.Internal, "%s is not about history", cmd.Type)
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
	last, err := s.finder(rewind.Position{}).Record(ctx, t.First+uint64(t.Count)-1)
	if err != nil || last.Type != clew.EventRewindFailed {
		return err
	}
	e, err := clew.DecodeEvent(last.Type, last.Data())
	if d, ok := e.Data.(*clew.RewindFailedData); ok && err == nil {
		err = clew.Errorf(clew.CheckpointFailed, "%s", d.Reason)
	}
	return err
}

// position is where the session stands.
func (s *Session) position(ctx context.Context) (rewind.Position, error) {
	var at rewind.Position
	err := s.read(ctx, func(s *Session) { at = s.positionNow() })
	return at, err
}

func (s *Session) positionNow() rewind.Position {
	at := rewind.PositionOf(s.state)
	for _, f := range s.folds {
		at.States[f.seq] = f.state
	}
	return at
}

// finder looks in the session's history.
func (s *Session) finder(at rewind.Position) *rewind.Finder {
	return &rewind.Finder{ID: s.id, Journal: s.host.cfg.Journal, Files: s.host.cfg.Files, At: at}
}

// rewind takes the session back to a message.
func (s *Session) rewind(ctx context.Context, cmd clew.Command, f *rewind.Finder, t rewind.Target) (Receipt, error) {
	if t.FollowUp != nil {
		if err := s.host.storeImages(ctx, s.id, cmd.By.User, t.FollowUp); err != nil {
			return Receipt{}, err
		}
	}
	c, err := f.Plan(ctx, t)
	if err != nil {
		return Receipt{}, err
	}
	if c.To == f.At.Seq && c.Checkpoint == "" { // nothing would change
		return Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{}}, nil
	}
	return s.execute(ctx, cmd, c, f.At.Workspace)
}

// preview says what a rewind would change.
func (s *Session) preview(ctx context.Context, cmd clew.Command, f *rewind.Finder, t rewind.Target) (Receipt, error) {
	p, err := f.Preview(ctx, t, func(look func(*core.State)) error {
		return s.read(ctx, func(s *Session) { look(s.state) })
	})
	if err != nil {
		return Receipt{}, err
	}
	p.ClientMessageID = cmd.ClientMessageID
	return replyTo(cmd, clew.EventRewindPreview, p), nil
}

// undo takes the last rewind back, or does it again.
func (s *Session) undo(ctx context.Context, cmd clew.Command, f *rewind.Finder, kind clew.RewindKind, files *bool) (Receipt, error) {
	c, err := f.Undo(ctx, kind, files == nil || *files)
	if err != nil {
		return Receipt{}, err
	}
	return s.execute(ctx, cmd, c, f.At.Workspace)
}

// execute goes the way. With files it is a journey of its own, which goes on
// without whoever asked for it.
func (s *Session) execute(ctx context.Context, cmd clew.Command, c decide.RewindPlan, place rewind.Workspace) (Receipt, error) {
	if c.Checkpoint == "" {
		cmd.Data = &decide.RewindCommand{RewindPlan: c}
		return s.submit(ctx, cmd)
	}
	if s.host.cfg.Files == nil {
		return Receipt{}, rewind.ErrNoCheckpoints()
	}
	done := make(chan outcome, 1)
	s.rewinds.Go(func() { done <- s.takeBack(ctx, cmd, c, place) })
	select {
	case out := <-done:
		return out.receipt, out.err
	case <-ctx.Done():
		return Receipt{}, timedOut(ctx)
	}
}

// takeBack puts the start of a return on record and then carries it out. Whoever
// asked for it may give up in between; the return may not.
func (s *Session) takeBack(ctx context.Context, cmd clew.Command, c decide.RewindPlan, place rewind.Workspace) outcome {
	start := cmd
	start.Data = &decide.RewindCommand{RewindPlan: c, Start: true}
	begun, err := s.submit(s.host.ctx, start)
	if err == nil && begun.Repeat {
		begun, _, err = s.repeated(ctx, cmd)
	}
	if err != nil || begun.Repeat {
		return outcome{receipt: begun, err: err}
	}
	out := s.restoreFiles(cmd, c, place)
	out.receipt.Records = append(begun.Records, out.receipt.Records...)
	out.receipt.ClientMessageID = cmd.ClientMessageID
	return out
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
	place := rewind.WorkspaceOf(s.state)
	s.rewinds.Go(func() {
		level := slog.LevelInfo
		out := s.restoreFiles(cmd, c, place)
		if out.err != nil {
			level = slog.LevelWarn
		}
		s.host.cfg.Log.Log(s.host.ctx, level, "a rewind that was cut off has ended", "session", s.id, "rewind", c.RewindID, "err", out.err)
	})
}
