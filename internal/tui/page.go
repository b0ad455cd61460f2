package tui

import (
	"context"
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A page is something to read: it is asked for once, and scrolls.
type page struct {
	title string
	// load asks the server, nil if all is there already.
	load    func(ctx context.Context, l *link) (pageLines, error)
	lines   pageLines // nil until it is there
	problem string
	top     int
}

// pageLines draws what a page has, for a width.
type pageLines func(width int) []paint.Line

func (p *page) start(m *model) tea.Cmd {
	if p.load == nil {
		return nil
	}
	l := m.link
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		lines, err := p.load(ctx, l)
		return func(*model) tea.Cmd {
			p.lines = lines
			if err != nil {
				p.problem = clew.AsError(err).Message
			}
			return nil
		}
	})
}

func (p *page) paste(*model, string) tea.Cmd { return nil }
func (p *page) keys(*model) []string         { return []string{"↑↓ pgdn", "scroll", "esc", "back"} }

func (p *page) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "down", "j":
		p.top++
	case "up", "k":
		p.top--
	case "pgdown", "space":
		p.top += helpPage
	case "pgup":
		p.top -= helpPage
	case "home":
		p.top = 0
	case "end":
		p.top = 1 << 20
	default:
		m.overlay = nil
	}
	return nil
}

func (p *page) draw(_ *model, width, height int) []paint.Line {
	head := title(p.title)
	switch {
	case p.problem != "":
		return append(head, indented(paint.Paragraphs(paint.Style{Ink: paint.Fail}, p.problem, width-4))...)
	case p.lines == nil:
		return append(head, paint.L(paint.S(paint.Past, "   …")))
	}
	lines := indented(p.lines(width - 4))
	p.top = max(0, min(p.top, len(lines)-(height-len(head))))
	return append(head, lines[p.top:]...)
}

func indented(lines []paint.Line) []paint.Line {
	for i, l := range lines {
		lines[i] = l.With(paint.S(paint.Plain, "   "))
	}
	return lines
}

// A fact is a line of a page: what it is about, and what is so.
type fact struct{ name, text string }

// factLines draws facts, one below the other. Where there is little room, what is so
// stands below what it is about.
func factLines(facts []fact) pageLines {
	return func(width int) (lines []paint.Line) {
		const column = 14
		for _, f := range facts {
			room, first := width-column, paint.S(paint.Soft, pad(f.name, column))
			if room < 24 && term.Width(f.text) > room {
				if f.name != "" {
					lines = append(lines, paint.L(first))
				}
				room, first = width-2, paint.S(paint.Plain, "  ")
			}
			for _, l := range paint.Paragraphs(paint.Style{}, f.text, room) {
				lines = append(lines, l.With(first))
				first.Text = pad("", len(first.Text))
			}
		}
		return lines
	}
}

// query carries out a command that answers.
func query(ctx context.Context, l *link, typ clew.CommandType, data, answer any) error {
	env, err := l.client.Do(ctx, typ, data)
	if err != nil {
		return err
	}
	return json.Unmarshal(env.Data, answer)
}
