package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/mcp"
)

// ToolServers is what the API needs of the tool servers: *control.ServerCommands.
type ToolServers interface {
	ToolServers() []clew.McpServer
	RestartServer(ctx context.Context, name string) error
	SwitchServer(ctx context.Context, name string, enabled bool) error
	SaveServer(ctx context.Context, name string, server settings.McpServer) error
	RemoveServer(ctx context.Context, name string) error
	AllowTool(ctx context.Context, server, tool string, always bool) error
	TestServer(ctx context.Context, name string, server *settings.McpServer) (mcp.ServerTested, error)
	ServerLog(name string) (string, error)
}

type toolServersOutput struct {
	Body struct {
		Servers []clew.McpServer `json:"mcp_servers" nullable:"false"`
	}
}

type toolServerName struct {
	Name string `path:"name" doc:"The tool server"`
}

// A toolServerForm is a tool server as a person writes it down.
type toolServerForm struct {
	Command    string            `json:"command,omitempty" doc:"The program; no shell is involved"`
	Args       []string          `json:"args,omitempty"`
	Env        map[string]string `json:"env,omitempty" doc:"Its whole environment; $SECRET:name stands for a secret"`
	Dir        string            `json:"dir,omitempty"`
	URL        string            `json:"url,omitempty" doc:"In place of a program: where it is reached"`
	Headers    map[string]string `json:"headers,omitempty" doc:"$SECRET:name stands for a secret"`
	TimeoutSec int               `json:"timeout_sec,omitempty" doc:"Of a call; 60 if absent"`
}

func (f toolServerForm) server() settings.McpServer {
	return settings.McpServer{Command: f.Command, Args: f.Args, Env: f.Env, Dir: f.Dir, URL: f.URL, Headers: f.Headers, TimeoutSec: f.TimeoutSec}
}

type saveServerInput struct {
	Name string `path:"name" doc:"The tool server"`
	Body toolServerForm
}

type testServerInput struct {
	Name string          `path:"name" doc:"The tool server"`
	Body *toolServerForm `required:"false" doc:"A tool server to test instead of the stored one. Nothing is stored"`
}

type testServerOutput struct{ Body mcp.ServerTested }

type serverLogOutput struct {
	Body struct {
		Text string `json:"text" doc:"Empty if it wrote nothing, or is reached by an address"`
	}
}

type switchServerInput struct {
	Name string `path:"name" doc:"The tool server"`
	Body struct {
		Enabled bool `json:"enabled"`
	}
}

type allowToolInput struct {
	Name string `path:"name" doc:"The tool server"`
	Tool string `path:"tool"`
	Body struct {
		AlwaysAllow bool `json:"always_allow" doc:"The tool runs without a question, as it is now"`
	}
}

// toolServerRoutes let an administrator look after tool servers without a
// session. What they are is in the settings, under mcp_servers.
func (a *API) toolServerRoutes(h huma.API) {
	huma.Register(h, operation("list-mcp-servers", http.MethodGet, "/mcp", http.StatusOK,
		"List the tool servers, their state and their tools. Administrators only."), a.listToolServers)
	huma.Register(h, operation("restart-mcp-server", http.MethodPost, "/mcp/{name}/restart", http.StatusNoContent,
		"Restart a tool server. Administrators only."), a.restartToolServer)
	huma.Register(h, operation("save-mcp-server", http.MethodPut, "/mcp/{name}", http.StatusNoContent,
		"Add a tool server, or change one. Administrators only."), a.saveToolServer)
	huma.Register(h, operation("remove-mcp-server", http.MethodDelete, "/mcp/{name}", http.StatusNoContent,
		"Remove a tool server. Administrators only."), a.removeToolServer)
	huma.Register(h, operation("test-mcp-server", http.MethodPost, "/mcp/{name}/test", http.StatusOK,
		"Start or reach a tool server, read its tools and leave it again: the stored one, or one that is not stored yet. Administrators only."), a.testToolServer)
	huma.Register(h, operation("get-mcp-server-log", http.MethodGet, "/mcp/{name}/log", http.StatusOK,
		"Give the last lines that a tool server's program wrote, without secrets. Administrators only."), a.toolServerLog)
	huma.Register(h, operation("switch-mcp-server", http.MethodPatch, "/mcp/{name}", http.StatusNoContent,
		"Switch a tool server on or off. Administrators only."), a.switchToolServer)
	huma.Register(h, operation("allow-mcp-tool", http.MethodPut, "/mcp/{name}/tools/{tool}", http.StatusNoContent,
		"Let a tool run without asking, or end that. Administrators only."), a.allowTool)
}

func (a *API) toolServers(ctx context.Context) (ToolServers, error) {
	if callerOf(ctx).Role != clew.RoleAdmin {
		return nil, clew.Errorf(clew.Forbidden, "only administrators manage tool servers")
	}
	if a.o.ToolServers == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no tool servers")
	}
	return a.o.ToolServers, nil
}

func (a *API) listToolServers(ctx context.Context, _ *struct{}) (*toolServersOutput, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	out := &toolServersOutput{}
	out.Body.Servers = append([]clew.McpServer{}, s.ToolServers()...)
	return out, nil
}

func (a *API) restartToolServer(ctx context.Context, in *toolServerName) (*struct{}, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.RestartServer(ctx, in.Name)
}

func (a *API) saveToolServer(ctx context.Context, in *saveServerInput) (*struct{}, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.SaveServer(ctx, in.Name, in.Body.server())
}

func (a *API) testToolServer(ctx context.Context, in *testServerInput) (*testServerOutput, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	var form *settings.McpServer
	if in.Body != nil {
		server := in.Body.server()
		form = &server
	}
	tried, err := s.TestServer(ctx, in.Name, form)
	return &testServerOutput{tried}, err
}

func (a *API) toolServerLog(ctx context.Context, in *toolServerName) (*serverLogOutput, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	out := &serverLogOutput{}
	out.Body.Text, err = s.ServerLog(in.Name)
	return out, err
}

func (a *API) removeToolServer(ctx context.Context, in *toolServerName) (*struct{}, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.RemoveServer(ctx, in.Name)
}

func (a *API) switchToolServer(ctx context.Context, in *switchServerInput) (*struct{}, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.SwitchServer(ctx, in.Name, in.Body.Enabled)
}

func (a *API) allowTool(ctx context.Context, in *allowToolInput) (*struct{}, error) {
	s, err := a.toolServers(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.AllowTool(ctx, in.Name, in.Tool, in.Body.AlwaysAllow)
}
