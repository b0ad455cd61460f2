package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// decideQueue changes what waits: its words, its order, whether it waits at all.
func decideQueue(tx *Tx, s *core.State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *clew.EditQueuedData:
		return decideEditQueued(tx, s, d)
	case *clew.RemoveQueuedData:
		m, i, err := s.QueueIndex(d.MessageID)
		if err != nil {
			return err
		}
		left := slices.Delete(m.QueueIDs(), i, i+1)
		tx.Add(&clew.QueueChangedData{Queue: left, Removed: d.MessageID})
		return nil
	case *clew.MoveQueuedData:
		return decideMoveQueued(tx, s, d)
	case *clew.SendQueuedData:
		return decideSendQueued(tx, s, d)
	}
	return clew.Errorf(clew.Internal, "%s is not about the queue", cmd.Type)
}

func decideEditQueued(tx *Tx, s *core.State, d *clew.EditQueuedData) error {
	m, i, err := s.QueueIndex(d.MessageID)
	if err != nil {
		return err
	}
	if in := m.Queue[i]; in.Text == d.Text && slices.Equal(in.Images, d.Images) {
		return nil
	}
	if m.Queue[i].NotInTranscript {
		tx.Add(&clew.QueueChangedData{
			Queue: m.QueueIDs(), Edited: &clew.QueuedWords{MessageID: d.MessageID, Text: d.Text, Images: d.Images},
		})
		return nil
	}
	said := s.MessageFor(m.ID, m.Queue[i])
	said.Text, said.Summary, said.Images = d.Text, core.ShortForm(d.Text), d.Images
	tx.Update(said)
	return nil
}

func decideMoveQueued(tx *Tx, s *core.State, d *clew.MoveQueuedData) error {
	m, i, err := s.QueueIndex(d.MessageID)
	if err != nil {
		return err
	}
	to := len(m.Queue)
	if d.Before != "" {
		var other core.Monitor
		if other, to, err = s.QueueIndex(d.Before); err != nil {
			return err
		}
		if other.ID != m.ID {
			return clew.Errorf(clew.SessionInvalidState, "message %s waits on %s, and %s on %s", d.MessageID, m.ID, d.Before, other.ID)
		}
	}
	if to == i || to == i+1 { // there already
		return nil
	}
	ids := slices.Delete(m.QueueIDs(), i, i+1)
	if to > i {
		to--
	}
	tx.Add(&clew.QueueChangedData{Queue: slices.Insert(ids, to, d.MessageID)})
	return nil
}

// decideSendQueued does for one message what would come in its turn, or steers
// by it where its agent is at work.
func decideSendQueued(tx *Tx, s *core.State, d *clew.SendQueuedData) error {
	m, i, err := s.QueueIndex(d.MessageID)
	if err != nil {
		return err
	}
	in := m.Queue[i]
	if in.WindowID != "" {
		return clew.Errorf(clew.SessionInvalidState, "message %s waits for the agent of window %s, which takes one after the other", d.MessageID, in.WindowID)
	}
	run := in.Mode == string(clew.ModeRun)
	switch {
	case !s.AtWorkOn(m.ID), run && !s.RunUnderway(m.ID):
		if startNext(tx, s.WithQueue(m.ID, in), m.ID, ""); tx.Len() > 0 {
			return nil
		}
		return clew.Errorf(clew.SessionInvalidState, "another run is under way")
	case in.New:
		return clew.Errorf(clew.SessionInvalidState, "message %s starts a task of its own, which waits for the one under way", d.MessageID)
	}
	t := s.Task(in.TaskID)
	if t == nil {
		t = s.Focused(m.ID)
	}
	if t != nil {
		t = s.ActiveAncestor(t)
	}
	if t == nil || t.Turn == nil {
		return clew.Errorf(clew.SessionInvalidState, "the task of message %s waits for the one under way", d.MessageID)
	}
	if len(t.Inbox) >= core.QueueMax {
		return clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(t.Inbox))
	}
	queuedToTranscript(tx, s, m.ID, &in, t.TaskID)
	steer(tx, s, t, in.MessageID, in.Client)
	return nil
}
