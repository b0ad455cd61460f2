package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// notes is a file with one note on each line.
type notes struct {
	mu   sync.Mutex
	file string
}

// newServer offers the notes as tools. The SDK makes the schema of each input
// from its type.
func newServer(n *notes) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "add_note", Description: "Adds a note to the person's list."}, n.add)
	mcp.AddTool(s, &mcp.Tool{Name: "list_notes", Description: "Lists the person's notes, oldest first."}, n.list)
	mcp.AddTool(s, &mcp.Tool{Name: "clear_notes", Description: "Deletes all notes. The person is asked first."}, n.clear)
	return s
}

type addInput struct {
	Text string `json:"text" jsonschema:"the note, one line"`
}

func (n *notes) add(_ context.Context, _ *mcp.CallToolRequest, in addInput) (*mcp.CallToolResult, any, error) {
	text := strings.Join(strings.Fields(in.Text), " ")
	if text == "" {
		return nil, nil, errors.New("the note is empty") // the model reads this and can do better
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	f, err := os.OpenFile(n.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, err
	}
	_, err = f.WriteString(text + "\n")
	return say("noted"), nil, errors.Join(err, f.Close())
}

func (n *notes) list(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	b, err := os.ReadFile(n.file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(b) == 0 {
		return say("There are no notes."), nil, nil
	}
	return say(string(b)), nil, err
}

// clear asks before it acts: its first answer is a question. The call comes
// again with what the person said.
func (n *notes) clear(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	answer, ok := req.Params.InputResponses["sure"].(*mcp.ElicitResult)
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
			"sure": &mcp.ElicitParams{Mode: "form", Message: "Delete all notes?"},
		}}, nil, nil
	}
	if answer.Action != "accept" {
		return say("The person kept the notes."), nil, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := os.Remove(n.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return say("All notes are deleted."), nil, nil
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
