package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// course is where a session shall go in its history, and what goes with it.
type course struct {
	kind clew.RewindKind
	id   string         // of the rewind
	to   uint64         // the last record that counts; 0 for files alone
	from clew.MessageID // the message that it was asked for by
	keep bool
	hash string // the checkpoint that files go to; "" leaves them
	// then is what is said once the session is there, nil for nothing.
	then *clew.UserMessageData
	// moved is the session's last return when the course was set.
	moved uint64
	past  []byte // the fold up to to
}

// travel is the command that takes a session elsewhere; it has no name on the
// wire. With files it comes twice: it starts the return, and ends it.
type travel struct {
	course
	start    bool
	files    *clew.FilesReturned
	took     int64 // ms
	failed   string
	streamed streams
}

// endsReturn reports whether a command is the second half of a return with files.
// Both halves have the name of what somebody asked for, so it is no repeat.
func endsReturn(data any) bool {
	d, ok := data.(*travel)
	return ok && !d.start && d.hash != ""
}

func errReturning() error {
	return clew.Errorf(clew.SessionInvalidState, "files are being taken back: try again in a moment")
}

// checkReturning refuses what cannot be while files are on their way.
func (s *State) checkReturning(data any) error {
	if s.Returning == nil {
		return nil
	}
	switch data.(type) {
	case *travel, *expire, *remark, *clew.RenameSessionData, *clew.ArchiveSessionData, *clew.SetAccessData, *clew.ForgetRuleData, *clew.UpdateSettingsData, *clew.AssignQuestionData:
		return nil
	}
	return errReturning()
}

func decideTravel(tx *Tx, s *State, cmd clew.Command, d *travel) error {
	switch {
	case s.Returning != nil && s.Returning.RewindID != d.id:
		return errReturning()
	case s.Moved != d.moved || d.kind == clew.KindRedo && len(s.Redo) == 0: // what somebody says leaves nothing to do again
		return clew.Errorf(clew.SessionInvalidState, "the session was taken elsewhere meanwhile: look again")
	case d.start:
		d.started(tx, s, cmd)
		return nil
	case d.failed != "":
		tx.Add(&clew.RewindFailedData{RewindID: d.id, Reason: d.failed})
		return nil
	case d.kind == clew.KindFiles:
		tx.Add(&clew.CheckpointRestoredData{
			Kind: clew.CheckpointWorkspace, CommitHash: d.hash, DurationMS: d.took, RewindID: d.id, Files: d.files,
		})
		return nil
	}
	return d.arrive(tx, s, cmd)
}

// started makes the events that come before files are touched: whoever is at
// work stops, and the intent is on record.
func (d *travel) started(tx *Tx, s *State, cmd clew.Command) {
	park(tx, s, d.streamed, d.closing(cmd.By.User))
	data := &clew.RewindStartedData{RewindID: d.id, Kind: d.kind, FromMessageID: d.from, KeepTarget: d.keep, Hash: d.hash}
	if d.to > 0 {
		data.To = clew.MessageIDOf(d.to)
	}
	if d.then != nil {
		data.Text, data.Images = d.then.Text, d.then.Images
	}
	tx.Add(data)
}

// closing says why whoever is at work stops.
func (d *travel) closing(by clew.UserID) closing {
	switch d.kind {
	case clew.KindUndo:
		return closing{reason: "stopped: the rewind was undone", code: clew.EndUndone, by: by}
	case clew.KindRedo:
		return closing{reason: "stopped: the rewind was done again", code: clew.EndRedone, by: by}
	case clew.KindFiles:
		return closing{reason: "stopped: files were taken back", code: clew.EndFilesRestored, by: by}
	}
	return closing{reason: "stopped: the session was taken back", code: clew.EndRewound, by: by}
}

// arrive makes the events that take the session there.
func (d *travel) arrive(tx *Tx, s *State, cmd clew.Command) error {
	if s.Returning == nil {
		park(tx, s, d.streamed, d.closing(cmd.By.User))
	}
	next, err := d.arrival(s.ID)
	if err != nil {
		return err
	}
	at := tx.Len()
	tx.Add(d.record(s, next))
	if d.to < s.Begun {
		askedAnew(tx, next)
	}
	// What follows is decided on the state that it will be decided on then.
	sim := *s
	sim.there, sim.Undo, sim.Redo = next, slices.Clone(s.Undo), slices.Clone(s.Redo)
	tx.applyTo(&sim, at)
	at = tx.Len()
	before := d.closing(cmd.By.User)
	before.reason = "not run: the session was taken back to before its end"
	park(tx, &sim, nil, before)
	if d.then == nil {
		return nil
	}
	tx.applyTo(&sim, at)
	return decideUserMessage(tx, &sim, cmd, d.then)
}

// arrival is the state to go to. Whoever asks gets one of their own.
func (d *travel) arrival(id clew.SessionID) (*State, error) {
	next, err := decodeState(id, d.past)
	if err != nil {
		return nil, clew.WrapError(clew.SessionDamaged, err, "what the session was then is not readable")
	}
	return next, nil
}

// idsMax is how many messages a record names: those that session_state shows.
const idsMax = tailMessages

// record is the data of the event that takes the session to next.
func (d *travel) record(s, next *State) any {
	back := clew.Return{RewindID: d.id, To: clew.MessageIDOf(d.to), Files: d.files}
	checkpoint := ""
	if d.files != nil {
		checkpoint = d.files.Hash
	}
	switch d.kind {
	case clew.KindUndo:
		at := s.Undo[len(s.Undo)-1].origin()
		e := &clew.RewindUndoneData{Return: back, FromMessageID: d.from, CheckpointID: checkpoint}
		e.RestoredMessageIDs, e.RestoredCount = lost(at, next.side(), s.side())
		e.RemovedMessageIDs, e.RemovedCount = lost(at, s.side(), next.side())
		return e
	case clew.KindRedo:
		return d.rewound(s.Redo[len(s.Redo)-1].origin(), s, next, back, checkpoint)
	}
	return d.rewound(next.origin(), s, next, back, checkpoint)
}

func (d *travel) rewound(at origin, s, next *State, back clew.Return, checkpoint string) *clew.HistoryRewoundData {
	e := &clew.HistoryRewoundData{
		Return: back, FromMessageID: d.from, KeepTarget: d.keep, Redo: d.kind == clew.KindRedo, CheckpointID: checkpoint,
	}
	e.RemovedMessageIDs, e.RemovedCount = lost(at, s.side(), next.side())
	e.RestoredMessageIDs, e.RestoredCount = lost(at, next.side(), s.side())
	return e
}

// remark is what the session itself puts on record; it has no name on the wire.
type remark struct {
	forked *clew.SessionForkedData
	saved  *SavedFiles // by a person
	reason string      // why they were
}

func decideRemark(tx *Tx, s *State, cmd clew.Command, d *remark) {
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
	d, ok := cmd.(*travel)
	if !ok || !slices.ContainsFunc(events, func(e clew.Event) bool { return returnOf(e.Data) != nil }) {
		return nil, nil
	}
	return d.arrival(id)
}
