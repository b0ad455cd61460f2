package tui

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawDock shows the question above the composer, in at most height lines: a
// head, as much of the question as there is room for, and the keys.
func (m *model) drawDock(width, height int) []paint.Line {
	q, at, of := m.question()
	if of == 0 || height < 2 {
		m.ask.room = 0
		return nil
	}
	body, room := m.layQuestion(q, max(width-4, 8)), height-2
	m.ask.room = room
	m.ask.offset = max(0, min(m.ask.offset, len(body)-room))
	lines := []paint.Line{m.dockHead(q, at, of, width)}
	for _, l := range body[m.ask.offset:min(m.ask.offset+room, len(body))] {
		lines = append(lines, l.With(paint.S(paint.Ask, " ┃ ")))
	}
	return append(lines, m.dockFoot(q, width))
}

// layQuestion is the question in lines. They are kept: a change may be long. One
// that is another than before has to be read anew.
func (m *model) layQuestion(q clew.Question, width int) []paint.Line {
	a := &m.ask
	key := bodyKey{q.Data, width, a.scope, a.pattern}
	if a.body != nil && a.bodyFor == key {
		return a.body
	}
	if a.bodyFor.data != q.Data && !reflect.DeepEqual(a.bodyFor.data, q.Data) {
		a.seen, a.read = false, 0
	}
	if a.bodyFor.width != width {
		a.read = 0
	}
	a.body, a.bodyFor = m.questionBody(q, width), key
	if a.seen {
		a.read = len(a.body)
	}
	return a.body
}

// wasDrawn takes down that the question is on the screen, and how far it was read.
func (a *asking) wasDrawn() {
	a.drawn = true
	if a.offset <= a.read {
		a.read = max(a.read, min(a.offset+a.room, len(a.body)))
	}
	a.seen = a.seen || a.read >= len(a.body)
}

func (m *model) dockHead(q clew.Question, at, of, width int) paint.Line {
	a := q.Asking()
	left := paint.L(paint.S(paint.Ask, " ◇ "), paint.B(paint.Ask, questionTitle(q)))
	if of > 1 {
		left = append(left, paint.S(paint.Soft, fmt.Sprintf("  %d of %d", at+1, of)))
	}
	if who := m.askedBy(a); who != "" {
		left = append(left, paint.S(paint.Soft, "  "+who))
	}
	var right paint.Line
	if a.DeadlineMS > 0 {
		right = paint.L(paint.S(paint.Ask, m.countdown(a.DeadlineMS)+" "))
	}
	return paint.Between(left, right, width)
}

// askedBy says which part of the work asks, where it is not all of it.
func (m *model) askedBy(a *clew.Asking) string {
	for _, t := range m.state.FrontTodos() {
		if a.TodoID != "" && t.ID == a.TodoID {
			return "step: " + t.Task
		}
	}
	switch {
	case a.TodoID != "":
		return "a step of the plan"
	case a.AgentKind == clew.AgentTask, a.AgentKind == clew.AgentStep:
		return "a subtask"
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
			return "Allow " + term.ExactLine(feed.ToolName(d.Tool)) + "?"
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

// approvalBody is all that a yes would cover, exactly.
func (m *model) approvalBody(d *clew.HitlApprovalRequestData, width int) []paint.Line {
	var lines []paint.Line
	if d.Effect != nil && d.Effect.Command == "" && d.Effect.Summary != "" {
		lines = paint.Paragraphs(paint.Style{Bold: true}, term.Exact(d.Effect.Summary), width)
	}
	lines = append(lines, feed.Effect(d.Effect, width)...)
	lines = append(lines, feed.Input(d.Input, d.Effect, width)...)
	if d.Todo != nil {
		lines = append(lines, paint.Paragraphs(paint.Style{Bold: true}, term.Exact(d.Todo.Task), width)...)
	}
	lines = append(lines, riskLines(d.Effect, width)...)
	for _, s := range []string{d.Reason, d.Why} {
		if s != "" && (d.Effect == nil || s != d.Effect.Summary) {
			lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Soft}, term.Exact(s), width)...)
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
		what = "commands like " + term.ExactLine(m.ask.pattern)
	}
	until := "until this task is done"
	if m.ask.scope == clew.RememberSession {
		until = "in this session from now on"
	}
	lines := paint.Paragraphs(paint.Style{Ink: paint.Run}, "With your yes, "+what+" are not asked about "+until+".", width)
	if offer.Match != "" && m.ask.pattern == offer.Pattern {
		lines = append(lines, paint.L(paint.S(paint.Past, "covers "), paint.S(paint.Soft, term.ExactLine(offer.Match))).Wrap(width)...)
		if offer.NearMiss != "" {
			lines = append(lines, paint.L(paint.S(paint.Past, "does not cover "), paint.S(paint.Soft, term.ExactLine(offer.NearMiss))).Wrap(width)...)
		}
	}
	return lines
}

func reviewBody(d *clew.HitlPlanReviewData, width int) []paint.Line {
	lines := paint.Paragraphs(paint.Style{Ink: paint.Soft}, d.Message, width)
	for _, t := range d.Plan.Todos {
		for i, l := range paint.Paragraphs(paint.Style{}, t.Task, max(width-2, 4)) {
			front := "  "
			if i == 0 {
				front = "○ "
			}
			lines = append(lines, l.With(paint.S(paint.Past, front)))
		}
		if after := afterWhat(t, d.Plan.Todos); after != "" {
			for _, l := range paint.Paragraphs(paint.Style{Ink: paint.Past}, after, max(width-2, 4)) {
				lines = append(lines, l.With(paint.S(paint.Plain, "  ")))
			}
		}
	}
	return lines
}

// dockFoot has the keys that fit, or how to get to them.
func (m *model) dockFoot(q clew.Question, width int) paint.Line {
	more := paint.Line{}
	if n := m.ask.hidden(); n > 0 {
		more = paint.L(paint.S(paint.Ask, fmt.Sprintf("↓ %d more ", n)))
	}
	front := paint.S(paint.Ask, " ┃ ")
	switch {
	case m.ask.sent == m.ask.id:
		return paint.Between(paint.L(front, paint.S(paint.Soft, "your answer is on its way")), more, width)
	case m.prompt != nil: // keys are about something else
		return paint.Between(paint.L(front), more, width)
	case m.focus != answering:
		return paint.Between(paint.L(front, paint.B(paint.Ask, "tab"), paint.S(paint.Soft, " to answer")), more, width)
	}
	return paint.Between(keysOf(fitting(m.questionKeys(q), width-more.Width()-4)).With(front), more, width)
}

// fitting leaves the last keys out where there is no room for them.
func fitting(pairs []string, width int) []string {
	for len(pairs) > 2 && keysOf(pairs).Width() > width {
		pairs = pairs[:len(pairs)-2]
	}
	return pairs
}

// questionKeys are the keys that answer, in pairs of key and meaning.
func (m *model) questionKeys(q clew.Question) []string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return m.approvalKeys(d)
	case *clew.HitlPlanReviewData:
		return []string{"y", "yes", "n", "no", "e", "change it", "esc", "back"}
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
	case *clew.HitlClarificationData:
		if len(d.Suggestions) == 0 {
			return []string{"e", "write an answer", "esc", "back"}
		}
	}
	return []string{"1-9", "choose", "e", "write an answer", "esc", "back"}
}

func (m *model) approvalKeys(d *clew.HitlApprovalRequestData) []string {
	keys := []string{"y", "yes", "n", "no"}
	if slices.Contains(d.Options, clew.ChoiceSkip) {
		keys = append(keys, "s", "skip")
	}
	offer := d.Remember
	switch {
	case offer == nil || len(offer.Scopes) == 0:
		keys = append(keys, "e", "else")
	case m.ask.scope == "":
		keys = append(keys, "a", "always", "e", "else")
	default:
		keys = append(keys, "a", nextScopeWord(offer, m.ask.scope))
		if offer.Pattern != "" {
			keys = append(keys, "e", "edit the rule")
		}
	}
	return append(keys, "esc", "back")
}

// nextScopeWord is what a does now.
func nextScopeWord(offer *clew.RememberOffer, now clew.RememberScope) string {
	if at := slices.Index(offer.Scopes, now); at+1 < len(offer.Scopes) {
		return "for the session"
	}
	return "just once"
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
