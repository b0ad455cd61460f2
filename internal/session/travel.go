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
	// arrival is the state to go to, for Apply.
	arrival *State
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

func decideTravel(s *State, cmd clew.Command, d *travel, now int64) ([]clew.Event, error) {
	b := batchAt(s, now)
	switch {
	case s.Returning != nil && s.Returning.RewindID != d.id:
		return nil, errReturning()
	case s.Moved != d.moved || d.kind == clew.KindRedo && len(s.Redo) == 0: // what somebody says leaves nothing to do again
		return nil, clew.Errorf(clew.SessionInvalidState, "the session was taken elsewhere meanwhile: look again")
	case d.start:
		return d.started(s, cmd, b), nil
	case d.failed != "":
		return []clew.Event{{Type: clew.EventRewindFailed, Data: &clew.RewindFailedData{RewindID: d.id, Reason: d.failed}}}, nil
	case d.kind == clew.KindFiles:
		return []clew.Event{{Type: clew.EventCheckpointRestored, Data: &clew.CheckpointRestoredData{
			Kind: clew.CheckpointWorkspace, CommitHash: d.hash, DurationMS: d.took, RewindID: d.id, Files: d.files,
		}}}, nil
	}
	return d.arrive(s, cmd, b, now)
}

// started makes the events that come before files are touched: whoever is at
// work stops, and the intent is on record.
func (d *travel) started(s *State, cmd clew.Command, b Batch) []clew.Event {
	events := park(s, d.streamed, b, 0, cmd.By.User, d.stopReason())
	data := &clew.RewindStartedData{RewindID: d.id, Kind: d.kind, FromMessageID: d.from, KeepTarget: d.keep, Hash: d.hash}
	if d.to > 0 {
		data.To = clew.MessageIDOf(d.to)
	}
	if d.then != nil {
		data.Text, data.Images = d.then.Text, d.then.Images
	}
	return append(events, clew.Event{Type: clew.EventRewindStarted, Data: data})
}

func (d *travel) stopReason() string {
	switch d.kind {
	case clew.KindUndo:
		return "stopped: the rewind was undone"
	case clew.KindRedo:
		return "stopped: the rewind was done again"
	case clew.KindFiles:
		return "stopped: files were taken back"
	}
	return "stopped: the session was taken back"
}

// arrive makes the events that take the session there.
func (d *travel) arrive(s *State, cmd clew.Command, b Batch, now int64) ([]clew.Event, error) {
	var events []clew.Event
	if s.Returning == nil {
		events = park(s, d.streamed, b, 0, cmd.By.User, d.stopReason())
	}
	next, err := decodeState(s.ID, d.past)
	if err == nil {
		d.arrival, err = decodeState(s.ID, d.past)
	}
	if err != nil {
		return nil, clew.WrapError(clew.SessionDamaged, err, "what the session was then is not readable")
	}
	at := len(events)
	events = append(events, d.record(s, next))
	if d.to < s.Begun {
		events = append(events, askedAnew(d.arrival)...)
	}
	// What follows is decided on the state that it will be decided on then.
	n := len(events)
	sim := *s
	sim.there, sim.Undo, sim.Redo = next, slices.Clone(s.Undo), slices.Clone(s.Redo)
	for i := at; i < n; i++ {
		Apply(&sim, clew.Record{Seq: b.seq + uint64(i), TS: b.TS(i), Type: events[i].Type}, events[i].Data)
	}
	parked := park(&sim, nil, b, n, cmd.By.User, "not run: the session was taken back to before its end")
	events = append(events, parked...)
	if d.then == nil {
		return events, nil
	}
	for i, e := range parked {
		Apply(&sim, clew.Record{Seq: b.seq + uint64(n+i), TS: b.TS(n + i), Type: e.Type}, e.Data)
	}
	said, err := decideUserMessage(&sim, cmd, d.then, now)
	if err != nil {
		return nil, err
	}
	return append(events, said...), nil
}

// idsMax is how many messages a record names: those that session_state shows.
const idsMax = tailMessages

// record makes the event that takes the session to next.
func (d *travel) record(s, next *State) clew.Event {
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
		return clew.Event{Type: clew.EventRewindUndone, Data: e}
	case clew.KindRedo:
		return d.rewound(s.Redo[len(s.Redo)-1].origin(), s, next, back, checkpoint)
	}
	return d.rewound(next.origin(), s, next, back, checkpoint)
}

func (d *travel) rewound(at origin, s, next *State, back clew.Return, checkpoint string) clew.Event {
	e := &clew.HistoryRewoundData{
		Return: back, FromMessageID: d.from, KeepTarget: d.keep, Redo: d.kind == clew.KindRedo, CheckpointID: checkpoint,
	}
	e.RemovedMessageIDs, e.RemovedCount = lost(at, s.side(), next.side())
	e.RestoredMessageIDs, e.RestoredCount = lost(at, next.side(), s.side())
	return clew.Event{Type: clew.EventHistoryRewound, Data: e}
}

// remark is what the session itself puts on record; it has no name on the wire.
type remark struct {
	events func(b Batch, s *State) []clew.Event
}
