package tui

import (
	"crypto/rand"
	"strconv"

	tea "charm.land/bubbletea/v2"
)

// A prompt asks for a line, in the place of the composer.
type prompt struct {
	editor
	title string
	done  func(m *model, text string) tea.Cmd
}

func (m *model) askFor(title, text string, done func(*model, string) tea.Cmd) {
	m.prompt = &prompt{title: title, done: done}
	m.prompt.set(text)
}

func (m *model) pressPrompt(k tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	switch k.String() {
	case "esc", "ctrl+c":
		m.prompt = nil
	case "enter":
		m.prompt = nil
		return p.done(m, p.String())
	default:
		p.key(k)
	}
	return nil
}

func newID() string { return "tui-" + rand.Text() }

func utoa(n uint64) string { return strconv.FormatUint(n, 10) }
