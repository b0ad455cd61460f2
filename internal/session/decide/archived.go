package decide

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// decideArchive puts a session away, or brings it back. Who is at work in it, or
// waits for an answer, would go on unseen.
func decideArchive(tx *Tx, s *core.State, cmd clew.Command, d *clew.ArchiveSessionData) error {
	if d.Archived == s.Archived {
		return nil
	}
	if d.Archived && slices.ContainsFunc(s.Notebooks, func(n core.Notebook) bool { return n.HasWork() }) {
		return clew.Errorf(clew.SessionInvalidState, "a notebook is at work: stop it, or wait until it is done, and archive then")
	}
	if d.Archived && s.Busy() {
		return clew.Errorf(clew.SessionInvalidState, "an agent is at work: stop it, or wait until it is done, and archive then")
	}
	if n := len(s.Questions); d.Archived && n > 0 {
		open := "a question is open: answer it"
		if n > 1 {
			open = fmt.Sprintf("%d questions are open: answer them", n)
		}
		return clew.Errorf(clew.SessionInvalidState, "%s, or cancel the task, and archive then", open)
	}
	tx.Add(&clew.SessionArchivedData{Archived: d.Archived, By: cmd.By.User})
	return nil
}

// unarchiveOnActivity brings a session that was put away back in the same batch as what
// somebody says in it, what sets an agent to work, and what asks somebody.
func unarchiveOnActivity(tx *Tx, s *core.State, cmd clew.Command) error {
	if !s.Archived || tx.Len() == 0 {
		return nil
	}
	after, err := simulate(s, tx, cmd)
	if err != nil {
		return err
	}
	if after.Archived && (hasActivity(tx.Events()) || after.Busy() || opensQuestion(s, after)) {
		tx.Add(&clew.SessionArchivedData{Archived: false, By: cmd.By.User})
	}
	return nil
}

// opensQuestion reports whether a question is open that was not. Journals of older
// versions have sessions that were put away with one open: that alone brings
// nobody back.
func opensQuestion(before, after *core.State) bool {
	return slices.ContainsFunc(after.Questions, func(q clew.Question) bool { return before.OpenQuestion(q.RequestID()) == nil })
}

func hasActivity(events []clew.Event) bool {
	for _, e := range events {
		switch e.Data.(type) {
		case *clew.MessageAcceptedData, *clew.MessageQueuedData:
			return true
		}
	}
	return false
}

// simulate is a copy of the state with the events of a command.
func simulate(s *core.State, tx *Tx, cmd clew.Command) (*core.State, error) {
	encoded, err := s.Encode()
	if err != nil {
		return nil, err
	}
	next, err := core.DecodeState(s.ID, encoded)
	if err != nil {
		return nil, err
	}
	next.Rules = s.Rules
	for i, e := range tx.Events() {
		data, err := clew.MarshalData(e.Data)
		if err != nil {
			return nil, err
		}
		copied, err := clew.DecodeEvent(e.Type, data) // Apply keeps what it is given
		if err != nil {
			return nil, err
		}
		if d, ok := cmd.Data.(*RewindCommand); ok && core.RewindOf(e.Data) != nil {
			if next.Pending, err = d.arrival(s.ID); err != nil {
				return nil, err
			}
		}
		core.Apply(next, clew.Record{Seq: tx.seq + uint64(i), TS: tx.ts + int64(i), By: cmd.By.User, Type: e.Type}, copied.Data)
	}
	return next, nil
}
