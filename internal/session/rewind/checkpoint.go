package rewind

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
// the checkpoint that was made for it; else the last one before it counts, unless
// one should have been made and could not be.
func (f *Finder) checkpoint(ctx context.Context, c decide.RewindPlan, cut uint64) (string, error) {
	if cut > 0 {
		hash, err := f.ownCheckpoint(ctx, cut)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	then, err := core.DecodeState(f.ID, c.TargetState)
	if err != nil {
		return "", err
	}
	if hash, err := f.answerCheckpoint(ctx, then, cut); err != nil || hash != "" {
		return hash, err
	}
	switch {
	case then.Checkpoint != "":
		return then.Checkpoint, nil
	case f.At.FirstCheckpoint != "":
		return f.At.FirstCheckpoint, nil
	case f.At.Workspace.Dir == "" && f.Files != nil:
		// No agent ever wrote into its own directory, or a checkpoint would have
		// been made before: the files are as they were.
		now, err := f.Files.Save(ctx, f.At.Workspace, "before a rewind")
		return now.Hash, err
	}
	return "", clew.Errorf(clew.SessionInvalidState, "there is no checkpoint of the files from that time")
}

func (f *Finder) ownCheckpoint(ctx context.Context, cut uint64) (string, error) {
	own := clew.MessageIDOf(cut)
	for r, err := range f.Journal.Read(ctx, f.ID, cut, min(cut+checkpointReach, f.At.Seq)) {
		if err != nil {
			return "", err
		}
		if core.IsHidden(f.At.Removed, r.Seq) {
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
			if d.Message.Checkpoint["missing_for"] == string(own) {
				return "", clew.Errorf(clew.SessionInvalidState, "the files could not be saved at that point, so they cannot be taken back to it")
			}
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
func (f *Finder) answerCheckpoint(ctx context.Context, then *core.State, cut uint64) (string, error) {
	if cut == 0 {
		return "", nil
	}
	d, err := f.resolved(ctx, cut)
	if err != nil || d == nil || then.ToolRunning() {
		return "", err
	}
	own := ""
	if q := then.OpenQuestion(d.RequestID); q != nil {
		own = q.Asking().ToolCallID
	}
	for r, err := range f.Journal.Read(ctx, f.ID, cut+1, min(cut+checkpointReach, f.At.Seq)) {
		if err != nil {
			return "", err
		}
		if core.IsHidden(f.At.Removed, r.Seq) {
			return "", nil
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return "", err
		}
		switch d := ev.Data.(type) {
		case *clew.CheckpointSavedData:
			if d.NotebookID == "" { // else it is of what a kernel knows, or of what a cell did
				return d.ToHash, nil
			}
		case *clew.CellStartedData:
			return "", nil
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
