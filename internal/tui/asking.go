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

// asking is the dock: which question is shown, and how far the person came.
type asking struct {
	id      clew.RequestID // the question that is shown
	offset  int            // lines scrolled
	seen    bool           // all of it was on the screen
	hidden  int            // lines below what is on the screen
	scope   clew.RememberScope
	pattern string
	sent    clew.RequestID // an answer to it is on its way
}

// questions lists the open ones, the nearest deadline first.
func (m *model) questions() []clew.Question {
	var list []clew.Question
	if m.view.State.HitlPending != nil {
		list = append(list, *m.view.State.HitlPending)
	}
	list = append(list, m.view.State.HitlQueue...)
	slices.SortStableFunc(list, func(a, b clew.Question) int {
		x, y := a.Asking().DeadlineMS, b.Asking().DeadlineMS
		switch {
		case x == y:
			return 0
		case y == 0 || x != 0 && x < y:
			return -1
		}
		return 1
	})
	return list
}

func (m *model) questionIDs() []clew.RequestID {
	var ids []clew.RequestID
	for _, q := range m.questions() {
		ids = append(ids, q.RequestID())
	}
	return ids
}

// question is the one that is shown, and its place among the open ones.
func (m *model) question() (q clew.Question, at, of int) {
	list := m.questions()
	if len(list) == 0 {
		return clew.Question{}, 0, 0
	}
	at = slices.IndexFunc(list, func(q clew.Question) bool { return q.RequestID() == m.ask.id })
	if at < 0 {
		at = 0
		m.turnTo(list[0])
	}
	return list[at], at, len(list)
}

func (m *model) turnTo(q clew.Question) {
	m.ask = asking{id: q.RequestID()}
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Remember != nil {
		m.ask.pattern = d.Remember.Pattern
	}
}

// settleFocus takes the keys away from a question that is gone: the next one
// must not get an answer that was meant for it.
func (m *model) settleFocus(before []clew.RequestID) {
	now := m.questionIDs()
	if m.focus == answering && slices.Contains(before, m.ask.id) && !slices.Contains(now, m.ask.id) {
		m.focus, m.prompt = writing, nil
	}
}

// nextQuestion goes to the next open question.
func (m *model) nextQuestion() {
	list := m.questions()
	if len(list) == 0 {
		m.tell(paint.Soft, "no open question in this session; ctrl+o has those of all sessions")
		return
	}
	_, at, _ := m.question()
	if m.focus == answering {
		m.turnTo(list[(at+1)%len(list)])
	}
	m.focus = answering
}

// answered tells how a question was settled, if somebody else did it.
func (m *model) answered(d *clew.HitlResolvedData) {
	m.feed.Stale()
	switch {
	case d.RequestID == m.ask.sent:
		m.tell(paint.Run, "your answer counts")
	case d.RequestID != m.ask.id:
	case d.ByTimeout:
		m.tell(paint.Ask, "the question expired: nobody answered in time")
	case d.ResolvedBy != "":
		m.tell(paint.Soft, fmt.Sprintf("%s answered first: %s", d.ResolvedBy, d.Action))
	}
}

// answer sends an answer. The first one that the server takes counts.
func (m *model) answer(typ clew.CommandType, data any) tea.Cmd {
	m.ask.sent = m.ask.id
	m.focus = writing
	m.tell(paint.Soft, "sending your answer …")
	return m.command(typ, data, nil)
}

func (m *model) pressQuestion(k tea.KeyPressMsg) tea.Cmd {
	q, _, of := m.question()
	if of == 0 {
		m.focus = writing
		return m.press(k)
	}
	if m.scrollsQuestion(k) {
		return nil
	}
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return m.pressApproval(k, d)
	case *clew.HitlPlanReviewData:
		return m.pressReview(k, d)
	case *clew.HitlInputRequestData:
		return m.pressInput(k, d)
	case *clew.HitlClarificationData:
		return m.pressClarification(k, d)
	}
	return nil
}

func (m *model) scrollsQuestion(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "down", "j":
		m.ask.offset += min(1, m.ask.hidden)
	case "up", "k":
		m.ask.offset = max(0, m.ask.offset-1)
	case "pgdown", "space":
		m.ask.offset += min(5, m.ask.hidden)
	case "pgup":
		m.ask.offset = max(0, m.ask.offset-5)
	default:
		return false
	}
	return true
}

func (m *model) pressApproval(k tea.KeyPressMsg, d *clew.HitlApprovalRequestData) tea.Cmd {
	respond := func(action clew.Choice, reason string) tea.Cmd {
		r := clew.HitlApprovalResponseData{RequestID: d.RequestID, Action: action, Comment: reason}
		if action == clew.ChoiceApprove && m.ask.scope != "" {
			r.Remember = &clew.Remember{Scope: m.ask.scope, Pattern: m.ask.pattern}
		}
		return m.answer(clew.CommandHitlApprovalResponse, r)
	}
	switch k.String() {
	case "a":
		if !m.ask.seen {
			m.tell(paint.Ask, "there is more of it below: ↓ shows it, then a approves")
			return nil
		}
		return respond(clew.ChoiceApprove, "")
	case "d":
		m.askFor("Deny, because (may be empty)", "", func(m *model, text string) tea.Cmd { return respond(clew.ChoiceReject, text) })
	case "s":
		if slices.Contains(d.Options, clew.ChoiceSkip) {
			return respond(clew.ChoiceSkip, "")
		}
	case "r":
		m.nextScope(d.Remember)
	case "e":
		if d.Remember != nil && d.Remember.Pattern != "" {
			m.askFor("Commands that need no question", m.ask.pattern, func(m *model, text string) tea.Cmd {
				m.ask.pattern = strings.TrimSpace(text)
				if m.ask.scope == "" {
					m.nextScope(d.Remember)
				}
				return nil
			})
		}
	}
	return nil
}

// nextScope goes through once, for the task, for the session.
func (m *model) nextScope(offer *clew.RememberOffer) {
	if offer == nil || len(offer.Scopes) == 0 {
		return
	}
	m.ask.offset = 0
	at := slices.Index(offer.Scopes, m.ask.scope)
	if at+1 == len(offer.Scopes) {
		m.ask.scope = ""
		return
	}
	m.ask.scope = offer.Scopes[at+1]
}

func (m *model) pressReview(k tea.KeyPressMsg, d *clew.HitlPlanReviewData) tea.Cmd {
	respond := func(action clew.Choice, comment, instruction string) tea.Cmd {
		return m.answer(clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{
			RequestID: d.RequestID, Action: action, Comment: comment, Instruction: instruction,
		})
	}
	switch k.String() {
	case "a":
		if !m.ask.seen {
			m.tell(paint.Ask, "there is more of the plan below: ↓ shows it, then a approves")
			return nil
		}
		return respond(clew.ChoiceApprove, "", "")
	case "d":
		m.askFor("Reject the plan, because (may be empty)", "", func(m *model, text string) tea.Cmd { return respond(clew.ChoiceReject, text, "") })
	case "e":
		m.askFor("What shall be changed", "", func(m *model, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return respond(clew.ChoiceModify, "", text)
		})
	}
	return nil
}

func (m *model) pressInput(k tea.KeyPressMsg, d *clew.HitlInputRequestData) tea.Cmd {
	respond := func(value any) tea.Cmd {
		return m.answer(clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: d.RequestID, Field: d.Field, Value: value})
	}
	key := k.String()
	if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(d.Options) {
		return respond(d.Options[n-1].Value)
	}
	switch {
	case d.InputType == clew.InputBoolean && (key == "y" || key == "n"):
		return respond(key == "y")
	case (key == "e" || key == "enter") && !d.Strict:
		m.askFor("Your answer", defaultText(d.DefaultValue), func(m *model, text string) tea.Cmd {
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

func (m *model) pressClarification(k tea.KeyPressMsg, d *clew.HitlClarificationData) tea.Cmd {
	respond := func(value any) tea.Cmd {
		return m.answer(clew.CommandHitlClarificationResponse, clew.HitlClarificationResponseData{RequestID: d.RequestID, Value: value})
	}
	key := k.String()
	if n, err := strconv.Atoi(key); err == nil && n >= 1 && n <= len(d.Suggestions) {
		return respond(d.Suggestions[n-1])
	}
	if key == "e" || key == "enter" {
		m.askFor("Your answer", "", func(m *model, text string) tea.Cmd {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return respond(text)
		})
	}
	return nil
}
