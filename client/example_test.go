package client_test

import (
	"context"
	"fmt"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/client/clienttest"
)

// The examples talk to a server in memory, whose agent repeats what it is told.
// With a real one leave HTTPClient out.
func exampleOptions(server *clienttest.Server) client.Options {
	return client.Options{
		URL: "http://127.0.0.1:8000", Session: server.CreateSession("alice"), Token: "token-alice",
		HTTPClient: server.HTTPClient(),
	}
}

func Example() {
	server := clienttest.Start()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	c, err := client.Dial(ctx, exampleOptions(server))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if _, err := c.Send(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
		fmt.Println(err)
		return
	}
	for env, err := range c.Follow(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if event, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data); err == nil {
			if m, ok := event.Data.(*clew.MessageUpdatedData); ok && !m.Message.Partial {
				fmt.Println(m.Message.Text)
				return // the answer is complete
			}
		}
	}
	// Output: hello
}

// A client that ended goes on later behind the last record that it has seen.
func ExampleClient_Cursor() {
	server := clienttest.Start()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	opts := exampleOptions(server)
	opts.ResumeFrom = client.FromStart
	until := func(seq uint64) {
		c, err := client.Dial(ctx, opts)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer c.Close()
		for env, err := range c.Follow(ctx) {
			if err != nil {
				fmt.Println(err)
				return
			}
			if env.Seq() > 0 { // a record
				fmt.Println(env.Seq(), env.Type)
			}
			if env.Seq() == seq {
				id, epoch := c.Cursor()
				opts.ResumeFrom, opts.Epoch = string(id), epoch
				return
			}
		}
	}
	server.Append(opts.Session, &clew.SessionRenamedData{Title: "while it is there"})
	until(2)
	server.Append(opts.Session, &clew.SessionRenamedData{Title: "while it is away"})
	until(3)
	// Output:
	// 1 session_created
	// 2 session_renamed
	// 3 session_renamed
}

// Do sends a command and waits for the answer that names it, over a broken
// connection too. The command takes effect once.
func ExampleClient_Do() {
	server := clienttest.Start()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	opts := exampleOptions(server)
	opts.NoFollow = true
	c, err := client.Dial(ctx, opts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	answer, err := c.Do(ctx, clew.CommandUserMessage, clew.UserMessageData{Text: "hello"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Type)
	// Output: message_accepted
}

// REST makes and lists sessions, and reads their messages.
func ExampleNewAPI() {
	server := clienttest.Start()
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	api := client.NewAPI("http://127.0.0.1:8000", "token-alice").WithHTTPClient(server.HTTPClient())
	id, err := api.CreateSession(ctx, client.NewSession{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := api.Command(ctx, id, "c_1", clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
		fmt.Println(err)
		return
	}
	page, err := api.Messages(ctx, id, client.PageOf{Limit: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range page.Messages {
		fmt.Println(m.Role, m.Text)
	}
	_, err = api.GetSession(ctx, "sess_unknown")
	fmt.Println(clew.CodeOf(err))
	// Output:
	// user hello
	// assistant hello
	// SESSION_NOT_FOUND
}

// What a question offers, as people read it and as an answer has it.
func ExampleChoices() {
	labels, values := client.Choices(clew.Question{Data: &clew.HitlInputRequestData{
		Options: []clew.InputOption{{Label: "Red", Value: "r"}, {Label: "Blue", Value: "b"}},
	}})
	fmt.Println(labels, values)
	// Output: [Red Blue] [r b]
}
