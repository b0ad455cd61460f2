package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawDock shows the question above the composer, in at most height lines: a
// head, as much of the question as there is room for, and the keys.
func (m *model) drawDock(width, height int) []paint.Line {
	q, at, of := m.question()
	if of == 0 || height < 3 {
		return nil
	}
	body := m.questionBody(q, max(width-4, 8))
	room := height - 2
	m.ask.offset = max(0, min(m.ask.offset, len(body)-room))
	end := min(m.ask.offset+room, len(body))
	m.ask.hidden = len(body) - end
	m.ask.seen = m.ask.seen || m.ask.hidden == 0
	lines := []paint.Line{m.dockHead(q, at, of, width)}
	for _, l := range body[m.ask.offset:end] {
		lines = append(lines, l.With(paint.S(paint.Ask, " ┃ ")))
	}
	return append(lines, m.dockFoot(q, width))
}

func (m *model) dockHead(q clew.Question, at, of, width int) paint.Line {
	a := q.Asking()
	left := paint.L(paint.S(paint.Ask, " ◇ "), paint.B(paint.Ask, questionTitle(q)))
	if of > 1 {
		left = append(left, paint.S(paint.Soft, fmt.Sprintf("  %d of %d", at+1, of)))
	}
	if who := askedBy(a); who != "" {
		left = append(left, paint.S(paint.Soft, "  "+who))
	}
	var right paint.Line
	if a.DeadlineMS > 0 {
		right = paint.L(paint.S(paint.Ask, m.countdown(a.DeadlineMS)+" "))
	}
	return paint.Between(left, right, width)
}

func askedBy(a *clew.Asking) string {
	switch {
	case a.TodoID != "":
		return "step " + a.TodoID
	case strings.HasPrefix(string(a.AgentID), "task-"):
		return "a subtask asks"
	}
	return ""
}

// countdown is what is left by the server's clock.
func (m *model) countdown(deadline int64) string {
	left := time.Duration(deadline-m.serverNow()) * time.Millisecond
	if left <= 0 {
		return "expired"
	}
	left = left.Round(time.Second)
	if left >= time.Hour {
		return fmt.Sprintf("expires in %d h %02d min", int(left.Hours()), int(left.Minutes())%60)
	}
	return fmt.Sprintf("expires in %d:%02d", int(left.Minutes()), int(left.Seconds())%60)
}

func questionTitle(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return fmt.Sprintf("Approve the plan? (version %d)", d.Version)
	case *clew.HitlApprovalRequestData:
		switch {
		case d.Limit != "":
			return "Go on? A limit was reached: " + d.Limit
		case d.Todo != nil:
			return "Allow this step?"
		case d.Effect != nil && d.Effect.Command != "":
			return "Run this command?"
		case d.Tool != "":
			return "Allow " + feed.ToolName(d.Tool) + "?"
		}
		return "Go on?"
	}
	return "A question"
}

// questionBody is all that one should know before answering.
func (m *model) questionBody(q clew.Question, width int) []paint.Line {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return m.approvalBody(d, width)
	case *clew.HitlPlanReviewData:
		return reviewBody(d, width)
	case *clew.HitlInputRequestData:
		lines := paint.Paragraphs(paint.Style{}, d.Question, width)
		for i, o := range d.Options {
			lines = append(lines, option(i, o.Label, width)...)
		}
		return lines
	case *clew.HitlClarificationData:
		lines := paint.Paragraphs(paint.Style{}, d.Question, width)
		if d.Ambiguity != "" {
			lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Soft}, d.Ambiguity, width)...)
		}
		for i, s := range d.Suggestions {
			lines = append(lines, option(i, s, width)...)
		}
		return lines
	}
	return nil
}

func option(i int, label string, width int) []paint.Line {
	lines := paint.Paragraphs(paint.Style{}, label, max(width-3, 4))
	for j := range lines {
		front := "   "
		if j == 0 {
			front = fmt.Sprintf("%d  ", i+1)
		}
		lines[j] = lines[j].With(paint.B(paint.Ask, front))
	}
	return lines
}

func (m *model) approvalBody(d *clew.HitlApprovalRequestData, width int) []paint.Line {
	lines := feed.Effect(d.Effect, width)
	if d.Effect != nil && d.Effect.Command == "" && d.Effect.Summary != "" {
		lines = append(paint.Paragraphs(paint.Style{Bold: true}, d.Effect.Summary, width), lines...)
	}
	if d.Todo != nil {
		lines = append(lines, paint.Paragraphs(paint.Style{Bold: true}, d.Todo.Task, width)...)
	}
	lines = append(lines, riskLines(d.Effect, width)...)
	for _, s := range []string{d.Reason, d.Why} {
		if s != "" && (d.Effect == nil || s != d.Effect.Summary) {
			lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Soft}, s, width)...)
		}
	}
	return append(lines, m.rememberLines(d.Remember, width)...)
}

// riskLines say what holds a command, and what does not.
func riskLines(e *clew.Effect, width int) []paint.Line {
	if e == nil || e.Command == "" {
		return nil
	}
	ink, text := paint.Soft, "sandbox "+e.Sandbox
	if e.Sandbox == "none" || e.Sandbox == "" {
		ink, text = paint.Ask, "no sandbox: it can do all that you can"
	}
	if e.Network {
		ink, text = paint.Ask, text+"; it can reach the network"
	} else {
		text += "; no network"
	}
	return paint.Paragraphs(paint.Style{Ink: ink}, text, width)
}

func (m *model) rememberLines(offer *clew.RememberOffer, width int) []paint.Line {
	if offer == nil || m.ask.scope == "" {
		return nil
	}
	what := "calls alike"
	if offer.Pattern != "" {
		what = "commands like " + m.ask.pattern
	}
	until := "until this task is done"
	if m.ask.scope == clew.RememberSession {
		until = "in this session from now on"
	}
	lines := paint.Paragraphs(paint.Style{Ink: paint.Run}, "With your yes, "+what+" are not asked about "+until+".", width)
	if offer.Match != "" && m.ask.pattern == offer.Pattern {
		lines = append(lines, paint.L(paint.S(paint.Past, "covers "), paint.S(paint.Soft, offer.Match)).Cut(width))
		if offer.NearMiss != "" {
			lines = append(lines, paint.L(paint.S(paint.Past, "does not cover "), paint.S(paint.Soft, offer.NearMiss)).Cut(width))
		}
	}
	return lines
}

func reviewBody(d *clew.HitlPlanReviewData, width int) []paint.Line {
	lines := paint.Paragraphs(paint.Style{Ink: paint.Soft}, d.Message, width)
	for _, t := range d.Plan.Todos {
		text := t.Task
		if len(t.DependsOn) > 0 {
			text += "  (after " + strings.Join(t.DependsOn, ", ") + ")"
		}
		for i, l := range paint.Paragraphs(paint.Style{}, text, max(width-2, 4)) {
			front := "  "
			if i == 0 {
				front = "○ "
			}
			lines = append(lines, l.With(paint.S(paint.Past, front)))
		}
	}
	return lines
}

func (m *model) dockFoot(q clew.Question, width int) paint.Line {
	more := paint.Line{}
	if m.ask.hidden > 0 {
		more = paint.L(paint.S(paint.Ask, fmt.Sprintf("↓ %d more lines ", m.ask.hidden)))
	}
	if m.ask.sent == m.ask.id {
		return paint.Between(paint.L(paint.S(paint.Soft, " ┃ your answer is on its way")), more, width)
	}
	if m.focus != answering {
		return paint.Between(paint.L(paint.S(paint.Ask, " ┃ "), paint.B(paint.Ask, "tab"), paint.S(paint.Soft, " to answer")), more, width)
	}
	return paint.Between(keysOf(questionKeys(q)).With(paint.S(paint.Ask, " ┃ ")), more, width)
}

// questionKeys are the keys that answer, in pairs of key and meaning.
func questionKeys(q clew.Question) []string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		keys := []string{"a", "approve", "d", "deny"}
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			keys = append(keys, "s", "skip")
		}
		if d.Remember != nil && len(d.Remember.Scopes) > 0 {
			keys = append(keys, "r", "don't ask again")
			if d.Remember.Pattern != "" {
				keys = append(keys, "e", "edit rule")
			}
		}
		return append(keys, "esc", "back")
	case *clew.HitlPlanReviewData:
		return []string{"a", "approve", "d", "reject", "e", "change", "esc", "back"}
	case *clew.HitlInputRequestData:
		var keys []string
		if len(d.Options) > 0 {
			keys = append(keys, "1-9", "choose")
		}
		if d.InputType == clew.InputBoolean {
			keys = append(keys, "y", "yes", "n", "no")
		} else if !d.Strict {
			keys = append(keys, "e", "write an answer")
		}
		return append(keys, "esc", "back")
	}
	return []string{"1-9", "choose", "e", "write an answer", "esc", "back"}
}

// keysOf shows keys and what they do.
func keysOf(pairs []string) paint.Line {
	var l paint.Line
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			l = append(l, paint.S(paint.Past, " · "))
		}
		l = append(l, paint.B(paint.Plain, pairs[i]), paint.S(paint.Soft, " "+pairs[i+1]))
	}
	return l
}
