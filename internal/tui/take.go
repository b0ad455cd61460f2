package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/paint"
	"github.com/clew-run/clew/wire"
)

// take takes in what the server said.
func (m *model) take(b batch) tea.Cmd {
	if b.link != m.link {
		return nil // of a session that was left
	}
	m.now = m.clock()
	if b.state != m.conn {
		m.conn, m.since = b.state, m.now
		if m.conn == client.Active && m.noteInk == paint.Fail {
			m.note = "" // what failed can be done again
		}
	}
	m.connWhy = b.why
	asks := false
	for _, env := range b.envs {
		if m.apply(env) {
			asks = true
		}
	}
	m.question() // one that is gone takes its keys along
	if b.ended {
		m.ended = endedBecause(b)
		if !m.opened { // there is nothing to show
			m.refused = b.link.client.Err()
			if m.refused == nil {
				m.refused = clew.Errorf(clew.Unavailable, "%s", m.ended)
			}
			return tea.Quit
		}
	}
	if asks {
		return m.askState()
	}
	return nil
}

func endedBecause(b batch) string {
	if err := b.link.client.Err(); err != nil {
		return clew.AsError(err).Message
	}
	return "the server ended the connection"
}

// apply takes one envelope in, and reports whether the whole state is to be
// asked for: what follows from it is not in the records.
func (m *model) apply(env wire.Envelope) (ask bool) {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return false // newer than this program
	}
	ts, seq := stamp(env), env.Seq()
	known := lastSeq(m.view)
	m.view.Apply(env)
	m.feed.Apply(ev, seq, ts)
	if s, ok := ev.Data.(*clew.SessionState); ok {
		m.opened = true
		m.snapshot(s)
		m.skewMS = ts - m.now.UnixMilli()
		return false
	}
	if seq > 0 && seq <= known {
		return false // replayed
	}
	return m.follow(ev, ts)
}

func lastSeq(v client.View) uint64 {
	seq, _ := v.State.LastMessageID.Seq()
	return seq
}

func stamp(env wire.Envelope) int64 {
	t, err := time.Parse(time.RFC3339, env.Timestamp)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

func (m *model) snapshot(s *clew.SessionState) {
	m.works(s.Status == clew.StatusExecuting || s.Status == clew.StatusPlanning, m.feed.LastSaid())
	m.viewers = s.Viewers
	m.usage = clew.Usage{}
	if s.Usage != nil {
		m.usage = *s.Usage
	}
}

// works takes down whether an agent is at work, and since when.
func (m *model) works(busy bool, since int64) {
	if busy && !m.busy {
		m.workSince = since
	}
	m.busy = busy
}

// follow keeps what the view does not know.
func (m *model) follow(ev clew.Event, ts int64) (ask bool) {
	switch d := ev.Data.(type) {
	case *clew.PresenceData:
		m.viewers = d.Viewers
	case *clew.MessageCreatedData:
		m.spent(d.Message)
		m.write.arrived(d.Message.ClientMessageID)
	case *clew.TaskActiveData, *clew.TaskStartedData, *clew.TaskUnpausedData, *clew.LayerStartData:
		m.works(true, ts)
	case *clew.TaskIdleData, *clew.TaskCompletedData, *clew.TaskAbortedData, *clew.TaskResumableData, *clew.TaskInteractiveData,
		*clew.CompleteData, *clew.FailedData, *clew.CancelledData, *clew.HitlPausedData,
		*clew.HistoryRewoundData, *clew.RewindUndoneData, *clew.RewindFailedData, *clew.CheckpointRestoredData, *clew.SessionImportedData:
		m.feed.Stale()
		return true
	case *clew.MessageQueuedData, *clew.MessageAcceptedData, *clew.QueueChangedData:
		m.feed.Stale()
	case *clew.HitlResolvedData:
		m.answered(d)
	case *clew.ErrorData:
		m.tell(paint.Fail, d.Message)
	}
	return false
}

func (m *model) spent(msg clew.Message) {
	if msg.Say == clew.SayAPIReqFinished && msg.Usage != nil {
		m.usage = m.usage.Add(*msg.Usage)
	}
}

// serverNow is the time by the server's clock.
func (m *model) serverNow() int64 { return m.now.UnixMilli() + m.skewMS }
