package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// ToolServers is what the API needs of the tool servers: *control.ServerCommands.
type ToolServers interface {
	ToolServers() []clew.McpServer
	RestartServer(ctx context.Context, name string) error
	SwitchServer(ctx context.Context, name string, enabled bool) error
	SaveServer(ctx context.Context, name string, server settings.McpServer) error
	RemoveServer(ctx context.Context, name string) error
	AllowTool(ctx context.Context, server, tool string, always bool) error
}

type toolServersOutput struct {
	Body struct {
		Servers []clew.McpServer `json:"mcp_servers" nullable:"false"`
	}
}

type toolServerName struct {
	Name string `path:"name" doc:"The tool server"`
}

type saveServerInput struct {
	Name string `path:"name" doc:"The tool server"`
	Body struct {
		Command    string            `json:"command,omitempty" doc:"The program; no shell is involved"`
		Args       []string          `json:"args,omitempty"`
		Env        map[string]string `json:"env,omitempty" doc:"Its whole environment; $SECRET:name stands for a secret"`
		Dir        string            `json:"dir,omitempty"`
		URL        string            `json:"url,omitempty" doc:"In place of a program: where it is reached"`
		Headers    map[string]string `json:"headers,omitempty" doc:"$SECRET:name stands for a secret"`
		TimeoutSec int               `json:"timeout_sec,omitempty" doc:"Of a call; 60 if absent"`
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
	b := in.Body
	return nil, s.SaveServer(ctx, in.Name, settings.McpServer{
		Command: b.Command, Args: b.Args, Env: b.Env, Dir: b.Dir, URL: b.URL, Headers: b.Headers, TimeoutSec: b.TimeoutSec,
	})
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
