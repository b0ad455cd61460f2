package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/control"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/echo"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/mcp"
)

var (
	ann   = clew.Principal{User: "ann", Role: clew.RoleOwner}
	admin = clew.Principal{User: "ann", Role: clew.RoleAdmin}
)

const canary = "sk-canary-4711-do-not-tell"

// office is a session on a host with settings, secrets and tool servers.
type office struct {
	*testing.T
	host     *session.Host
	id       clew.SessionID
	mem      *journaltest.Memory
	settings *settings.Settings
	secrets  *settings.Secrets
	servers  *mcp.Manager
	changed  chan struct{}
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{T: t, mem: new(journaltest.Memory), changed: make(chan struct{}, 1)}
	log := slog.New(slog.DiscardHandler)
	redactor := settings.NewRedactor()
	var err error
	o.secrets, err = settings.OpenSecrets(t.Context(), settings.SecretsOptions{
		Dir: t.TempDir(), Environ: []string{"CLEW_SECRETS_BACKEND=file"}, Redactor: redactor, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	o.settings, err = settings.Open(t.Context(), settings.Options{
		Store: settings.NewMemory(), Secrets: o.secrets, Redactor: redactor, Providers: []string{"anthropic", "openai", "echo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.servers = mcp.New(mcp.Options{Log: log, Servers: func() map[string]settings.McpServer {
		v, _ := o.settings.For(nil)
		return v.McpServers
	}})
	note := func() {
		select {
		case o.changed <- struct{}{}:
		default:
		}
	}
	o.servers.OnChange(note)
	o.settings.Subscribe(func([]string) { o.servers.Reload(context.Background()) })
	worker := agent.New(agent.Config{
		Settings: o.settings, Log: log,
		Provider:      func(settings.Profile) (llm.Provider, error) { return echo.Provider{}, nil },
		Model:         func(settings.Profile) agent.Model { return agent.Model{Free: true} },
		Tools:         func(context.Context) []tool.Tool { return nil },
		AlwaysAllowed: func(tool.Spec) bool { return false },
		Workspace: func(clew.SessionID, clew.UserID, string, settings.Values) (*tool.Workspace, error) {
			return nil, clew.Errorf(clew.SessionInvalidState, "none")
		},
	})
	desk := &control.ServerCommands{Settings: o.settings, Servers: o.servers, Version: "v1", Sessions: func() control.Sessions { return o.host }}
	node := o.mem.Node("a")
	o.host = session.NewHost(session.Config{Journal: node, Index: node, Agent: worker, Services: desk, Log: log})
	t.Cleanup(func() {
		o.host.Close(context.Background())
		o.servers.Close()
		o.settings.Close()
	})
	if o.id, err = o.host.Create(t.Context(), ann, session.NewSession{Workspace: "/w"}); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) try(by clew.Principal, data any) (session.Receipt, error) {
	var typ clew.CommandType
	for _, info := range clew.Commands {
		if fmt.Sprintf("*%T", info.Data) == fmt.Sprintf("%T", data) {
			typ = info.Type
		}
	}
	return o.host.Do(o.Context(), o.id, clew.Command{Type: typ, By: by, ClientMessageID: clew.NewClientMessageID(), Data: data})
}

func (o *office) do(by clew.Principal, data any) session.Receipt {
	o.Helper()
	r, err := o.try(by, data)
	if err != nil {
		o.Fatal(err)
	}
	return r
}

// state asks for the snapshot that user interfaces show.
func (o *office) state(by clew.Principal) *clew.StateData {
	o.Helper()
	r := o.do(by, &clew.GetStateData{Scope: clew.ScopeUI})
	d, ok := r.Answer.Data.(*clew.StateData)
	if !ok || r.Answer.Type != clew.EventState || d.ClientMessageID == "" {
		o.Fatalf("the answer is %+v", r.Answer)
	}
	return d
}

// records lists what is in the journal.
func (o *office) records() []clew.Record {
	o.Helper()
	var list []clew.Record
	for r, err := range o.mem.Node("reader").Read(o.Context(), o.id, 1, 1<<40) {
		if err != nil {
			o.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

func (o *office) count(typ clew.EventType) (n int) {
	for _, r := range o.records() {
		if r.Type == typ {
			n++
		}
	}
	return n
}

// A session's own settings are on its record and hold in it alone; who may use
// the session may change them.
//
// Covers: UIC-40, UIC-53, UIC-54, UIC-21
func TestSessionSettings(t *testing.T) {
	o := newOffice(t)
	o.do(ann, &clew.UpdateSettingsData{Settings: map[string]any{"auto_approval_enabled": true, "always_allow_write": true, "mode": "ask"}})
	st := o.state(ann)
	if !st.AutoApprovalEnabled || !st.AlwaysAllowWrite || st.AlwaysAllowExecute || st.Mode != "ask" || st.Settings["mode"] != "ask" {
		t.Errorf("state %+v", st)
	}
	if o.count(clew.EventSettingsChanged) != 1 || o.count(clew.EventAutoApprovalChanged) != 1 {
		t.Errorf("%d records", len(o.records()))
	}
	o.do(ann, &clew.UpdateSettingsData{Settings: map[string]any{"mode": "code"}, Scope: clew.SettingsSession})
	if o.count(clew.EventAutoApprovalChanged) != 1 {
		t.Error("flags that stay the same are announced")
	}
	o.do(ann, &clew.UpdateSettingsData{Settings: map[string]any{"always_allow_write": nil}})
	if st := o.state(ann); st.AlwaysAllowWrite || o.count(clew.EventAutoApprovalChanged) != 2 {
		t.Errorf("after the reset of a key: %+v", st.AutoApprovalFlags)
	}
	if v, _ := o.settings.For(nil); v.Mode != "code" || v.AllowWrite {
		t.Error("the server's settings changed with the session's")
	}
	for name, changes := range map[string]map[string]any{
		"only for the server": {"denied_commands": []any{}},
		"not valid":           {"mistake_limit": "many"},
		"a secret":            {"anthropic_api_key": canary},
		"no such profile":     {"model_profile": "nowhere"},
	} {
		if _, err := o.try(ann, &clew.UpdateSettingsData{Settings: changes}); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The server's settings are for administrators; everybody sees what came of it.
//
// Covers: UIC-40, UIC-54
func TestServerSettings(t *testing.T) {
	o := newOffice(t)
	change := &clew.UpdateSettingsData{Settings: map[string]any{"always_allow_browser": true, "tts_enabled": true}, Scope: clew.SettingsServer}
	before := len(o.records())
	if _, err := o.try(ann, change); clew.CodeOf(err) != clew.Forbidden {
		t.Errorf("an ordinary user: %v", err)
	}
	if v, _ := o.settings.For(nil); v.AllowBrowser {
		t.Error("it was changed all the same")
	}
	r := o.do(admin, change)
	if d, ok := r.Answer.Data.(*clew.StateData); !ok || !d.AlwaysAllowBrowser || d.ClientMessageID == "" {
		t.Errorf("answer %+v", r.Answer)
	}
	if st := o.state(ann); !st.AlwaysAllowBrowser || !st.TtsEnabled {
		t.Errorf("state %+v", st)
	}
	if len(o.records()) != before {
		t.Error("a session's record has the server's settings")
	}
	if _, err := o.try(admin, &clew.UpdateSettingsData{Settings: map[string]any{"mode": "code", "mistake_limit": -1}, Scope: clew.SettingsServer}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a value that is not valid: %v", err)
	}
}

// Everything that changes the server is for administrators.
func TestRights(t *testing.T) {
	o := newOffice(t)
	for _, data := range []any{
		&clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{"mode": "ask"}},
		&clew.ResetSettingsData{}, &clew.ImportSettingsData{Settings: map[string]any{"mode": "ask"}},
		&clew.SaveModelProfileData{Name: "x", APIConfiguration: map[string]any{"provider": "echo"}},
		&clew.RestartMcpServerData{Name: "x"}, &clew.ToggleMcpServerData{Name: "x"},
		&clew.ToggleToolAlwaysAllowData{Server: "x", Tool: "y", AlwaysAllow: true},
		&clew.ExportSettingsData{},
	} {
		for _, role := range []clew.Role{clew.RoleOwner, clew.RoleApprover, clew.RoleViewer, clew.RoleNone} {
			if _, err := o.try(clew.Principal{User: "bob", Role: role}, data); clew.CodeOf(err) != clew.Forbidden {
				t.Errorf("%T as %q: %v", data, role, err)
			}
		}
	}
}

// An export has what was set and no secrets; another server takes it over.
//
// Covers: UIC-42, SET-16, SET-20, SET-22
func TestExportAndImport(t *testing.T) {
	o := newOffice(t)
	o.do(admin, &clew.SaveModelProfileData{Name: "claude", APIConfiguration: map[string]any{"provider": "anthropic", "model": "m-1", "api_key": canary}})
	o.do(admin, &clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{"mode": "ask", "mistake_limit": 7}})
	r := o.do(admin, &clew.ExportSettingsData{})
	d, ok := r.Answer.Data.(*clew.ExportSettingsAnswer)
	if !ok || r.Answer.Type != clew.EventExportSettings || d.Settings["mode"] != "ask" {
		t.Fatalf("answer %+v", r.Answer)
	}
	b, err := json.Marshal(d)
	if err != nil || strings.Contains(string(b), canary) || !strings.Contains(string(b), "m-1") {
		t.Errorf("export %s, %v", b, err)
	}
	other := newOffice(t)
	other.do(admin, &clew.ImportSettingsData{Settings: d.Settings})
	if v, _ := other.settings.For(nil); v.Mode != "ask" || v.MistakeLimit != 7 || v.Profiles["claude"].Model != "m-1" {
		t.Errorf("imported %+v", v)
	}
	bad := maps.Clone(d.Settings)
	bad["mode"], bad["mistake_limit"] = "debug", "many"
	if _, err := other.try(admin, &clew.ImportSettingsData{Settings: bad}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("an import that is not valid: %v", err)
	}
	if v, _ := other.settings.For(nil); v.Mode != "ask" {
		t.Error("half of it was taken")
	}
}

// A reset leaves nothing of what was set, keys included.
//
// Covers: SET-23
func TestReset(t *testing.T) {
	o := newOffice(t)
	o.do(admin, &clew.SaveModelProfileData{Name: "claude", APIConfiguration: map[string]any{"provider": "anthropic", "model": "m-1", "api_key": canary}})
	o.do(admin, &clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{"mode": "ask"}})
	o.do(admin, &clew.ResetSettingsData{})
	v, _ := o.settings.For(nil)
	names, err := o.secrets.Names(t.Context())
	if v.Mode != "code" || len(v.Profiles) != 0 || len(names) != 0 || err != nil {
		t.Errorf("left: %+v, %v, %v", v.Profiles, names, err)
	}
}

// A profile is stored without its key, shown to everybody, and used by a session
// that loads it.
//
// Covers: UIC-41, UIC-03
func TestProfiles(t *testing.T) {
	o := newOffice(t)
	o.do(admin, &clew.SaveModelProfileData{Name: "claude", APIConfiguration: map[string]any{"provider": "anthropic", "model": "m-1", "api_key": canary}})
	o.do(admin, &clew.SaveModelProfileData{Name: "local", APIConfiguration: map[string]any{"provider": "openai", "model": "l-1", "base_url": "http://127.0.0.1:1/v1"}})
	if key, ok, err := o.secrets.Get(t.Context(), "profile.claude"); !ok || key != canary || err != nil {
		t.Errorf("the key is %q, %v", key, err)
	}
	o.do(ann, &clew.LoadModelProfileData{Name: "claude"})
	st := o.state(ann)
	if st.CurrentAPIConfigName != "claude" || st.APIConfiguration["model"] != "m-1" || len(st.ListAPIConfigMeta) != 2 || st.ListAPIConfigMeta[1].Model != "l-1" {
		t.Errorf("state %+v", st)
	}
	if b, err := json.Marshal(st); err != nil || strings.Contains(string(b), canary) {
		t.Errorf("the key is told: %v", err)
	}
	for _, r := range o.records() {
		if strings.Contains(string(r.Line()), canary) {
			t.Error("the key is on record")
		}
	}
	if v, _ := o.settings.For(nil); v.ModelProfile == "claude" {
		t.Error("the server uses it now too")
	}
	if _, err := o.try(ann, &clew.LoadModelProfileData{Name: "nowhere"}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a profile that is not there: %v", err)
	}
	if _, err := o.try(admin, &clew.SaveModelProfileData{Name: "odd", APIConfiguration: map[string]any{"provider": "skynet"}}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a provider that is not there: %v", err)
	}
}

// set_provider changes the session's model; echo needs no profile.
//
// Covers: WS-077
func TestSetProvider(t *testing.T) {
	o := newOffice(t)
	o.do(admin, &clew.SaveModelProfileData{Name: "claude", APIConfiguration: map[string]any{"provider": "anthropic", "model": "m-1"}})
	o.do(admin, &clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{"model_profile": "claude"}})
	used := func() string {
		over, err := o.host.Overview(t.Context(), o.id)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := o.settings.For(over.Settings)
		return v.ModelProfile + "/" + v.Model
	}
	for _, tt := range []struct{ provider, model, want string }{
		{"echo", "", "echo/"}, {"claude", "m-2", "claude/m-2"}, {"claude", "", "claude/"},
	} {
		o.do(ann, &clew.SetProviderData{Provider: tt.provider, Model: tt.model})
		if got := used(); got != tt.want {
			t.Errorf("%+v: the session uses %s", tt, got)
		}
	}
	if _, err := o.try(ann, &clew.SetProviderData{Provider: "nowhere"}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("a provider that is not there: %v", err)
	}
}

// The snapshot has the version, tasks, modes, flags, switches and servers; how
// the server is set up it tells administrators only.
//
// Covers: UIC-01, UIC-02, UIC-03, UIC-04, UIC-05, UIC-06, UIC-07, UIC-08, UIC-15
func TestState(t *testing.T) {
	o := newOffice(t)
	o.do(admin, &clew.UpdateSettingsData{Scope: clew.SettingsServer, Settings: map[string]any{
		"experiments":  map[string]any{"tape": true},
		"custom_modes": []any{map[string]any{"slug": "reviewer", "name": "Reviewer", "prompt": "You review.", "groups": []any{"read"}, "source": "global"}},
		"mcp_servers":  map[string]any{"off": map[string]any{"command": "/bin/false", "disabled": true}},
	}})
	o.do(ann, &clew.UserMessageData{Text: "hello", Mode: "reviewer"})
	st := o.state(ann)
	if st.Version != "v1" || st.CurrentTaskItem == nil || st.CurrentTaskItem.Task != "hello" || len(st.TaskHistory) != 1 {
		t.Errorf("tasks: %+v", st)
	}
	if st.Mode != "reviewer" || len(st.CustomModes) != 1 || st.CustomModes[0]["slug"] != "reviewer" || !st.Experiments["tape"] || !st.McpEnabled {
		t.Errorf("modes and switches: %+v", st)
	}
	if len(st.McpServers) != 1 || st.McpServers[0].Name != "off" || !st.McpServers[0].Disabled {
		t.Errorf("servers: %+v", st.McpServers)
	}
	if _, told := st.Settings["mcp_servers"]; told {
		t.Error("an ordinary user sees how servers are started")
	}
	if _, told := o.state(admin).Settings["mcp_servers"]; !told {
		t.Error("an administrator does not")
	}
	if st.Permissions != "" || st.AlwaysAllowWrite {
		t.Errorf("nobody chose a preset: %+v", st)
	}
	o.do(ann, &clew.UpdateSettingsData{Settings: map[string]any{"permissions": "edits"}})
	if st := o.state(ann); st.Permissions != "edits" || !st.AlwaysAllowWrite {
		t.Errorf("the session's preset: %+v", st)
	}
	// Without the scope it is the session's own snapshot, which is not ours.
	if r, err := o.try(ann, &clew.GetStateData{}); err == nil && r.Answer != nil {
		t.Errorf("answer %+v", r.Answer)
	}
}
