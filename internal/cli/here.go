package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/toolchain"
)

// here opens a session in this directory on the whole screen: a new one, or with last
// the one that was used last.
func here(ctx context.Context, a *env.App, r env.Remote, last bool) error {
	var welcome []string
	a.Told = func(text string) { welcome = append(welcome, text) }
	defer func() { a.Told = nil }()
	connect := serverWithModel
	if last { // reading needs none
		connect = func(_ context.Context, a *env.App, r env.Remote) (*env.Rest, error) { return a.Connect(r) }
	}
	c, err := connect(ctx, a, r)
	if err != nil {
		return err
	}
	if last {
		s, err := c.Session(ctx, "")
		if err != nil {
			return err
		}
		welcome = append(welcome, lastTime(s))
		if line := otherTerminal(ctx, a, c, s.ID); line != "" {
			welcome = append(welcome, line)
		}
		return openHere(ctx, a, c, s.ID, welcome, false)
	}
	used, err := readyModel(ctx, a, c)
	if err != nil {
		return err
	}
	if line := usedLine(used); line != "" {
		welcome = append([]string{line}, welcome...)
	}
	dir, err := place(c, ".", false)
	if err != nil {
		return err
	}
	welcome = append(welcome, surroundings(ctx, a, c, dir)...)
	if err := askFirst(ctx, a, c, dir); err != nil {
		return err
	}
	id, err := c.API().CreateSession(ctx, client.NewSession{Workspace: dir, Environment: c.Terminal(a.Environ)})
	if err != nil {
		return explained(c, misplaced(err, dir, false))
	}
	return openHere(ctx, a, c, id, welcome, true)
}

// serverWithModel finds the server, or starts one if that can be of use: for work that
// needs a model nothing is started where there can be none.
func serverWithModel(ctx context.Context, a *env.App, r env.Remote) (*env.Rest, error) {
	running := r
	running.Running = true
	c, err := a.Connect(running)
	if clew.CodeOf(err) != clew.ConnectionFailed || !a.MayStart(r) {
		return c, err
	}
	if !a.MayHaveModel(ctx, r) {
		return nil, notReady("%s", noModelText)
	}
	return a.Connect(r)
}

// openHere shows a session until the person leaves. One that was made for this, and in
// which nothing was said, is not kept.
func openHere(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, welcome []string, fresh bool) error {
	left := func(seen clew.SessionID) {
		text := "The session is saved. Continue here: " + c.Line("-c")
		if seen != id {
			text = "The session is saved. Continue it: " + c.Line("attach", string(seen))
		} else if fresh && discard(context.WithoutCancel(ctx), c, id) {
			text = "Nothing was said, so no session was kept. Start again: " + c.Line()
		}
		_, _ = fmt.Fprintln(a.Out, text)
	}
	err := attach(ctx, a, c, id, attachFlags{monitor: noMonitor, welcome: welcome, left: left})
	if err != nil && fresh {
		discard(context.WithoutCancel(ctx), c, id)
	}
	return err
}

// lastTime says which session is continued.
func lastTime(s client.Session) string {
	used := s.LastUsedMS
	if used == 0 {
		used = s.UpdatedMS
	}
	return fmt.Sprintf("Session %q, last used %s.", env.Cut(env.Plain(s.Title), 60), term.Ago(time.UnixMilli(used), time.Now()))
}

// usedLine says which model works, and why.
func usedLine(m usedModel) string {
	if m.Name == "" {
		return ""
	}
	why := ""
	switch {
	case m.WhyCode == modelByKey:
		why = ": " + m.KeyVariable + " is set in your environment"
	case m.Why != "":
		why = ": " + m.Why
	}
	return env.Plain(fmt.Sprintf("Using %s from %s%s. Another model: /model", m.Name, m.Provider, why))
}

// surroundings says where the session works, and what its commands have.
func surroundings(ctx context.Context, a *env.App, c *env.Rest, dir string) []string {
	if dir == "" || !c.SeesFiles() {
		return nil
	}
	home := a.Getenv("HOME")
	around := env.LookAround(dir)
	folder := "This folder: " + tilde(dir, home)
	if around.Branch != "" {
		folder += " (git: " + around.Branch + ")"
	}
	if len(around.Read) > 0 {
		var read []string
		for _, f := range around.Read {
			read = append(read, fmt.Sprintf("%s (%s)", f.Path, term.Count(f.Lines, "line")))
		}
		folder += ". Read: " + strings.Join(read, ", ")
	}
	list := []string{env.Plain(folder), sandboxLine(ctx, c, around)}
	var tools []string
	if around.Sandbox {
		for _, t := range toolchain.Find(toolchain.Request{Environ: toolchain.Filter(a.Environ), Home: home, Workspace: dir}).Tools {
			tools = append(tools, t.Name+" in "+tilde(t.Dir, home))
		}
	}
	if len(tools) > 0 {
		list = append(list, env.Plain("Commands have "+strings.Join(tools, ", ")+". Details: clew doctor"))
	}
	return list
}

func sandboxLine(ctx context.Context, c *env.Rest, around env.Around) string {
	sandbox, network := around.Sandbox, false
	why := around.NoSandbox
	if list, err := settings(ctx, c); err == nil { // who may not see them gets the usual
		if s, ok := find(list, "command_sandbox"); ok && string(s.Value) == `"none"` {
			sandbox, why = false, "command_sandbox is none"
		}
		s, _ := find(list, "command_network")
		network = string(s.Value) == "true"
	}
	switch {
	case !sandbox:
		return env.Plain("Commands run without a sandbox: " + why + ". Details: clew doctor")
	case network:
		return "Commands run in a sandbox: with the network, your files outside this folder are hidden."
	}
	return "Commands run in a sandbox: no network, your files outside this folder are hidden."
}

// tilde writes a path below the home directory as people do.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok && home != "" {
		return "~/" + rest
	}
	return path
}

// wholeScreen reports whether a person sits at a terminal that can show a screen.
func wholeScreen(a *env.App) bool {
	in, _ := a.In.(*os.File)
	out, _ := a.Out.(*os.File)
	return !a.JSON && in != nil && out != nil && env.IsTerminal(in) && env.IsTerminal(out)
}

// noServer reports whether an error says that none runs and none may be started.
func noServer(err error) bool {
	var e *clew.Error
	return errors.As(err, &e) && e.Code == clew.ConnectionFailed
}
