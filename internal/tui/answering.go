package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
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
		return m.pressApproval(k.String(), d)
	case *clew.HitlPlanReviewData:
		return m.pressReview(k.String(), d)
	case *clew.HitlInputRequestData:
		return m.pressInput(k.String(), d)
	case *clew.HitlClarificationData:
		return m.pressClarification(k.String(), d)
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

func (m *model) pressApproval(key string, d *clew.HitlApprovalRequestData) tea.Cmd {
	respond := func(action clew.Choice, reason string) tea.Cmd {
		r := clew.HitlApprovalResponseData{RequestID: d.RequestID, Action: action, Comment: strings.TrimSpace(reason)}
		if action == clew.ChoiceApprove && m.ask.scope != "" {
			r.Remember = &clew.Remember{Scope: m.ask.scope, Pattern: m.ask.pattern}
		}
		return m.answer(clew.CommandHitlApprovalResponse, r)
	}
	switch key {
	case "y":
		if !m.unseen() {
			return respond(clew.ChoiceApprove, "")
		}
	case "n":
		m.askAbout("No, because (may be empty)", "", func(m *model, text string) tea.Cmd { return respond(clew.ChoiceReject, text) })
	case "s":
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			return respond(clew.ChoiceSkip, "")
		}
	case "a":
		m.nextScope(d.Remember)
	case "e":
		if m.ask.scope != "" && d.Remember.Pattern != "" {
			m.editRule()
			return nil
		}
		m.askAbout("No; do this instead", "", func(m *model, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return respond(clew.ChoiceReject, text)
		})
	}
	return nil
}

func (m *model) editRule() {
	m.askAbout("Commands like this are not asked about", m.ask.pattern, func(m *model, text string) tea.Cmd {
		if text = strings.TrimSpace(text); text != "" {
			m.ask.pattern = text
			m.showRule()
		}
		return nil
	})
}

// nextScope goes through once, for the task, for the session.
func (m *model) nextScope(offer *clew.RememberOffer) {
	if offer == nil || len(offer.Scopes) == 0 {
		m.tell(paint.Soft, "this is asked about each time")
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

func (m *model) pressReview(key string, d *clew.HitlPlanReviewData) tea.Cmd {
	respond := func(action clew.Choice, comment, instruction string) tea.Cmd {
		return m.answer(clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{
			RequestID: d.RequestID, Action: action, Comment: comment, Instruction: instruction,
		})
	}
	switch key {
	case "y":
		if !m.unseen() {
			return respond(clew.ChoiceApprove, "", "")
		}
	case "n":
		m.askAbout("No plan, because (may be empty)", "", func(m *model, text string) tea.Cmd {
			return respond(clew.ChoiceReject, strings.TrimSpace(text), "")
		})
	case "e":
		m.askAbout("What shall be changed", "", func(m *model, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return respond(clew.ChoiceModify, "", text)
		})
	}
	return nil
}

func (m *model) pressInput(key string, d *clew.HitlInputRequestData) tea.Cmd {
	respond := func(value any) tea.Cmd {
		return m.answer(clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: d.RequestID, Field: d.Field, Value: value})
	}
	if n, ok := bareNumber(key, len(d.Options)); ok {
		return respond(d.Options[n-1].Value)
	}
	switch {
	case d.InputType == clew.InputBoolean && (key == "y" || key == "n"):
		return respond(key == "y")
	case (key == "e" || key == "enter") && !d.Strict:
		m.askAbout("Your answer", defaultText(d.DefaultValue), func(m *model, text string) tea.Cmd {
			value, err := valueOf(d.InputType, text)
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

func valueOf(t clew.InputType, text string) (any, error) {
	text = strings.TrimSpace(text)
	switch t {
	case clew.InputNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, clew.Errorf(clew.HitlInvalidResponse, "%q is no number", text)
		}
		return n, nil
	case clew.InputBoolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, clew.Errorf(clew.HitlInvalidResponse, "y or n")
		}
		return b, nil
	}
	return text, nil
}

func (m *model) pressClarification(key string, d *clew.HitlClarificationData) tea.Cmd {
	respond := func(value any) tea.Cmd {
		return m.answer(clew.CommandHitlClarificationResponse, clew.HitlClarificationResponseData{RequestID: d.RequestID, Value: value})
	}
	if n, ok := bareNumber(key, len(d.Suggestions)); ok {
		return respond(d.Suggestions[n-1])
	}
	if key == "e" || key == "enter" {
		m.askAbout("Your answer", "", func(m *model, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return respond(text)
		})
	}
	return nil
}
