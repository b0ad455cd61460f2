package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// A RewindEntry is a record that took the session elsewhere in its history, and what
// it takes to get back to where it was.
type RewindEntry struct {
	Seq      uint64         `json:"seq"`
	Kept     int            `json:"kept"`            // messages that the rewind left
	Quiet    int            `json:"quiet,omitempty"` // those of them that people do not see
	To       uint64         `json:"to,omitempty"`
	Hidden   int            `json:"hidden,omitempty"` // parts of the journal that were hidden at To
	RewindID string         `json:"rewind_id"`
	From     clew.MessageID `json:"from"`
	Keep     bool           `json:"keep,omitempty"`
	Files    string         `json:"files,omitempty"` // how they were before; "" if they were left
}

// Branch is where the two states of a rewind part.
func (m RewindEntry) Branch() Branch {
	return Branch{seq: m.To, total: m.Kept, quiet: m.Quiet, spans: m.Hidden}
}

// setBranch notes where they do.
func (m *RewindEntry) setBranch(at Branch) {
	m.To, m.Kept, m.Quiet, m.Hidden = at.seq, at.total, at.quiet, at.spans
}

// movesMax bounds how far back rewinds can be undone.
const movesMax = 100

// PendingRewind is files on their way to another state.
type PendingRewind struct {
	clew.RewindStartedData
	By    clew.UserID          `json:"by,omitempty"`
	Cause clew.ClientMessageID `json:"cause,omitempty"`
	Seq   uint64               `json:"seq"`
}

// applyRewind makes the state what it was at another record. What is about the
// session rather than about what happened in it stays.
func applyRewind(s *State, r clew.Record, data any) {
	next := s.Pending
	s.Pending = nil
	if next == nil {
		return // Folder and decide see to it
	}
	back := RewindOf(data)
	move := RewindEntry{Seq: r.Seq, RewindID: back.RewindID}
	if back.Files != nil {
		move.Files = back.Files.Before
	}
	undo, redo := s.Undo, s.Redo
	switch d := data.(type) {
	case *clew.HistoryRewoundData:
		move.From, move.Keep = d.FromMessageID, d.KeepTarget
		move.setBranch(next.Branch())
		if n := len(redo); d.Redo && n > 0 {
			move.setBranch(redo[n-1].Branch())
			redo = dropLast(redo)
		} else {
			redo = nil
		}
		undo = lastOf(append(slices.Clip(undo), move))
	case *clew.RewindUndoneData:
		if n := len(undo); n > 0 {
			move.From, move.Keep = undo[n-1].From, undo[n-1].Keep
			move.setBranch(undo[n-1].Branch())
		}
		undo, redo = dropLast(undo), lastOf(append(slices.Clip(redo), move))
	}
	next.carryOver(s, r.TS-next.TS)
	next.keepKernels(s, r.Seq, back.Files != nil)
	next.keepQueue(s)
	next.keepRules(s)
	to := next.Seq
	next.Seq, next.TS, next.LastRewindSeq = r.Seq, r.TS, r.Seq
	next.Removed = append(next.Removed, Span{From: to + 1, To: r.Seq})
	if to < s.FirstOwnSeq {
		next.forgetRules()
		next.renameQuestions()
		// What waited in the original session waits there.
		next.changeQueues(func(queue []Input) []Input {
			return slices.DeleteFunc(queue, func(in Input) bool { return !in.NotInTranscript })
		})
	}
	next.Undo, next.Redo, next.PendingRewind, next.LastMove = undo, redo, nil, moveOf(r, data)
	if back.Files != nil {
		next.Checkpoint = back.Files.Hash
	}
	next.Messages.Replaced()
	*s = *next
}

// carryOver gives a former state what does not go back. Clocks that were running
// then go on from where they stood: a deadline is not missed by a rewind.
func (s *State) carryOver(now *State, passed int64) {
	s.ID, s.Owner, s.Title, s.Workspace, s.CreatedMS = now.ID, now.Owner, now.Title, now.Workspace, now.CreatedMS
	s.Revoked, s.Archived, s.Forks = now.Revoked, now.Archived, now.Forks
	s.Access, s.Settings, s.ForkedFrom, s.FirstOwnSeq = now.Access, now.Settings, now.ForkedFrom, now.FirstOwnSeq
	s.Processed, s.processedIndex, s.Rules, s.keepHidden = now.Processed, now.processedIndex, now.Rules, now.keepHidden
	s.FirstCheckpoint, s.Spent = now.FirstCheckpoint, now.Spent
	s.FilesNode, s.FilesWait, s.Environment = now.FilesNode, nil, now.Environment
	for i := range s.Questions {
		if a := s.Questions[i].Asking(); a != nil && a.DeadlineMS > 0 {
			a.DeadlineMS += passed
		}
	}
	for _, t := range s.Tasks {
		if t.Run != nil && !t.Run.Phase.Ended() {
			t.Run.Skip(passed)
		}
	}
}

func dropLast(list []RewindEntry) []RewindEntry {
	if len(list) == 0 {
		return nil
	}
	return list[: len(list)-1 : len(list)-1]
}

func lastOf(list []RewindEntry) []RewindEntry { return list[max(0, len(list)-movesMax):] }

// applyCheckpoint folds records about the workspace's files.
func applyCheckpoint(s *State, r clew.Record, data any) {
	switch d := data.(type) {
	case *clew.RewindStartedData:
		s.PendingRewind = &PendingRewind{RewindStartedData: *d, By: r.By, Cause: r.Cause, Seq: r.Seq}
		s.touchNotebooks()
	case *clew.RewindFailedData:
		s.PendingRewind = nil
		s.touchNotebooks()
	case *clew.CheckpointSavedData:
		if d.Kind == clew.CheckpointNotebook {
			applyNotebookCheckpoint(s, d)
			return
		}
		s.Checkpoint = d.ToHash
		if s.FirstCheckpoint == "" {
			s.FirstCheckpoint = d.ToHash
		}
	case *clew.CheckpointRestoredData:
		s.Checkpoint, s.PendingRewind = d.CommitHash, nil
		s.touchNotebooks()
	}
}

// WaitsForNothing reports whether a turn waits, and nobody is there to wait for.
func (s *State) WaitsForNothing(t *Task) bool {
	if t.Turn == nil || t.Ended() || t.Run != nil && s.ActiveRun(t) != nil {
		return false
	}
	if child := s.Task(t.AwaitingChild); child != nil && !child.Ended() {
		return false
	}
	if s.BlockingQuestion(t.TaskID) != nil || slices.ContainsFunc(s.Questions, func(q clew.Question) bool { return SubjectOfQuestion(q).Task == t.TaskID }) {
		return false
	}
	waits := false
	for _, c := range t.Calls {
		switch c.Status {
		case CallApproved, CallRunning, CallApp: // an app's deadline ends its call
			return false
		case CallCell:
			if s.CallRuns(t.TaskID, c.ID) > 0 {
				return false
			}
			waits = true
		case CallAsked, CallChild:
			waits = true
		case CallProposed, CallDone:
		}
	}
	return waits
}

// idsMax is how many messages a record names: those that session_state shows.
const idsMax = TailMessages
