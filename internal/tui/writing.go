package tui

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawWriting is where a person writes: the composer, or a prompt in its place.
func (m *model) drawWriting() (lines []paint.Line, row, col int) {
	width := m.w - composerMargin
	if m.prompt != nil {
		head := paint.L(paint.S(paint.Ask, " ┃ "), paint.B(paint.Ask, m.prompt.title))
		if m.prompt.yes != "" {
			keys := keysOf([]string{"y", m.prompt.yes, "n", "no"}).With(paint.S(paint.Ask, " ┃ "))
			return []paint.Line{head.Cut(m.w), keys.Cut(m.w)}, -1, 0
		}
		lines, row, col = m.prompt.shown(width, min(composerLines, max(m.h/3, 1)))
		return append([]paint.Line{head.Cut(m.w)}, bordered(lines, paint.Ask)...), row + 1, col + 3
	}
	lines, row, col = m.write.shown(width, min(composerLines, max(m.h/3, 1)))
	ink := paint.Past
	if m.focus == writing {
		ink = paint.Run
	}
	switch {
	case m.palette != nil:
		lines, row, col = m.palette.filter.shown(width-1, 1)
		lines[0], col = lines[0].With(paint.S(paint.Plain, "/")), col+1
	case len(m.write.Text) == 0:
		lines = []paint.Line{paint.L(paint.S(paint.Past, m.invitation())).Cut(width)}
	}
	lines = bordered(lines, ink)
	if m.h >= smallHeight || !m.write.Empty() {
		lines, row = append([]paint.Line{m.rule()}, lines...), row+1
	}
	if m.focus != writing {
		return lines, -1, 0
	}
	return lines, row, col + 3
}

func bordered(lines []paint.Line, ink paint.Ink) []paint.Line {
	for i, l := range lines {
		front := "   "
		if i == 0 {
			front = " › "
		}
		lines[i] = l.With(paint.B(ink, front))
	}
	return lines
}

func (m *model) invitation() string {
	switch {
	case m.state.Connection.Role == clew.RoleViewer:
		return "you watch this session"
	case m.state.Connection.Role == clew.RoleApprover:
		return "you watch this session and answer its questions"
	case m.working():
		return "say something while it works; / has commands"
	case len(m.state.Messages) == 0:
		return "tell the agent what to do   (/ has commands)"
	}
	return "say something; / has commands"
}

// rule parts the transcript from the composer, and says what becomes of what is
// written where that is not plain.
func (m *model) rule() paint.Line {
	ink, word := paint.Run, ""
	if m.write.mode == clew.ModeRun {
		word = " as a run with a plan "
	}
	if means := m.writtenMeans(); means != "" && !m.write.Empty() && m.prompt == nil {
		ink, word = paint.Ask, " "+means+" "
	}
	word = term.Cut(word, max(m.w-4, 0))
	left := strings.Repeat("─", max(m.w-term.Width(word)-2, 0))
	return paint.L(paint.S(paint.Past, left), paint.B(ink, word), paint.S(paint.Past, "──"))
}

// drawQueue shows what waits for the agent, and what is on its way there.
func (m *model) drawQueue(most int) []paint.Line {
	var lines []paint.Line
	for _, q := range m.state.Queue {
		lines = append(lines, paint.L(paint.S(paint.Past, " ○ waits  "), paint.S(paint.Soft, q.Text)).Cut(m.w))
	}
	for _, o := range m.write.sending {
		lines = append(lines, paint.L(paint.S(paint.Run, " ◐ sending  "), paint.S(paint.Soft, o.text)).Cut(m.w))
	}
	if most < 1 {
		return nil
	}
	if extra := len(lines) - most; extra > 0 {
		lines = append(lines[:most-1:most-1], paint.L(paint.S(paint.Past, fmt.Sprintf(" ○ and %d more", extra+1))))
	}
	return lines
}
