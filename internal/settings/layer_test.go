package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

func TestSessionOverlay(t *testing.T) {
	s, _ := newTest(t, map[string]any{"command_sandbox": "auto", "budget_usd": 5, "command_network": false, "model_profiles": profileOf("fast", "model", "m")})
	tests := []struct {
		changes map[string]any
		refused string // part of the message, "" for none
	}{
		{map[string]any{"mode": "ask", "always_allow_write": true, "model_profile": "fast"}, ""},
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
		{map[string]any{"some_api_key": "x"}, "clew secret set"},
		{map[string]any{"mode": "ask", "ui_theme": 1}, "there is no setting ui_theme"},
		{map[string]any{"ui_theme": nil}, "there is no setting ui_theme"},
		{map[string]any{versionKey: 1}, "there is no setting"},
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

// What clew does not know is kept for the server, and for a session refused; one
// that has it from elsewhere is told.
//
// Covers: C-63
func TestUnknownKeyOfASession(t *testing.T) {
	s, _ := newTest(t, nil)
	if _, err := s.Update(t.Context(), map[string]any{"ui_theme": "dark"}); err != nil {
		t.Error(err)
	}
	v, problems := s.For(map[string]any{"mode": "ask", "ui_theme": "light"})
	if want := (Problem{"ui_theme", LayerSession, "is not a setting"}); len(problems) != 1 || problems[0] != want || v.Mode != "ask" {
		t.Errorf("mode %q, problems %v", v.Mode, problems)
	}
	if theme, found, err := s.Get(t.Context(), "ui_theme"); err != nil || !found || theme != "dark" {
		t.Errorf("the server's: %v %v %v", theme, found, err)
	}
}

// The owner of a session learns nothing about stored secrets by trying values.
// Whoever sets the server's settings is told, since they are shown to everybody.
func TestSessionCannotGuessSecrets(t *testing.T) {
	redactor := NewRedactor()
	redactor.Add("correct-horse-battery")
	s, err := Open(t.Context(), Options{Store: NewMemory(), Redactor: redactor})
	if err != nil {
		t.Fatal(err)
	}
	answers := func(guess string) string {
		var all []string
		for _, name := range append(stateNames(), "ui_theme") {
			for _, value := range []any{guess, []any{guess}, map[string]any{"x": guess}} {
				err := s.CheckSession(map[string]any{name: value})
				_, problems := s.For(map[string]any{name: value})
				all = append(all, fmt.Sprintf("%s: %v %v", name, err, problems))
			}
		}
		return strings.Join(all, "\n")
	}
	if right, wrong := answers("correct-horse-battery"), answers("another-horse-battery"); right != wrong {
		t.Errorf("the right guess is answered with\n%s\nand a wrong one with\n%s", right, wrong)
	}
	if _, err := s.Update(t.Context(), map[string]any{"custom_instructions": "it is correct-horse-battery"}); clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("the server takes it: %v", err)
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
	nightly.Check(t, func(t *rapid.T) {
		layers := []Layer{LayerFile, LayerEnvironment, LayerServer}
		name := rapid.SampledFrom(names).Draw(t, "key")
		r := newReading(keyIndex, nil)
		want := keyIndex[name].Default()
		bad := map[Layer]bool{}
		for _, layer := range layers {
			values := raw{}
			switch rapid.SampledFrom([]string{"none", "valid", "broken"}).Draw(t, string(layer)) {
			case "valid":
				b := encoded(t, rapid.SampledFrom(valid[name]).Draw(t, "value"))
				values[name] = b
				v, err := keyIndex[name].decodeStrict(b)
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
		if got := keyIndex[name].value(&r.values); !reflect.DeepEqual(got, want) {
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
