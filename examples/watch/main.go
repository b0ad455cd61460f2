// Watch shows a session as it happens and sends what you type to it.
//
//	go run ./examples/watch --server http://127.0.0.1:8000 --token-file DIR/token
//
// Without --session it makes a session and prints its id. Stop the server while
// it runs and start it again: watch goes on where it was.
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
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out, status io.Writer) error {
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	flags.SetOutput(status)
	server := flags.String("server", "http://127.0.0.1:8000", "address of the server")
	session := flags.String("session", "", "session to watch; a new one if empty")
	tokenFile := flags.String("token-file", "", "file with the token")
	resume := flags.String("from", "", `"start", or the message id after which to begin`)
	if err := flags.Parse(args); err != nil {
		return err
	}
	token, err := readToken(*tokenFile)
	if err != nil {
		return err
	}
	id := clew.SessionID(*session)
	if id == "" {
		if id, err = client.NewAPI(*server, token).CreateSession(ctx, client.NewSession{Title: "watch"}); err != nil {
			return err
		}
		fmt.Fprintln(status, "session", id)
	}
	c, err := client.Dial(ctx, client.Options{
		URL: *server, Session: id, Token: token, ResumeFrom: *resume,
		Retry:   patient,
		OnState: func(s client.State, why error) { report(status, s, why) },
	})
	if err != nil {
		return err
	}
	defer c.Close()
	go send(ctx, c, in, status) // ends with the input, at the latest with the program
	return follow(ctx, c, out)
}

func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	return strings.TrimSpace(string(b)), err
}

// patient keeps trying for as long as a person might be away.
var patient = client.Retry{MaxRetries: 10_000, InitialDelay: time.Second, MaxDelay: 5 * time.Second, Multiplier: 2}

// report says what happens to the connection, and why only when it is over.
func report(w io.Writer, s client.State, why error) {
	switch s {
	case client.Reconnecting:
		fmt.Fprintln(w, "(connection lost, trying again)")
	case client.Active:
		fmt.Fprintln(w, "(connected)")
	case client.Failed:
		fmt.Fprintf(w, "(failed: %v)\n", why)
	}
}

// send gives each line to the session. Do waits out a reconnect and says the
// line again under the same id, so it counts once.
func send(ctx context.Context, c *client.Client, in io.Reader, status io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		if _, err := c.Do(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: text}); err != nil {
			fmt.Fprintln(status, "not sent:", err)
		}
	}
}

func follow(ctx context.Context, c *client.Client, out io.Writer) error {
	for env, err := range c.Follow(ctx) {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		if line := describe(env); line != "" {
			fmt.Fprintln(out, line)
		}
	}
	return nil
}
