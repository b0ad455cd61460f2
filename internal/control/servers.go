package control

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/mcp"
)

// ToolServers lists the tool servers, with the reasons of those that failed: it
// is for administrators.
func (d *ServerCommands) ToolServers() []clew.McpServer { return d.Servers.List() }

// RestartServer stops a tool server and starts it again.
func (d *ServerCommands) RestartServer(ctx context.Context, name string) error {
	return d.Servers.Restart(ctx, name)
}

// SwitchServer switches a tool server on or off, in the settings.
func (d *ServerCommands) SwitchServer(ctx context.Context, name string, enabled bool) error {
	return d.Settings.SwitchServer(ctx, name, enabled)
}

// SaveServer adds a tool server, or gives one that is there another form.
func (d *ServerCommands) SaveServer(ctx context.Context, name string, server settings.McpServer) error {
	return d.Settings.SaveServer(ctx, name, server)
}

// RemoveServer removes a tool server.
func (d *ServerCommands) RemoveServer(ctx context.Context, name string) error {
	return d.Settings.RemoveServer(ctx, name)
}

// TestServer tries a tool server that need not be stored; nil is the stored one.
func (d *ServerCommands) TestServer(ctx context.Context, name string, server *settings.McpServer) (mcp.ServerTested, error) {
	if server == nil {
		return d.Servers.TryStored(ctx, name)
	}
	return d.Servers.Try(ctx, name, *server), nil
}

// ServerLog gives the last lines that a tool server's program wrote.
func (d *ServerCommands) ServerLog(name string) (string, error) { return d.Servers.Log(name) }

// AllowTool lets a tool run without a question as it is now, or stops that.
func (d *ServerCommands) AllowTool(ctx context.Context, server, tool string, always bool) error {
	hash, ok := d.Servers.HashOf(server, tool)
	if !ok && always {
		return clew.Errorf(clew.InvalidMessage, "there is no tool %s at server %s", tool, server)
	}
	return d.Settings.AllowTool(ctx, server, tool, always, hash)
}
