package faults

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// peerVariable makes the test binary a tool server that keeps what it does in this
// directory.
const peerVariable = "CLEW_FAULTS_PEER"

// bePeer serves one tool, which leaves a line in a file. Whenever the file "version"
// changes, so does the tool.
func bePeer(dir string) {
	ctx := context.Background()
	_ = os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600)
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, nil)
	version := ""
	offer := func() {
		s.AddTool(&sdk.Tool{
			Name: "note", Description: "Notes a key. " + version,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"key":{"type":"string","description":` + strconv.Quote(version) + `}},"required":["key"]}`),
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return note(ctx, dir, req)
		})
	}
	offer()
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			if b, err := os.ReadFile(filepath.Join(dir, "version")); err == nil && string(b) != version {
				version = string(b)
				offer()
			}
		}
	}()
	_ = s.Run(ctx, &sdk.StdioTransport{})
}

// note leaves a line. A key that is to die waits for that afterwards.
func note(ctx context.Context, dir string, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Key string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "ledger"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(in.Key + "\n")
	_ = f.Close()
	if len(in.Key) > 4 && in.Key[:4] == "died" {
		<-ctx.Done()
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "noted"}}}, err
}
