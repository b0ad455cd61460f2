package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/internal/tui/paint"
)

// An overlay takes the place of the session on the screen.
type overlay interface {
	start(m *model) tea.Cmd
	press(m *model, k tea.KeyPressMsg) tea.Cmd
	paste(m *model, text string) tea.Cmd
	draw(m *model, width, height int) []paint.Line
	keys(m *model) []string
}

func (m *model) open(o overlay) tea.Cmd {
	m.overlay = o
	return o.start(m)
}

// A list is one of several lines to choose.
type list struct {
	chosen int
	top    int
}

// key moves in a list of n.
func (l *list) key(key string, n, page int) bool {
	switch key {
	case "up", "ctrl+p":
		l.chosen--
	case "down", "ctrl+n":
		l.chosen++
	case "pgup":
		l.chosen -= page
	case "pgdown":
		l.chosen += page
	default:
		return false
	}
	l.chosen = max(0, min(l.chosen, n-1))
	return true
}

// window draws the entries around the chosen one. Each entry has per lines.
func (l *list) window(n, height, per int, draw func(i int, chosen bool) []paint.Line) []paint.Line {
	l.chosen = max(0, min(l.chosen, n-1))
	room := max(height/per, 1)
	if l.chosen < l.top {
		l.top = l.chosen
	}
	if l.chosen >= l.top+room {
		l.top = l.chosen - room + 1
	}
	l.top = max(0, min(l.top, n-room))
	var lines []paint.Line
	for i := l.top; i < min(l.top+room, n); i++ {
		lines = append(lines, draw(i, i == l.chosen)...)
	}
	return lines
}

// pointer marks the chosen entry.
func pointer(chosen bool) paint.Span {
	if chosen {
		return paint.B(paint.Run, " › ")
	}
	return paint.S(paint.Plain, "   ")
}

func title(text string) []paint.Line {
	return []paint.Line{nil, paint.L(paint.B(paint.Plain, " "+text)), nil}
}

// said is a text in place of a list, whole.
func said(ink paint.Ink, text string, width int) []paint.Line {
	lines := paint.Paragraphs(paint.Style{Ink: ink}, text, max(width-4, 10))
	for i := range lines {
		lines[i] = append(paint.L(paint.S(paint.Plain, "   ")), lines[i]...)
	}
	return lines
}

const helpPage = 10

// help lists the keys.
type help struct{ top int }

func (h *help) start(*model) tea.Cmd         { return nil }
func (h *help) paste(*model, string) tea.Cmd { return nil }
func (h *help) keys(*model) []string         { return []string{"↑↓ pgdn", "scroll", "esc", "back"} }

func (h *help) press(m *model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "down", "j":
		h.top++
	case "up", "k":
		h.top = max(0, h.top-1)
	case "pgdown", "space":
		h.top += helpPage
	case "pgup":
		h.top = max(0, h.top-helpPage)
	case "end":
		h.top = 1 << 20
	case "home":
		h.top = 0
	default:
		m.overlay = nil
	}
	return nil
}

var helpText = [][2]string{
	{"Everywhere", ""},
	{"tab", "next part: composer, question, transcript, plan"},
	{"esc", "back; twice while an agent works: stop it"},
	{"pgup pgdown", "scroll; end (writing: ctrl+end) follows the end again"},
	{"ctrl+g", "the next open question"},
	{"ctrl+k ctrl+n", "another session; a new one"},
	{"ctrl+f", "find in this session; ctrl+k and / find in all"},
	{"ctrl+o", "the inbox: open questions of all sessions"},
	{"ctrl+p", "the plan"},
	{"ctrl+r", "rewind; undo a rewind"},
	{"ctrl+x", "stop the agent"},
	{"ctrl+c twice", "leave; the agent keeps working"},
	{"", ""},
	{"Writing", ""},
	{"enter", "send; a working agent gets it with its next step"},
	{"/", "commands, in an empty composer"},
	{"@", "a file or directory of the workspace, for the model"},
	{"/path/to/a.png", "an image on this machine, typed, pasted or dragged here"},
	{"ctrl+q", "queue: sent when the agent is done"},
	{"ctrl+j alt+enter", "a new line"},
	{"ctrl+t", "plan first, on or off"},
	{"↑ ↓", "your earlier messages"},
	{"", ""},
	{"Reading", ""},
	{"↑ ↓ j k", "choose a row"},
	{"enter space", "unfold or fold: command, changes, output, reasoning"},
	{"u d home end", "half a screen, the beginning, the end"},
	{"g", "the next open question"},
	{"w", "windows: tables, forms and pages that agents show"},
	{"i  /", "write; find in this session"},
	{"q", "leave"},
	{"", ""},
	{"A question, once tab or g went to it", ""},
	{"y n", "approve; deny, with a reason if you like"},
	{"a", "don't ask again, in this task or session; e edits the rule"},
	{"e", "edit: say what to do instead, or what to change"},
	{"s", "skip, if the question offers it"},
	{"1-9 e", "choose, or write an answer"},
	{"↓ pgdown ?", "more of it; you can approve once you have seen all of it"},
	{"", ""},
	{"The plan", ""},
	{"y n e", "approve, reject, request changes"},
	{"p t s c", "pause or resume, retry, skip, cancel"},
}

func (h *help) draw(_ *model, width, height int) []paint.Line {
	const column = 18
	var lines []paint.Line
	for _, row := range helpText {
		switch {
		case row[1] == "":
			lines = append(lines, paint.L(paint.B(paint.Run, " "+row[0])))
		case width < 3*column: // what a key does stands below it
			lines = append(lines, paint.L(paint.B(paint.Plain, "   "+row[0])))
			for _, l := range paint.Paragraphs(paint.Style{Ink: paint.Soft}, row[1], width-6) {
				lines = append(lines, l.With(paint.S(paint.Plain, "     ")))
			}
		default:
			front := paint.B(paint.Plain, "   "+pad(row[0], column))
			for _, l := range paint.Paragraphs(paint.Style{Ink: paint.Soft}, row[1], width-column-4) {
				lines = append(lines, l.With(front))
				front.Text = pad("", column+3)
			}
		}
	}
	h.top = max(0, min(h.top, len(lines)-height))
	return lines[h.top:]
}
