package main

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client connects to the notes; the person answers its questions with action.
func client(t *testing.T, action string) *mcp.ClientSession {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	server, err := newServer(&notes{file: filepath.Join(t.TempDir(), "notes.txt")}).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: action}, nil
		},
	})
	session, err := c.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = server.Wait()
	})
	return session
}

func call(t *testing.T, s *mcp.ClientSession, name string, args map[string]any) (string, bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content %T", res.Content[0])
	}
	return text.Text, res.IsError
}

func TestNotes(t *testing.T) {
	for action, left := range map[string]string{"accept": "There are no notes.", "decline": "buy milk\n"} {
		t.Run(action, func(t *testing.T) {
			s := client(t, action)
			if got, failed := call(t, s, "add_note", map[string]any{"text": " buy\nmilk "}); got != "noted" || failed {
				t.Errorf("add: %q", got)
			}
			if _, failed := call(t, s, "add_note", map[string]any{"text": " "}); !failed {
				t.Error("an empty note was taken")
			}
			if got, _ := call(t, s, "list_notes", nil); got != "buy milk\n" {
				t.Errorf("list: %q", got)
			}
			call(t, s, "clear_notes", nil)
			if got, _ := call(t, s, "list_notes", nil); got != left {
				t.Errorf("after clear: %q", got)
			}
		})
	}
}
