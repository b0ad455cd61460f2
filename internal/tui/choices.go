package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A choice is one that a question offers.
type choice struct {
	question clew.Question
	label    string
	value    any
}

// choiceInWords is the choice that what is written names by its number or by its
// very words. It has to be plain which question is meant: there is one, and it was
// on the screen.
func (m *model) choiceInWords() (choice, bool) {
	q, _, of := m.question()
	if of != 1 || !m.ask.drawn || m.ask.sent == m.ask.id || m.write.mode == clew.ModeRun {
		return choice{}, false
	}
	label, value, ok := ask.Chosen(q, m.write.String())
	return choice{q, label, value}, ok
}

// noWords does what is written, where that is no message but a choice.
// What the server would take for something else stays where it is.
func (m *model) noWords() (tea.Cmd, bool) {
	if c, ok := m.choiceInWords(); ok {
		m.write.clear()
		return m.answer(c.question, client.InboxAnswer{Value: c.value}), true
	}
	if m.write.mode == clew.ModeRun { // a plan is a task of its own
		return nil, false
	}
	_, plain := client.PlainYesNo(m.write.String())
	if instead := m.wordsMean().instead; plain && instead != "" {
		m.tell(paint.Ask, "not sent: to answer, "+instead)
		return nil, true
	}
	for _, q := range m.questions() { // of several, nobody knows which one is meant
		labels, _ := client.Choices(q)
		if n, ok := ask.Number(m.write.String(), len(labels)); ok {
			m.tell(paint.Ask, "not sent: to choose, press tab, then "+strconv.Itoa(n))
			return nil, true
		}
	}
	return nil, false
}

// dropBareAnswer takes away what is written if it could only have been an answer
// to the question in the dock, which is gone: the next one must not get it.
func (m *model) dropBareAnswer() {
	if !m.ask.known {
		return
	}
	_, plain := client.PlainYesNo(m.write.String())
	if _, number := ask.Number(m.write.String(), m.ask.choices); plain || number {
		m.write.clear()
	}
}
