package tui

import (
	"context"
	"net/http"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// An inbox lists the open questions of all sessions.
type inbox struct {
	list
	items   []inboxItem
	loaded  bool
	problem string
}

type inboxItem struct {
	SessionID clew.SessionID `json:"session_id"`
	Title     string         `json:"title"`
	Question  clew.Question  `json:"question"`
	AskedMS   int64          `json:"asked_ms"`
}

func (b *inbox) start(m *model) tea.Cmd {
	api := m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var page struct {
			Items []inboxItem `json:"items"`
		}
		err := api.Call(ctx, http.MethodGet, "/inbox", map[string][]string{"limit": {"100"}}, nil, &page)
		return func(*model) tea.Cmd {
			b.loaded, b.items, b.problem = true, page.Items, ""
			if err != nil {
				b.problem = clew.AsError(err).Message
			}
			return nil
		}
	})
}

func (b *inbox) paste(*model, string) tea.Cmd { return nil }

func (b *inbox) keys(*model) []string {
	return []string{"enter", "goes there", "esc", "back", "↑↓", "choose", "r", "looks again"}
}

func (b *inbox) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); key {
	case "esc", "q", "ctrl+o":
		m.overlay = nil
	case "r":
		return b.start(m)
	case "enter":
		if b.chosen < len(b.items) {
			item := b.items[b.chosen]
			return m.goTo(item.SessionID, item.Question.RequestID())
		}
	default:
		b.key(key, len(b.items), 10)
	}
	return nil
}

func (b *inbox) draw(m *model, width, height int) []paint.Line {
	lines := title("Inbox: what waits for you, in all sessions")
	switch {
	case b.problem != "":
		return append(lines, paint.L(paint.S(paint.Fail, "   "+b.problem)))
	case !b.loaded:
		return append(lines, paint.L(paint.S(paint.Past, "   …")))
	case len(b.items) == 0:
		return append(lines, paint.L(paint.S(paint.Soft, "   You're all caught up.")))
	}
	return append(lines, b.window(len(b.items), height-len(lines), 2, func(i int, chosen bool) []paint.Line {
		return b.entry(m, b.items[i], chosen, width)
	})...)
}

func (b *inbox) entry(m *model, item inboxItem, chosen bool, width int) []paint.Line {
	left := paint.L(pointer(chosen), paint.S(paint.Ask, "◇ "), paint.B(paint.Plain, heading(item.Question)))
	name := item.Title
	if name == "" {
		name = string(item.SessionID)
	}
	second := paint.L(paint.S(paint.Past, "     "+name+"  "), paint.S(paint.Soft, ask.Line(item.Question)))
	return []paint.Line{paint.Between(left, m.countdown(item.Question), width), second.Cut(width - 1)}
}
