// Package tui is a session on a terminal: its transcript, its questions, its
// plan, and a place to write.
//
// It is a client like any other. One goroutine owns the model and draws; links
// and commands run beside it and send it messages.
package tui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/paint"
)

// Options say what to show and where.
type Options struct {
	Server, Token string
	Session       string // "" is the newest
	// Monitor is where the person works: its messages are shown, and what is written
	// goes to its agent. "" shows all and writes to the main one.
	Monitor clew.MonitorID
	In, Out *os.File
	// Line writes a command line of the program with what it needs to find this
	// server, for people to paste.
	Line func(args ...string) string
	// Restart is the command line that starts a server of this machine, "" for one elsewhere.
	Restart string
	// Theme is light, dark, or "" to ask the terminal.
	Theme string
	// Welcome says how things are, while nothing was said in a session.
	Welcome []string
	// Left is called when the person has left, with the session that they saw last; nil
	// says how to come back.
	Left func(session clew.SessionID)
	// HTTP is used in place of the usual client, as for a local socket.
	HTTP *http.Client
	// Environ is the environment, os.Environ if nil.
	Environ []string
	// Terminal is what commands of a new session have of this terminal's
	// environment.
	Terminal map[string]string
	// InitPrompt has an agent write AGENTS.md, for /init.
	InitPrompt string
}

// Run shows a session until the person leaves. The work goes on without them.
func Run(ctx context.Context, o Options) error {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Line == nil {
		o.Line = func(args ...string) string { return "clew " + strings.Join(args, " ") }
	}
	if err := usable(o); err != nil {
		return err
	}
	m := newModel(ctx, o)
	session, err := m.find(ctx, o.Session)
	if err != nil {
		return err
	}
	var p *tea.Program
	m.send = func(msg tea.Msg) { p.Send(msg) }
	p = tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ))
	l, err := openLink(ctx, o, session, func(b batch) { m.send(b) })
	if err != nil {
		return err
	}
	m.show(l)
	m.watchOthers()
	_, err = p.Run()
	m.keepLastDraft()
	m.closeAll()
	if m.refused != nil {
		return m.refused
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) && ctx.Err() == nil {
		return fmt.Errorf("the terminal failed: %w", err)
	}
	if o.Left != nil {
		o.Left(m.link.session)
		return nil
	}
	fmt.Fprintf(o.Out, "You left; the work continues. Come back with:\n  %s\n", o.Line("attach", string(m.link.session)))
	return nil
}

// usable says why the terminal cannot show a screen.
func usable(o Options) error {
	kind := environ(o.Environ, "TERM")
	switch {
	case o.In == nil || o.Out == nil || !term.IsTerminal(o.In.Fd()) || !term.IsTerminal(o.Out.Fd()):
		return clew.Errorf(clew.InvalidMessage, "attach needs a terminal")
	case kind == "" || kind == "dumb" || kind == "unknown":
		return clew.Errorf(clew.InvalidMessage, "attach needs a terminal that can show a screen; TERM is %q", kind)
	case o.Theme != "" && o.Theme != "light" && o.Theme != "dark":
		return clew.Errorf(clew.InvalidMessage, "the theme is light or dark, not %q", o.Theme)
	}
	return nil
}

func environ(list []string, name string) string {
	for _, kv := range list {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// find gives the session to show.
func (m *model) find(ctx context.Context, name string) (clew.SessionID, error) {
	if name != "" {
		return clew.SessionID(name), nil
	}
	page, err := m.api.ListSessions(ctx, "", "", 1)
	if err != nil {
		return "", err
	}
	if len(page.Sessions) == 0 {
		return "", clew.Errorf(clew.SessionNotFound, "there is no session yet; begin one with %s", m.o.Line("run", `"…"`))
	}
	return page.Sessions[0].ID, nil
}

func newModel(ctx context.Context, o Options) *model {
	api := client.NewAPI(o.Server, o.Token)
	if o.HTTP != nil {
		api = api.WithHTTPClient(o.HTTP)
	}
	m := &model{ctx: ctx, o: o, api: api, drafts: map[clew.SessionID]string{}, clock: time.Now, now: time.Now()}
	m.theme = paint.Theme{Depth: paint.Sixteen, Light: o.Theme == "light" || o.Theme == "" && lightByEnvironment(o.Environ)}
	m.reset()
	return m
}

// lightByEnvironment is what some terminals say of their background.
func lightByEnvironment(environment []string) bool {
	_, back, ok := strings.Cut(environ(environment, "COLORFGBG"), ";")
	return ok && (strings.HasSuffix(back, "7") || strings.HasSuffix(back, "15"))
}
