package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// startWithin is how long somebody waits who typed clew and nothing else.
const startWithin = 2 * time.Second

// sessionsAtStart is how many sessions they see.
const sessionsAtStart = 5

// start is clew without a command. Somebody at a terminal comes to a session in this
// directory. Everybody else, and where no server runs and none may be started, reads
// what there is and what they can do now; nothing is changed then.
func start(a *env.App, cmd *cobra.Command, r env.Remote, last bool) error {
	if c, err := a.Connect(env.Remote{Data: r.Data, Running: true}); wholeScreen(a) && (c != nil || !noServer(err) || a.MayStart(r)) {
		return here(cmd.Context(), a, r, last)
	}
	if last {
		return env.Usagef("clew -c needs a terminal, and a server; clew run -c 'TEXT' continues without one")
	}
	width, person := env.Columns(a.Out)
	if !person {
		width = env.HelpWidth
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), startWithin)
	defer cancel()
	g := newGlance(ctx, a, r)
	return a.Print(g.forPrograms(), func(w io.Writer) error { return g.write(w, width) })
}

// forPrograms is what there is, as JSON.
func (g overview) forPrograms() map[string]any {
	sessions := g.sessions
	if sessions == nil {
		sessions = []client.Session{}
	}
	return map[string]any{"running": g.server != "", "server": g.server, "problem": g.problem, "sessions": sessions, "questions": g.open, "has_model": g.server != "" && !g.noModel}
}

// An overview is what there is.
type overview struct {
	server   string // its address, "" if none answers
	problem  string // why nothing is known of it
	sessions []client.Session
	open     int  // questions
	noModel  bool // no model is set up
}

func newGlance(ctx context.Context, a *env.App, r env.Remote) overview {
	c, err := a.Connect(env.Remote{Data: r.Data, Running: true})
	var none *env.NoTokenError // which is fine if the server lets everybody in
	if err != nil && !errors.As(err, &none) {
		return overview{problem: problemOf(err)}
	}
	g := overview{server: c.Base.String()}
	page, err := c.API().ListSessions(ctx, "", "", sessionsAtStart)
	if err != nil {
		return overview{problem: problemOf(err)}
	}
	g.sessions = page.Sessions
	if in, err := c.API().Inbox(ctx, "", 1); err == nil {
		g.open = in.Counts.Total
	}
	var used usedModel
	if err := c.Call(ctx, http.MethodGet, "model", nil, &used); err == nil {
		g.noModel = used.WhyCode == modelNone
	}
	return g
}

// problemOf is "" if simply no server runs.
func problemOf(err error) string {
	if clew.CodeOf(err) == clew.ConnectionFailed {
		return ""
	}
	return env.ErrorText(err)
}

func (g overview) write(w io.Writer, width int) error {
	p := &env.Page{W: w}
	p.Line("clew keeps the work of AI agents in durable sessions.")
	p.Line("")
	switch {
	case g.server != "":
		p.Line("A server runs at %s", g.server)
	case g.problem != "":
		p.Line("%s", env.Plain(g.problem))
	default:
		p.Line("No server runs.")
	}
	if len(g.sessions) > 0 && p.Err == nil {
		p.Line("")
		p.Err = writeSessions(w, g.sessions, width, true)
	}
	p.Line("")
	p.Line("What you can do now:")
	for _, do := range g.next() {
		p.Line("  %-22s %s", do[0], do[1])
	}
	return p.Err
}

// next is what somebody can do, the most useful first.
func (g overview) next() [][2]string {
	all := [2]string{"clew help", "all commands"}
	if g.problem != "" {
		return [][2]string{{"clew doctor", "says what is missing, and what to do about it"}, all}
	}
	if g.server == "" {
		return [][2]string{
			{"clew demo", "an agent at work: no key, no network"},
			{"clew login", "connect a model"},
			{"clew serve --detach", "a server of your own, in the background"},
			{"clew doctor", "says what is missing, and what to do about it"}, all,
		}
	}
	var list [][2]string
	if g.open > 0 {
		list = append(list, [2]string{"clew inbox", term.Goes(g.open, "question", "waits for you", "wait for you")})
	}
	if g.noModel {
		list = append(list, [2]string{"clew login", "connect a model: none is set up yet"})
	}
	list = append(list, [2]string{"clew run '…'", "give an agent something to do, in this directory"})
	if len(g.sessions) > 0 {
		list = append(list, [2]string{"clew -c", "continue here; clew ls lists all sessions"})
	}
	return append(list, [2]string{"clew open", "all of it in the browser"}, all)
}

// statusWords are what people read for a status; the others say it themselves.
var statusWords = map[clew.SessionStatus]string{clew.StatusAwaitingInput: "needs you", clew.StatusExecuting: "working"}

// writeSessions writes a table of sessions. For people it fits the terminal: ids are
// as short as commands take them, and titles are cut. Elsewhere all is whole.
func writeSessions(w io.Writer, list []client.Session, width int, person bool) error {
	rows := [][]string{{"SESSION", "STATUS", "UPDATED", "TITLE"}}
	for _, s := range list {
		status := string(s.Status)
		if s.Status == clew.StatusIdle {
			status = env.FirstOf(ask.EndWord(s.Outcome), status)
		}
		row := []string{string(s.ID), status, time.UnixMilli(s.UpdatedMS).Format(time.DateTime), env.Plain(s.Title)}
		if person {
			row[0], row[1], row[2] = env.Shorten(s.ID), env.FirstOf(statusWords[s.Status], row[1]), term.Ago(time.UnixMilli(s.UpdatedMS), time.Now())
		}
		rows = append(rows, row)
	}
	widths := make([]int, 3)
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], len(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%-*s  %-*s  %-*s  ", widths[0], row[0], widths[1], row[1], widths[2], row[2])
		if person {
			row[3] = env.Cut(row[3], max(10, width-len(line)))
		}
		b.WriteString(strings.TrimRight(line+row[3], " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
