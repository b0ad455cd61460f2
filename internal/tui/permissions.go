package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// permissions lets one choose how much agents may do without asking in this folder.
type permissions struct {
	list
	now     *client.Permissions // nil until it is there
	problem string
}

func (p *permissions) start(m *model) tea.Cmd {
	dir, api := m.state.Session.Workspace, m.api
	switch {
	case m.state.Connection.Role != clew.RoleOwner: // what somebody else chose would not count here
		p.problem = "Only the session's owner chooses that."
		return nil
	case dir == "":
		p.problem = "This session has no folder of yours. For the session alone: clew permissions PRESET --session " + string(m.link.session)
		return nil
	}
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		now, err := api.Permissions(ctx, dir)
		return func(*model) tea.Cmd {
			if err != nil {
				p.problem = clew.AsError(err).Message
				return nil
			}
			p.now = &now
			p.chosen = max(0, slices.IndexFunc(ask.Presets, func(x ask.Preset) bool { return x.Name == now.Holds }))
			return nil
		}
	})
}

func (p *permissions) paste(*model, string) tea.Cmd { return nil }

func (p *permissions) keys(*model) []string {
	if p.now == nil {
		return []string{"esc", "back"}
	}
	return []string{"enter", "save", "esc", "back", "↑↓ 1-3", "choose"}
}

func (p *permissions) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	key := k.String()
	n, number := ask.Number(key, len(ask.Presets))
	switch {
	case key == "esc" || key == "ctrl+c" || p.now == nil:
		m.overlay = nil
	case p.key(key, len(ask.Presets), 1):
	case number:
		p.chosen = n - 1
	case key == "enter":
		return p.save(m, ask.Presets[p.chosen])
	}
	return nil
}

func (p *permissions) save(m *model, chosen ask.Preset) tea.Cmd {
	dir, api := p.now.Workspace, m.api
	m.overlay = nil
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		_, err := api.SetPermissions(ctx, dir, chosen.Name)
		return func(m *model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			m.tell(paint.Run, "saved for this folder: "+chosen.Name)
			return nil
		}
	})
}

func (p *permissions) draw(_ *model, width, height int) []paint.Line {
	lines := append([]paint.Line{nil}, paint.Paragraphs(paint.Style{Bold: true}, ask.PresetQuestion, width-2)...)
	for i := range lines[1:] {
		lines[i+1] = append(paint.L(paint.S(paint.Plain, " ")), lines[i+1]...)
	}
	lines = append(lines, nil)
	switch {
	case p.problem != "":
		return append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, " "+p.problem, width)...)
	case p.now == nil:
		return append(lines, paint.L(paint.S(paint.Soft, " one moment …")))
	}
	per, all := 1, 0 // lines of the longest choice, and of all: no word of them is cut
	for i := range ask.Presets {
		n := len(p.choice(i, false, width))
		per, all = max(per, n), all+n
	}
	place := []paint.Line{nil, paint.L(paint.S(paint.Soft, " in "+term.ExactLine(p.now.Workspace))).Cut(width)}
	if room := height - len(lines) - all; room < len(place) {
		place = place[len(place)-max(0, min(room, 1)):]
	}
	if len(lines)+all <= height {
		per = 1 // there is room for all
	}
	lines = append(lines, p.window(len(ask.Presets), max(height-len(lines)-len(place), per), per, func(i int, chosen bool) []paint.Line {
		return p.choice(i, chosen, width)
	})...)
	return append(lines, place...)
}

// choice draws a preset, on as many lines as it takes.
func (p *permissions) choice(i int, chosen bool, width int) []paint.Line {
	room := width - 7
	if ask.Presets[i].Name == p.now.Holds {
		room -= len("  now")
	}
	lines := paint.Paragraphs(paint.Style{}, ask.Presets[i].Text, max(room, 10))
	for n := range lines {
		before := paint.L(paint.S(paint.Plain, "      "))
		if n == 0 {
			before = paint.L(pointer(chosen), paint.B(paint.Plain, string(rune('1'+i))+"  "))
		}
		lines[n] = append(before, lines[n]...)
	}
	if last := len(lines) - 1; ask.Presets[i].Name == p.now.Holds {
		lines[last] = append(lines[last], paint.S(paint.Run, "  now"))
	}
	return lines
}
