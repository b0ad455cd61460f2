package tui

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawWriting is where a person writes: the composer, or a prompt in its place.
func (m *model) drawWriting() (lines []paint.Line, row, col int) {
	width := m.w - composerMargin
	if m.prompt != nil {
		lines, row, col = m.prompt.shown(width, min(composerLines, m.h/3))
		head := paint.L(paint.S(paint.Ask, " ┃ "), paint.B(paint.Ask, m.prompt.title))
		return append([]paint.Line{head.Cut(m.w)}, bordered(lines, paint.Ask)...), row + 1, col + 3
	}
	lines, row, col = m.write.shown(width, min(composerLines, max(m.h/3, 1)))
	ink := paint.Past
	if m.focus == writing {
		ink = paint.Run
	}
	if m.write.empty() && len(m.write.text) == 0 {
		lines = []paint.Line{paint.L(paint.S(paint.Past, m.invitation()))}
	}
	lines = append([]paint.Line{m.rule()}, bordered(lines, ink)...)
	if m.focus != writing {
		return lines, -1, 0
	}
	return lines, row + 1, col + 3
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
	case m.view.State.Role == clew.RoleViewer:
		return "you watch this session"
	case m.view.State.Role == clew.RoleApprover:
		return "you watch this session and answer its questions"
	case m.working():
		return "say something while it works"
	case len(m.view.State.Messages) == 0:
		return "what shall be done?"
	}
	return "say something"
}

// rule parts the transcript from the composer.
func (m *model) rule() paint.Line {
	word := ""
	if m.write.mode == clew.ModeRun {
		word = " as a run with a plan "
	}
	left := strings.Repeat("─", max(m.w-len(word)-2, 0))
	return paint.L(paint.S(paint.Past, left), paint.B(paint.Run, word), paint.S(paint.Past, "──"))
}

// drawQueue shows what waits for the agent, and what is on its way there.
func (m *model) drawQueue(most int) []paint.Line {
	var lines []paint.Line
	for _, q := range m.view.State.Queue {
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
