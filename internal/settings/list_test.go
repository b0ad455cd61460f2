package settings

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every setting is listed with the layer it is from, and no secret.
func TestList(t *testing.T) {
	redactor := NewRedactor()
	redactor.Add("canary-value-of-a-key")
	s, err := Open(t.Context(), Options{
		Store: NewMemory(), Redactor: redactor, Environ: []string{"CLEW_SET_CUSTOM_INSTRUCTIONS=use canary-value-of-a-key"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(t.Context(), map[string]any{"mode": "ask", "x_colour": "red"}); err != nil {
		t.Fatal(err)
	}
	entries := map[string]Entry{}
	list := s.List()
	for _, e := range list {
		entries[e.Key] = e
	}
	if e := entries["mode"]; e.Value != "ask" || e.Layer != LayerServer || e.Default != "code" || e.Doc == "" {
		t.Errorf("%+v", e)
	}
	for key, want := range map[string]SessionRule{"mode": SessionFree, "budget_usd": SessionTighten, "denied_commands": SessionNever} {
		if e := entries[key]; e.Session != want {
			t.Errorf("%s: %s", key, e.Session)
		}
	}
	if e := entries["model_retries"]; e.Value != 3 || e.Layer != LayerDefault {
		t.Errorf("%+v", e)
	}
	if e := entries["model_retries"]; e.Min == nil || e.Max == nil || *e.Min != 0 || *e.Max != 20 {
		t.Errorf("%+v", e)
	}
	if e := entries["x_colour"]; !e.Unknown || e.Layer != LayerServer {
		t.Errorf("%+v", e)
	}
	if e := entries["custom_instructions"]; !e.Hidden || e.Value != nil || e.Layer != LayerEnvironment {
		t.Errorf("%+v", e)
	}
	if b, err := json.Marshal(list); err != nil || strings.Contains(string(b), "canary") {
		t.Errorf("%s, %v", b, err)
	}
	if _, there := entries["anthropic_api_key"]; there {
		t.Error("a secret is listed")
	}
}
