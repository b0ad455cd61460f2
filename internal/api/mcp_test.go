package api_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/mcp"
)

// toolServers notes what it is told.
type toolServers struct{ told []string }

func (s *toolServers) ToolServers() []clew.McpServer {
	return []clew.McpServer{{Name: "notes", Status: "connected", Tools: []clew.McpTool{{Name: "read"}}}}
}

func (s *toolServers) RestartServer(_ context.Context, name string) error {
	return s.tell("restart %s", name)
}

func (s *toolServers) SwitchServer(_ context.Context, name string, enabled bool) error {
	return s.tell("switch %s %v", name, enabled)
}

func (s *toolServers) SaveServer(_ context.Context, name string, server settings.McpServer) error {
	return s.tell("save %s %s%s", name, server.Command, server.URL)
}

func (s *toolServers) RemoveServer(_ context.Context, name string) error {
	return s.tell("remove %s", name)
}

func (s *toolServers) AllowTool(_ context.Context, server, tool string, always bool) error {
	return s.tell("allow %s %s %v", server, tool, always)
}

func (s *toolServers) TestServer(_ context.Context, name string, server *settings.McpServer) (mcp.ServerTested, error) {
	if server == nil {
		return mcp.ServerTested{OK: true, LatencyMS: 5, Tools: []string{"read"}}, s.tell("test %s", name)
	}
	return mcp.ServerTested{Tools: []string{}, Error: "it could not be started"}, s.tell("test %s %s", name, server.Command)
}

func (s *toolServers) ServerLog(name string) (string, error) { return "ready", s.tell("log %s", name) }

func (s *toolServers) tell(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	if args[0] == "none" {
		return clew.Errorf(clew.InvalidMessage, "there is no tool server none")
	}
	s.told = append(s.told, line)
	return nil
}

// Covers: UIC-43, UIC-44
func TestToolServers(t *testing.T) {
	servers := &toolServers{}
	b := newBench(t, func(o *api.Options) { o.ToolServers = servers })
	want := `{"mcp_servers":[{"name":"notes","status":"connected","tools":[{"name":"read"}]}]}` + "\n"
	if a := b.call(ownerToken, "GET", "/api/v1/mcp", "").is(http.StatusOK, ""); a.raw != want {
		t.Errorf("%s", a.raw)
	}
	b.call(ownerToken, "POST", "/api/v1/mcp/notes/restart", "").is(http.StatusNoContent, "")
	b.call(ownerToken, "PATCH", "/api/v1/mcp/notes", `{"enabled":false}`).is(http.StatusNoContent, "")
	b.call(ownerToken, "PUT", "/api/v1/mcp/notes/tools/read", `{"always_allow":true}`).is(http.StatusNoContent, "")
	b.call(ownerToken, "PUT", "/api/v1/mcp/more", `{"command":"/bin/more","args":["x"]}`).is(http.StatusNoContent, "")
	b.call(ownerToken, "DELETE", "/api/v1/mcp/more", "").is(http.StatusNoContent, "")
	b.call(ownerToken, "PATCH", "/api/v1/mcp/notes", `{}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ownerToken, "POST", "/api/v1/mcp/none/restart", "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	if a := b.call(ownerToken, "POST", "/api/v1/mcp/notes/test", "").is(http.StatusOK, ""); a.raw != `{"ok":true,"latency_ms":5,"tools":["read"]}`+"\n" {
		t.Error(a.raw)
	}
	if a := b.call(ownerToken, "POST", "/api/v1/mcp/new/test", `{"command":"/bin/new"}`).is(http.StatusOK, ""); a.body["error"] != "it could not be started" {
		t.Error(a.raw)
	}
	if a := b.call(ownerToken, "GET", "/api/v1/mcp/notes/log", "").is(http.StatusOK, ""); a.body["text"] != "ready" {
		t.Error(a.raw)
	}
	b.call(ownerToken, "GET", "/api/v1/mcp/none/log", "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	ada := b.key("ada", clew.RoleOwner)
	b.call(ada, "POST", "/api/v1/mcp/notes/test", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(ada, "GET", "/api/v1/mcp/notes/log", "").is(http.StatusForbidden, clew.Forbidden)
	if want := []string{"restart notes", "switch notes false", "allow notes read true", "save more /bin/more", "remove more", "test notes", "test new /bin/new", "log notes"}; !slices.Equal(servers.told, want) {
		t.Errorf("told %q", servers.told)
	}
}
