package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// QueueIndex finds a message in the queue. One that was handed to an agent cannot
// be changed any more.
func (s *State) QueueIndex(id clew.MessageID) (int, error) {
	i := slices.IndexFunc(s.Queue, func(in Input) bool { return in.MessageID == id })
	if i >= 0 {
		return i, nil
	}
	if slices.ContainsFunc(s.Messages.Tail(), func(m clew.Message) bool { return m.MessageID == id || m.QueuedAs == id && id != "" }) {
		return 0, clew.Errorf(clew.SessionInvalidState, "message %s does not wait any more", id)
	}
	return 0, clew.Errorf(clew.MessageNotFound, "no message %q waits in this session", id)
}

// QueueIDs names the messages that wait, in their order.
func (s *State) QueueIDs() clew.List[clew.MessageID] {
	ids := make(clew.List[clew.MessageID], 0, len(s.Queue))
	for _, in := range s.Queue {
		ids = append(ids, in.MessageID)
	}
	return ids
}

// MessageFor is a waiting message as the transcript has it, or will have it. In an
// older journal it may wait for so long that it is no longer in the tail.
func (s *State) MessageFor(in Input) clew.Message {
	if m := s.Message(in.MessageID); m != nil {
		return WithoutOutcome(*m)
	}
	return clew.Message{
		MessageID: in.MessageID, TS: in.TS, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: in.Text, Images: in.Images, MonitorID: clew.MainMonitor, TaskID: in.TaskID,
		ClientMessageID: in.Client, UserID: in.UserID,
	}
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
	for _, t := range s.SortedTasks() { // it waited for long, and several are told
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

// QueuedMessages lists what waits, as clients are shown it.
func (s *State) QueuedMessages() clew.List[clew.QueuedMessage] {
	list := make(clew.List[clew.QueuedMessage], 0, len(s.Queue))
	for _, in := range s.Queue {
		m := s.MessageFor(in)
		list = append(list, clew.QueuedMessage{
			MessageID: in.MessageID, Text: in.Text, Images: in.Images, MonitorID: clew.MainMonitor, TaskID: in.TaskID,
			Mode: in.Mode, NewTask: in.New, UserID: m.UserID, ClientMessageID: m.ClientMessageID, TS: m.TS,
		})
	}
	return list
}
