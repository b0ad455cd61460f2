package session

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// checkpointReach is how far after a message its own checkpoint is looked for.
const checkpointReach = 200

// checkpoint gives the checkpoint of the files as they were when the message at
// cut was about to be said. What a person changed by hand before saying it is in
// the checkpoint that was made for it; else the last one before it counts.
func (w *historySearch) checkpoint(ctx context.Context, c decide.RewindPlan, cut uint64) (string, error) {
	if cut > 0 {
		hash, err := w.ownCheckpoint(ctx, cut)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	then, err := core.DecodeState(w.s.id, c.TargetState)
	if err != nil {
		return "", err
	}
	if hash, err := w.answerCheckpoint(ctx, then, cut); err != nil || hash != "" {
		return hash, err
	}
	switch {
	case then.Checkpoint != "":
		return then.Checkpoint, nil
	case w.l.first != "":
		return w.l.first, nil
	case w.l.place.Dir == "" && w.s.host.cfg.Files != nil:
		// No agent ever wrote into its own directory, or a checkpoint would have
		// been made before: the files are as they were.
		now, err := w.s.host.cfg.Files.Save(ctx, w.l.place, "before a rewind")
		return now.Hash, err
	}
	return "", clew.Errorf(clew.SessionInvalidState, "there is no checkpoint of the files from that time")
}

func (w *historySearch) ownCheckpoint(ctx context.Context, cut uint64) (string, error) {
	own := clew.MessageIDOf(cut)
	for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, cut, min(cut+checkpointReach, w.l.seq)) {
		if err != nil {
			return "", err
		}
		if core.IsHidden(w.l.removed, r.Seq) {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return "", err
		}
		switch d := ev.Data.(type) {
		case *clew.CheckpointSavedData:
			if d.MessageID == own {
				return d.ToHash, nil
			}
		case *clew.MessageCreatedData:
			if r.Seq > cut && d.Message.Role == clew.SpeakerUser {
				return "", nil
			}
		case *clew.ToolProgressData:
			return "", nil
		}
	}
	return "", nil
}

// answerCheckpoint gives the checkpoint of the files as they were when somebody
// answered by a button, "" if there is none or cut is no answer. What people
// changed by hand while the question was open is in the one that was made before
// the work went on, unless somebody else was at work meanwhile. What is saved once
// somebody said more, or took the session or its files elsewhere, is of later.
func (w *historySearch) answerCheckpoint(ctx context.Context, then *core.State, cut uint64) (string, error) {
	if cut == 0 {
		return "", nil
	}
	d, err := w.resolved(ctx, cut)
	if err != nil || d == nil || then.ToolRunning() {
		return "", err
	}
	own := ""
	if q := then.OpenQuestion(d.RequestID); q != nil {
		own = q.Asking().ToolCallID
	}
	for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, cut+1, min(cut+checkpointReach, w.l.seq)) {
		if err != nil {
			return "", err
		}
		if core.IsHidden(w.l.removed, r.Seq) {
			return "", nil
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return "", err
		}
		switch d := ev.Data.(type) {
		case *clew.CheckpointSavedData:
			return d.ToHash, nil
		case *clew.CheckpointRestoredData:
			return "", nil
		case *clew.MessageCreatedData:
			if d.Message.Role == clew.SpeakerUser {
				return "", nil
			}
		case *clew.ToolProgressData:
			if d.ToolCallID != own || d.Status == clew.ToolRunning {
				return "", nil
			}
		}
	}
	return "", nil
}
