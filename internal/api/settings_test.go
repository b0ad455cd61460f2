package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/settings"
)

// secrets is an api.Secrets in memory.
type secrets map[string]string

func (s secrets) Names(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(s)), nil }

func (s secrets) Get(_ context.Context, name string) (string, bool, error) {
	value, found := s[name]
	return value, found, nil
}

// Source has a secret that begins with $ come from the environment.
func (s secrets) Source(_ context.Context, name string, vendors bool) (string, bool, error) {
	value, found := s[name]
	if variable, ok := strings.CutPrefix(value, "$"); ok {
		if !vendors {
			return "", false, nil
		}
		return variable, true, nil
	}
	return "", found, nil
}

func (s secrets) Set(_ context.Context, name, value string) error {
	if err := settings.CheckSecretName(name); err != nil {
		return err
	}
	s[name] = value
	return nil
}

func (s secrets) Delete(_ context.Context, name string) error {
	delete(s, name)
	return nil
}

// blobs is an api.Blobs in memory.
type blobs map[string][]byte

func (b blobs) Blob(_ context.Context, address string) ([]byte, error) {
	data, ok := b[address]
	if !ok {
		return nil, fmt.Errorf("%w: blob", archive.ErrNotFound)
	}
	return data, nil
}

// foreign is a blob that no session of the caller refers to.
var foreign = strings.Repeat("f", 64)

func (b blobs) Refers(_ context.Context, _ clew.SessionID, address string) (bool, error) {
	return address != foreign, nil
}

// adminOnly are the routes that nobody but an administrator may use.
var adminOnly = [][3]string{
	{"GET", "/api/v1/settings", ""}, {"PATCH", "/api/v1/settings", `{"settings":{"mode":"ask"}}`},
	{"GET", "/api/v1/settings/export", ""}, {"POST", "/api/v1/settings/import", `{"mode":"ask"}`},
	{"GET", "/api/v1/secrets", ""}, {"PUT", "/api/v1/secrets/x_key", `{"value":"canary"}`}, {"DELETE", "/api/v1/secrets/x_key", ""},
	{"GET", "/api/v1/model-profiles", ""}, {"GET", "/api/v1/model-profiles/a", ""}, {"DELETE", "/api/v1/model-profiles/a", ""},
	{"PUT", "/api/v1/model-profiles/a", `{"provider":"openai","model":"m","api_key":"canary"}`}, {"PATCH", "/api/v1/model-profiles/a", `{"model":"m"}`},
	{"PUT", "/api/v1/model", `{"profile":"a"}`}, {"POST", "/api/v1/model-profiles/a/test", `{}`}, {"POST", "/api/v1/models/discover", ""},
	{"GET", "/api/v1/mcp", ""}, {"POST", "/api/v1/mcp/notes/restart", ""}, {"PATCH", "/api/v1/mcp/notes", `{"enabled":false}`},
	{"PUT", "/api/v1/mcp/notes/tools/read", `{"always_allow":true}`},
}

func TestSettings(t *testing.T) {
	b := newBench(t)
	a := b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":{"mode":"ask","model_retries":5}}`).is(http.StatusOK, "")
	if a.raw != `{"changed":["mode","model_retries"]}`+"\n" {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "GET", "/api/v1/settings", "").is(http.StatusOK, "")
	if !strings.Contains(a.raw, `{"key":"mode","value":"ask","layer":"server","group":"Modes"`) {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "GET", "/api/v1/settings/export", "").is(http.StatusOK, "")
	if a.body["mode"] != "ask" || a.body["model_retries"] != 5.0 || a.body["mcp_enabled"] != nil {
		t.Error(a.raw)
	}
	exported := a.raw
	b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":{"mode":null}}`).is(http.StatusOK, "")
	a = b.call(ownerToken, "POST", "/api/v1/settings/import", exported).is(http.StatusOK, "")
	if a.raw != `{"changed":["mode"]}`+"\n" {
		t.Error(a.raw)
	}
	for _, body := range []string{
		`{"settings":{"mode":7}}`, `{"settings":{"anthropic_api_key":"canary"}}`, `{"settings":{"model_profile":"none"}}`,
	} {
		a := b.call(ownerToken, "PATCH", "/api/v1/settings", body).is(http.StatusUnprocessableEntity, clew.SettingsInvalid)
		if strings.Contains(a.raw, "canary") {
			t.Error(a.raw)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"settings":7}`, `{"other":{}}`} {
		b.call(ownerToken, "PATCH", "/api/v1/settings", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
}

func TestSettingsAndSecretsAreForAdministrators(t *testing.T) {
	b := newBench(t)
	for _, role := range []clew.Role{clew.RoleOwner, clew.RoleApprover, clew.RoleViewer} {
		key := b.key("eve", role)
		for _, r := range adminOnly {
			b.call(key, r[0], r[1], r[2]).is(http.StatusForbidden, clew.Forbidden)
		}
	}
	if len(b.secrets) != 0 {
		t.Error("a secret was stored")
	}
	none := newBench(t, func(o *api.Options) { o.Settings, o.Secrets, o.ToolServers, o.Models = nil, nil, nil, nil })
	for _, r := range adminOnly {
		none.call(ownerToken, r[0], r[1], r[2]).is(http.StatusServiceUnavailable, clew.Unavailable)
	}
}

// A secret goes in and does not come out: not in an answer, not in the log.
func TestSecrets(t *testing.T) {
	b := newBench(t)
	var seen strings.Builder
	call := func(method, path, body string, status int) answer {
		a := b.call(ownerToken, method, "/api/v1/secrets"+path, body)
		if a.status != status {
			t.Errorf("%s %s: %d %s", method, path, a.status, a.raw)
		}
		seen.WriteString(a.raw)
		return a
	}
	call("PUT", "/my_key", `{"value":"CANARY-of-a-secret"}`, http.StatusNoContent)
	if b.secrets["my_key"] != "CANARY-of-a-secret" {
		t.Error("it was not stored")
	}
	if a := call("GET", "", "", http.StatusOK); a.raw != `{"names":["my_key"]}`+"\n" {
		t.Error(a.raw)
	}
	call("GET", "/my_key", "", http.StatusNotFound) // there is no such route
	call("PUT", "/a%2Fb", `{"value":"CANARY-of-a-secret"}`, http.StatusUnprocessableEntity)
	call("PUT", "/my_key", `{"value":["CANARY-of-a-secret"]}`, http.StatusUnprocessableEntity)
	call("PUT", "/my_key", `{"CANARY-of-a-secret":1}`, http.StatusUnprocessableEntity)
	call("DELETE", "/none", "", http.StatusNotFound)
	call("DELETE", "/my_key", "", http.StatusNoContent)
	if len(b.secrets) != 0 {
		t.Error("it was not deleted")
	}
	if strings.Contains(seen.String(), "CANARY-of-a-secret") {
		t.Error("an answer has the secret: " + seen.String())
	}
	if strings.Contains(b.log.String(), "CANARY-of-a-secret") || strings.Contains(b.log.String(), "my_key") {
		t.Error("the log has the secret, or its name: " + b.log.String())
	}
}

// A blob is for those who may watch a session that refers to it, and nothing in it
// runs (T6).
//
// Covers: WS-111
func TestBlobs(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	b.sessions.access["s1"] = map[clew.UserID]clew.Role{"val": clew.RoleViewer}
	png, page, svg := strings.Repeat("a", 64), strings.Repeat("b", 64), strings.Repeat("c", 64)
	b.blobs[png] = []byte("\x89PNG\r\n\x1a\nrest")
	b.blobs[page] = []byte("<html><script>alert(1)</script>")
	b.blobs[foreign] = b.blobs[png]
	b.blobs[svg] = []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`)
	at := func(address string) string { return "/api/v1/sessions/s1/blobs/" + address }
	for _, who := range []string{b.key("ada", clew.RoleOwner), b.key("val", clew.RoleOwner), ownerToken} {
		a := b.call(who, "GET", at(png), "").is(http.StatusOK, "")
		if a.header.Get("Content-Type") != "image/png" || a.header.Get("Content-Disposition") != "" || a.raw != string(b.blobs[png]) {
			t.Errorf("%v %q", a.header, a.raw)
		}
	}
	b.call(ownerToken, "GET", at("blob:"+png), "").is(http.StatusOK, "") // as records write it
	for _, address := range []string{page, svg} {
		a := b.call(ownerToken, "GET", at(address), "").is(http.StatusOK, "")
		if a.header.Get("Content-Type") != "application/octet-stream" || a.header.Get("Content-Disposition") != "attachment" ||
			a.header.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(a.header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%v", a.header)
		}
	}
	eve := b.key("eve", clew.RoleOwner)
	b.call(eve, "GET", at(png), "").is(http.StatusNotFound, clew.SessionNotFound)
	b.call(eve, "GET", at("nonsense"), "").is(http.StatusNotFound, clew.SessionNotFound)
	for _, address := range []string{"nonsense", strings.Repeat("d", 64), strings.ToUpper(png), foreign} {
		b.call(ownerToken, "GET", at(address), "").is(http.StatusNotFound, clew.InvalidMessage)
	}
}
