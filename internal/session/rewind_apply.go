package session

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
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

// branch is where the two states of a rewind part.
func (m RewindEntry) branch() branch {
	return branch{seq: m.To, total: m.Kept, quiet: m.Quiet, spans: m.Hidden}
}

// setBranch notes where they do.
func (m *RewindEntry) setBranch(at branch) {
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
	next := s.pending
	s.pending = nil
	if next == nil {
		return // Folder and decide see to it
	}
	back := rewindOf(data)
	move := RewindEntry{Seq: r.Seq, RewindID: back.RewindID}
	if back.Files != nil {
		move.Files = back.Files.Before
	}
	undo, redo := s.Undo, s.Redo
	switch d := data.(type) {
	case *clew.HistoryRewoundData:
		move.From, move.Keep = d.FromMessageID, d.KeepTarget
		move.setBranch(next.branch())
		if n := len(redo); d.Redo && n > 0 {
			move.setBranch(redo[n-1].branch())
			redo = dropLast(redo)
		} else {
			redo = nil
		}
		undo = lastOf(append(slices.Clip(undo), move))
	case *clew.RewindUndoneData:
		if n := len(undo); n > 0 {
			move.From, move.Keep = undo[n-1].From, undo[n-1].Keep
			move.setBranch(undo[n-1].branch())
		}
		undo, redo = dropLast(undo), lastOf(append(slices.Clip(redo), move))
	}
	next.carryOver(s, r.TS-next.TS)
	next.keepQueue(s)
	next.keepRules(s)
	to := next.Seq
	next.Seq, next.TS, next.LastRewindSeq = r.Seq, r.TS, r.Seq
	next.Removed = append(next.Removed, Span{From: to + 1, To: r.Seq})
	if to < s.FirstOwnSeq {
		next.forgetRules()
		next.renameQuestions()
		// What waited in the original session waits there.
		next.Queue = slices.DeleteFunc(next.Queue, func(in Input) bool { return !in.NotInTranscript })
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
	s.Processed, s.processedIndex, s.rules, s.keepHidden = now.Processed, now.processedIndex, now.rules, now.keepHidden
	s.FirstCheckpoint = now.FirstCheckpoint
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
	case *clew.RewindFailedData:
		s.PendingRewind = nil
	case *clew.CheckpointSavedData:
		s.Checkpoint = d.ToHash
		if s.FirstCheckpoint == "" {
			s.FirstCheckpoint = d.ToHash
		}
	case *clew.CheckpointRestoredData:
		s.Checkpoint, s.PendingRewind = d.CommitHash, nil
	}
}

// stopWork stops whoever would go on by themselves: turns end where they stand, a run
// is paused. What waits for a person goes on waiting. Where the session was taken
// back to the middle of a batch, somebody may wait for what was to come next in
// it; that ends, too.
func stopWork(tx *Tx, s *State, streamed streams, how turnEnd) {
	if root := s.currentRun(); root != nil && s.activeRun(root) != nil {
		stepRun(tx, s, root).pauseForRewind(how)
	}
	for _, t := range s.sortedTasks() {
		if s.activeRun(t) == nil && (s.Runnable(t) || s.waitsForNothing(t)) {
			endTurn(tx, s, t, streamed, how)
		}
	}
	if t := s.Task(s.Current); t != nil { // what is said next is not for a child that ended
		focus(tx, s, s.activeAncestor(t).TaskRef)
	}
}

// pauseForRewind pauses the run if it would go on by itself, or would not go on at all.
// Attempts at todos that nobody is at work on begin anew when it goes on.
func (c *runStepper) pauseForRewind(how turnEnd) {
	var torn []clew.Todo
	for _, t := range c.run.Todos {
		if x := c.s.Task(t.TaskID); t.Status == clew.TodoInProgress && (x == nil || x.Ended() || c.s.waitsForNothing(x)) {
			torn = append(torn, t)
		}
	}
	mark := c.tx.Len()
	again := c.reopenReview()
	asked := again || slices.ContainsFunc(c.s.Questions, func(q clew.Question) bool {
		t := c.s.Task(q.Asking().TaskID)
		return t != nil && t.RootTaskID == c.root.TaskID
	})
	if !c.run.Paused && (len(torn) > 0 || !asked || !again && c.hasNextStep() || slices.ContainsFunc(c.s.tasksOfTree(c.root.TaskID), func(t *Task) bool {
		return c.s.Runnable(t) && (t != c.root || !again)
	})) {
		if err := c.pause(how); err != nil {
			c.tx.Truncate(mark)
			return
		}
	}
	for _, t := range torn {
		c.abort(t, nil, how)
		c.retry(t, t.RetryCount, how)
	}
	c.reportProgress()
}

// hasNextStep reports whether the plan has a next step that nobody has taken: what began
// it comes later in the batch.
func (c *runStepper) hasNextStep() bool {
	return c.run.Phase == run.Executing &&
		(c.run.Executed() || len(c.run.Start(c.rules))+len(c.run.AskCost(c.rules))+len(c.run.AskFailed()) > 0)
}

// reopenReview puts the plan before people if the session is back between a plan,
// or a change of it, and the question about it.
func (c *runStepper) reopenReview() bool {
	changed := c.run.Phase == run.Executing && c.run.Status != clew.PlanApproved
	if c.run.Phase != run.Review && !changed || c.run.Review != "" {
		return false
	}
	if open := slices.IndexFunc(c.root.Calls, func(x Call) bool { return x.Status != CallDone }); open >= 0 && c.root.Call(c.run.Call) == nil {
		c.run.Call = c.root.Calls[open].ID // the one that the plan came with
	}
	c.review("Please look at the plan.")
	return true
}

// waitsForNothing reports whether a turn waits, and nobody is there to wait for.
func (s *State) waitsForNothing(t *Task) bool {
	if t.Turn == nil || t.Ended() || t.Run != nil && s.activeRun(t) != nil {
		return false
	}
	if child := s.Task(t.AwaitingChild); child != nil && !child.Ended() {
		return false
	}
	if s.blockingQuestion(t.TaskID) != nil || slices.ContainsFunc(s.Questions, func(q clew.Question) bool { return subjectOfQuestion(q).task == t.TaskID }) {
		return false
	}
	waits := false
	for _, c := range t.Calls {
		switch c.Status {
		case CallApproved, CallRunning:
			return false
		case CallAsked, CallChild:
			waits = true
		case CallProposed, CallDone:
		}
	}
	return waits
}
