// Ask gives an agent something to do, prints its words and tool calls as they come,
// asks you to approve what needs it, and ends with the work.
//
//	go run ./examples/ask --token-file FILE "What does this project do?"
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
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	server := flags.String("server", "http://127.0.0.1:8000", "address of the server")
	session := flags.String("session", "", "session to work in; without it a new one is made")
	tokenFile := flags.String("token-file", "", "file with your token")
	within := flags.Duration("within", time.Hour, "how long it may take")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("say in one argument what to do")
	}
	b, err := os.ReadFile(*tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	o := client.Options{URL: *server, Session: clew.SessionID(*session), Token: strings.TrimSpace(string(b))}
	if o.Session == "" {
		if o.Session, err = client.NewAPI(o.URL, o.Token).CreateSession(ctx, client.NewSession{}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, *within)
	defer cancel()
	return ask(ctx, o, flags.Arg(0), bufio.NewReader(in), out)
}

func ask(ctx context.Context, o client.Options, text string, in *bufio.Reader, out io.Writer) error {
	// Ctrl-C and the timeout end the work too, not only this program.
	for ev, err := range client.Ask(ctx, o, text, client.CancelOnExit()) {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case *client.TextEvent:
			fmt.Fprint(out, ev.Text)
		case *client.ToolEvent:
			fmt.Fprintf(out, "\n[%s %s: %s]\n", ev.Name, ev.Target, ev.Status)
		case *client.QuestionEvent:
			answer, err := answerTo(ev, in, out)
			if err != nil {
				return err
			}
			if err := ev.Answer(ctx, answer); err != nil && clew.CodeOf(err) != clew.HitlRequestExpired {
				return err
			}
		case *client.ResultEvent:
			fmt.Fprintf(out, "\n-- %s, %.4f USD\n", ev.Outcome.Status, ev.Usage.CostUSD)
			return ev.Err()
		}
	}
	return nil
}

// answerTo asks the person at the terminal.
func answerTo(q *client.QuestionEvent, in *bufio.Reader, out io.Writer) (client.InboxAnswer, error) {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		fmt.Fprintf(out, "\n%s\n", d.Reason)
		for _, f := range client.AskedInput(d) {
			fmt.Fprintf(out, "  %s: %s\n", f.Name, f.Text)
		}
		if d.Effect != nil {
			fmt.Fprintf(out, "  %s\n", d.Effect.Summary)
		}
		fmt.Fprint(out, "approve? yes or no: ")
	case *clew.HitlInputRequestData:
		fmt.Fprintf(out, "\n%s ", d.Question)
	case *clew.HitlClarificationData:
		fmt.Fprintf(out, "\n%s ", d.Question)
	case *clew.HitlPlanReviewData:
		fmt.Fprintf(out, "\n%s\napprove the plan? yes or no: ", d.Message)
	}
	line, err := in.ReadString('\n')
	line = strings.TrimSpace(line)
	switch asks := q.Type == clew.EventHitlInputRequest || q.Type == clew.EventHitlClarification; {
	case err != nil && line == "":
		return client.InboxAnswer{}, fmt.Errorf("no answer: %w", err)
	case asks:
		return client.InboxAnswer{Value: line}, nil
	case line == "yes" || line == "y":
		return client.InboxAnswer{Action: clew.ChoiceApprove}, nil
	}
	return client.InboxAnswer{Action: clew.ChoiceReject}, nil
}
