package tui

import (
	"testing"

	"github.com/clew-run/clew"
)

// /model lists what can be used now, and the session uses what is chosen.
func TestModels(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	const get = "GET /api/v1/models"
	d.answer[get] = map[string]any{"models": []map[string]any{
		{"profile": "anthropic", "provider": "anthropic", "model": "claude-sonnet", "usable": true, "in_use": true},
		{"profile": "ollama", "provider": "openai", "model": "qwen3:8b", "usable": true, "local": true},
		{"profile": "locked", "provider": "openai", "model": "gpt-locked"},
		{"profile": "", "provider": "anthropic", "model": "claude-sonnet", "usable": true},
		{"profile": "", "provider": "anthropic", "model": "claude-opus", "usable": true},
		{"profile": "", "provider": "openrouter", "model": "no-profile", "usable": true},
	}}
	open := func() {
		d.press("/")
		d.typed("mod")
		d.press("enter")
	}
	open()
	d.sees("Model for this session", "anthropic", "claude-sonnet", "default", "claude-opus", "qwen3:8b")
	d.seesNot("gpt-locked")
	d.seesNot("no-profile")
	d.typed("opus")
	d.seesNot("qwen3")
	d.press("enter")
	d.sees("this session uses claude-opus now")
	open()
	d.press("down", "enter")
	for i, want := range []map[string]any{{"model_profile": "anthropic", "model": "claude-opus"}, {"model_profile": "ollama", "model": nil}} {
		set, _ := d.sent[i].Data["settings"].(map[string]any)
		if d.sent[i].Type != clew.CommandUpdateSettings || set["model_profile"] != want["model_profile"] || set["model"] != want["model"] {
			t.Errorf("%+v", d.sent[i])
		}
	}
	d.answer[get] = map[string]any{"models": []map[string]any{}}
	open()
	d.sees("No model is set up", "clew login")
	d.press("esc")
	if d.m.overlay != nil {
		t.Error("it is still open")
	}
}
