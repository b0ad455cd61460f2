package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// The model in use says why it is used, and whether it can be.
func TestModel(t *testing.T) {
	b := newBench(t)
	a := b.call(ownerToken, "GET", "/api/v1/model", "").is(http.StatusOK, "")
	if a.body["provider"] != "echo" || a.body["profile"] != "" || a.body["why_code"] != "none" || a.body["usable"] != true {
		t.Error(a.raw)
	}
	b.call(ownerToken, "PUT", "/api/v1/model-profiles/work", `{"provider":"anthropic","model":"claude-sonnet-4-5","fallback":["spare"]}`).is(http.StatusUnprocessableEntity, clew.SettingsInvalid)
	b.call(ownerToken, "PUT", "/api/v1/model-profiles/spare", `{"provider":"echo"}`).is(http.StatusOK, "")
	b.call(ownerToken, "PUT", "/api/v1/model-profiles/work", `{"provider":"anthropic","model":"claude-sonnet-4-5","fallback":["spare"]}`).is(http.StatusOK, "")
	a = b.call(ownerToken, "PUT", "/api/v1/model", `{"profile":"work"}`).is(http.StatusOK, "")
	if a.body["profile"] != "work" || a.body["model"] != "claude-sonnet-4-5" || a.body["usable"] != false || a.body["why_not_code"] != "no_key" {
		t.Error(a.raw)
	}
	b.secrets["anthropic_api_key"] = "$ANTHROPIC_API_KEY"
	a = b.call(ownerToken, "GET", "/api/v1/model", "").is(http.StatusOK, "")
	for key, want := range map[string]any{
		"profile": "work", "provider": "anthropic", "in_use": true, "usable": true, "key_variable": "ANTHROPIC_API_KEY", "priced": true,
		"why": `model_profile is "work" (set on this server)`, "why_code": "server", "why_not": nil,
	} {
		if a.body[key] != want {
			t.Errorf("%s is %v", key, a.body[key])
		}
	}
	if a.body["context_window"].(float64) < 100_000 || a.body["price_out"].(float64) <= a.body["price_in"].(float64) || len(a.body["fallback"].([]any)) != 1 {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "PUT", "/api/v1/model", `{"profile":"nowhere"}`).is(http.StatusNotFound, clew.SettingsInvalid)
	if a.message() != `there is no model profile "nowhere"` {
		t.Error(a.raw)
	}
	b.call(ownerToken, "PUT", "/api/v1/model", `{"profile":""}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
}

func TestModels(t *testing.T) {
	b := newBench(t)
	b.call(ownerToken, "PUT", "/api/v1/model-profiles/work", `{"provider":"openai","model":"gpt-5.5"}`).is(http.StatusOK, "")
	models := func(query string) (list []map[string]any) {
		for _, m := range b.call(ownerToken, "GET", "/api/v1/models"+query, "").is(http.StatusOK, "").body["models"].([]any) {
			list = append(list, m.(map[string]any))
		}
		return list
	}
	if list := models(""); list[0]["profile"] != "work" || list[0]["why_not"] != "no key: clew login openai --name work" || list[1]["provider"] != "anthropic" {
		t.Errorf("%v %v", list[0], list[1])
	}
	defaults := 0
	for _, m := range models("?provider=openai") {
		if m["provider"] != "openai" || m["usable"] != false {
			t.Errorf("%v", m)
		}
		if m["default"] == true {
			defaults++
		}
	}
	if defaults != 1 {
		t.Errorf("%d defaults", defaults)
	}
	a := b.call(ownerToken, "GET", "/api/v1/models?provider=nobody", "").is(http.StatusNotFound, clew.SettingsInvalid)
	if !strings.HasPrefix(a.message(), `there is no provider "nobody"; there are anthropic, openai,`) {
		t.Error(a.raw)
	}
}

// Whoever works here may know which models there are, and not where their keys are.
func TestModelsForEverybody(t *testing.T) {
	b := newBench(t)
	b.secrets["anthropic_api_key"] = "$ANTHROPIC_API_KEY"
	b.call(ownerToken, "PUT", "/api/v1/model-profiles/work", `{"provider":"anthropic","model":"claude-sonnet-4-5"}`).is(http.StatusOK, "")
	b.call(ownerToken, "PUT", "/api/v1/model", `{"profile":"work"}`).is(http.StatusOK, "")
	key := b.key("eve", clew.RoleViewer)
	for _, path := range []string{"/api/v1/model", "/api/v1/models"} {
		a := b.call(key, "GET", path, "").is(http.StatusOK, "")
		if strings.Contains(a.raw, `"key_variable"`) || strings.Contains(a.raw, "clew login") || !strings.Contains(a.raw, "claude-sonnet-4-5") {
			t.Errorf("%s: %.300s", path, a.raw)
		}
	}
}

// A test costs money: it is for the owner, and not too often.
func TestModelTest(t *testing.T) {
	b := newBench(t)
	b.call(b.key("ada", clew.RoleAdmin), "POST", "/api/v1/model-profiles/work/test", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("ada", clew.RoleAdmin), "POST", "/api/v1/models/discover", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(ownerToken, "POST", "/api/v1/model-profiles/work/test", "").is(http.StatusNotFound, clew.SettingsInvalid)
	b.call(ownerToken, "POST", "/api/v1/model-profiles/work/test", `{"provider":"openai"}`).is(http.StatusUnprocessableEntity, clew.SettingsInvalid)
	for range 8 {
		b.call(ownerToken, "POST", "/api/v1/model-profiles/work/test", "").is(http.StatusNotFound, clew.SettingsInvalid)
	}
	b.call(ownerToken, "POST", "/api/v1/model-profiles/work/test", "").is(http.StatusTooManyRequests, clew.RateLimited)
}
