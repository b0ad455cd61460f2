package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A finder finds words in a session, or in all of them, and opens it where they are.
type finder struct {
	list
	session clew.SessionID // "" is all
	words   editor
	asked   string // what was asked for last
	loaded  bool
	problem string
	found   client.SearchResult
	hits    []foundHit
}

// foundHit is a line of the list.
type foundHit struct {
	in  *client.FoundIn
	hit client.SearchHit
}

func newFinder(session clew.SessionID, words ...string) *finder {
	f := &finder{session: session, words: editor{term.Editor{Single: true}}}
	f.words.Set(strings.Join(words, " "))
	return f
}

func (f *finder) start(m *model) tea.Cmd { return f.load(m) }

func (f *finder) keys(*model) []string {
	other := "all sessions"
	if f.session == "" {
		other = "this session"
	}
	return []string{"enter", "opens", "esc", "back", "↑↓", "choose", "tab", other}
}

func (f *finder) paste(m *model, text string) tea.Cmd {
	f.words.Insert(text)
	return f.load(m)
}

// load asks for what is written. An answer to what was written before is left alone.
func (f *finder) load(m *model) tea.Cmd {
	q, api := client.SearchQuery{Q: strings.TrimSpace(f.words.String()), Session: f.session, Limit: 50}, m.api
	if f.session != "" {
		q.Limit = 500
	}
	asked := string(f.session) + "\x00" + q.Q
	f.asked = asked
	if q.Q == "" {
		f.loaded, f.problem, f.hits, f.found = false, "", nil, client.SearchResult{}
		return nil
	}
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		found, err := api.Search(ctx, q)
		return func(*model) tea.Cmd {
			if f.asked != asked {
				return nil // somebody typed on
			}
			f.loaded, f.problem, f.hits, f.found, f.chosen = true, "", nil, found, 0
			if err != nil {
				f.problem = clew.AsError(err).Message
			}
			for i := range found.Groups {
				for _, h := range found.Groups[i].Hits {
					f.hits = append(f.hits, foundHit{&found.Groups[i], h})
				}
			}
			return nil
		}
	})
}

func (f *finder) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+f":
		m.overlay = nil
	case key == "enter":
		if f.chosen < len(f.hits) {
			h := f.hits[f.chosen]
			return m.goToMessage(h.in.SessionID, h.hit.MessageID)
		}
	case key == "tab":
		if f.session == "" {
			f.session = m.link.session
		} else {
			f.session = ""
		}
		return f.load(m)
	case f.key(key, len(f.hits), 10):
	case f.words.key(k):
		return f.load(m)
	}
	return nil
}

func (f *finder) draw(m *model, width, height int) []paint.Line {
	where := "Find in this session"
	if f.session == "" {
		where = "Find in all sessions"
	}
	lines := title(where)
	lines[1] = append(lines[1], paint.S(paint.Run, "   › "), paint.S(paint.Plain, term.CleanLine(f.words.String())), paint.S(paint.Run, "▏"))
	switch {
	case f.problem != "":
		return append(lines, said(paint.Fail, f.problem, width)...)
	case !f.loaded:
		return append(lines, said(paint.Soft, "Messages, commands, names of files and titles. Words in quotes have to follow each other.", width)...)
	}
	lines = append(lines, paint.L(paint.S(paint.Soft, "   "+f.sum())), nil)
	return append(lines, f.window(len(f.hits), height-len(lines), 2, func(i int, chosen bool) []paint.Line {
		return f.entry(m, f.hits[i], chosen, width)
	})...)
}

// sum says how much was found.
func (f *finder) sum() string {
	text := "No matches"
	if n := f.found.Total; n > 0 {
		text = fmt.Sprintf("%d matches", n)
		if n == 1 {
			text = "1 match"
		}
		if f.found.More {
			text = "more than " + text
		}
		if f.session == "" {
			text += " in " + term.Count(f.found.Sessions, "session")
		} else {
			text = fmt.Sprintf("%d of %s", f.chosen+1, text)
		}
	}
	if f.found.Indexing {
		text += " · the search index is not up to date yet"
	}
	return text
}

func (f *finder) entry(m *model, h foundHit, chosen bool, width int) []paint.Line {
	first := paint.L(pointer(chosen), paint.Span{Text: hitLabel(h.hit), Style: paint.Style{Bold: chosen, Ink: paint.Soft}})
	right := ""
	if f.session == "" {
		right = term.CleanLine(h.in.Title)
		if right == "" {
			right = string(h.in.SessionID)
		}
	}
	second := paint.L(paint.S(paint.Plain, "     "))
	for _, part := range h.hit.Excerpt {
		if part.Match {
			second = append(second, paint.B(paint.Ask, term.CleanLine(part.Text)))
		} else {
			second = append(second, paint.S(paint.Plain, term.CleanLine(part.Text)))
		}
	}
	return []paint.Line{
		paint.Between(first, paint.L(paint.S(paint.Soft, right+" ")), width),
		second.Cut(width - 1),
	}
}

// hitLabel says who said it, or what it is.
func hitLabel(h client.SearchHit) string {
	switch {
	case h.Output:
		return "Output"
	case h.Kind != "message" && h.Kind != "":
		return strings.ToUpper(h.Kind[:1]) + h.Kind[1:]
	case h.By == "":
		return "Agent"
	}
	return term.CleanLine(string(h.By))
}

// goToMessage opens a session with a message on the screen.
func (m *model) goToMessage(id clew.SessionID, message clew.MessageID) tea.Cmd {
	if id == m.link.session {
		m.overlay, m.sought = nil, message
		return m.seek()
	}
	return tea.Sequence(m.goTo(id, ""), func() tea.Msg {
		return done{func(m *model) tea.Cmd {
			if m.link.session == id {
				m.sought = message
			}
			return m.seek()
		}}
	})
}

// seek brings the message that is sought onto the screen, as soon as it is there: it
// asks for older ones until it is.
func (m *model) seek() tea.Cmd {
	rows := m.rows()
	if m.sought == "" || !m.state.Known() || len(rows) == 0 {
		return nil
	}
	if rows[0].ID > m.sought && m.feed.HasOlder {
		return m.older(scrollAnchor{})
	}
	// A row may show several messages; it has the name of the first.
	at, exact := slices.BinarySearchFunc(rows, m.sought, func(r *feed.Row, id clew.MessageID) int { return strings.Compare(string(r.ID), string(id)) })
	if !exact {
		at = max(at-1, 0)
	}
	m.sought, m.focus, m.sight.chosen = "", reading, rows[at].ID
	width, height := m.transcriptSize()
	m.hold(rows, back(rows, scrollAnchor{at, 0}, width, height/3), width, height)
	return nil
}
