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
	return []string{"↑↓ 1-3", "choose", "enter", "save for this folder", "esc", "back"}
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
	lines := title(ask.PresetQuestion)
	switch {
	case p.problem != "":
		return append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, " "+p.problem, width)...)
	case p.now == nil:
		return append(lines, paint.L(paint.S(paint.Soft, " one moment …")))
	}
	lines = append(lines, p.window(len(ask.Presets), max(height-len(lines)-2, 1), 1, func(i int, chosen bool) []paint.Line {
		l := paint.L(pointer(chosen), paint.B(paint.Plain, string(rune('1'+i))+"  "), paint.S(paint.Plain, ask.Presets[i].Text))
		if ask.Presets[i].Name == p.now.Holds {
			l = append(l, paint.S(paint.Run, "  now"))
		}
		return []paint.Line{l.Cut(width)}
	})...)
	return append(lines, nil, paint.L(paint.S(paint.Soft, " in "+term.ExactLine(p.now.Workspace))).Cut(width))
}
