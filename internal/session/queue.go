package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// decideQueue changes what waits: its words, its order, whether it waits at all.
func decideQueue(tx *Tx, s *State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *clew.EditQueuedData:
		return decideEditQueued(tx, s, d)
	case *clew.RemoveQueuedData:
		i, err := s.queueIndex(d.MessageID)
		if err != nil {
			return err
		}
		left := slices.Delete(s.queueIDs(), i, i+1)
		tx.Add(&clew.QueueChangedData{Queue: left, Removed: d.MessageID})
		return nil
	case *clew.MoveQueuedData:
		return decideMoveQueued(tx, s, d)
	case *clew.SendQueuedData:
		return decideSendQueued(tx, s, d)
	}
	return clew.Errorf(clew.Internal, "%s is not about the queue", cmd.Type)
}

// queueIndex finds a message in the queue. One that was handed to an agent cannot
// be changed any more.
func (s *State) queueIndex(id clew.MessageID) (int, error) {
	i := slices.IndexFunc(s.Queue, func(in Input) bool { return in.MessageID == id })
	if i >= 0 {
		return i, nil
	}
	if slices.ContainsFunc(s.Messages.Tail(), func(m clew.Message) bool { return m.MessageID == id || m.QueuedAs == id && id != "" }) {
		return 0, clew.Errorf(clew.SessionInvalidState, "message %s does not wait any more", id)
	}
	return 0, clew.Errorf(clew.MessageNotFound, "no message %q waits in this session", id)
}

func (s *State) queueIDs() clew.List[clew.MessageID] {
	ids := make(clew.List[clew.MessageID], 0, len(s.Queue))
	for _, in := range s.Queue {
		ids = append(ids, in.MessageID)
	}
	return ids
}

func decideEditQueued(tx *Tx, s *State, d *clew.EditQueuedData) error {
	i, err := s.queueIndex(d.MessageID)
	if err != nil {
		return err
	}
	if in := s.Queue[i]; in.Text == d.Text && slices.Equal(in.Images, d.Images) {
		return nil
	}
	if s.Queue[i].NotInTranscript {
		tx.Add(&clew.QueueChangedData{
			Queue: s.queueIDs(), Edited: &clew.QueuedWords{MessageID: d.MessageID, Text: d.Text, Images: d.Images},
		})
		return nil
	}
	m := s.messageFor(s.Queue[i])
	m.Text, m.Images = d.Text, d.Images
	tx.Update(m)
	return nil
}

// messageFor is a waiting message as the transcript has it, or will have it. In an
// older journal it may wait for so long that it is no longer in the tail.
func (s *State) messageFor(in Input) clew.Message {
	if m := s.Message(in.MessageID); m != nil {
		return withoutOutcome(*m)
	}
	return clew.Message{
		MessageID: in.MessageID, TS: in.TS, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: in.Text, Images: in.Images, MonitorID: clew.MainMonitor, TaskID: in.TaskID,
		ClientMessageID: in.Client, UserID: in.UserID,
	}
}

func decideMoveQueued(tx *Tx, s *State, d *clew.MoveQueuedData) error {
	i, err := s.queueIndex(d.MessageID)
	if err != nil {
		return err
	}
	to := len(s.Queue)
	if d.Before != "" {
		if to, err = s.queueIndex(d.Before); err != nil {
			return err
		}
	}
	if to == i || to == i+1 { // there already
		return nil
	}
	ids := slices.Delete(s.queueIDs(), i, i+1)
	if to > i {
		to--
	}
	tx.Add(&clew.QueueChangedData{Queue: slices.Insert(ids, to, d.MessageID)})
	return nil
}

// decideSendQueued does for one message what would come in its turn, or steers
// by it where its agent is at work.
func decideSendQueued(tx *Tx, s *State, d *clew.SendQueuedData) error {
	i, err := s.queueIndex(d.MessageID)
	if err != nil {
		return err
	}
	in := s.Queue[i]
	alone := *s
	alone.Queue = []Input{in}
	run := in.Mode == string(clew.ModeRun)
	switch {
	case !s.AtWork(), run && !s.runUnderway():
		if startNext(tx, &alone, ""); tx.Len() > 0 {
			return nil
		}
		return clew.Errorf(clew.SessionInvalidState, "another run is under way")
	case in.New:
		return clew.Errorf(clew.SessionInvalidState, "message %s starts a task of its own, which waits for the one under way", d.MessageID)
	}
	t := s.Task(in.TaskID)
	if t == nil {
		t = s.Task(s.Current)
	}
	if t != nil {
		t = s.activeAncestor(t)
	}
	if t == nil || t.Turn == nil {
		return clew.Errorf(clew.SessionInvalidState, "the task of message %s waits for the one under way", d.MessageID)
	}
	if len(t.Inbox) >= queueMax {
		return clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(t.Inbox))
	}
	queuedToTranscript(tx, s, &in, t.TaskID)
	steer(tx, s, t, in.MessageID, in.Client)
	return nil
}

// inputOf is what a message of the transcript says to an agent.
func inputOf(s *State, id clew.MessageID) Input {
	same := func(in Input) bool { return in.MessageID == id }
	if i := slices.IndexFunc(s.Queue, same); i >= 0 {
		in := s.Queue[i]
		in.TS, in.UserID, in.Client = 0, "", ""
		return in
	}
	if m := s.Message(id); m != nil {
		return Input{MessageID: id, Text: m.Text, Images: m.Images, TaskID: m.TaskID}
	}
	for _, t := range s.sortedTasks() { // it waited for long, and several are told
		if i := slices.IndexFunc(t.Inbox, same); i >= 0 {
			return t.Inbox[i]
		}
	}
	return Input{MessageID: id}
}

func applyQueued(s *State, r clew.Record, d *clew.MessageQueuedData) {
	if d.MessageID == r.MessageID() {
		s.Queue = append(slices.Clip(s.Queue), Input{
			MessageID: d.MessageID, Text: d.Text, Images: d.Images, Mode: d.Mode, TaskID: d.TaskID, New: d.NewTask, Budget: d.Budget,
			TS: r.TS, UserID: d.UserID, Client: d.ClientMessageID, NotInTranscript: true,
		})
		return
	}
	in := inputOf(s, d.MessageID)
	in.New, in.Mode, in.Budget = d.NewTask, d.Mode, d.Budget
	if m := s.Message(d.MessageID); m != nil {
		in.TS, in.UserID, in.Client = m.TS, m.UserID, m.ClientMessageID
	}
	s.Queue = append(slices.Clip(s.Queue), in)
}

// applyQueuedEdit takes the new words of a message that waits.
func applyQueuedEdit(s *State, w clew.QueuedWords) {
	i := slices.IndexFunc(s.Queue, func(in Input) bool { return in.MessageID == w.MessageID })
	if i < 0 {
		return
	}
	s.Queue = slices.Clone(s.Queue)
	s.Queue[i].Text, s.Queue[i].Images = w.Text, w.Images
}

// applyQueueChanged puts what waits into another order. Whatever the record
// says, nothing else is lost: what it does not name stays at the end.
func applyQueueChanged(s *State, d *clew.QueueChangedData) {
	place := func(in Input) int {
		if i := slices.Index(d.Queue, in.MessageID); i >= 0 {
			return i
		}
		return len(d.Queue)
	}
	s.Queue = slices.Clone(s.Queue)
	slices.SortStableFunc(s.Queue, func(a, b Input) int { return place(a) - place(b) })
	if d.Edited != nil {
		applyQueuedEdit(s, *d.Edited)
	}
	i := slices.IndexFunc(s.Queue, func(in Input) bool { return in.MessageID == d.Removed })
	if d.Removed == "" || i < 0 {
		return
	}
	unsaid := s.Queue[i].NotInTranscript
	if s.Queue = slices.Delete(s.Queue, i, i+1); unsaid {
		return
	}
	s.Messages.Remove(d.Removed)
	s.Total--
	if seq, err := d.Removed.Seq(); err == nil {
		s.hide(seq)
	}
}

// leavesQueue takes a message out of the queue.
func (s *State) leavesQueue(id clew.MessageID) {
	s.Queue = slices.DeleteFunc(slices.Clone(s.Queue), func(in Input) bool { return in.MessageID == id })
}

// keepQueue gives a former state what waits now: it was not heard yet, so there is
// nothing to take back. What waits in an older journal goes back with its message.
func (s *State) keepQueue(now *State) {
	s.Queue = slices.DeleteFunc(slices.Clone(s.Queue), func(in Input) bool { return in.NotInTranscript })
	for _, in := range now.Queue {
		if in.NotInTranscript {
			s.Queue = append(s.Queue, in)
		}
	}
}

// hide leaves one record out of what people see.
func (s *State) hide(seq uint64) {
	i, found := slices.BinarySearchFunc(s.Removed, seq, func(span Span, seq uint64) int {
		switch {
		case span.To < seq:
			return -1
		case span.From > seq:
			return 1
		}
		return 0
	})
	if !found {
		s.Removed = slices.Insert(slices.Clone(s.Removed), i, Span{From: seq, To: seq})
	}
}

// queuedMessages lists what waits, as clients are shown it.
func (s *State) queuedMessages() clew.List[clew.QueuedMessage] {
	list := make(clew.List[clew.QueuedMessage], 0, len(s.Queue))
	for _, in := range s.Queue {
		m := s.messageFor(in)
		list = append(list, clew.QueuedMessage{
			MessageID: in.MessageID, Text: in.Text, Images: in.Images, MonitorID: clew.MainMonitor, TaskID: in.TaskID,
			Mode: in.Mode, NewTask: in.New, UserID: m.UserID, ClientMessageID: m.ClientMessageID, TS: m.TS,
		})
	}
	return list
}
