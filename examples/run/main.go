// Run asks for a larger piece of work, shows the plan, has it approved and prints
// how it goes, up to the answer and its reports.
//
//	go run ./examples/run --token-file FILE "Give me an overview of the sales."
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	server := flags.String("server", "http://127.0.0.1:8000", "address of the server")
	session := flags.String("session", "", "session to work in; without it a new one is made")
	tokenFile := flags.String("token-file", "", "file with your token")
	yes := flags.Bool("yes", false, "approve the plan without asking")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("say in one argument what is to be done")
	}
	b, err := os.ReadFile(*tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if *session == "" {
		id, err := client.NewAPI(*server, token).CreateSession(ctx, client.NewSession{})
		if err != nil {
			return err
		}
		*session = string(id)
		fmt.Fprintf(out, "session %s\n", id)
	}
	c, err := client.Dial(ctx, client.Options{URL: *server, Session: clew.SessionID(*session), Token: token})
	if err != nil {
		return err
	}
	defer c.Close()
	r := &runner{c: c, server: strings.TrimSuffix(*server, "/"), request: flags.Arg(0), yes: *yes, in: bufio.NewReader(in), out: out}
	return r.follow(ctx)
}

// A runner follows the one run that it asked for. It belongs to one goroutine.
type runner struct {
	c       *client.Client
	server  string
	request string
	yes     bool
	in      *bufio.Reader
	out     io.Writer

	sent    clew.ClientMessageID // our command
	message clew.MessageID       // our words, once they are on record
	begun   bool                 // they were taken up
	run     string               // our run, once it has begun
}

func (r *runner) follow(ctx context.Context) error {
	for env, err := range r.c.Follow(ctx) {
		if err != nil {
			return err
		}
		ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
		if err != nil {
			continue // newer than this program
		}
		over, err := r.hear(ctx, env, ev.Data)
		if over || err != nil {
			return err
		}
	}
	return errors.New("the connection ended")
}

// hear takes one event and reports whether the run is over.
func (r *runner) hear(ctx context.Context, env wire.Envelope, data any) (over bool, err error) {
	switch d := data.(type) {
	case *clew.SyncComplete: // from here on nothing is missed
		if r.sent == "" {
			r.sent, err = r.c.Send(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: r.request, Mode: clew.ModeRun})
			return false, err
		}
	case *clew.ErrorData:
		if d.Context.ClientMessageID == r.sent {
			return true, errors.New(d.Message)
		}
	case *clew.MessageCreatedData:
		if r.message == "" && d.Message.ClientMessageID == r.sent {
			r.message = d.Message.MessageID
		}
	case *clew.MessageQueuedData:
		if d.ClientMessageID == r.sent {
			fmt.Fprintln(r.out, "another run is under way; yours begins after it")
		}
	case *clew.MessageAcceptedData:
		r.begun = r.begun || r.message != "" && d.MessageID == r.message
	case *clew.LayerStartData:
		if r.begun && r.run == "" {
			r.run = d.RunID
		}
	}
	if scope, ok := scopeOf(env); !ok || r.run == "" || scope != r.run {
		return false, nil
	}
	if line := lineOf(data); line != "" {
		fmt.Fprintln(r.out, line)
	}
	switch d := data.(type) {
	case *clew.HitlPlanReviewData:
		return false, r.review(ctx, d)
	case *clew.CompleteData:
		r.answer(d)
		return true, nil
	case *clew.FailedData:
		return true, fmt.Errorf("the run failed: %s", d.Error.Message)
	case *clew.CancelledData:
		return true, fmt.Errorf("the run was cancelled: %s", d.Reason)
	}
	return false, nil
}

// review shows the plan and answers its review. Words other than yes and no are
// what shall change; then there is another version, and another review.
func (r *runner) review(ctx context.Context, d *clew.HitlPlanReviewData) error {
	fmt.Fprint(r.out, planText(d))
	answer := clew.HitlPlanResponseData{RequestID: d.RequestID, Action: clew.ChoiceApprove}
	if !r.yes {
		fmt.Fprint(r.out, "approve? yes, no, or what should change: ")
		words, err := r.in.ReadString('\n')
		words = strings.TrimSpace(words)
		switch {
		case err != nil && words == "":
			return fmt.Errorf("no answer; the plan waits in the session: %w", err)
		case words == "no" || words == "n":
			answer.Action = clew.ChoiceReject
		case words != "yes" && words != "y":
			answer.Action, answer.Instruction = clew.ChoiceModify, words
		}
	}
	_, err := r.c.Answer(ctx, answer)
	return err
}

// answer prints what the run came to.
func (r *runner) answer(d *clew.CompleteData) {
	s := d.Statistics
	fmt.Fprintf(r.out, "\n%s\n\n%d of %d steps done, %d left out, %.1f s, %d tokens, %.4f USD\n",
		d.Response.Text, s.Completed, s.TotalTodos, s.Skipped, float64(s.ExecutionTimeMS)/1000, s.TokensUsed, s.CostUSD)
	for _, a := range d.Response.Attachments {
		fmt.Fprintf(r.out, "%s: %s%s\n", a.Title, r.server, a.URL)
	}
	for _, next := range d.Response.NextActions {
		fmt.Fprintln(r.out, "next:", next)
	}
}
