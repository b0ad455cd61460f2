package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/paint"
	"github.com/clew-run/clew/wire"
)

// receive takes in what the server said.
func (m *model) receive(b batch) tea.Cmd {
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
	for _, env := range b.envs {
		m.apply(env)
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
	return tea.Batch(m.reloadCalls(), m.seek())
}

func endedBecause(b batch) string {
	if err := b.link.client.Err(); err != nil {
		return clew.AsError(err).Message
	}
	return "the server ended the connection"
}

// apply takes one envelope in.
func (m *model) apply(env wire.Envelope) {
	ev, err := m.state.Take(env)
	if err != nil {
		m.fail(err)
		return
	}
	switch d := ev.Data.(type) {
	case *clew.StateChangedData:
		m.changed(d, stamp(env))
	case *clew.TextData:
		m.feed.Grow(&m.state, d)
	case *clew.ErrorData:
		m.tell(paint.Fail, d.Message)
	}
}

func stamp(env wire.Envelope) int64 {
	t, err := time.Parse(time.RFC3339, env.Timestamp)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// changed shows what a change brought. What a whole state holds is no news.
func (m *model) changed(d *clew.StateChangedData, ts int64) {
	m.opened = true
	m.feed.Take(&m.state, d)
	since := ts
	if d.From == "" {
		m.skewMS = ts - m.now.UnixMilli()
		since = m.feed.LastSaid()
	}
	m.works(since)
	for _, id := range d.Commands {
		m.write.arrived(id)
	}
	if d.From == "" {
		return
	}
	mine := slices.ContainsFunc(d.Commands, func(id clew.ClientMessageID) bool { return m.write.mine[id] })
	for _, q := range d.Put.Settled {
		m.answered(q, mine)
	}
	for _, n := range d.Put.Notice {
		m.tell(paint.Ask, noticeText(n))
	}
	for _, p := range d.Put.Problem {
		m.tell(paint.Fail, p.Message)
	}
}

// works takes down whether an agent is at work, and since when.
func (m *model) works(since int64) {
	busy := m.state.Status.Status == clew.StatusExecuting || m.state.Status.Status == clew.StatusPlanning
	if busy && !m.busy {
		m.workSince = since
	}
	m.busy = busy
}

// reloadCalls asks for the calls anew that are unfolded and went on.
func (m *model) reloadCalls() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range m.feed.Outdated() {
		cmds = append(cmds, m.loadCall(r.ID, r.Call()))
	}
	return tea.Batch(cmds...)
}

// serverNow is the time by the server's clock.
func (m *model) serverNow() int64 { return m.now.UnixMilli() + m.skewMS }
