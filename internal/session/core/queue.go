package core

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// QueueIndex finds a message that waits: the monitor, and the place in its queue. One
// that was handed to an agent cannot be changed any more.
func (s *State) QueueIndex(id clew.MessageID) (Monitor, int, error) {
	if m, i := s.findQueued(id); i >= 0 {
		return m, i, nil
	}
	if slices.ContainsFunc(s.Messages.Tail(), func(m clew.Message) bool { return m.MessageID == id || m.QueuedAs == id && id != "" }) {
		return Monitor{}, 0, clew.Errorf(clew.SessionInvalidState, "message %s does not wait any more", id)
	}
	return Monitor{}, 0, clew.Errorf(clew.MessageNotFound, "no message %q waits in this session", id)
}

// findQueued is QueueIndex with -1 for a message that does not wait.
func (s *State) findQueued(id clew.MessageID) (Monitor, int) {
	for _, m := range s.AllMonitors() {
		if i := slices.IndexFunc(m.Queue, func(in Input) bool { return in.MessageID == id }); i >= 0 {
			return m, i
		}
	}
	return Monitor{}, -1
}

// QueueIDs names the messages that wait, in their order.
func (m Monitor) QueueIDs() clew.List[clew.MessageID] {
	ids := make(clew.List[clew.MessageID], 0, len(m.Queue))
	for _, in := range m.Queue {
		ids = append(ids, in.MessageID)
	}
	return ids
}

// MessageFor is a message that waits on a monitor as the transcript has it, or will
// have it. In an older journal it may wait for so long that it is no longer in the
// tail.
func (s *State) MessageFor(on clew.MonitorID, in Input) clew.Message {
	if m := s.Message(in.MessageID); m != nil {
		return WithoutOutcome(*m)
	}
	if in.Callback != "" {
		return clew.Message{
			MessageID: in.MessageID, TS: in.TS, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerUser, Text: in.Text,
			MonitorID: s.Monitor(on).ID, TaskID: in.TaskID, AgentID: TaskAgent(in.Callback),
		}
	}
	return clew.Message{
		MessageID: in.MessageID, TS: in.TS, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: in.Text, Images: in.Images, MonitorID: s.Monitor(on).ID, TaskID: in.TaskID,
		ClientMessageID: in.Client, UserID: in.UserID, WindowID: in.WindowID, Component: in.Component,
	}
}

// inputOf is what a message of the transcript says to an agent.
func inputOf(s *State, id clew.MessageID) Input {
	if m, i := s.findQueued(id); i >= 0 {
		in := m.Queue[i]
		in.TS, in.UserID, in.Client = 0, "", ""
		return in
	}
	if m := s.Message(id); m != nil {
		in := Input{MessageID: id, Text: m.Text, Images: m.Images, TaskID: m.TaskID, WindowID: m.WindowID, Component: m.Component}
		if by, ok := strings.CutPrefix(string(m.AgentID), "task-"); ok {
			in.Callback = clew.TaskID(by)
		}
		return in
	}
	for _, t := range s.SortedTasks() { // it waited for long, and several are told
		if i := slices.IndexFunc(t.Inbox, func(in Input) bool { return in.MessageID == id }); i >= 0 {
			return t.Inbox[i]
		}
	}
	return Input{MessageID: id}
}

func applyQueued(s *State, r clew.Record, d *clew.MessageQueuedData) {
	if d.MessageID == r.MessageID() {
		s.enqueue(d.MonitorID, Input{
			MessageID: d.MessageID, Text: d.Text, Images: d.Images, Mode: d.Mode, TaskID: d.TaskID, New: d.NewTask, Budget: d.Budget,
			TS: r.TS, UserID: d.UserID, Client: d.ClientMessageID, NotInTranscript: true, Callback: d.Callback, WindowID: d.WindowID, Component: d.Component,
		})
		return
	}
	in := inputOf(s, d.MessageID)
	in.New, in.Mode, in.Budget = d.NewTask, d.Mode, d.Budget
	if t := s.Task(in.TaskID); t != nil && t.Kind() == clew.AgentEphemeral { // which handed it over
		in.TaskID = d.TaskID
	}
	if m := s.Message(d.MessageID); m != nil {
		in.TS, in.UserID, in.Client = m.TS, m.UserID, m.ClientMessageID
	}
	s.enqueue(d.MonitorID, in)
}

func (s *State) enqueue(on clew.MonitorID, in Input) {
	m := s.Monitor(on)
	at := len(m.Queue)
	if in.Callback == "" { // what people say comes before the results of tasks
		if i := slices.IndexFunc(m.Queue, func(x Input) bool { return x.Callback != "" }); i >= 0 {
			at = i
		}
	}
	m.Queue = slices.Insert(slices.Clone(m.Queue), at, in)
	s.setMonitor(m)
}

// applyQueuedEdit takes the new words of a message that waits.
func applyQueuedEdit(s *State, w clew.QueuedWords) {
	m, i := s.findQueued(w.MessageID)
	if i < 0 {
		return
	}
	m.Queue = slices.Clone(m.Queue)
	m.Queue[i].Text, m.Queue[i].Images = w.Text, w.Images
	s.setMonitor(m)
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
	s.changeQueues(func(queue []Input) []Input {
		slices.SortStableFunc(queue, func(a, b Input) int { return place(a) - place(b) })
		return queue
	})
	if d.Edited != nil {
		applyQueuedEdit(s, *d.Edited)
	}
	if d.Reset {
		s.forgetContext()
	}
	m, i := s.findQueued(d.Removed)
	if d.Removed == "" || i < 0 {
		return
	}
	unsaid := m.Queue[i].NotInTranscript
	m.Queue = slices.Delete(slices.Clone(m.Queue), i, i+1)
	if s.setMonitor(m); unsaid {
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
	if _, i := s.findQueued(id); i < 0 {
		return
	}
	s.changeQueues(func(queue []Input) []Input {
		return slices.DeleteFunc(queue, func(in Input) bool { return in.MessageID == id })
	})
}

// keepQueue gives a former state what waits now: it was not heard yet, so there is
// nothing to take back. What waits in an older journal goes back with its message.
func (s *State) keepQueue(now *State) {
	byPerson := func(in Input) bool { return in.NotInTranscript && in.Callback == "" }
	s.changeQueues(func(queue []Input) []Input { return slices.DeleteFunc(queue, byPerson) })
	for _, m := range now.AllMonitors() {
		for _, in := range m.Queue {
			if byPerson(in) && (in.WindowID == "" || s.Window(in.WindowID) != nil) { // what waits for a window goes with it
				s.enqueue(m.ID, in)
			}
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
	list := clew.List[clew.QueuedMessage]{}
	for _, m := range s.AllMonitors() {
		for _, in := range m.Queue {
			said := s.MessageFor(m.ID, in)
			list = append(list, clew.QueuedMessage{
				MessageID: in.MessageID, Text: in.Text, Images: in.Images, MonitorID: m.ID, TaskID: in.TaskID,
				Mode: in.Mode, NewTask: in.New, UserID: said.UserID, ClientMessageID: said.ClientMessageID, TS: said.TS,
				WindowID: in.WindowID, Component: in.Component,
			})
		}
	}
	return list
}
