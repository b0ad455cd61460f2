package session

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
)

// restoreFiles takes the files where a course leads, and then the session. It
// begins once nobody is at work any more.
func (s *Session) restoreFiles(cmd clew.Command, c decide.RewindPlan, place rewind.Workspace) outcome {
	s.agents.Wait()
	ctx := s.host.ctx
	d := &decide.RewindCommand{RewindPlan: c}
	end := cmd
	end.Data = d
	var err error
	if c.To > 0 && c.TargetState == nil {
		d.TargetState, err = s.host.past(s.id).Encoded(ctx, c.To)
	}
	if err == nil {
		crash.At("files.before")
		var done rewind.RestoredFiles
		done, err = s.restoreWithRetry(ctx, place, c.RewindID, c.Checkpoint)
		crash.At("files.after")
		d.Files = &clew.FilesReturned{Hash: c.Checkpoint, Before: done.Before, Changed: done.Changed, Removed: done.Removed, Left: core.ClipList(done.Left)}
		d.DurationMS = done.DurationMS
	}
	if err != nil && ctx.Err() != nil {
		return outcome{err: err} // the next owner goes on
	}
	failed := err
	if err != nil {
		d.Failed = clew.AsError(err).Message
	}
	out, err := s.insist(ctx, end)
	if out.refused && d.Failed == "" {
		// The files are there, and the session will not follow: back with them.
		// Of any other error nobody knows whether it followed: that shows when
		// it is loaded again.
		failed = err
		if _, undo := s.host.cfg.Files.Restore(ctx, place, c.RewindID+"_back", d.Files.Before); undo != nil {
			failed = errors.Join(err, undo)
		}
		d.Failed = clew.AsError(err).Message
		out, err = s.insist(ctx, end)
	}
	return outcome{receipt: out.receipt, err: errors.Join(failed, err)}
}

const (
	settlePause    = time.Second // between two tries, doubled each time
	settlePauseMax = time.Minute
)

// restoreWithRetry restores files. As long as they are in the middle, and neither there
// nor back where they were, the return stays open: somebody may make room.
func (s *Session) restoreWithRetry(ctx context.Context, place rewind.Workspace, id, hash string) (rewind.RestoredFiles, error) {
	for pause, begun := settlePause, false; ; pause = min(2*pause, settlePauseMax) {
		done, err := s.host.cfg.Files.Restore(ctx, place, id, hash)
		begun = begun || errors.Is(err, rewind.ErrUnsettled)
		if open := errors.Is(err, rewind.ErrUnsettled) || begun && errors.Is(err, rewind.ErrUnseen); !open {
			return done, err
		}
		s.host.cfg.Log.Error("files are in the middle of a return; it is tried again", "session", s.id, "rewind", id, "err", err)
		select {
		case <-ctx.Done():
			return done, err
		case <-time.After(pause):
		}
	}
}

// restore takes files back to a checkpoint, and the conversation if wanted.
func (s *Session) restore(ctx context.Context, cmd clew.Command, f *rewind.Finder, d *clew.CheckpointRestoreData) (Receipt, error) {
	if d.Mode == clew.RestoreBoth {
		target := clew.Target{MessageID: d.MessageID}
		if d.MessageID == "" {
			target.TS = d.TS
		}
		return s.rewind(ctx, cmd, f, rewind.Target{Target: target, Files: true, Hash: d.CommitHash})
	}
	return s.execute(ctx, cmd, decide.RewindPlan{Kind: clew.KindFiles, RewindID: rewind.NewID(), Checkpoint: d.CommitHash, LastRewindSeq: f.At.LastRewindSeq}, f.At.Workspace)
}

// save makes a checkpoint because somebody asked for it.
func (s *Session) save(ctx context.Context, cmd clew.Command, place rewind.Workspace, d *clew.CheckpointSaveData) (Receipt, error) {
	if s.host.cfg.Files == nil {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints")
	}
	reason := d.Message
	if reason == "" {
		reason = core.SavedByPrefix + string(cmd.By.User)
	}
	out := make(chan outcome, 1)
	s.rewinds.Go(func() { // the first one of a large workspace takes a while
		r, err := s.saveFiles(cmd, place, reason)
		out <- outcome{receipt: r, err: err}
	})
	select {
	case o := <-out:
		return o.receipt, o.err
	case <-ctx.Done():
		return Receipt{}, timedOut(ctx)
	}
}

func (s *Session) saveFiles(cmd clew.Command, place rewind.Workspace, reason string) (Receipt, error) {
	ctx := s.host.ctx
	done, err := s.host.cfg.Files.Save(ctx, place, reason)
	if err != nil {
		return Receipt{}, err
	}
	cmd.Data = &decide.SystemNote{Saved: &done, Reason: reason}
	return s.submit(ctx, cmd)
}

// diff says how files differ.
func (s *Session) diff(ctx context.Context, cmd clew.Command, at rewind.Position, d *clew.CheckpointDiffData) (Receipt, error) {
	if s.host.cfg.Files == nil {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "this server keeps no checkpoints")
	}
	from := d.From
	if from == "" {
		from = at.FirstCheckpoint
	}
	if from == "" {
		return Receipt{}, clew.Errorf(clew.SessionInvalidState, "this session has no checkpoint yet")
	}
	files, count, err := s.host.cfg.Files.Diff(ctx, at.Workspace, from, d.To, rewind.FilesShown)
	if err != nil {
		return Receipt{}, err
	}
	return replyTo(cmd, clew.EventCheckpointDiff, &clew.CheckpointDiffAnswer{
		From: from, To: d.To, Files: files, FilesCount: count, ClientMessageID: cmd.ClientMessageID,
	}), nil
}

func replyTo(cmd clew.Command, typ clew.EventType, data any) Receipt {
	return Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{}, Answer: &Answer{Type: typ, Data: data}}
}
