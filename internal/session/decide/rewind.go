package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// RewindPlan is where a session shall go in its history, and what goes with it.
type RewindPlan struct {
	Kind       clew.RewindKind
	RewindID   string         // of the rewind
	To         uint64         // the last record that counts; 0 for files alone
	From       clew.MessageID // the message that it was asked for by
	Keep       bool
	Checkpoint string // the checkpoint that files go to; "" leaves them
	// then is what is said once the session is there, nil for nothing.
	FollowUp *clew.UserMessageData
	// moved is the session's last return when the course was set.
	LastRewindSeq uint64
	TargetState   []byte // the fold up to to
}

// RewindCommand is the command that takes a session elsewhere; it has no name on the
// wire. With files it comes twice: it starts the return, and ends it.
type RewindCommand struct {
	RewindPlan
	Start      bool
	Files      *clew.FilesReturned
	DurationMS int64 // ms
	Failed     string
	Streamed   streams
}

// EndsRewind reports whether a command is the second half of a return with files.
// Both halves have the name of what somebody asked for, so it is no repeat.
func EndsRewind(data any) bool {
	d, ok := data.(*RewindCommand)
	return ok && !d.Start && d.Checkpoint != ""
}

// ErrRewindPending refuses what cannot be done while a rewind is under way.
func ErrRewindPending() error {
	return clew.Errorf(clew.SessionInvalidState, "files are being taken back: try again in a moment")
}

// checkPendingRewind refuses what cannot be while files are on their way.
func checkPendingRewind(s *core.State, data any) error {
	if s.PendingRewind == nil {
		return nil
	}
	switch data.(type) {
	case *clew.KernelInterruptData, *clew.KernelRestartData, *clew.KernelShutdownData: // a cell that does not end would hold it up
		return nil
	case *RewindCommand, *TimeoutCommand, *SystemNote, *NotebookCommand, *clew.RenameSessionData, *clew.ArchiveSessionData, *clew.SetAccessData, *clew.ForgetRuleData, *clew.UpdateSettingsData, *clew.AssignQuestionData:
		return nil
	}
	return ErrRewindPending()
}

func decideTravel(tx *Tx, s *core.State, cmd clew.Command, d *RewindCommand) error {
	switch {
	case s.PendingRewind != nil && s.PendingRewind.RewindID != d.RewindID:
		return ErrRewindPending()
	case s.LastRewindSeq != d.LastRewindSeq || d.Kind == clew.KindRedo && len(s.Redo) == 0: // what somebody says leaves nothing to do again
		return clew.Errorf(clew.SessionInvalidState, "the session was taken elsewhere meanwhile: look again")
	case s.Rerunning():
		return mayRerun(s)
	case d.Start:
		d.started(tx, s, cmd)
		return nil
	case d.Failed != "":
		tx.Add(&clew.RewindFailedData{RewindID: d.RewindID, Reason: d.Failed})
		return nil
	case d.Kind == clew.KindFiles:
		tx.Add(&clew.CheckpointRestoredData{
			Kind: clew.CheckpointWorkspace, CommitHash: d.Checkpoint, DurationMS: d.DurationMS, RewindID: d.RewindID, Files: d.Files,
		})
		return nil
	}
	return d.finish(tx, s, cmd)
}

// started makes the events that come before files are touched: whoever is at
// work stops, and the intent is on record.
func (d *RewindCommand) started(tx *Tx, s *core.State, cmd clew.Command) {
	d.stop(tx, s, cmd)
	data := &clew.RewindStartedData{RewindID: d.RewindID, Kind: d.Kind, FromMessageID: d.From, KeepTarget: d.Keep, Hash: d.Checkpoint}
	if d.To > 0 {
		data.To = clew.MessageIDOf(d.To)
	}
	if d.FollowUp != nil {
		data.Text, data.Images = d.FollowUp.Text, d.FollowUp.Images
	}
	tx.Add(data)
}

// stop has everybody stop, and the kernels with them.
func (d *RewindCommand) stop(tx *Tx, s *core.State, cmd clew.Command) {
	stopWork(tx, s, d.Streamed, d.closing(cmd.By.User))
	stopCells(tx, s, cmd.By.User, func(*core.CellRun) bool { return true })
}

// closing says why whoever is at work stops.
func (d *RewindCommand) closing(by clew.UserID) TurnEnd {
	switch d.Kind {
	case clew.KindUndo:
		return TurnEnd{Reason: "stopped: the rewind was undone", Code: clew.EndUndone, by: by}
	case clew.KindRedo:
		return TurnEnd{Reason: "stopped: the rewind was done again", Code: clew.EndRedone, by: by}
	case clew.KindFiles:
		return TurnEnd{Reason: "stopped: files were taken back", Code: clew.EndFilesRestored, by: by}
	}
	return TurnEnd{Reason: "stopped: the session was taken back", Code: clew.EndRewound, by: by}
}

// finish makes the events that take the session there.
func (d *RewindCommand) finish(tx *Tx, s *core.State, cmd clew.Command) error {
	if s.PendingRewind == nil {
		d.stop(tx, s, cmd)
	}
	next, err := d.arrival(s.ID)
	if err != nil {
		return err
	}
	at := tx.Len()
	tx.Add(d.rewindEvent(s, next))
	if d.To < s.FirstOwnSeq {
		reopenedQuestions(tx, next)
	}
	// What follows is decided on the state that it will be decided on then.
	sim := *s
	sim.Pending, sim.Undo, sim.Redo = next, slices.Clone(s.Undo), slices.Clone(s.Redo)
	tx.applyTo(&sim, at)
	at = tx.Len()
	before := d.closing(cmd.By.User)
	before.Reason, before.rewoundInto = "rewound to before it finished", true
	stopWork(tx, &sim, nil, before)
	kernelsAfterRewind(tx, &sim, d.Files != nil, cmd.By.User)
	if d.FollowUp == nil {
		return nil
	}
	tx.applyTo(&sim, at)
	return decideUserMessage(tx, &sim, cmd, d.FollowUp)
}

// arrival is the state to go to. Whoever asks gets one of their own.
func (d *RewindCommand) arrival(id clew.SessionID) (*core.State, error) {
	next, err := core.DecodeState(id, d.TargetState)
	if err != nil {
		return nil, clew.WrapError(clew.SessionDamaged, err, "what the session was then is not readable")
	}
	return next, nil
}

// rewindEvent is the data of the event that takes the session to next.
func (d *RewindCommand) rewindEvent(s, next *core.State) any {
	back := clew.Return{RewindID: d.RewindID, To: clew.MessageIDOf(d.To), Files: d.Files}
	checkpoint := ""
	if d.Files != nil {
		checkpoint = d.Files.Hash
	}
	switch d.Kind {
	case clew.KindUndo:
		at := s.Undo[len(s.Undo)-1].Branch()
		e := &clew.RewindUndoneData{Return: back, FromMessageID: d.From, CheckpointID: checkpoint}
		e.RestoredMessageIDs, e.RestoredCount = core.RemovedSince(at, next.TranscriptSide(), s.TranscriptSide())
		e.RemovedMessageIDs, e.RemovedCount = core.RemovedSince(at, s.TranscriptSide(), next.TranscriptSide())
		return e
	case clew.KindRedo:
		return d.rewound(s.Redo[len(s.Redo)-1].Branch(), s, next, back, checkpoint)
	}
	return d.rewound(next.Branch(), s, next, back, checkpoint)
}

func (d *RewindCommand) rewound(at core.Branch, s, next *core.State, back clew.Return, checkpoint string) *clew.HistoryRewoundData {
	e := &clew.HistoryRewoundData{
		Return: back, FromMessageID: d.From, KeepTarget: d.Keep, Redo: d.Kind == clew.KindRedo, CheckpointID: checkpoint,
	}
	e.RemovedMessageIDs, e.RemovedCount = core.RemovedSince(at, s.TranscriptSide(), next.TranscriptSide())
	e.RestoredMessageIDs, e.RestoredCount = core.RemovedSince(at, next.TranscriptSide(), s.TranscriptSide())
	return e
}

// SystemNote is what the session itself puts on record; it has no name on the wire.
type SystemNote struct {
	Forked *clew.SessionForkedData
	Saved  *core.SavedFiles // by a person
	Reason string           // why they were
	Said   *clew.Message    // something that the server did for a person
	Usage  clew.Usage       // of a model that was asked for it
}

func decideRemark(tx *Tx, s *core.State, cmd clew.Command, d *SystemNote) {
	if d.Forked != nil {
		tx.Add(d.Forked)
	}
	if d.Said != nil {
		m := *d.Said
		m.Type, m.Role, m.MonitorID, m.UserID = clew.TypeSay, clew.SpeakerSystem, clew.MainMonitor, cmd.By.User
		tx.Say(m)
	}
	if t := s.Focused(clew.MainMonitor); t != nil && d.Usage != (clew.Usage{}) {
		r := recorder{tx: tx, s: s, t: t}
		r.used(d.Usage)
	}
	if d.Saved == nil {
		return
	}
	saved := core.CheckpointSaved(*d.Saved, d.Reason)
	saved.FromHash, saved.TS = s.Checkpoint, tx.NextTS()
	saved.MessageID = tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayCheckpointSaved, Role: clew.SpeakerSystem, Text: d.Reason,
		MonitorID: clew.MainMonitor, UserID: cmd.By.User, Checkpoint: map[string]any{"checkpoint_id": d.Saved.ID, "hash": d.Saved.Hash},
	})
	tx.Add(saved)
}

// ArrivalOf is the state that a batch takes the session to, nil if it stays where
// it is.
func ArrivalOf(id clew.SessionID, cmd any, events []clew.Event) (*core.State, error) {
	d, ok := cmd.(*RewindCommand)
	if !ok || !slices.ContainsFunc(events, func(e clew.Event) bool { return core.RewindOf(e.Data) != nil }) {
		return nil, nil
	}
	return d.arrival(id)
}
