package settings

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
)

func TestSessionOverlay(t *testing.T) {
	s, _ := newTest(t, map[string]any{"command_sandbox": "auto", "budget_usd": 5, "command_network": false, "model_profiles": profileOf("fast", "model", "m")})
	tests := []struct {
		changes map[string]any
		refused string // part of the message, "" for none
	}{
		{map[string]any{"mode": "ask", "always_allow_write": true, "model_profile": "fast", "ui_theme": 1}, ""},
		{map[string]any{"command_sandbox": "bwrap", "budget_usd": 4, "command_network": false, "max_subtasks": 2}, ""},
		{map[string]any{"mode": nil, "command_sandbox": nil}, ""},
		{map[string]any{"command_sandbox": "none"}, "stricter"},
		{map[string]any{"budget_usd": 6}, "stricter"},
		{map[string]any{"budget_usd": 0}, "stricter"},
		{map[string]any{"command_network": true}, "stricter"},
		{map[string]any{"max_subtasks": 21}, "stricter"},
		{map[string]any{"mcp_servers": server("a", "command", "sh")}, "server only"},
		{map[string]any{"mcp_servers": nil}, "server only"},
		{map[string]any{"model_profiles": map[string]any{}}, "server only"},
		{map[string]any{"trusted_workspaces": map[string]any{}}, "server only"},
		{map[string]any{"mode": "Bad Slug"}, "slug"},
		{map[string]any{"model_profile": "missing"}, "model_profiles"},
		{map[string]any{"openai_api_key": "x"}, "clew secret set"},
	}
	base, _ := s.For(nil)
	for _, tt := range tests {
		err := s.CheckSession(tt.changes)
		if tt.refused == "" && err != nil || tt.refused != "" && (clew.CodeOf(err) != clew.SettingsInvalid || !strings.Contains(err.Error(), tt.refused)) {
			t.Errorf("%v: %v", tt.changes, err)
		}
		v, problems := s.For(tt.changes)
		if tt.refused == "server only" || tt.refused == "stricter" {
			if !reflect.DeepEqual(v, base) {
				t.Errorf("%v took effect", tt.changes)
			}
			if len(problems) == 0 && tt.changes["mcp_servers"] != nil {
				t.Errorf("%v is not reported", tt.changes)
			}
		}
	}
}

func TestForGivesCopies(t *testing.T) {
	s, _ := newTest(t, map[string]any{"allowed_commands": []any{"ls"}, "mcp_servers": map[string]any{"a": map[string]any{"command": "x", "args": []any{"1"}}}})
	v, _ := s.For(nil)
	v.AllowedCommands[0] = "rm *"
	v.McpServers["a"].Args[0] = "2"
	v.Experiments["x"] = true
	again, _ := s.For(nil)
	if again.AllowedCommands[0] != "ls" || again.McpServers["a"].Args[0] != "1" || len(again.Experiments) != 0 || len(Defaults().Experiments) != 0 {
		t.Error("a caller can change the settings of others")
	}
}

// Covers: C-39
func TestTopmostValidValueWins(t *testing.T) {
	names := stateNames()
	rapid.Check(t, func(t *rapid.T) {
		layers := []Layer{LayerFile, LayerEnvironment, LayerServer}
		name := rapid.SampledFrom(names).Draw(t, "key")
		r := newReading(keyIndex, nil)
		want := FindKey(name).Default()
		bad := map[Layer]bool{}
		for _, layer := range layers {
			values := raw{}
			switch rapid.SampledFrom([]string{"none", "valid", "broken"}).Draw(t, string(layer)) {
			case "valid":
				b := encoded(t, rapid.SampledFrom(valid[name]).Draw(t, "value"))
				values[name] = b
				v, err := FindKey(name).decodeStrict(b)
				if err != nil {
					t.Fatal(err)
				}
				if modes, ok := v.([]Mode); ok {
					nameSource(modes)
				}
				want = v
			case "broken":
				values[name] = json.RawMessage(`{"`)
				bad[layer] = true
			}
			r.add(layer, values)
		}
		if got := FindKey(name).value(&r.values); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is %v, want %v", name, got, want)
		}
		for _, p := range r.problems {
			if p.Key != name || !bad[p.Layer] {
				t.Fatalf("problem %v", p)
			}
			delete(bad, p.Layer)
		}
		if len(bad) > 0 {
			t.Fatalf("not reported: %v", bad)
		}
	})
}

func stateNames() []string {
	var names []string
	for _, k := range Keys() {
		if k.Home == HomeState {
			names = append(names, k.Name)
		}
	}
	return names
}
