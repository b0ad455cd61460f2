package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A viewport is the part of the transcript that is on the screen. It follows the
// end, or it holds a place: then what is new is counted, and nothing moves.
type viewport struct {
	follow bool
	top    clew.MessageID // the row at the top, while it holds
	line   int            // of that row
	last   clew.MessageID // the last row when it began to hold
	chosen clew.MessageID // the row that keys are about
}

func (m *model) rows() []*feed.Row { return m.feed.Rows(m.state.Queue) }

// scrollAnchor is where a line of the transcript stands.
type scrollAnchor struct{ row, line int }

// top finds the first place on the screen.
func (m *model) top(rows []*feed.Row, width, height int) scrollAnchor {
	if !m.sight.follow {
		at := slices.IndexFunc(rows, func(r *feed.Row) bool { return r.ID == m.sight.top })
		if at >= 0 {
			return scrollAnchor{at, min(m.sight.line, len(rows[at].Lines(width))-1)}
		}
		m.sight.follow = true // the place is gone
	}
	return back(rows, scrollAnchor{len(rows), 0}, width, height)
}

// back goes n lines up from a place.
func back(rows []*feed.Row, p scrollAnchor, width, n int) scrollAnchor {
	for n > p.line && p.row > 0 {
		n -= p.line
		p.row--
		p.line = len(rows[p.row].Lines(width))
	}
	return scrollAnchor{p.row, max(p.line-n, 0)}
}

// forth goes n lines down. It reports whether the end was passed.
func forth(rows []*feed.Row, p scrollAnchor, width, n int) (scrollAnchor, bool) {
	for p.row < len(rows) {
		left := len(rows[p.row].Lines(width)) - p.line
		if n < left {
			return scrollAnchor{p.row, p.line + n}, false
		}
		n -= left
		p = scrollAnchor{p.row + 1, 0}
	}
	return p, true
}

// scroll moves the sight. At the end it follows again.
func (m *model) scroll(by int) tea.Cmd {
	rows := m.rows()
	width, height := m.transcriptSize()
	if len(rows) == 0 {
		return nil
	}
	p := m.top(rows, width, height)
	if by < 0 {
		p = back(rows, p, width, -by)
	} else {
		p, _ = forth(rows, p, width, by)
	}
	m.hold(rows, p, width, height)
	return m.older(p)
}

// hold keeps a place at the top, unless the end is in sight from there.
func (m *model) hold(rows []*feed.Row, p scrollAnchor, width, height int) {
	if _, end := forth(rows, p, width, height); end {
		m.sight.follow = true
		return
	}
	m.pin(rows, p)
}

// pin keeps a place at the top in any case.
func (m *model) pin(rows []*feed.Row, p scrollAnchor) {
	if m.sight.follow {
		m.sight.last = rows[len(rows)-1].ID
	}
	m.sight.follow, m.sight.top, m.sight.line = false, rows[p.row].ID, p.line
}

// older asks for older messages when the beginning of those held is near.
func (m *model) older(p scrollAnchor) tea.Cmd {
	if p.row > 10 || !m.feed.HasOlder || m.loading {
		return nil
	}
	m.loading = true
	session, api, before := m.link.session, m.api, m.state.Messages[0].MessageID
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		page, err := api.Messages(ctx, session, client.PageOf{Limit: 200, Before: before})
		return func(m *model) tea.Cmd {
			m.loading = false
			if err != nil {
				m.sought = ""
				m.fail(err)
			} else if m.state.Older(&page) {
				m.feed.Load(&m.state)
			} else {
				m.sought = "" // it cannot be reached
			}
			return m.seek()
		}
	})
}

// newRows counts what came since the sight holds.
func (m *model) newRows(rows []*feed.Row) int {
	if m.sight.follow {
		return 0
	}
	at := slices.IndexFunc(rows, func(r *feed.Row) bool { return r.ID == m.sight.last })
	if at < 0 {
		return 0
	}
	return len(rows) - 1 - at
}

// drawTranscript gives exactly height lines.
func (m *model) drawTranscript(width, height int) []paint.Line {
	rows := m.rows()
	p := m.top(rows, width, height)
	lines := make([]paint.Line, 0, height)
	for ; p.row < len(rows) && len(lines) < height; p = (scrollAnchor{p.row + 1, 0}) {
		r := rows[p.row]
		chosen := m.focus == reading && r.ID == m.sight.chosen
		for i, l := range r.Lines(width)[p.line:] {
			if len(lines) == height {
				break
			}
			if chosen {
				l = choose(l, p.line+i == 0)
			}
			lines = append(lines, l)
		}
	}
	if len(rows) == 0 && m.state.Known() {
		lines = fit(append(lines, m.nothingSaid(width)...), height)
	}
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}

// nothingSaid is what stands in the place of an empty transcript: how things are, if
// somebody said so, and what to do.
func (m *model) nothingSaid(width int) []paint.Line {
	const help = "Write below what you want done. The agent asks before it does what you have not allowed."
	lines := []paint.Line{nil}
	add := func(ink paint.Ink, text string) {
		for _, l := range paint.Paragraphs(paint.Style{Ink: ink}, text, width-2) {
			lines = append(lines, l.With(paint.S(paint.Plain, " ")))
		}
	}
	for _, text := range m.o.Welcome {
		add(paint.Soft, text)
	}
	if len(m.o.Welcome) > 0 {
		lines = append(lines, nil)
		add(paint.Plain, "Tell the agent what to do:")
		return lines
	}
	add(paint.Plain, "Nothing said yet.")
	add(paint.Soft, help)
	return lines
}

// choose marks the lines of the row that is chosen.
func choose(l paint.Line, first bool) paint.Line {
	text := "▏"
	if first {
		text = "›"
	}
	return l[1:].With(paint.B(paint.Run, text))
}

// move chooses another row, and brings it onto the screen.
func (m *model) move(by int) tea.Cmd {
	rows := m.rows()
	if len(rows) == 0 {
		return nil
	}
	at := slices.IndexFunc(rows, func(r *feed.Row) bool { return r.ID == m.sight.chosen })
	if at < 0 {
		at = len(rows) - 1
	} else {
		at = max(0, min(at+by, len(rows)-1))
	}
	m.sight.chosen = rows[at].ID
	return m.reveal(rows, at)
}

func (m *model) reveal(rows []*feed.Row, at int) tea.Cmd {
	width, height := m.transcriptSize()
	top := m.top(rows, width, height)
	end, past := forth(rows, top, width, height)
	lines := len(rows[at].Lines(width))
	switch {
	case at < top.row || at == top.row && top.line > 0:
		m.hold(rows, scrollAnchor{at, 0}, width, height)
	case !past && (at > end.row || at == end.row && end.line < lines):
		p := back(rows, scrollAnchor{at, lines}, width, height)
		if lines > height {
			p = scrollAnchor{at, 0}
		}
		m.hold(rows, p, width, height)
	}
	return m.older(m.top(rows, width, height))
}

// unfold opens or closes the chosen row, and asks for what it shows.
func (m *model) unfold() tea.Cmd {
	rows := m.rows()
	at := slices.IndexFunc(rows, func(r *feed.Row) bool { return r.ID == m.sight.chosen })
	if at < 0 || !rows[at].Folds() {
		return nil
	}
	r := rows[at]
	width, height := m.transcriptSize()
	m.pin(rows, m.top(rows, width, height)) // what is above does not move
	r.Open = !r.Open
	if !r.Open {
		m.hold(rows, m.top(rows, width, height), width, height)
		return m.reveal(rows, at)
	}
	seen := m.reveal(rows, at)
	if r.Call() == "" || r.Known() {
		return seen
	}
	return tea.Batch(seen, m.loadCall(r.ID, r.Call()))
}

// revealUnfolded brings a row onto the screen that grew, if it is still the one
// that is looked at.
func (m *model) revealUnfolded(id clew.MessageID) tea.Cmd {
	rows := m.rows()
	at := slices.IndexFunc(rows, func(r *feed.Row) bool { return r.ID == id })
	if at < 0 || m.focus != reading || m.sight.chosen != id || !rows[at].Open {
		return nil
	}
	return m.reveal(rows, at)
}

func (m *model) loadCall(id clew.MessageID, call string) tea.Cmd {
	path, query := sessionPath(m.link.session, "tools", call), map[string][]string{"message_id": {string(id)}}
	api := m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var c feed.Call
		err := api.Call(ctx, "GET", path, query, nil, &c)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
			} else {
				m.feed.SetCall(id, c)
				return m.revealUnfolded(id)
			}
			return nil
		}
	})
}
