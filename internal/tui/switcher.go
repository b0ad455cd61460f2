package tui

import (
	"context"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

func pad(s string, width int) string { return term.Fill(s, width) }

// A switcher goes to another session.
type switcher struct {
	list
	filter  editor
	asked   string // the filter that was asked for last
	found   []sessionEntry
	loaded  bool
	problem string
}

// sessionEntry is a session in the list, with what the list has beside.
type sessionEntry struct {
	client.Session
	Questions int     `json:"questions"`
	CostUSD   float64 `json:"cost_usd"`
	LastLine  string  `json:"last_line"`
}

func newSwitcher(filter string) *switcher {
	s := &switcher{filter: editor{term.Editor{Single: true}}}
	s.filter.Set(filter)
	return s
}

func (s *switcher) start(m *model) tea.Cmd { return s.load(m) }

func (s *switcher) keys(*model) []string {
	return []string{"enter", "opens", "esc", "back", "↑↓", "choose", "type", "filters", "/", "finds words"}
}

func (s *switcher) paste(m *model, text string) tea.Cmd {
	s.filter.Insert(text)
	return s.load(m)
}

func (s *switcher) load(m *model) tea.Cmd {
	q, api := s.filter.String(), m.api
	s.asked = q
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		page, err := api.ListSessions(ctx, q, "", 100)
		return func(*model) tea.Cmd {
			if s.asked != q {
				return nil // somebody typed on
			}
			s.loaded, s.problem, s.found = true, "", nil
			if err != nil {
				s.problem = clew.AsError(err).Message
			}
			for _, one := range page.Sessions {
				l := sessionEntry{Session: one}
				_ = json.Unmarshal(one.Raw, &struct {
					Questions *int     `json:"questions"`
					CostUSD   *float64 `json:"cost_usd"`
					LastLine  *string  `json:"last_line"`
				}{&l.Questions, &l.CostUSD, &l.LastLine}) // what is not there stays empty
				s.found = append(s.found, l)
			}
			return nil
		}
	})
}

func (s *switcher) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+k":
		m.overlay = nil
	case key == "/" && s.filter.Empty():
		return m.open(newFinder(""))
	case key == "enter":
		if s.chosen < len(s.found) {
			return m.goTo(s.found[s.chosen].ID, "")
		}
		return m.newSession()
	case s.key(key, len(s.found)+1, 10): // the last one is new
	case s.filter.key(k):
		s.chosen = 0
		return s.load(m)
	}
	return nil
}

func (s *switcher) draw(m *model, width, height int) []paint.Line {
	lines := title("Sessions")
	lines[1] = append(lines[1], paint.S(paint.Run, "   › "), paint.S(paint.Plain, s.filter.String()), paint.S(paint.Run, "▏"))
	switch {
	case s.problem != "":
		return append(lines, said(paint.Fail, s.problem, width)...)
	case !s.loaded:
		return append(lines, paint.L(paint.S(paint.Past, "   …")))
	case len(s.found) == 0:
		lines = append(append(lines, said(paint.Soft, "No session has this in its title or id.", width)...), nil)
	}
	return append(lines, s.window(len(s.found)+1, height-len(lines), 2, func(i int, chosen bool) []paint.Line {
		if i == len(s.found) {
			return newEntry(m, chosen, width)
		}
		return s.entry(m, s.found[i], chosen, width)
	})...)
}

// newEntry offers a session that does not exist yet.
func newEntry(m *model, chosen bool, width int) []paint.Line {
	where := m.state.Session.Workspace
	if where == "" {
		where = "without a folder"
	}
	return []paint.Line{
		paint.L(pointer(chosen), paint.S(paint.Run, "+ "), paint.Span{Text: "A new session", Style: paint.Style{Bold: chosen}}),
		paint.L(paint.S(paint.Past, "     "+term.ExactLine(where))).Cut(width - 1),
	}
}

func (s *switcher) entry(m *model, l sessionEntry, chosen bool, width int) []paint.Line {
	mark, ink := sessionMark(l)
	name := l.Title
	if name == "" {
		name = string(l.ID)
	}
	left := paint.L(pointer(chosen), paint.S(ink, mark+" "), paint.Span{Text: term.CleanLine(name), Style: paint.Style{Bold: chosen}})
	right := sessionWord(l)
	if l.ID == m.link.session {
		right += " · here"
	}
	second := l.LastLine
	if second == "" {
		second = string(l.ID)
	}
	return []paint.Line{
		paint.Between(left, paint.L(paint.S(paint.Soft, right+" ")), width),
		paint.L(paint.S(paint.Past, "     "+second)).Cut(width - 1),
	}
}

func sessionMark(l sessionEntry) (string, paint.Ink) {
	switch {
	case l.Questions > 0 || l.Status == clew.StatusAwaitingInput || l.Status == clew.StatusPaused:
		return "◇", paint.Ask
	case l.Status == clew.StatusExecuting || l.Status == clew.StatusPlanning:
		return "◐", paint.Run
	case l.Status == clew.StatusFailed:
		return "✕", paint.Fail
	case l.Status == clew.StatusIdle:
		mark, ink, _ := endMark(l.Outcome)
		return mark, ink
	}
	return "●", paint.Past
}

func sessionWord(l sessionEntry) string {
	word := map[clew.SessionStatus]string{
		clew.StatusPlanning: "planning", clew.StatusAwaitingInput: "needs you", clew.StatusExecuting: "working",
		clew.StatusPaused: "paused", clew.StatusCompleted: "done", clew.StatusFailed: "failed", clew.StatusCancelled: "cancelled",
	}[l.Status]
	if l.Status == clew.StatusIdle {
		_, _, word = endMark(l.Outcome)
	}
	if l.CostUSD > 0 {
		word += fmt.Sprintf(" · $%.2f", l.CostUSD)
	}
	return word
}

// goTo shows another session, and one of its questions if it is named.
func (m *model) goTo(id clew.SessionID, question clew.RequestID) tea.Cmd {
	if id == m.link.session {
		m.overlay = nil
		m.turnToID(question)
		return nil
	}
	ctx, o, send := m.ctx, m.o, m.send
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		l, err := openLink(ctx, o, id, func(b batch) { send(b) })
		return done{func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			return m.changeTo(l, question)
		}}
	}
}

// changeTo shows a link that is open. The old one is closed beside, as it may
// wait for this very goroutine.
func (m *model) changeTo(l *link, question clew.RequestID) tea.Cmd {
	keep := m.keepDraft()
	m.drafts[m.link.session] = m.write.String()
	old := m.link
	m.closing.Go(old.close)
	m.reset()
	m.show(l)
	m.write.Set(m.drafts[l.session])
	m.turnToID(question)
	return tea.Batch(keep, m.loadDraft())
}
