// Approval-bot watches a session and answers one kind of question: whether a
// command may run. What its list allows it approves, everything else it rejects
// with a comment. Other questions it leaves to people.
//
//	go run ./examples/approval-bot --session SESSION --token-file FILE --allow 'go test *'
package main

import (
	"context"
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
		fmt.Fprintln(os.Stderr, "approval-bot:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("approval-bot", flag.ContinueOnError)
	server := flags.String("server", "http://127.0.0.1:8000", "address of the server")
	session := flags.String("session", "", "session to watch")
	tokenFile := flags.String("token-file", "", "file with the bot's token")
	var allow rules
	flags.Func("allow", "a command to approve; a last * stands for further words; may be given again", allow.add)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *session == "" {
		return errors.New("--session is missing")
	}
	token, err := os.ReadFile(*tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	b := &bot{
		session: clew.SessionID(*session), allow: allow, out: out, answered: map[clew.RequestID]bool{},
		api: client.NewAPI(*server, strings.TrimSpace(string(token))),
	}
	c, err := client.Dial(ctx, client.Options{
		URL: *server, Session: b.session, Token: strings.TrimSpace(string(token)), View: clew.ViewState, WaitForServer: true,
		Retry: client.Retry{MaxRetries: 10_000, InitialDelay: time.Second, MaxDelay: 5 * time.Second, Multiplier: 2},
	})
	if err != nil {
		return err
	}
	defer c.Close()
	return b.follow(ctx, c)
}

// A bot belongs to one goroutine.
type bot struct {
	session  clew.SessionID
	allow    rules
	api      *client.API
	out      io.Writer
	state    client.Replica
	answered map[clew.RequestID]bool
}

// follow looks at the open questions after every change. They are part of the
// session's state, so a question that was asked while the bot was away is
// answered when it is back.
func (b *bot) follow(ctx context.Context, c *client.Client) error {
	for env, err := range c.Follow(ctx) {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := b.state.Take(env); err != nil {
			return err
		}
		for _, q := range b.state.Questions {
			b.look(ctx, q)
		}
	}
	return nil
}

// look answers a question if it is one for the bot.
func (b *bot) look(ctx context.Context, q clew.Question) {
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if !ok || d.Ask != clew.AskCommand || d.Effect == nil || b.answered[d.RequestID] {
		return
	}
	answer := b.decide(d)
	// The id makes a repeated answer count once. It goes by REST, because then
	// its outcome is known right here.
	_, err := b.api.Command(ctx, b.session, clew.ClientMessageID("bot-"+d.RequestID), clew.CommandHitlApprovalResponse, answer)
	switch {
	case err == nil:
		fmt.Fprintf(b.out, "%s %q\n", answer.Action, d.Effect.Command)
	case clew.CodeOf(err) == clew.HitlRequestExpired:
		fmt.Fprintf(b.out, "somebody was faster with %q\n", d.Effect.Command)
	default: // it stays open; the next change is another chance
		fmt.Fprintf(b.out, "not answered: %v\n", err)
		return
	}
	b.answered[d.RequestID] = true
}

func (b *bot) decide(d *clew.HitlApprovalRequestData) clew.HitlApprovalResponseData {
	answer := clew.HitlApprovalResponseData{RequestID: d.RequestID, Action: clew.ChoiceApprove}
	if why := b.allow.refuse(d.Effect.Command); why != "" {
		answer.Action, answer.Comment = clew.ChoiceReject, "The approval bot says no: "+why
	}
	return answer
}
