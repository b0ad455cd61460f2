package tui

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
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

// noWords does what is written, where that is no message: a command, or a choice.
// What the server would take for something else stays where it is.
func (m *model) noWords() (tea.Cmd, bool) {
	if cmd, is := m.slashed(); is {
		return cmd, true
	}
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

// slashWord is a first word that looks like a command. Most paths have more slashes,
// or other signs.
var slashWord = regexp.MustCompile(`^/(\p{L}+)(\s|$)`)

// meantCommand is the command that somebody probably meant by a word behind a
// slash, "" if it is more likely a part of what they say, such as a path.
func meantCommand(word string, isPath func(string) bool) string {
	word = strings.ToLower(word)
	var names []string
	for _, a := range actions {
		names = append(names, a.name)
	}
	if slices.Contains(names, word) {
		return word
	}
	if like := term.Suggest(word, names); len(like) > 0 && !isPath("/"+word) {
		return like[0]
	}
	return ""
}

// isPath reports whether there is such a file or directory here. Where the server
// is elsewhere it is a guess, as all of this is.
func isPath(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// slashed does the command that is written. A word that is nearly one is no message
// either: whoever wrote it meant the command. All else is sent.
func (m *model) slashed() (tea.Cmd, bool) {
	text := m.write.String()
	word := slashWord.FindStringSubmatch(text)
	if word == nil {
		return nil, false
	}
	meant := meantCommand(word[1], isPath)
	at := slices.IndexFunc(actions, func(a action) bool { return a.name == meant })
	switch {
	case at < 0:
		return nil, false
	case !strings.EqualFold(meant, word[1]):
		m.tell(paint.Ask, "no command /"+word[1]+", but /"+meant+"; with a space before it, it is sent")
	case strings.TrimSpace(text) != "/"+word[1]:
		m.tell(paint.Ask, "/"+word[1]+" takes no words; with a space before it, it is sent")
	default:
		m.write.clear()
		return actions[at].do(m), true
	}
	return nil, true
}
