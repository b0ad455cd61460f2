package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// asking is the dock: which question is shown, and how far the person came.
type asking struct {
	id      clew.RequestID // the question that is shown
	known   bool           // the question was here when the dock turned to it
	choices int            // that it offers
	drawn   bool           // it was on the screen
	offset  int            // lines scrolled
	room    int            // lines of it on the screen
	read    int            // lines that were on the screen, from the first one on
	seen    bool           // all of it was on the screen
	scope   clew.RememberScope
	pattern string
	sent    clew.RequestID // an answer to it is on its way

	body    []paint.Line // of the question
	bodyFor bodyKey
}

// A bodyKey is what the body was drawn from.
type bodyKey struct {
	data    any
	width   int
	scope   clew.RememberScope
	pattern string
}

// questions lists the open ones, the nearest deadline first.
func (m *model) questions() []clew.Question {
	list := slices.Clone(m.state.Questions)
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

// question is the one that is shown, and its place among the open ones. Where
// the one that was shown is gone, another takes its place and the keys go back
// to where one writes: an answer must never reach a question that it was not
// meant for.
func (m *model) question() (q clew.Question, at, of int) {
	list := m.questions()
	at = slices.IndexFunc(list, func(q clew.Question) bool { return q.RequestID() == m.ask.id })
	switch {
	case !m.state.Known():
		return clew.Question{}, 0, 0 // the one that was named may come yet
	case at >= 0 && m.ask.known:
	case at >= 0:
		m.showQuestion(list[at])
	default:
		m.leaveQuestion()
		m.dropBareAnswer()
		m.ask = asking{}
		if at = 0; len(list) > 0 {
			m.showQuestion(list[0])
		}
	}
	if len(list) == 0 {
		return clew.Question{}, 0, 0
	}
	return list[at], at, len(list)
}

// leaveQuestion takes the keys away from the dock.
func (m *model) leaveQuestion() {
	if m.prompt != nil && m.prompt.question {
		m.prompt = nil
	}
	if m.focus == answering {
		m.focus = writing
	}
}

// showQuestion shows a question in the dock.
func (m *model) showQuestion(q clew.Question) {
	labels, _ := client.Choices(q)
	m.ask = asking{id: q.RequestID(), known: true, choices: len(labels)}
	if offer := ask.Offer(q); offer != nil {
		m.ask.pattern = offer.Pattern
	}
}

// turnToID shows a question by its name, as one was chosen in the inbox.
func (m *model) turnToID(id clew.RequestID) {
	if id != "" {
		m.ask = asking{id: id}
		m.focus = answering
	}
}

// nextQuestion goes to the next open question.
func (m *model) nextQuestion() {
	_, at, of := m.question()
	if of == 0 {
		m.tell(paint.Soft, "no open question in this session; ctrl+o has those of all sessions")
		return
	}
	if m.focus == answering && of > 1 {
		m.showQuestion(m.questions()[(at+1)%of])
	}
	m.focus = answering
}

// answered tells how a question was settled, if somebody else did it. byWords says
// that it was done by words from here.
func (m *model) answered(q clew.SettledQuestion, byWords bool) {
	switch {
	case q.RequestID == m.ask.sent:
		m.tell(paint.Run, ask.Result(q.Action))
	case byWords:
		m.tell(paint.Run, wordsWere(q.Action))
	case q.RequestID != m.ask.id:
	case q.ByTimeout:
		m.tell(paint.Ask, ask.Elsewhere(q.MessageAnswer, false))
	default:
		m.tell(paint.Soft, ask.Elsewhere(q.MessageAnswer, m.isMe(q.By)))
	}
}

// wordsWere says what the words that were sent from here did to a question.
func wordsWere(r clew.Resolution) string {
	if r == clew.ResolvedAnswer {
		return "your words were the answer"
	}
	return "your words were the answer: " + ask.Result(r)
}

// isMe reports whether a person is the one at this screen, as far as one knows.
func (m *model) isMe(id clew.UserID) bool {
	return id != "" && id == m.state.Session.Owner && m.state.Connection.Role == clew.RoleOwner
}

// answer sends an answer. The first one that the server takes counts. One that it
// does not take can be given again.
func (m *model) answer(q clew.Question, a client.InboxAnswer) tea.Cmd {
	typ, data := ask.Response(q, a)
	id := m.ask.id
	m.ask.sent = id
	m.focus = writing
	m.tell(paint.Soft, "sending your answer …")
	session, api := m.link.session, m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		_, err := api.Command(ctx, session, "", typ, data)
		return func(m *model) tea.Cmd {
			if err == nil {
				return nil
			}
			if m.ask.sent == id {
				m.ask.sent = ""
			}
			m.tell(paint.Fail, "your answer was not taken: "+clew.AsError(err).Message)
			return nil
		}
	})
}
