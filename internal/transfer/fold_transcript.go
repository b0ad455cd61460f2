package transfer

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/clew-run/clew"
)

// A talk is the transcript: where each message's newest version lies.
type talk struct {
	spool   *spool
	entries []message
	at      map[uint64]int            // by the seq of the message's id
	asks    map[clew.RequestID]uint64 // the message of a question
	names   map[string]string         // so that equal names are kept once
}

// message is one message.
type message struct {
	seq      uint64
	place    ref
	task     clew.TaskID
	agent    clew.AgentID
	answered bool
}

func newTalk(s *spool) *talk {
	return &talk{spool: s, at: map[uint64]int{}, asks: map[clew.RequestID]uint64{}, names: map[string]string{}}
}

func (t *talk) add(r clew.Record, data any) error {
	switch d := data.(type) {
	case *clew.MessageCreatedData:
		return t.message(r, d.Message, true)
	case *clew.MessageUpdatedData:
		return t.message(r, d.Message, false)
	case *clew.QueueChangedData:
		t.takeBack(d.Removed)
	case *clew.MessageAcceptedData:
		if e := t.entry(d.MessageID); e != nil {
			if e.task == "" {
				e.task = clew.TaskID(t.name(string(d.TaskID)))
			}
			if e.agent == "" {
				e.agent = clew.AgentID(t.name(string(d.AgentID)))
			}
		}
	case *clew.HitlResolvedData:
		if seq, ok := t.asks[d.RequestID]; ok {
			delete(t.asks, d.RequestID)
			if i, ok := t.at[seq]; ok {
				t.entries[i].answered = true
			}
		}
	default:
		if a := (clew.Question{Type: r.Type, Data: data}).Asking(); a != nil && a.MessageID != "" {
			if seq, err := a.MessageID.Seq(); err == nil {
				t.asks[a.RequestID] = seq
			}
		}
	}
	return nil
}

func (t *talk) message(r clew.Record, m clew.Message, created bool) error {
	seq, err := m.MessageID.Seq()
	if err != nil {
		seq = r.Seq
	}
	i, known := t.at[seq]
	if !known && !created {
		return nil
	}
	b, err := clew.MarshalData(m)
	if err != nil {
		return err
	}
	place, err := t.spool.put(b)
	if err != nil {
		return err
	}
	if !known {
		i = len(t.entries)
		t.at[seq] = i
		t.entries = append(t.entries, message{seq: seq})
	}
	e := &t.entries[i]
	e.place = place
	if m.TaskID != "" {
		e.task = clew.TaskID(t.name(string(m.TaskID)))
	}
	if m.AgentID != "" {
		e.agent = clew.AgentID(t.name(string(m.AgentID)))
	}
	return nil
}

// takeBack forgets a message that was taken back before anybody heard it.
func (t *talk) takeBack(id clew.MessageID) {
	seq, err := id.Seq()
	i, known := t.at[seq]
	if err != nil || !known {
		return
	}
	t.entries = slices.Delete(t.entries, i, i+1)
	delete(t.at, seq)
	for other, at := range t.at {
		if at > i {
			t.at[other] = at - 1
		}
	}
}

func (t *talk) entry(id clew.MessageID) *message {
	seq, err := id.Seq()
	if err != nil {
		return nil
	}
	if i, ok := t.at[seq]; ok {
		return &t.entries[i]
	}
	return nil
}

func (t *talk) name(s string) string {
	if have, ok := t.names[s]; ok {
		return have
	}
	t.names[s] = s
	return s
}

// all yields the messages in order of time.
func (t *talk) all() iter.Seq2[*message, func() (clew.Message, error)] {
	return func(yield func(*message, func() (clew.Message, error)) bool) {
		for i := range t.entries {
			e := &t.entries[i]
			if !yield(e, func() (clew.Message, error) { return t.read(e) }) {
				return
			}
		}
	}
}

func (t *talk) read(e *message) (clew.Message, error) {
	var m clew.Message
	b, err := t.spool.get(e.place)
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(b, &m)
	m.IsAnswered = m.IsAnswered || e.answered
	return m, err
}
