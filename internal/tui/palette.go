package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A palette names what keys do, for people who do not know the keys. It opens
// with / where nothing is written yet. What has no key is rare, or cannot be undone for ever.
type palette struct {
	list
	filter editor
}

// An action is something that a person can do, by its name.
type action struct {
	name, what, key string
	do              func(*model) tea.Cmd
}

var actions = []action{
	{"stop", "stop the work under way", "ctrl+x", (*model).interrupt},
	{"plan", "the plan", "ctrl+p", func(m *model) tea.Cmd { m.togglePlan(); return nil }},
	{"model", "another model for this session", "", func(m *model) tea.Cmd { return m.open(newModels()) }},
	{"rewind", "go back in time; undo", "ctrl+r", func(m *model) tea.Cmd { return m.open(&rewind{files: true}) }},
	{"sessions", "another session", "ctrl+k", func(m *model) tea.Cmd { return m.open(newSwitcher()) }},
	{"inbox", "open questions of all sessions", "ctrl+o", func(m *model) tea.Cmd { return m.open(&inbox{}) }},
	{"new", "a new session in the same place", "ctrl+n", (*model).newSession},
	{"permissions", "how much the agent may do without asking", "", func(m *model) tea.Cmd { return m.open(&permissions{}) }},
	{"delete", "delete this session", "", func(m *model) tea.Cmd { return m.open(&deleting{}) }},
	{"help", "all keys", "F1", func(m *model) tea.Cmd { return m.open(&help{}) }},
	{"quit", "leave; the work goes on", "ctrl+c", func(*model) tea.Cmd { return tea.Quit }},
}

func (p *palette) found() []action {
	var list []action
	for _, a := range actions {
		if strings.HasPrefix(a.name, strings.ToLower(p.filter.String())) {
			list = append(list, a)
		}
	}
	return list
}

func (m *model) openPalette() { m.palette = &palette{filter: editor{term.Editor{Single: true}}} }

func (m *model) pressPalette(k tea.KeyPressMsg) tea.Cmd {
	p := m.palette
	found := p.found()
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+c" || key == "backspace" && p.filter.String() == "":
		m.palette = nil
	case key == "enter" || key == "tab":
		m.palette = nil
		return found[min(p.chosen, len(found)-1)].do(m)
	case p.key(key, len(found), 4):
	case p.filter.key(k):
		p.chosen = 0
		if len(p.found()) == 0 { // it was no command: somebody writes
			m.palette = nil
			m.write.Set("/" + p.filter.String())
		}
	}
	return nil
}

// drawPalette shows the commands above the place to write, in at most height
// lines.
func (m *model) drawPalette(height int) []paint.Line {
	p := m.palette
	found := p.found()
	return p.window(len(found), min(height, len(found)), 1, func(i int, chosen bool) []paint.Line {
		a := found[i]
		left := paint.L(pointer(chosen), paint.B(paint.Plain, pad("/"+a.name, 14)), paint.S(paint.Soft, a.what))
		return []paint.Line{paint.Between(left, paint.L(paint.S(paint.Past, a.key+" ")), m.w)}
	})
}
