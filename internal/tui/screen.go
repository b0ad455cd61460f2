package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

const (
	composerMargin = 4 // columns beside what is written
	composerLines  = 8 // at most
	smallestWidth  = 30
	smallestHeight = 8
	smallHeight    = 16 // below, a question comes before everything else
)

// A frame is what stands below the transcript.
type frame struct {
	queue, dock, write []paint.Line
	row, col           int // of the cursor, -1 for none
}

// View draws the screen.
func (m *model) View() tea.View {
	var v tea.View
	v.AltScreen = true
	if m.w == 0 || m.h == 0 {
		return v
	}
	if m.w < smallestWidth || m.h < smallestHeight {
		v.SetContent(m.theme.Encode(paint.L(paint.S(paint.Soft, "the window is too small")), m.w))
		return v
	}
	lines, row, col := m.draw()
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = m.theme.Encode(l, m.w)
	}
	v.SetContent(strings.Join(out, "\n"))
	if row >= 0 {
		v.Cursor = tea.NewCursor(col, row)
		v.Cursor.Shape = tea.CursorBar
		v.Cursor.Blink = false
	}
	return v
}

// draw gives exactly as many lines as the screen has, and where the cursor is.
func (m *model) draw() (lines []paint.Line, row, col int) {
	if m.overlay != nil && m.prompt == nil {
		lines = append([]paint.Line{m.drawHead()}, fit(m.overlay.draw(m, m.w, m.h-2), m.h-2)...)
		return append(lines, m.drawFoot()), -1, 0
	}
	f := m.layFrame()
	if len(f.dock) > 0 && m.palette == nil && !m.mentions() {
		m.ask.wasDrawn()
	}
	m.write.wasDrawn(m.questions())
	height := m.h - 1 - len(f.queue) - len(f.dock) - len(f.write) - 1
	lines = append(lines, m.drawHead())
	lines = append(lines, m.drawBody(height)...)
	lines = append(lines, f.queue...)
	lines = append(lines, f.dock...)
	if f.row >= 0 {
		f.row += len(lines)
	}
	lines = append(lines, f.write...)
	return append(lines, m.drawFoot()), f.row, f.col
}

// layFrame draws what stands below the transcript; that one gets the rest.
func (m *model) layFrame() frame {
	f := frame{row: -1}
	f.write, f.row, f.col = m.drawWriting()
	f.write = append(f.write, m.drawLongNote()...)
	left := m.h - 2 - len(f.write)
	switch {
	case m.palette != nil:
		f.dock = m.drawPalette(left)
	case m.mentions():
		f.dock = m.drawMentions(left)
	default:
		f.dock = m.drawQuestionPanel(m.w, m.questionPanelHeight(left))
	}
	f.queue = m.drawQueue(min(4, left-len(f.dock)-3))
	return f
}

// questionPanelHeight is how many lines a question may take of those that are left. Where
// there are few it gets them all, unless somebody looks at something else.
func (m *model) questionPanelHeight(left int) int {
	switch {
	case m.h >= smallHeight:
		return min(left-3, max(m.h/2, 6))
	case m.focus == reading || m.focus == planning:
		return min(left, 2)
	}
	return left
}

// transcriptSize is the room for the transcript.
func (m *model) transcriptSize() (width, height int) {
	f := m.layFrame()
	return m.transcriptWidth(), max(m.h-2-len(f.queue)-len(f.dock)-len(f.write), 1)
}

// transcriptWidth leaves a column free before the plan.
func (m *model) transcriptWidth() int {
	if side := m.planWidth(); side > 0 {
		return m.w - side - 1
	}
	return m.w
}

func (m *model) drawBody(height int) []paint.Line {
	if height < 1 {
		return nil
	}
	if m.planInstead() {
		return fit(m.drawPlan(m.w, height), height)
	}
	side, width := m.planWidth(), m.transcriptWidth()
	lines := m.drawTranscript(width, height)
	if n := m.newRows(m.rows()); n > 0 || !m.sight.follow {
		word := " pgdn ↓ "
		if n > 0 {
			word = fmt.Sprintf(" %d new, pgdn ↓ ", n)
		}
		at := len(lines) - 1
		tag := paint.Span{Text: word, Style: paint.Style{Ink: paint.Run, Reverse: true}}
		lines[at] = paint.Between(lines[at], paint.L(tag), width)
	}
	if side == 0 {
		return lines
	}
	plan := fit(m.drawPlan(side-1, height), height)
	for i := range lines {
		left := lines[i].Cut(width)
		gap := strings.Repeat(" ", m.w-side-left.Width())
		lines[i] = append(append(append(paint.Line{}, left...), paint.S(paint.Plain, gap), paint.S(paint.Past, "│")), plan[i]...)
	}
	return lines
}

// fit makes it exactly height lines.
func fit(lines []paint.Line, height int) []paint.Line {
	if len(lines) > height {
		return lines[:height]
	}
	for len(lines) < height {
		lines = append(lines, nil)
	}
	return lines
}

// connection says how the line stands. It says "live" only when it is.
func (m *model) connection() paint.Span {
	switch {
	case m.ended != "":
		return paint.B(paint.Fail, "✕ ended: "+m.ended)
	case m.conn == client.Active:
		return paint.S(paint.Run, "● live")
	case m.conn == client.Reconnecting:
		return paint.B(paint.Fail, "✕ no connection for "+since(m.now.Sub(m.since))+", trying again")
	case m.conn == client.Failed:
		return paint.B(paint.Fail, "✕ given up")
	}
	return paint.S(paint.Ask, "◐ connecting")
}

func since(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", max(int(d.Seconds()), 0))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}

// goneAfter is how long a server may be away before a person is told how to start it.
const goneAfter = 5 * time.Second

// gone reports whether a server that the person can start has been away for a while.
func (m *model) gone() bool {
	return m.conn == client.Reconnecting && m.o.Restart != "" && m.now.Sub(m.since) >= goneAfter
}

// noted reports whether there is a short word to show.
func (m *model) noted() bool { return m.note != "" && m.now.Before(m.noteUntil) }

// noteFits reports whether it has room at the foot, beside how the line stands.
func (m *model) noteFits() bool { return paint.L(m.connection()).Width()+term.Width(m.note)+4 <= m.w }

// drawLongNote shows a note above the foot, if it has no room there.
func (m *model) drawLongNote() []paint.Line {
	note, ink := m.note, m.noteInk
	switch {
	case !m.noted() && m.gone():
		note, ink = "The server does not answer. Start it in another terminal: "+m.o.Restart, paint.Ask
	case !m.noted() || m.noteFits():
		return nil
	}
	lines := paint.Paragraphs(paint.Style{Ink: ink}, note, m.w-2)
	for i, l := range lines {
		lines[i] = l.With(paint.S(paint.Plain, " "))
	}
	return lines[:min(len(lines), 3)]
}

func (m *model) drawFoot() paint.Line {
	left := paint.L(paint.S(paint.Plain, " "), m.connection())
	switch {
	case m.noted() && (m.overlay != nil || m.noteFits()):
		left = append(left, paint.S(m.noteInk, "   "+m.note))
	case !m.noted():
		left = append(left, m.drawElsewhere(m.w-left.Width())...)
	}
	keys := m.footKeysIn(m.w - left.Width())
	if len(keys) == 0 { // how the line stands comes first
		return left.Cut(m.w)
	}
	return paint.Between(left, keysOf(keys).With(paint.S(paint.Plain, " ")), m.w)
}

// footKeysIn are the keys that there is room for.
func (m *model) footKeysIn(room int) []string {
	keys := fitting(m.footKeys(), room-2)
	if keysOf(keys).Width()+2 > room {
		return nil
	}
	return keys
}

func (m *model) footKeys() []string {
	switch {
	case m.prompt != nil && m.prompt.yes != "":
		return []string{"y", m.prompt.yes, "n", "no"}
	case m.prompt != nil:
		return []string{"enter", "done", "esc", "back"}
	case m.palette != nil:
		return []string{"enter", "does it", "↑↓", "choose", "esc", "back"}
	case m.overlay != nil:
		return m.overlay.keys(m)
	case m.mentions():
		return []string{"enter", "takes it", "↑↓", "choose", "esc", "back"}
	case m.focus == reading:
		return []string{"↑↓", "choose", "enter", "unfold", "end", "follow", "i", "write", "?", "help", "q", "leave"}
	case m.focus == answering && len(m.questions()) < 2 && m.ask.hidden() > 0:
		return []string{"↓", "more", "?", "help", "q", "leave"}
	case m.focus == answering && len(m.questions()) < 2:
		return []string{"?", "help", "q", "leave"}
	case m.focus == answering:
		return []string{"g", "next question", "?", "help", "q", "leave"}
	case m.focus == planning:
		return []string{"?", "help", "q", "leave"}
	case m.working() && !m.write.Empty():
		return []string{"enter", "steers", "ctrl+q", "queues", "F1", "help"}
	case m.stopsWithEsc():
		return []string{"esc", "stops", "tab", "reads", "ctrl+k", "sessions", "F1", "help"}
	case !m.write.Empty():
		return []string{"enter", "sends", "esc", "reads", "F1", "help"}
	case len(m.questions()) > 0:
		return []string{"tab", "answers", "esc", "reads", "ctrl+k", "sessions", "F1", "help"}
	}
	return []string{"enter", "sends", "esc", "reads", "ctrl+k", "sessions", "F1", "help"}
}
