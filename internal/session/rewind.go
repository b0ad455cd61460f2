package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// rewindPlan is where a session shall go in its history, and what goes with it.
type rewindPlan struct {
	kind       clew.RewindKind
	rewindID   string         // of the rewind
	to         uint64         // the last record that counts; 0 for files alone
	from       clew.MessageID // the message that it was asked for by
	keep       bool
	checkpoint string // the checkpoint that files go to; "" leaves them
	// then is what is said once the session is there, nil for nothing.
	followUp *clew.UserMessageData
	// moved is the session's last return when the course was set.
	lastRewindSeq uint64
	targetState   []byte // the fold up to to
}

// rewindCommand is the command that takes a session elsewhere; it has no name on the
// wire. With files it comes twice: it starts the return, and ends it.
type rewindCommand struct {
	rewindPlan
	start      bool
	files      *clew.FilesReturned
	durationMS int64 // ms
	failed     string
	streamed   streams
}

// endsRewind reports whether a command is the second half of a return with files.
// Both halves have the name of what somebody asked for, so it is no repeat.
func endsRewind(data any) bool {
	d, ok := data.(*rewindCommand)
	return ok && !d.start && d.checkpoint != ""
}

func errRewindPending() error {
	return clew.Errorf(clew.SessionInvalidState, "files are being taken back: try again in a moment")
}

// checkPendingRewind refuses what cannot be while files are on their way.
func (s *State) checkPendingRewind(data any) error {
	if s.PendingRewind == nil {
		return nil
	}
	switch data.(type) {
	case *rewindCommand, *timeoutCommand, *systemNote, *clew.RenameSessionData, *clew.ArchiveSessionData, *clew.SetAccessData, *clew.ForgetRuleData, *clew.UpdateSettingsData, *clew.AssignQuestionData:
		return nil
	}
	return errRewindPending()
}

func decideTravel(tx *Tx, s *State, cmd clew.Command, d *rewindCommand) error {
	switch {
	case s.PendingRewind != nil && s.PendingRewind.RewindID != d.rewindID:
		return errRewindPending()
	case s.LastRewindSeq != d.lastRewindSeq || d.kind == clew.KindRedo && len(s.Redo) == 0: // what somebody says leaves nothing to do again
		return clew.Errorf(clew.SessionInvalidState, "the session was taken elsewhere meanwhile: look again")
	case d.start:
		d.started(tx, s, cmd)
		return nil
	case d.failed != "":
		tx.Add(&clew.RewindFailedData{RewindID: d.rewindID, Reason: d.failed})
		return nil
	case d.kind == clew.KindFiles:
		tx.Add(&clew.CheckpointRestoredData{
			Kind: clew.CheckpointWorkspace, CommitHash: d.checkpoint, DurationMS: d.durationMS, RewindID: d.rewindID, Files: d.files,
		})
		return nil
	}
	return d.finish(tx, s, cmd)
}

// started makes the events that come before files are touched: whoever is at
// work stops, and the intent is on record.
func (d *rewindCommand) started(tx *Tx, s *State, cmd clew.Command) {
	stopWork(tx, s, d.streamed, d.closing(cmd.By.User))
	data := &clew.RewindStartedData{RewindID: d.rewindID, Kind: d.kind, FromMessageID: d.from, KeepTarget: d.keep, Hash: d.checkpoint}
	if d.to > 0 {
		data.To = clew.MessageIDOf(d.to)
	}
	if d.followUp != nil {
		data.Text, data.Images = d.followUp.Text, d.followUp.Images
	}
	tx.Add(data)
}

// closing says why whoever is at work stops.
func (d *rewindCommand) closing(by clew.UserID) turnEnd {
	switch d.kind {
	case clew.KindUndo:
		return turnEnd{reason: "stopped: the rewind was undone", code: clew.EndUndone, by: by}
	case clew.KindRedo:
		return turnEnd{reason: "stopped: the rewind was done again", code: clew.EndRedone, by: by}
	case clew.KindFiles:
		return turnEnd{reason: "stopped: files were taken back", code: clew.EndFilesRestored, by: by}
	}
	return turnEnd{reason: "stopped: the session was taken back", code: clew.EndRewound, by: by}
}

// finish makes the events that take the session there.
func (d *rewindCommand) finish(tx *Tx, s *State, cmd clew.Command) error {
	if s.PendingRewind == nil {
		stopWork(tx, s, d.streamed, d.closing(cmd.By.User))
	}
	next, err := d.arrival(s.ID)
	if err != nil {
		return err
	}
	at := tx.Len()
	tx.Add(d.rewindEvent(s, next))
	if d.to < s.FirstOwnSeq {
		reopenedQuestions(tx, next)
	}
	// What follows is decided on the state that it will be decided on then.
	sim := *s
	sim.pending, sim.Undo, sim.Redo = next, slices.Clone(s.Undo), slices.Clone(s.Redo)
	tx.applyTo(&sim, at)
	at = tx.Len()
	before := d.closing(cmd.By.User)
	before.reason = "not run: the session was taken back to before its end"
	stopWork(tx, &sim, nil, before)
	if d.followUp == nil {
		return nil
	}
	tx.applyTo(&sim, at)
	return decideUserMessage(tx, &sim, cmd, d.followUp)
}

// arrival is the state to go to. Whoever asks gets one of their own.
func (d *rewindCommand) arrival(id clew.SessionID) (*State, error) {
	next, err := decodeState(id, d.targetState)
	if err != nil {
		return nil, clew.WrapError(clew.SessionDamaged, err, "what the session was then is not readable")
	}
	return next, nil
}

// idsMax is how many messages a record names: those that session_state shows.
const idsMax = tailMessages

// rewindEvent is the data of the event that takes the session to next.
func (d *rewindCommand) rewindEvent(s, next *State) any {
	back := clew.Return{RewindID: d.rewindID, To: clew.MessageIDOf(d.to), Files: d.files}
	checkpoint := ""
	if d.files != nil {
		checkpoint = d.files.Hash
	}
	switch d.kind {
	case clew.KindUndo:
		at := s.Undo[len(s.Undo)-1].branch()
		e := &clew.RewindUndoneData{Return: back, FromMessageID: d.from, CheckpointID: checkpoint}
		e.RestoredMessageIDs, e.RestoredCount = removedSince(at, next.transcriptSide(), s.transcriptSide())
		e.RemovedMessageIDs, e.RemovedCount = removedSince(at, s.transcriptSide(), next.transcriptSide())
		return e
	case clew.KindRedo:
		return d.rewound(s.Redo[len(s.Redo)-1].branch(), s, next, back, checkpoint)
	}
	return d.rewound(next.branch(), s, next, back, checkpoint)
}

func (d *rewindCommand) rewound(at branch, s, next *State, back clew.Return, checkpoint string) *clew.HistoryRewoundData {
	e := &clew.HistoryRewoundData{
		Return: back, FromMessageID: d.from, KeepTarget: d.keep, Redo: d.kind == clew.KindRedo, CheckpointID: checkpoint,
	}
	e.RemovedMessageIDs, e.RemovedCount = removedSince(at, s.transcriptSide(), next.transcriptSide())
	e.RestoredMessageIDs, e.RestoredCount = removedSince(at, next.transcriptSide(), s.transcriptSide())
	return e
}

// systemNote is what the session itself puts on record; it has no name on the wire.
type systemNote struct {
	forked *clew.SessionForkedData
	saved  *SavedFiles // by a person
	reason string      // why they were
}

func decideRemark(tx *Tx, s *State, cmd clew.Command, d *systemNote) {
	if d.forked != nil {
		tx.Add(d.forked)
	}
	if d.saved == nil {
		return
	}
	saved := CheckpointSaved(*d.saved, d.reason)
	saved.FromHash, saved.TS = s.Checkpoint, tx.NextTS()
	saved.MessageID = tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayCheckpointSaved, Role: clew.SpeakerSystem, Text: d.reason,
		MonitorID: clew.MainMonitor, UserID: cmd.By.User, Checkpoint: map[string]any{"checkpoint_id": d.saved.ID, "hash": d.saved.Hash},
	})
	tx.Add(saved)
}

// arrivalOf is the state that a batch takes the session to, nil if it stays where
// it is.
func arrivalOf(id clew.SessionID, cmd any, events []clew.Event) (*State, error) {
	d, ok := cmd.(*rewindCommand)
	if !ok || !slices.ContainsFunc(events, func(e clew.Event) bool { return rewindOf(e.Data) != nil }) {
		return nil, nil
	}
	return d.arrival(id)
}
