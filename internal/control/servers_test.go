package control_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
)

// Tool servers are switched, restarted and their tools allowed.
//
// Covers: UIC-43, UIC-44, TOOL-15
func TestToolServers(t *testing.T) {
	peer := sdk.NewServer(&sdk.Implementation{Name: "peer"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(peer, &sdk.Tool{Name: "echo", Description: "says it back"}, func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{}, nil, nil
	})
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return peer }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	o := newOffice(t)
	o.do(admin, &clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{"mcp_servers": map[string]any{"peer": map[string]any{"url": web.URL}}}})
	o.await(func(s clew.McpServer) bool { return len(s.Tools) == 1 })

	o.do(admin, &clew.ToggleToolAlwaysAllowData{Server: "peer", Tool: "echo", AlwaysAllow: true})
	if s := o.state(ann).McpServers[0]; !s.Tools[0].AlwaysAllow || !o.servers.AlwaysAllowed("peer", "echo") {
		t.Errorf("server %+v", s)
	}
	o.do(admin, &clew.ToggleToolAlwaysAllowData{Server: "peer", Tool: "echo"})
	if o.servers.AlwaysAllowed("peer", "echo") {
		t.Error("it is still allowed")
	}
	if _, err := o.try(admin, &clew.ToggleToolAlwaysAllowData{Server: "peer", Tool: "nothing", AlwaysAllow: true}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("a tool that is not there: %v", err)
	}
	o.do(admin, &clew.RestartMcpServerData{Name: "peer"})
	o.await(func(s clew.McpServer) bool { return len(s.Tools) == 1 })
	o.do(admin, &clew.ToggleMcpServerData{Name: "peer", Enabled: false})
	o.await(func(s clew.McpServer) bool { return s.Disabled && len(s.Tools) == 0 })
	if tools := o.servers.Tools(t.Context()); len(tools) != 0 {
		t.Errorf("tools %v", tools)
	}
	if _, err := o.try(admin, &clew.RestartMcpServerData{Name: "peer"}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a restart of what is off: %v", err)
	}
	o.do(admin, &clew.ToggleMcpServerData{Name: "peer", Enabled: true})
	o.await(func(s clew.McpServer) bool { return len(s.Tools) == 1 })
	if _, err := o.try(admin, &clew.ToggleMcpServerData{Name: "nowhere", Enabled: true}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a server that is not there: %v", err)
	}
}

// await waits until the only server is as wanted.
func (o *office) await(want func(clew.McpServer) bool) {
	o.Helper()
	limit := time.After(time.Minute)
	for {
		list := o.servers.List()
		if slices.ContainsFunc(list, want) {
			return
		}
		select {
		case <-o.changed:
		case <-limit:
			o.Fatalf("it never came: %+v", list)
		}
	}
}
