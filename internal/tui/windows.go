package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// windows lists what agents show beside the transcript, the front one first, and
// notices.
type windows struct{ list }

func (w *windows) start(*model) tea.Cmd         { return nil }
func (w *windows) paste(*model, string) tea.Cmd { return nil }

func (w *windows) keys(m *model) []string {
	keys := []string{"esc", "back"}
	if len(m.state.Windows) > 0 {
		keys = append([]string{"enter", "shows"}, append(keys, "↑↓", "choose", "x", "closes it")...)
	}
	if len(m.state.Notices) > 0 {
		keys = append(keys, "d", "dismisses notices")
	}
	return keys
}

// inFront gives the windows, the front one first.
func (m *model) inFront() []clew.WindowState {
	list := slices.Clone(m.state.Windows)
	slices.Reverse(list)
	return list
}

func (w *windows) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	open := m.inFront()
	key := k.String()
	n := min(w.chosen, len(open)-1)
	switch {
	case key == "esc" || key == "q" || key == "w":
		m.overlay = nil
	case w.key(key, len(open), 10):
	case key == "d":
		return m.dismissNotices()
	case n < 0:
	case key == "enter":
		return m.open(&windowPage{id: open[n].WindowID, from: w})
	case key == "x":
		return m.command(clew.CommandUserInteraction, clew.UserInteractionData{
			Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: open[n].WindowID}},
		}, func(*model) tea.Cmd { return nil })
	}
	return nil
}

// dismissNotices takes all notices away, for everybody.
func (m *model) dismissNotices() tea.Cmd {
	var all []tea.Cmd
	for _, n := range m.state.Notices {
		all = append(all, m.command(clew.CommandToastAction, clew.ToastActionData{ToastID: n.NoticeID, Action: "dismiss"}, func(*model) tea.Cmd { return nil }))
	}
	return tea.Batch(all...)
}

func (w *windows) draw(m *model, width, height int) []paint.Line {
	lines := title("Windows")
	for _, n := range m.state.Notices {
		lines = append(lines, said(paint.Ask, "◆ "+noticeText(n), width)...)
	}
	if len(m.state.Notices) > 0 {
		lines = append(lines, nil)
	}
	open := m.inFront()
	if len(open) == 0 {
		return append(lines, said(paint.Soft, "No window is open. Agents open them to show tables, forms and pages.", width)...)
	}
	return append(lines, w.window(len(open), height-len(lines), 1, func(i int, chosen bool) []paint.Line {
		return []paint.Line{windowEntry(&open[i], chosen, width)}
	})...)
}

func noticeText(n clew.NoticeState) string {
	if n.Title == "" {
		return n.Text
	}
	return n.Title + ": " + n.Text
}

func windowEntry(x *clew.WindowState, chosen bool, width int) paint.Line {
	left := paint.L(pointer(chosen), paint.Span{Text: term.CleanLine(windowTitle(x)), Style: paint.Style{Bold: chosen}})
	right := kindWord(x)
	if x.MonitorID != clew.MainMonitor && x.MonitorID != "" {
		right += " · " + x.MonitorID.Name()
	}
	return paint.Between(left, paint.L(paint.S(paint.Soft, right+" ")), width)
}

func windowTitle(x *clew.WindowState) string {
	if x.Title == "" {
		return x.WindowID
	}
	return x.Title
}

// kindWord names what a window shows.
func kindWord(x *clew.WindowState) string {
	if x.Content == nil {
		return "empty"
	}
	switch x.Content.Kind {
	case clew.WindowTable:
		return "table, " + term.Count(max(x.Content.Total, len(x.Content.Rows)), "row")
	case clew.WindowComponents:
		return "form"
	case clew.WindowHTML:
		return "page"
	case clew.WindowMarkdown, clew.WindowText:
		return "text"
	case clew.WindowApp, clew.WindowMCPApp:
		return "app"
	case clew.WindowImage:
	}
	return string(x.Content.Kind)
}

// A windowPage shows one window as it is now.
type windowPage struct {
	id   string
	from *windows
	top  int
}

func (p *windowPage) start(*model) tea.Cmd         { return nil }
func (p *windowPage) paste(*model, string) tea.Cmd { return nil }
func (p *windowPage) keys(*model) []string         { return []string{"↑↓ pgdn", "scroll", "esc", "back"} }

func (p *windowPage) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	scroll := page{top: p.top}
	scroll.press(m, k)
	if m.overlay == nil { // esc, or any other key: to the list
		m.overlay = p.from
	}
	p.top = scroll.top
	return nil
}

func (p *windowPage) draw(m *model, width, height int) []paint.Line {
	i := slices.IndexFunc(m.state.Windows, func(x clew.WindowState) bool { return x.WindowID == p.id })
	if i < 0 {
		return append(title("Windows"), said(paint.Soft, "This window was closed.", width)...)
	}
	x := &m.state.Windows[i]
	content := page{title: windowTitle(x), top: p.top, lines: func(width int) []paint.Line { return paint.Window(x.Content, width) }}
	lines := content.draw(m, width, height)
	p.top = content.top
	if x.Failed != "" {
		lines = slices.Insert(lines, 2, said(paint.Fail, fmt.Sprintf("It could not be drawn: %s", x.Failed), width)...)
	}
	return lines
}
