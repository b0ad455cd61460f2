package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew/internal/settings"
)

// FuzzFrame answers each request of the client with the next line of the input:
// no panic, and an end.
func FuzzFrame(f *testing.F) {
	f.Add([]byte("hello\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}` + "\n\n" +
		`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":null},null]}}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"x"},{"type":"image","mimeType":"image/png","data":"AA=="},{"type":"resource"}]}}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"mode":"form","message":"x"}}` + "\n"))
	f.Add([]byte("\n" + `{"jsonrpc":"2.0","id":2,"method":"elicitation/create"}`)) // the SDK stumbles over it
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n" + `{"jsonrpc":"2.0","id":{},"result":[]}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		talk(ctx, data)
		if ctx.Err() != nil {
			t.Fatal("it hangs")
		}
	})
}

// talk runs a client against a server that plays its lines.
func talk(ctx context.Context, data []byte) {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	played := make(chan struct{})
	go func() {
		defer close(played)
		play(theirIn, theirOut, bytes.SplitAfter(data, []byte("\n")))
	}()
	m := New(Options{})
	s := newServer(ctx, m, "peer", settings.McpServer{})
	l := &link{relist: make(chan struct{}, 1), ended: make(chan error, 1), gone: make(chan struct{}), grace: time.Second}
	kept := &keeper{Transport: &sdk.IOTransport{Reader: pipeEnd{newFrames(ourIn, 1<<20, io.Discard), ourIn}, Writer: ourOut}}
	session, err := s.client(l).Connect(ctx, kept, nil)
	if err != nil {
		kept.close()
	} else {
		l.session = session
		if s.list(ctx, l) == nil {
			if res, err := s.converse(ctx, l, &sdk.CallToolParams{Name: "a"}); err == nil {
				_ = l.result(res)
			}
		}
		_ = session.Close()
	}
	_, _ = theirIn.Close(), theirOut.Close()
	<-played
	s.cancel()
}

// play says one line for each that it hears, and then refuses what it heard, so
// that the client never waits for an answer that the lines do not have.
func play(in io.Reader, out *io.PipeWriter, lines [][]byte) {
	heard := bufio.NewReader(in)
	for {
		request, err := heard.ReadBytes('\n')
		if err != nil {
			return
		}
		if len(lines) == 0 {
			_ = out.Close()
			continue
		}
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		reply := lines[0]
		if json.Unmarshal(request, &id) == nil && len(id.ID) > 0 {
			reply = fmt.Appendf(reply[:len(reply):len(reply)], "\n{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n", id.ID)
		}
		if _, err := out.Write(reply); err != nil {
			_, _ = io.Copy(io.Discard, heard)
			return
		}
		lines = lines[1:]
	}
}

type pipeEnd struct {
	io.Reader
	io.Closer
}
