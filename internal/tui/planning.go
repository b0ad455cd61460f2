package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// runOver reports that nothing can be done with the run any more, or that there is
// none: an agent's own steps are no run.
func (m *model) runOver() bool {
	if m.state.Status.CurrentLayer == "" && m.review() == nil {
		return true
	}
	switch m.state.Status.Status {
	case clew.StatusCompleted, clew.StatusFailed, clew.StatusCancelled:
		return true
	case clew.StatusIdle:
		return !m.busy && m.review() == nil
	}
	return false
}

// todoMay says what can be done with the chosen todo.
func (m *model) todoMay() (retry, skip bool) {
	p := m.state.FrontPlan()
	if m.runOver() || p != nil && p.Status == clew.PlanPendingApproval {
		return false, false
	}
	for _, t := range m.state.FrontTodos() {
		if t.ID == m.chosenTodo() {
			over := t.Status == clew.TodoCompleted || t.Status == clew.TodoSkipped
			return t.Status == clew.TodoFailed, !over
		}
	}
	return false, false
}

func (m *model) planKeys() []string {
	keys := []string{"↑↓", "choose"}
	if m.runOver() {
		return append(keys, "esc", "back")
	}
	if m.review() != nil {
		keys = append(keys, "y", "yes", "n", "no", "e", "change it")
	}
	if m.runPaused() {
		keys = append(keys, "p", "resume")
	} else {
		keys = append(keys, "p", "pause")
	}
	retry, skip := m.todoMay()
	if retry {
		keys = append(keys, "t", "retry")
	}
	if skip {
		keys = append(keys, "s", "skip")
	}
	return append(keys, "c", "cancel", "esc", "back")
}

func (m *model) pressPlan(k tea.KeyPressMsg) tea.Cmd {
	switch key := k.String(); key {
	case "up", "k":
		m.chooseTodo(-1)
	case "down", "j":
		m.chooseTodo(1)
	case "y", "n", "e":
		return m.pressReviewInPlan(key)
	default:
		if !m.runOver() {
			return m.controlRun(key)
		}
	}
	return nil
}

// pressReviewInPlan answers the review as the dock does, where the plan stands as
// a whole: what the dock has not shown to its end gets no yes here either.
func (m *model) pressReviewInPlan(key string) tea.Cmd {
	d := m.review()
	if d == nil {
		return nil
	}
	q := clew.Question{Type: clew.EventHitlPlanReview, Data: d}
	if m.ask.id != d.RequestID || !m.ask.drawn || key == "y" && !m.ask.seen {
		if m.ask.id != d.RequestID {
			m.showQuestion(q)
		}
		m.focus = answering
		m.tell(paint.Ask, "read it to its end first: ↓ or pgdn, then y")
		return nil
	}
	if m.ask.sent == d.RequestID {
		return nil
	}
	return m.pressReview(key, q)
}

// controlRun does what a key says to the run under way.
func (m *model) controlRun(key string) tea.Cmd {
	retry, skip := m.todoMay()
	switch todo := m.chosenTodo(); {
	case key == "p" && m.runPaused():
		return m.command(clew.CommandControlResume, clew.ControlResumeData{}, nil)
	case key == "p":
		return m.command(clew.CommandControlPause, clew.ControlPauseData{}, nil)
	case key == "t" && retry:
		return m.command(clew.CommandControlRetry, clew.ControlRetryData{TodoID: todo}, nil)
	case key == "s" && skip:
		m.askFor("Skip “"+m.todoTask(todo)+"”, because (may be empty)", "", func(m *model, text string) tea.Cmd {
			return m.command(clew.CommandControlSkip, clew.ControlSkipData{TodoID: todo, Reason: text}, nil)
		})
	case key == "c":
		m.confirm("Cancel the run? It cannot be resumed.", "cancels it", func(m *model) tea.Cmd {
			return m.command(clew.CommandControlCancel, clew.ControlCancelData{}, nil)
		})
	}
	return nil
}

func (m *model) todoTask(id string) string {
	for _, t := range m.state.FrontTodos() {
		if t.ID == id {
			return t.Task
		}
	}
	return id
}

func (m *model) chooseTodo(by int) {
	todos := m.state.FrontTodos()
	at := slices.IndexFunc(todos, func(t clew.Todo) bool { return t.ID == m.chosenTodo() })
	if at >= 0 {
		m.plan.chosen = todos[max(0, min(at+by, len(todos)-1))].ID
	}
}
