package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// pressQuestion does what a key says to the question in the dock. It counts only
// once that question was on the screen.
func (m *model) pressQuestion(k tea.KeyPressMsg) tea.Cmd {
	q, _, of := m.question()
	if of == 0 {
		m.focus = writing
		return m.pressWriting(k)
	}
	if m.focus != answering || !m.ask.drawn || m.scrollsQuestion(k.String()) {
		return nil
	}
	if m.ask.sent == m.ask.id {
		m.tell(paint.Soft, "your answer is on its way")
		return nil
	}
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return m.pressApproval(k.String(), q)
	case *clew.HitlPlanReviewData:
		return m.pressReview(k.String(), q)
	case *clew.HitlInputRequestData:
		return m.pressValue(k.String(), q, d)
	case *clew.HitlClarificationData:
		return m.pressValue(k.String(), q, &clew.HitlInputRequestData{Required: true})
	}
	return nil
}

// hidden counts the lines of the question that are below what is on the screen.
func (a *asking) hidden() int { return max(len(a.body)-a.offset-a.room, 0) }

func (m *model) scrollsQuestion(key string) bool {
	a := &m.ask
	page := max(a.room-1, 1)
	switch key {
	case "down", "j":
		a.offset += min(1, a.hidden())
	case "up", "k":
		a.offset = max(0, a.offset-1)
	case "pgdown", "space":
		a.offset += min(page, a.hidden())
	case "?":
		if a.hidden() == 0 {
			return false
		}
		a.offset += min(page, a.hidden())
	case "pgup":
		a.offset = max(0, a.offset-page)
	case "home":
		a.offset = 0
	case "end":
		a.offset += a.hidden()
	default:
		return false
	}
	return true
}

// unseen reports that there is more to see before a yes, and says so.
func (m *model) unseen() bool {
	if m.ask.seen {
		return false
	}
	m.tell(paint.Ask, "read it to its end first: ↓ or pgdn, then y")
	return true
}

func (m *model) pressApproval(key string, q clew.Question) tea.Cmd {
	offer := ask.Offer(q)
	switch key {
	case "y":
		if m.unseen() {
			return nil
		}
		yes := ask.Decide(clew.ChoiceApprove, "")
		if m.ask.scope != "" {
			yes.Remember = &clew.Remember{Scope: m.ask.scope, Pattern: m.ask.pattern}
		}
		return m.answer(q, yes)
	case "n":
		m.askWords(q, "No, because (may be empty)", clew.ChoiceReject)
	case "s":
		if ask.May(q, clew.ChoiceSkip) {
			return m.answer(q, ask.Decide(clew.ChoiceSkip, ""))
		}
	case "a":
		m.nextScope(q, offer)
	case "e":
		if m.ask.scope != "" && offer.Pattern != "" {
			m.editRule()
			return nil
		}
		if ask.AboutAct(q) {
			m.askInstead(q, "No; do this instead")
		}
	}
	return nil
}

// askWords asks for the words of an answer, which may be none.
func (m *model) askWords(q clew.Question, title string, c clew.Choice) {
	m.askAbout(title, "", func(m *model, text string) tea.Cmd { return m.answer(q, ask.Decide(c, text)) })
}

// askInstead asks for words in place of a yes or a no. Without any the question
// stands as before.
func (m *model) askInstead(q clew.Question, title string) {
	m.askAbout(title, "", func(m *model, text string) tea.Cmd {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		return m.answer(q, ask.Instead(q, text))
	})
}

func (m *model) editRule() {
	m.askAbout("Allow commands like this", m.ask.pattern, func(m *model, text string) tea.Cmd {
		if text = strings.TrimSpace(text); text != "" {
			m.ask.pattern = text
			m.showRule()
		}
		return nil
	})
}

// nextScope goes through once and the scopes that are offered.
func (m *model) nextScope(q clew.Question, offer *clew.RememberOffer) {
	if offer == nil || len(offer.Scopes) == 0 {
		m.tell(paint.Soft, ask.NoOffer(q))
		return
	}
	at := slices.Index(offer.Scopes, m.ask.scope)
	if at+1 == len(offer.Scopes) {
		m.ask.scope = ""
		return
	}
	m.ask.scope = offer.Scopes[at+1]
	m.showRule()
}

// showRule goes to the end of a question, where the rule stands that comes with a
// yes. It is to be seen before that, as everything else.
func (m *model) showRule() {
	if m.ask.seen {
		m.ask.offset = m.ask.read
	}
	m.ask.seen = false
}

func (m *model) pressReview(key string, q clew.Question) tea.Cmd {
	switch key {
	case "y":
		if !m.unseen() {
			return m.answer(q, ask.Decide(clew.ChoiceApprove, ""))
		}
	case "n":
		m.askWords(q, "No plan, because (may be empty)", clew.ChoiceReject)
	case "e":
		m.askInstead(q, "What should change")
	}
	return nil
}

// pressValue is for a question that asks for a value; d says of which kind.
func (m *model) pressValue(key string, q clew.Question, d *clew.HitlInputRequestData) tea.Cmd {
	respond := func(value any) tea.Cmd { return m.answer(q, client.InboxAnswer{Value: value}) }
	labels, values := client.Choices(q)
	if n, ok := ask.Number(key, len(labels)); ok {
		return respond(values[n-1])
	}
	switch {
	case d.InputType == clew.InputBoolean && (key == "y" || key == "n"):
		return respond(key == "y")
	case (key == "e" || key == "enter") && !d.Strict:
		m.askAbout("Your answer", defaultText(d.DefaultValue), func(m *model, text string) tea.Cmd {
			value, err := ask.ParseValue(q, text)
			if err != nil {
				m.fail(err)
				return nil
			}
			return respond(value)
		})
	}
	return nil
}

func defaultText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
