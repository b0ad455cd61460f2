package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// wide is from how many columns on the plan stands beside the transcript.
const wide = 120

// A planPanel shows the plan and its progress.
type planPanel struct{ chosen string }

// hasPlan reports whether there is a plan to show.
func (m *model) hasPlan() bool { return len(m.state.FrontTodos()) > 0 }

// planWidth is the room that the plan takes beside the transcript.
func (m *model) planWidth() int {
	if m.w < wide || !m.hasPlan() {
		return 0
	}
	return min(m.w*2/5, 64)
}

// planInstead reports whether the plan is shown in the place of the transcript: on
// a narrow screen, for as long as it has the keys.
func (m *model) planInstead() bool { return m.w < wide && m.focus == planning && m.hasPlan() }

func (m *model) togglePlan() {
	switch {
	case !m.hasPlan():
		m.tell(paint.Soft, "this session has no plan")
	case m.focus == planning:
		m.focus = writing
	default:
		m.focus = planning
	}
}

// runPaused reports whether the run waits for somebody to resume it.
func (m *model) runPaused() bool { return m.state.Status.Status == clew.StatusPaused }

func (m *model) drawPlan(width, height int) []paint.Line {
	todos := m.state.FrontTodos()
	done := 0
	for _, t := range todos {
		if t.Status == clew.TodoCompleted || t.Status == clew.TodoSkipped {
			done++
		}
	}
	head := paint.L(paint.B(paint.Plain, " Plan "), paint.S(paint.Soft, fmt.Sprintf("%d of %d", done, len(todos))))
	lines := []paint.Line{paint.Between(head, paint.L(paint.S(paint.Soft, m.planWord()+" ")), width), bar(done, len(todos), width-2)}
	var body []paint.Line
	at := 0
	for _, t := range todos {
		if t.ID == m.chosenTodo() {
			at = len(body)
		}
		body = append(body, m.drawTodo(t, width)...)
	}
	room := max(height-len(lines)-1, 1)
	top := max(0, min(at-room/2, len(body)-room))
	lines = append(lines, body[top:min(top+room, len(body))]...)
	for len(lines) < height-1 {
		lines = append(lines, nil)
	}
	if m.focus == planning {
		return append(lines, keysOf(fitting(m.planKeys(), width-1)).With(paint.S(paint.Plain, " ")).Cut(width))
	}
	if m.runOver() {
		return append(lines, nil)
	}
	return append(lines, paint.L(paint.S(paint.Past, " ctrl+p works on the plan")).Cut(width))
}

func (m *model) planWord() string {
	if m.runPaused() {
		return "paused"
	}
	if p := m.state.FrontPlan(); p != nil {
		switch p.Status {
		case clew.PlanPendingApproval:
			return fmt.Sprintf("v%d, needs you", p.Version)
		case clew.PlanRejected:
			return "rejected"
		}
		return fmt.Sprintf("v%d", p.Version)
	}
	return ""
}

func bar(done, of, width int) paint.Line {
	width = max(width, 1)
	full := width * done / max(of, 1)
	return paint.L(paint.S(paint.Plain, " "), paint.S(paint.Run, strings.Repeat("━", full)), paint.S(paint.Past, strings.Repeat("─", width-full)))
}

func todoMark(s clew.TodoStatus) (string, paint.Ink) {
	switch s {
	case clew.TodoInProgress:
		return "◐", paint.Run
	case clew.TodoCompleted:
		return "●", paint.Run
	case clew.TodoFailed:
		return "✕", paint.Fail
	case clew.TodoSkipped:
		return "⊘", paint.Past
	}
	return "○", paint.Past
}

func (m *model) drawTodo(t clew.Todo, width int) []paint.Line {
	mark, ink := todoMark(t.Status)
	chosen := m.focus == planning && t.ID == m.chosenTodo()
	front := " "
	if chosen {
		front = "›"
	}
	style := paint.Style{Bold: t.Status == clew.TodoInProgress || chosen}
	if t.Status == clew.TodoCompleted || t.Status == clew.TodoSkipped {
		style.Ink = paint.Soft
	}
	var lines []paint.Line
	for i, l := range paint.Paragraphs(style, t.Task, max(width-5, 6)) {
		if i == 0 {
			lines = append(lines, l.With(paint.B(paint.Run, front), paint.S(ink, mark), paint.S(paint.Plain, " ")))
		} else {
			lines = append(lines, l.With(paint.S(paint.Plain, " "), paint.S(paint.Past, "│"), paint.S(paint.Plain, " ")))
		}
	}
	if more, ink := todoNote(t, m.state.FrontTodos()); more != "" {
		lines = append(lines, paint.L(paint.S(paint.Past, " │ "), paint.S(ink, more)).Cut(width-1))
	}
	return lines
}

// todoNote is where a todo stands, in a line.
func todoNote(t clew.Todo, all []clew.Todo) (string, paint.Ink) {
	switch {
	case t.Status == clew.TodoInProgress && (t.CurrentStep != "" || t.ProgressPercentage > 0):
		return strings.TrimSpace(fmt.Sprintf("%d %% %s", t.ProgressPercentage, t.CurrentStep)), paint.Run
	case t.Status == clew.TodoFailed && t.Error != nil:
		return t.Error.Message, paint.Fail
	case t.Status == clew.TodoPending && len(t.DependsOn) > 0:
		return ask.After(t, all), paint.Past
	case t.RetryCount > 0:
		return fmt.Sprintf("tried again %d times", t.RetryCount), paint.Past
	}
	return "", paint.Past
}

func (m *model) chosenTodo() string {
	todos := m.state.FrontTodos()
	if slices.ContainsFunc(todos, func(t clew.Todo) bool { return t.ID == m.plan.chosen }) {
		return m.plan.chosen
	}
	for _, t := range todos {
		if t.Status == clew.TodoInProgress || t.Status == clew.TodoFailed {
			return t.ID
		}
	}
	if len(todos) > 0 {
		return todos[0].ID
	}
	return ""
}

func (m *model) review() *clew.HitlPlanReviewData {
	for _, q := range m.questions() {
		if d, ok := q.Data.(*clew.HitlPlanReviewData); ok {
			return d
		}
	}
	return nil
}
