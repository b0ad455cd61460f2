package tui

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// An ownCommand is one that the project or the person brings along. The server
// knows what it stands for.
type ownCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Hint        string `json:"argument_hint"`
}

// slashed does the command that is written. What looks like one is never sent as it
// stands: while a question is open, words would deny it.
func (m *model) slashed(arrival clew.Arrival) (tea.Cmd, bool) {
	name, words, ok := term.Slash(m.write.String())
	if !ok {
		return nil, false
	}
	at := slices.IndexFunc(actions, func(a action) bool { return a.name == strings.ToLower(name) })
	if at < 0 {
		return m.callOwn(name, words, arrival), true
	}
	switch a := actions[at]; {
	case words == "":
		m.write.clear()
		return a.do(m), true
	case a.with != nil:
		m.write.clear()
		return a.with(m, words), true
	}
	m.tell(paint.Ask, "/"+name+" takes no words. Nothing was sent. With a space before it, it is sent.")
	return nil, true
}

// callOwn sends what a command of the project stands for. The text stays in the
// composer until the server has said that there is such a command.
func (m *model) callOwn(name, words string, arrival clew.Arrival) tea.Cmd {
	if m.write.calling {
		return nil
	}
	m.write.calling = true
	written, mode, mayAnswer := m.write.String(), m.write.mode, m.mayAnswer()
	path, api := sessionPath(m.link.session, "slash-commands"), m.api
	return m.run(func(ctx context.Context) func(*model) tea.Cmd {
		var own struct {
			Text string           `json:"text"`
			Mode clew.MessageMode `json:"mode"`
		}
		err := api.Call(ctx, http.MethodPost, path, nil, map[string]string{"text": written}, &own)
		known := commandNames(loadOwn(ctx, api, path))
		return func(m *model) tea.Cmd {
			m.write.calling = false
			data := clew.UserMessageData{Text: own.Text, Mode: mode, MayAnswer: mayAnswer}
			switch {
			case err == nil && own.Text != "":
				if data.Mode == "" {
					data.Mode = own.Mode
				}
			case err != nil && clew.AsError(err).Code != clew.InvalidMessage:
				m.tell(paint.Fail, "not sent: "+clew.AsError(err).Message)
				return nil
			case words != "" && isPath("/"+name) && len(term.Suggest(name, known)) == 0:
				data.Text = strings.TrimRight(written, "\n ") // such as: /tmp is full
			default:
				m.tell(paint.Ask, term.NoCommand(name, known))
				return nil
			}
			if m.write.String() == written {
				m.write.clear()
			}
			return m.post(data, arrival)
		}
	})
}

// isPath reports whether there is such a file or directory here. Where the server
// is elsewhere it is a guess.
func isPath(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// commandNames are all that can be called.
func commandNames(own []ownCommand) []string {
	var names []string
	for _, a := range actions {
		names = append(names, a.name)
	}
	for _, c := range own {
		names = append(names, c.Name)
	}
	return names
}

// loadOwn asks for the project's commands. A server without any has none to list.
func loadOwn(ctx context.Context, api *client.API, path string) []ownCommand {
	var list struct {
		Commands []ownCommand `json:"commands"`
	}
	_ = api.Call(ctx, http.MethodGet, path, nil, nil, &list)
	return list.Commands
}
