// Form shows a form in a window of a session and collects what people enter there:
// each press of the button becomes a line of a CSV file.
//
//	go run ./examples/form --token-file DIR/token --out lunch.csv
//
// Programs do not open windows themselves, agents do. So it asks the session's agent
// to open this one, and then follows the session. The agent of the window answers
// people at the same time.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "form:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("form", flag.ContinueOnError)
	server := flags.String("server", "http://127.0.0.1:8000", "address of the server")
	session := flags.String("session", "", "session to show the form in; a new one if empty")
	tokenFile := flags.String("token-file", "", "file with the token")
	file := flags.String("out", "lunch.csv", "file for what people enter")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b, err := os.ReadFile(*tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	token, id := strings.TrimSpace(string(b)), clew.SessionID(*session)
	api := client.NewAPI(*server, token)
	if id == "" {
		if id, err = api.CreateSession(ctx, client.NewSession{Title: "Lunch"}); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "session", id)
	entries, err := openEntries(*file)
	if err != nil {
		return err
	}
	defer func() { _ = entries.file.Close() }()
	c, err := client.Dial(ctx, client.Options{
		URL: *server, Session: id, Token: token, View: clew.ViewState, WaitForServer: true,
		Retry: client.Retry{MaxRetries: 10_000, InitialDelay: time.Second, MaxDelay: 5 * time.Second, Multiplier: 2},
	})
	if err != nil {
		return err
	}
	defer c.Close()
	f := &form{session: id, api: api, entries: entries, out: out}
	return f.follow(ctx, c)
}

// windowID is the name of the window, in the session and in ask.txt.
const windowID = "lunch"

//go:embed ask.txt
var ask string

// A form belongs to one goroutine.
type form struct {
	session clew.SessionID
	api     *client.API
	entries *entries
	out     io.Writer
	state   client.Replica
	asked   clew.MessageID // the message by which the window was asked for
	open    bool
}

// follow looks at the window and at what was pressed after every change. Both are part
// of the session's state: what people enter while the program is away is there when it
// is back.
func (f *form) follow(ctx context.Context, c *client.Client) error {
	for env, err := range c.Follow(ctx) {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := f.state.Take(env); err != nil {
			return err
		}
		if !f.state.Known() {
			continue
		}
		if err := f.show(ctx); err != nil {
			return err
		}
		if err := f.collect(); err != nil {
			return err
		}
	}
	return nil
}

// show asks for the window if it is not there.
func (f *form) show(ctx context.Context) error {
	open := false
	for _, w := range f.state.Windows {
		open = open || w.WindowID == windowID
	}
	if open != f.open {
		fmt.Fprintln(f.out, map[bool]string{true: "the form is open", false: "the form was closed"}[open])
	}
	was := f.open
	f.open = open
	switch {
	case open, was && !open: // a person who closes it does not want it back
		return nil
	case f.asked == "":
		r, err := f.api.Command(ctx, f.session, "", clew.CommandUserMessage, clew.UserMessageData{Text: ask})
		if err == nil && len(r.Records) > 0 {
			f.asked = r.Records[0]
		}
		return err
	case f.state.Cursor > f.asked && f.state.Status.Status == clew.StatusIdle && f.answered():
		return errors.New("the agent did not open the window")
	}
	return nil
}

// answered reports that the agent's turn about the window is over.
func (f *form) answered() bool {
	for _, m := range f.state.Monitors {
		if m.MonitorID == clew.MainMonitor && (m.Busy || m.Queued > 0) {
			return false
		}
	}
	return true
}

// collect writes down what was entered. A press is a message of the transcript, with
// the values of the form.
func (f *form) collect() error {
	for _, m := range f.state.Messages {
		if m.WindowID != windowID || m.Component == nil || m.Component.Action != "order" {
			continue
		}
		who, dish := fmt.Sprint(m.Component.FormData["name"]), fmt.Sprint(m.Component.FormData["dish"])
		added, err := f.entries.add(m.MessageID, who, dish)
		if err != nil {
			return err
		}
		if added {
			fmt.Fprintf(f.out, "%s wants %s\n", who, dish)
		}
	}
	return nil
}
