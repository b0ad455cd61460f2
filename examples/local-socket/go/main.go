// Ask gives a task to the server on this machine and prints the answer.
//
//	go run ./examples/local-socket/go "What is a clew?"
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := ask(ctx, socketPath(), strings.Join(os.Args[1:], " "), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func socketPath() string {
	home, _ := os.UserHomeDir()
	data := cmp.Or(os.Getenv("CLEW_DATA"), filepath.Join(home, ".local", "share", "clew"))
	return cmp.Or(os.Getenv("CLEW_SOCKET"), filepath.Join(data, client.LocalSocket))
}

func ask(ctx context.Context, socket, words string, in io.Reader, out io.Writer) error {
	l := client.NewLocal(socket)
	events := make(chan client.LocalEvent)
	l.Events.On(func(ev client.LocalEvent) {
		select {
		case events <- ev:
		case <-ctx.Done():
		}
	})
	gone := make(chan struct{})
	l.Disconnects.On(func(error) { close(gone) })
	if err := l.Connect(ctx); err != nil {
		return err
	}
	// Answers come as events, too; here they are told apart by their names.
	for _, cmd := range []clew.TaskCommandData{
		{CommandName: clew.TaskCommandFollow, ClientMessageID: "follow", Data: clew.FollowData{Scope: clew.FollowOwn}},
		{CommandName: clew.TaskCommandStartNewTask, ClientMessageID: "start", Data: clew.StartNewTaskData{Text: words}},
	} {
		if err := l.SendCommand(cmd); err != nil {
			return err
		}
	}
	var session clew.SessionID
	lines := bufio.NewScanner(in)
	for {
		var ev client.LocalEvent
		select {
		case ev = <-events:
		case <-gone:
			return errors.New("the server is gone")
		case <-ctx.Done():
			return ctx.Err()
		}
		data, err := clew.DecodeEvent(clew.EventType(ev.Type), ev.Data)
		if err != nil {
			continue // of a newer server
		}
		switch d := data.Data.(type) {
		case *clew.MessageAcceptedData:
			if d.ClientMessageID == "start" {
				session = ev.SessionID
			}
		case *clew.ErrorData:
			if ev.RelayClientID != "" {
				return d.Err()
			}
		}
		if session != "" && ev.SessionID != session {
			continue // of before the server knew that we want our own only
		}
		switch d := data.Data.(type) {
		case *clew.AgentResponseData:
			fmt.Fprint(out, d.Delta)
		case *clew.HitlInputRequestData:
			fmt.Fprintf(out, "\n%s\n> ", d.Question)
			if !lines.Scan() {
				return errors.New("nobody answers")
			}
			if err := l.SendTaskMessage(lines.Text()); err != nil {
				return err
			}
		case *clew.TaskCompletedData:
			fmt.Fprintf(out, "\n%s\n", d.ResultSummary)
			return nil
		case *clew.TaskIdleData:
			if d.RequestID == "" { // its turn is over
				fmt.Fprintln(out)
				return nil
			}
		case *clew.TaskAbortedData:
			reason, _ := json.Marshal(d.Reason)
			return fmt.Errorf("the task was stopped: %s", reason)
		}
	}
}
