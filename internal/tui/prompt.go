package tui

import (
	"crypto/rand"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// A prompt asks for a line, in the place of the composer.
type prompt struct {
	editor
	title    string
	question bool   // it is about the question in the dock, and goes with it
	yes      string // it asks for a yes or a no only; this is what a yes does
	done     func(m *model, text string) tea.Cmd
}

func (m *model) askFor(title, text string, done func(*model, string) tea.Cmd) {
	m.prompt = &prompt{title: title, done: done}
	m.prompt.Set(text)
}

// askAbout is askFor for an answer to the question in the dock.
func (m *model) askAbout(title, text string, done func(*model, string) tea.Cmd) {
	m.askFor(title, text, done)
	m.prompt.question = true
}

// confirm asks for y. Any other key is a no.
func (m *model) confirm(title, yes string, do func(*model) tea.Cmd) {
	m.prompt = &prompt{title: title, yes: yes, done: func(m *model, _ string) tea.Cmd { return do(m) }}
}

func (m *model) pressPrompt(k tea.KeyPressMsg) tea.Cmd {
	p, key := m.prompt, k.String()
	switch {
	case p.yes != "":
		m.prompt = nil
		if key == "y" {
			return p.done(m, "")
		}
	case key == "esc" || key == "ctrl+c":
		m.prompt = nil
	case key == "enter":
		m.prompt = nil
		return p.done(m, p.String())
	default:
		p.key(k)
	}
	return nil
}

func newID() string { return "tui-" + rand.Text() }

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }
