package settings

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// Covers: SET-20, SET-21, UIC-42
func TestExport(t *testing.T) {
	s, _ := newTest(t, map[string]any{
		"mode": "ask", "trusted_workspaces": valid["trusted_workspaces"][1], "command_share": []any{"/srv"}, "ui_theme": "dark",
		"custom_modes": []any{mode("mine", ""), mode("theirs", "workspace")}, "model_retries": "broken",
	})
	got := s.Export()
	want := map[string]any{versionKey: len(migrations), "mode": "ask", "custom_modes": []any{mode("mine", "global")}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	s, _ = newTest(t, map[string]any{"custom_modes": []any{mode("theirs", "workspace")}})
	if got := s.Export(); len(got) != 1 {
		t.Errorf("only modes of a workspace: %v", got)
	}
}

// Covers: SET-22, UIC-42
func TestImport(t *testing.T) {
	s, m := newTest(t, map[string]any{"mode": "ask", "model_retries": 5})
	if _, err := s.Import(t.Context(), map[string]any{"mode": "debug", "tts_enabled": nil, "future_key": 1}); err != nil {
		t.Fatal(err)
	}
	if v, _ := s.For(nil); v.Mode != "debug" || v.ModelRetries != 5 || m.values["future_key"] == nil {
		t.Errorf("mode %q, retries %d", v.Mode, v.ModelRetries)
	}
	for _, imported := range []map[string]any{
		{"mode": "code", "model_retries": -3},
		{"mode": "code", "apiKey": "canary"},
		{"mode": "code", "openai_api_key": "canary"},
		{"mode": "code", "trusted_workspaces": map[string]any{}},
		{"mode": "code", "model_profiles": profileOf("a", "api_key", "canary")},
	} {
		_, err := s.Import(t.Context(), imported)
		if clew.CodeOf(err) != clew.SettingsInvalid || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v: %v", imported, err)
		}
	}
	if v, _ := s.For(nil); v.Mode != "debug" {
		t.Errorf("a refused import took effect: mode %q", v.Mode)
	}
}

// Covers: SET-20, SET-22
func TestImportOfExportIsTheSame(t *testing.T) {
	names := stateNames()
	nightly.Check(t, func(t *rapid.T) {
		m := NewMemory()
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "keys") {
			m.values[name] = encoded(t, rapid.SampledFrom(valid[name]).Draw(t, name))
		}
		m.values[versionKey] = presentVersion()
		a, err := Open(context.Background(), Options{Store: m})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Open(context.Background(), Options{Store: NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Import(context.Background(), a.Export()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Export(), b.Export()) {
			t.Fatalf("exported %v, then %v", a.Export(), b.Export())
		}
		va, _ := a.For(nil)
		vb, _ := b.For(nil)
		for _, k := range Keys() {
			if k.Exportable && !reflect.DeepEqual(k.value(&va), k.value(&vb)) {
				t.Fatalf("%s was %v and is %v", k.Name, k.value(&va), k.value(&vb))
			}
		}
	})
}

// Covers: SET-23, C-41
func TestResetLoadsAgain(t *testing.T) {
	secrets := memorySecrets{"openai_api_key": "sk-canary-0001"}
	m := NewMemory()
	m.values["mode"] = encoded(t, "ask")
	s, err := Open(t.Context(), Options{Store: m, Secrets: secrets, File: writeFile(t, "s.json", `{"model_retries": 5}`)})
	if err != nil {
		t.Fatal(err)
	}
	before := m.Loads()
	secrets.stuck("stuck_key")
	if err := s.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, _ := s.For(nil)
	if v.Mode != "code" || v.ModelRetries != 5 || len(m.values) != 0 || m.Loads() < before+2 {
		t.Errorf("mode %q, retries %d, stored %v, %d loads", v.Mode, v.ModelRetries, m.values, m.Loads()-before)
	}
	if _, there := secrets["openai_api_key"]; there {
		t.Error("the secret is still there")
	}
	// Whatever is stored afterwards is loaded as on the first day.
	m.values["mode"] = encoded(t, "debug")
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, _ := s.For(nil); v.Mode != "debug" {
		t.Errorf("mode %q", v.Mode)
	}
}

// Covers: SET-08, SET-16, SET-17, UIC-41
func TestProfileKeysGoToTheSecretStore(t *testing.T) {
	secrets := memorySecrets{}
	m := NewMemory()
	s, err := Open(t.Context(), Options{Store: m, Secrets: secrets, Providers: []string{"openai", "anthropic"}})
	if err != nil {
		t.Fatal(err)
	}
	const canary = "sk-canary-4711"
	save := func(profile map[string]any) {
		t.Helper()
		if err := s.SaveProfile(t.Context(), "work", profile); err != nil {
			t.Fatal(err)
		}
	}
	save(map[string]any{"provider": "openai", "model": "m1", "api_key": canary})
	p, err := s.LoadProfile(t.Context(), "work")
	if err != nil || p.Model != "m1" || p.KeyName != "profile.work" || secrets["profile.work"] != canary {
		t.Fatalf("%+v, %v", p, err)
	}
	if strings.Contains(string(m.values["model_profiles"]), canary) || strings.Contains(string(encoded(t, s.Export())), canary) {
		t.Error("the key is among the settings")
	}
	save(map[string]any{"provider": "openai", "model": "m2"})
	if p, _ := s.LoadProfile(t.Context(), "work"); p.Model != "m2" || p.KeyName != "profile.work" {
		t.Errorf("saved again without a key: %+v", p)
	}
	save(map[string]any{"provider": "openai", "model": "m2", "key_name": "profile.work", "api_key": nil})
	if p, _ := s.LoadProfile(t.Context(), "work"); p.KeyName != "" || len(secrets) != 0 {
		t.Errorf("key deleted: %+v, %d secrets", p, len(secrets))
	}
	err = s.SaveProfile(t.Context(), "bad", map[string]any{"provider": "nobody", "api_key": canary})
	if clew.CodeOf(err) != clew.SettingsInvalid || len(secrets) != 0 || strings.Contains(err.Error(), canary) {
		t.Errorf("%v, %d secrets", err, len(secrets))
	}
	if _, err := s.LoadProfile(t.Context(), "none"); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Error(err)
	}
	if err := s.Set(t.Context(), "openai_api_key", canary); err != nil || secrets["openai_api_key"] != canary {
		t.Error(err)
	}
	got, found, err := s.Get(t.Context(), "openai_api_key")
	if err != nil || !found || got.(Secret).Reveal() != canary {
		t.Errorf("%v %v %v", got, found, err)
	}
	if err := s.Set(t.Context(), "openai_api_key", nil); err != nil || len(secrets) != 0 {
		t.Errorf("%v, %d secrets", err, len(secrets))
	}
}

// Covers: UIC-43, UIC-44
func TestToolServers(t *testing.T) {
	s, _ := newTest(t, map[string]any{"mcp_servers": server("files", "command", "x")})
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	get := func() McpServer {
		v, _ := s.For(nil)
		return v.McpServers["files"]
	}
	do(s.SwitchServer(t.Context(), "files", false))
	if !get().Disabled {
		t.Error("still on")
	}
	do(s.SwitchServer(t.Context(), "files", true))
	do(s.AllowTool(t.Context(), "files", "read", true, "h1"))
	do(s.AllowTool(t.Context(), "files", "read", true, "h2"))
	if m := get(); m.Disabled || len(m.AlwaysAllow) != 1 || m.ToolHashes["read"] != "h2" {
		t.Errorf("%+v", m)
	}
	do(s.AllowTool(t.Context(), "files", "read", false, ""))
	if m := get(); len(m.AlwaysAllow) != 0 || len(m.ToolHashes) != 0 {
		t.Errorf("%+v", m)
	}
	do(s.AllowTool(t.Context(), "files", "read", true, "h1"))
	do(s.SwitchServer(t.Context(), "files", false))
	do(s.SaveServer(t.Context(), "files", McpServer{Command: "x", TimeoutSec: 5}))
	if m := get(); !m.Disabled || len(m.AlwaysAllow) != 1 || m.TimeoutSec != 5 {
		t.Errorf("%+v", m)
	}
	do(s.SaveServer(t.Context(), "files", McpServer{Command: "y"}))
	if m := get(); !m.Disabled || len(m.AlwaysAllow) != 0 || len(m.ToolHashes) != 0 {
		t.Errorf("another program is trusted: %+v", m)
	}
	if err := s.SwitchServer(t.Context(), "none", true); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Error(err)
	}
}

// FuzzImport looks for imports that break the store: whatever is taken must be
// free of problems, and come out of an export again.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"mode":"ask","customModes":[{"slug":"a","name":"A","groups":["read",["edit",{"fileRegex":"\\.md$"}]]}]}`))
	f.Add([]byte(`{"apiProvider":"openai","apiModelId":"m","experiments":{"x":true},"budget_usd":1e3}`))
	f.Add([]byte(`{"settings_version":3,"mcp_servers":{"a":{"command":"x","env":{"TOKEN":"$SECRET:t"}}}}`))
	f.Add([]byte(`{"openRouterImageGenerationSettings":{"openRouterApiKey":"k","selectedModel":"m"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var imported map[string]any
		if json.Unmarshal(b, &imported) != nil {
			return
		}
		s, err := Open(t.Context(), Options{Store: NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		before := maps.Clone(s.server)
		if _, err := s.Import(t.Context(), imported); err != nil {
			if clew.CodeOf(err) != clew.SettingsInvalid || len(s.server) != len(before) {
				t.Fatalf("%v, stored %v", err, s.server)
			}
			return
		}
		if p := s.Problems(); len(p) > 0 {
			t.Fatalf("taken, but: %v", p)
		}
		out := s.Export()
		again, err := Open(t.Context(), Options{Store: NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Import(t.Context(), out); err != nil {
			t.Fatalf("export not importable: %v", err)
		}
		if !reflect.DeepEqual(out, again.Export()) {
			t.Fatalf("%v became %v", out, again.Export())
		}
	})
}
