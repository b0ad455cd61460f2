// Package control carries out commands that are about the server rather than
// about one session's record: settings, model profiles, tool servers, and the
// snapshot that user interfaces show them from.
package control

import (
	"context"
	"maps"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/mcp"
)

// Sessions is what control needs of the session host.
type Sessions interface {
	Overview(ctx context.Context, id clew.SessionID) (session.Overview, error)
}

// A ServerCommands implements session.Services. Safe for concurrent use.
type ServerCommands struct {
	Settings *settings.Settings
	Servers  *mcp.Manager
	Sessions func() Sessions // the host, which is made after
	Version  string
	// MadeFrom gives the directory that a session's own work tree was made from, "" if it
	// has none. nil is for servers without work trees.
	MadeFrom func(id clew.SessionID) string
}

// Handle implements session.Services.
func (d *ServerCommands) Handle(ctx context.Context, id clew.SessionID, cmd *clew.Command) (*session.Answer, bool, error) {
	if clew.NeedsAdmin(cmd.Data) {
		if cmd.By.Role != clew.RoleAdmin {
			return nil, true, clew.Errorf(clew.Forbidden, "this is about the whole server and for administrators only")
		}
		if _, ok := cmd.Data.(*clew.ExportSettingsData); ok {
			return answer(clew.EventExportSettings, &clew.ExportSettingsAnswer{Settings: d.Settings.Export(), ClientMessageID: cmd.ClientMessageID})
		}
		if err := d.change(ctx, cmd); err != nil {
			return nil, true, err
		}
		return d.state(ctx, id, cmd)
	}
	switch c := cmd.Data.(type) {
	case *clew.GetStateData:
		if c.Scope == clew.ScopeUI {
			return d.state(ctx, id, cmd)
		}
	case *clew.SetProviderData:
		return nil, false, d.setProvider(c, cmd)
	case *clew.LoadModelProfileData:
		return nil, false, d.loadProfile(ctx, c, cmd)
	}
	return nil, false, nil // the session's own
}

// change carries out a command that changes the server.
func (d *ServerCommands) change(ctx context.Context, cmd *clew.Command) error {
	switch c := cmd.Data.(type) {
	case *clew.UpdateSettingsData:
		_, err := d.Settings.Update(ctx, c.Settings)
		return err
	case *clew.ImportSettingsData:
		_, err := d.Settings.Import(ctx, c.Settings)
		return err
	case *clew.ResetSettingsData:
		return d.Settings.Reset(ctx)
	case *clew.SaveModelProfileData:
		return d.Settings.SaveProfile(ctx, c.Name, c.APIConfiguration)
	case *clew.RestartMcpServerData:
		return d.RestartServer(ctx, c.Name)
	case *clew.ToggleMcpServerData:
		return d.SwitchServer(ctx, c.Name, c.Enabled)
	case *clew.ToggleToolAlwaysAllowData:
		return d.AllowTool(ctx, c.Server, c.Tool, c.AlwaysAllow)
	}
	return clew.Errorf(clew.Internal, "nobody carries out %s", cmd.Type)
}

// setProvider turns the command into a change of the session's own settings.
func (d *ServerCommands) setProvider(c *clew.SetProviderData, cmd *clew.Command) error {
	v, _ := d.Settings.For(nil)
	if _, ok := v.Profiles[c.Provider]; !ok && c.Provider != settings.Echo {
		return clew.Errorf(clew.SettingsInvalid, "there is no model profile %q", c.Provider)
	}
	changes := map[string]any{"model_profile": c.Provider, "model": nil}
	if c.Model != "" {
		changes["model"] = c.Model
	}
	cmd.Type, cmd.Data = clew.CommandUpdateSettings, &clew.UpdateSettingsData{Settings: changes}
	return nil
}

// loadProfile has the session use a model profile.
func (d *ServerCommands) loadProfile(ctx context.Context, c *clew.LoadModelProfileData, cmd *clew.Command) error {
	if _, err := d.Settings.LoadProfile(ctx, c.Name); err != nil {
		return err
	}
	cmd.Type = clew.CommandUpdateSettings
	cmd.Data = &clew.UpdateSettingsData{Settings: map[string]any{"model_profile": c.Name, "model": nil}}
	return nil
}

func answer(typ clew.EventType, data any) (*session.Answer, bool, error) {
	return &session.Answer{Type: typ, Data: data}, true, nil
}

func (d *ServerCommands) state(ctx context.Context, id clew.SessionID, cmd *clew.Command) (*session.Answer, bool, error) {
	data, err := d.State(ctx, id, cmd.By)
	if err != nil {
		return nil, true, err
	}
	data.ClientMessageID = cmd.ClientMessageID
	return answer(clew.EventState, data)
}

// valuesOf gives the settings that count in a session. What its owner chose for its
// directory stands between the server's settings and the session's own, as it does for
// agents.
func (d *ServerCommands) valuesOf(id clew.SessionID, o session.Overview) settings.Values {
	v, _ := d.Settings.For(o.Settings)
	preset := v.PresetFor(o.Owner, o.Workspace)
	if preset == "" && d.MadeFrom != nil {
		preset = v.PresetFor(o.Owner, d.MadeFrom(id))
	}
	if preset == "" {
		return v
	}
	overlay := map[string]any{"permissions": preset}
	maps.Copy(overlay, o.Settings)
	v, _ = d.Settings.For(overlay)
	return v
}

// State is the snapshot of settings and tasks for a session's user interface.
// It holds no secrets: settings have none. How the server is set up is for
// administrators; others see what concerns the session.
func (d *ServerCommands) State(ctx context.Context, id clew.SessionID, by clew.Principal) (*clew.StateData, error) {
	o, err := d.Sessions().Overview(ctx, id)
	if err != nil {
		return nil, err
	}
	v := d.valuesOf(id, o)
	data := stateOf(v)
	data.Version, data.McpServers, data.Settings = d.Version, d.Servers.List(), map[string]any{}
	data.CurrentTaskItem, data.CurrentTaskTodos, data.TaskHistory = o.Current, o.Todos, o.Tasks
	if by.Role == clew.RoleAdmin {
		data.Settings = d.Settings.Export()
	} else {
		for i := range data.McpServers {
			data.McpServers[i].Error = ""
		}
	}
	maps.Copy(data.Settings, o.Settings)
	if o.Mode != "" {
		data.Mode = o.Mode
	}
	return data, nil
}

// Defaults are what the settings say of a session that somebody is about to make in a
// directory, "" for one of its own.
func (d *ServerCommands) Defaults(owner clew.UserID, dir string) *clew.StateData {
	return stateOf(d.valuesOf("", session.Overview{Owner: owner, Workspace: dir}))
}

// stateOf is the part of a state that the settings say.
func stateOf(v settings.Values) *clew.StateData {
	data := &clew.StateData{
		CurrentAPIConfigName: v.ModelProfile, Mode: v.Mode,
		AutoApprovalFlags: clew.AutoApprovalFlags{
			AutoApprovalEnabled: v.AutoApproval, AlwaysAllowReadOnly: v.AllowReadOnly, AlwaysAllowWrite: v.AllowWrite,
			AlwaysAllowExecute: v.AllowExecute, AlwaysAllowBrowser: v.AllowBrowser, AlwaysAllowMcp: v.AllowMcp,
		},
		Permissions: v.Permissions,
		Experiments: v.Experiments, McpEnabled: v.McpEnabled, BrowserToolEnabled: v.BrowserToolEnabled, TtsEnabled: v.TtsEnabled,
	}
	for _, name := range slices.Sorted(maps.Keys(v.Profiles)) {
		p := v.Profiles[name]
		data.ListAPIConfigMeta = append(data.ListAPIConfigMeta, clew.ModelProfile{ID: name, Name: name, Provider: p.Provider, Model: p.Model})
	}
	if p, ok := v.Profiles[v.ModelProfile]; ok {
		data.APIConfiguration = map[string]any{"provider": p.Provider, "model": p.Model, "base_url": p.BaseURL, "thinking": p.Thinking}
	}
	for _, m := range v.CustomModes {
		data.CustomModes = append(data.CustomModes, map[string]any{
			"slug": m.Slug, "name": m.Name, "prompt": m.Prompt, "groups": m.Groups, "when_to_use": m.WhenToUse, "source": m.Source,
		})
	}
	return data
}
