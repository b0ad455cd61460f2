package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A palette names what can be done, for people who do not know the keys. It opens
// with / where nothing is written yet.
type palette struct {
	list
	filter editor
	own    []ownCommand
}

// An action is something that a person can do, by its name.
type action struct {
	name, what, key string
	do              func(*model) tea.Cmd
	with            func(m *model, words string) tea.Cmd // nil if it takes no words
}

var actions = []action{
	{"stop", "stop the agent", "ctrl+x", (*model).interrupt, nil},
	{"help", "all keys", "F1", func(m *model) tea.Cmd { return m.open(&help{}) }, nil},
	{"status", "model, mode, workspace, environment of commands", "", func(m *model) tea.Cmd { return m.open(m.statusPage()) }, nil},
	{"model", "another model for this session", "", func(m *model) tea.Cmd { return m.open(newModels("")) }, func(m *model, words string) tea.Cmd { return m.open(newModels(words)) }},
	{"permissions", "what the agent may do without asking", "", func(m *model) tea.Cmd { return m.open(&permissions{}) }, nil},
	{"plan", "the plan; with words: make a plan first", "ctrl+p", func(m *model) tea.Cmd { m.togglePlan(); return nil }, (*model).planWith},
	{"diff", "what this session changed", "", func(m *model) tea.Cmd { return m.open(diffPage()) }, nil},
	{"commit", "commit what this session changed", "", func(m *model) tea.Cmd { return m.open(&commit{}) }, nil},
	{"windows", "tables, forms and pages that agents show", "w", func(m *model) tea.Cmd { return m.open(&windows{}) }, nil},
	{"undo", "undo the last rewind", "", (*model).undo, nil},
	{"rewind", "go back to an earlier point", "ctrl+r", func(m *model) tea.Cmd { return m.open(&rewind{files: true}) }, nil},
	{"fork", "a new session that continues from here", "", (*model).fork, nil},
	{"compact", "summarize what the model was told so far", "", (*model).compact, nil},
	{"cost", "what this session has used", "", func(m *model) tea.Cmd { return m.open(m.costPage()) }, nil},
	{"usage", "what this session has used", "", func(m *model) tea.Cmd { return m.open(m.costPage()) }, nil},
	{"resume", "continue in another session", "ctrl+k", func(m *model) tea.Cmd { return m.open(newSwitcher("")) }, func(m *model, words string) tea.Cmd { return m.open(newSwitcher(words)) }},
	{"find", "find words in this session", "ctrl+f", func(m *model) tea.Cmd { return m.open(newFinder(m.link.session)) }, func(m *model, words string) tea.Cmd { return m.open(newFinder(m.link.session, words)) }},
	{"sessions", "continue in another session", "ctrl+k", func(m *model) tea.Cmd { return m.open(newSwitcher("")) }, func(m *model, words string) tea.Cmd { return m.open(newSwitcher(words)) }},
	{"clear", "a new session in the same folder", "ctrl+n", (*model).newSession, nil},
	{"new", "a new session in the same folder", "ctrl+n", (*model).newSession, nil},
	{"inbox", "open questions of all sessions", "ctrl+o", func(m *model) tea.Cmd { return m.open(&inbox{}) }, nil},
	{"mcp", "tool servers and their state", "", func(m *model) tea.Cmd { return m.open(mcpPage()) }, nil},
	{"init", "ask the agent to write AGENTS.md", "", func(m *model) tea.Cmd { return m.initProject("") }, (*model).initProject},
	{"rename", "give this session a title", "", (*model).askTitle, (*model).rename},
	{"delete", "delete this session", "", func(m *model) tea.Cmd { return m.open(&deleting{}) }, nil},
	{"quit", "leave; the agent keeps working", "ctrl+c", func(*model) tea.Cmd { return tea.Quit }, nil},
}

// found are those whose names begin with what is typed, the project's own last.
func (p *palette) found() []action {
	var list []action
	typed := strings.ToLower(p.filter.String())
	for _, a := range actions {
		if strings.HasPrefix(a.name, typed) {
			list = append(list, a)
		}
	}
	for _, c := range p.own {
		if strings.HasPrefix(strings.ToLower(c.Name), typed) {
			list = append(list, action{name: c.Name, what: c.Description, key: c.Hint, do: c.begin})
		}
	}
	return list
}

// begin calls an own command, or writes it down where it wants words.
func (c ownCommand) begin(m *model) tea.Cmd {
	m.write.Set("/" + c.Name)
	if c.Hint == "" {
		return m.say(clew.ArrivalSteer)
	}
	m.write.Set("/" + c.Name + " ")
	return nil
}

func (m *model) openPalette(typed string) tea.Cmd {
	p := &palette{filter: editor{term.Editor{Single: true}}}
	p.filter.Set(typed)
	m.palette = p
	path, api := sessionPath(m.link.session, "slash-commands"), m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		own := loadOwn(ctx, api, path)
		return func(m *model) tea.Cmd {
			p.own = own
			if m.palette == nil && len(p.filter.Text) > 0 && m.write.String() == "/"+p.filter.String() && len(p.found()) > 0 {
				m.palette = p // it was one of these that was typed
				m.write.clear()
			}
			return nil
		}
	})
}

func (m *model) pressPalette(k tea.KeyPressMsg) tea.Cmd {
	p := m.palette
	found := p.found()
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+c" || key == "ctrl+u" || key == "backspace" && p.filter.String() == "":
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
