package tui

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/feed"
	"github.com/clew-run/clew/internal/tui/paint"
)

// drawQuestionPanel shows the question above the composer, in at most height lines: a
// head, as much of the question as there is room for, and the keys.
func (m *model) drawQuestionPanel(width, height int) []paint.Line {
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
	left := paint.L(paint.S(paint.Ask, " ◇ "), paint.B(paint.Ask, heading(q)))
	if of > 1 {
		left = append(left, paint.S(paint.Soft, fmt.Sprintf("  %d of %d", at+1, of)))
	}
	if who := m.askedBy(a); who != "" {
		left = append(left, paint.S(paint.Soft, "  "+who))
	}
	return paint.Between(left, m.countdown(q), width)
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

// countdown is what is left by the server's clock, nothing if a question waits
// for ever.
func (m *model) countdown(q clew.Question) paint.Line {
	left := ask.TimeLeft(q, time.UnixMilli(m.serverNow()))
	if left == "" {
		return nil
	}
	return paint.L(paint.S(paint.Ask, left+" "))
}

// heading is the title of a question. One that asks for a value is its own body:
// there may be no room for it here.
func heading(q clew.Question) string {
	if ask.Options(q) == nil {
		return "A question"
	}
	return ask.Title(q)
}

// questionBody is all that one should know before answering.
func (m *model) questionBody(q clew.Question, width int) []paint.Line {
	var lines []paint.Line
	if ask.Options(q) == nil {
		lines = paint.Paragraphs(paint.Style{}, ask.Title(q), width)
	}
	for _, p := range ask.Parts(q) {
		lines = append(lines, feed.Part(p, width)...)
	}
	return append(lines, m.rememberLines(q, width)...)
}

func (m *model) rememberLines(q clew.Question, width int) []paint.Line {
	offer := ask.Offer(q)
	if offer == nil || m.ask.scope == "" {
		return nil
	}
	lines := paint.Paragraphs(paint.Style{Ink: paint.Run}, "Yes, and do not ask again about "+ask.Covers(q, m.ask.scope, m.ask.pattern)+".", width)
	if offer.RunsWorkspace && m.ask.pattern == offer.Pattern {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Ask}, ask.RunsWorkspace+".", width)...)
	}
	if offer.Match != "" && m.ask.pattern == offer.Pattern {
		lines = append(lines, paint.L(paint.S(paint.Past, "covers "), paint.S(paint.Soft, term.ExactLine(offer.Match))).Wrap(width)...)
		if offer.NearMiss != "" {
			lines = append(lines, paint.L(paint.S(paint.Past, "does not cover "), paint.S(paint.Soft, term.ExactLine(offer.NearMiss))).Wrap(width)...)
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
	d, input := q.Data.(*clew.HitlInputRequestData)
	var keys []string
	if ask.Options(q) != nil {
		for _, k := range ask.Keys(q) {
			keys = append(keys, m.ruleKey(q, k)...)
		}
		return append(keys, "esc", "back")
	}
	if labels, _ := client.Choices(q); len(labels) > 0 {
		keys = append(keys, choiceKeys(len(labels)), "choose")
	}
	switch {
	case input && d.InputType == clew.InputBoolean:
		keys = append(keys, "y", "yes", "n", "no")
	case !input || !d.Strict:
		keys = append(keys, "e", "write an answer")
	}
	return append(keys, "esc", "back")
}

// choiceKeys are the keys of so many choices.
func choiceKeys(n int) string {
	if n == 1 {
		return "1"
	}
	return fmt.Sprintf("1-%d", min(n, 9))
}

// ruleKey is what a key does while a rule is chosen that comes with a yes.
func (m *model) ruleKey(q clew.Question, k ask.Key) []string {
	offer := ask.Offer(q)
	switch {
	case m.ask.scope == "" || offer == nil:
	case k.Key == "a":
		k.Word = nextScopeWord(offer, m.ask.scope)
	case k.Key == "e" && offer.Pattern != "":
		k.Word = "edit the rule"
	case k.Key == "e":
		return nil
	}
	return []string{k.Key, k.Word}
}

// nextScopeWord is what a does now.
func nextScopeWord(offer *clew.RememberOffer, now clew.RememberScope) string {
	if at := slices.Index(offer.Scopes, now); at+1 < len(offer.Scopes) {
		return string(offer.Scopes[at+1])
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
