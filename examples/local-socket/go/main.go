// Ask gives a task to the server on this machine and prints the answer.
//
//	go run ./examples/local-socket/go "What is a clew?"
package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"unicode"

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
		return fmt.Errorf("%s; clew serve starts one", clew.AsError(err).Message)
	}
	// Answers come as events, too; they have the ids of their commands.
	run := rand.Text()
	start := clew.ClientMessageID(run + "-start")
	for _, cmd := range []clew.TaskCommandData{
		{CommandName: clew.TaskCommandFollow, ClientMessageID: clew.ClientMessageID(run + "-follow"), Data: clew.FollowData{Scope: clew.FollowOwn}},
		{CommandName: clew.TaskCommandStartNewTask, ClientMessageID: start, Data: clew.StartNewTaskData{Text: words}},
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
		if d, ok := data.Data.(*clew.MessageAcceptedData); ok && d.ClientMessageID == start {
			session = ev.SessionID
		}
		if session != "" && ev.SessionID != "" && ev.SessionID != session {
			continue // from before the server knew that we want our own only
		}
		question := ""
		switch d := data.Data.(type) {
		case *clew.ErrorData:
			if ev.RelayClientID != "" {
				return d.Err()
			}
		case *clew.AgentResponseData:
			fmt.Fprint(out, plain(d.Delta))
		case *clew.HitlInputRequestData:
			question = d.Question
		case *clew.HitlClarificationData:
			question = d.Question
		case *clew.HitlApprovalRequestData: // words would be a no
			fmt.Fprintf(out, "\nIt asks for approval: clew answer %s\n", d.RequestID)
		case *clew.HitlPlanReviewData:
			fmt.Fprintf(out, "\nIt asks for approval: clew answer %s\n", d.RequestID)
		case *clew.TaskCompletedData:
			if d.ParentTaskID == "" { // else it is a part of the task, which goes on
				fmt.Fprintf(out, "\n%s\n", plain(d.ResultSummary))
				return nil
			}
		case *clew.TaskIdleData:
			if d.ParentTaskID == "" && d.RequestID == "" { // its turn is over
				fmt.Fprintln(out)
				return nil
			}
		case *clew.TaskAbortedData:
			if d.ParentTaskID == "" {
				reason, _ := json.Marshal(d.Reason)
				return fmt.Errorf("the task was stopped: %s", reason)
			}
		}
		if question != "" {
			fmt.Fprintf(out, "\n%s\n> ", plain(question))
			if !lines.Scan() {
				return errors.New("nobody answers")
			}
			if err := l.SendTaskMessage(lines.Text()); err != nil {
				return err
			}
		}
	}
}

// plain is what a model wrote, without what would steer the terminal.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}
