package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

func noLimit(o *api.Options) { o.PerMinute = 0 }

func TestKeys(t *testing.T) {
	b := newBench(t)
	expires := b.now.Add(time.Hour).UnixMilli()
	a := b.call(ownerToken, "POST", "/api/v1/keys", fmt.Sprintf(`{"name":"ci","user":"ada","role":"viewer","expires_ms":%d}`, expires)).
		is(http.StatusCreated, "")
	token, id := a.body["token"].(string), a.body["id"].(string)
	if a.body["user"] != "ada" || a.body["role"] != "viewer" || a.body["last_four"] != token[len(token)-4:] || a.header.Get("Cache-Control") != "no-store" {
		t.Error(a.raw)
	}
	b.call(token, "GET", "/api/v1/sessions", "").is(http.StatusOK, "")

	a = b.call(ownerToken, "GET", "/api/v1/keys", "").is(http.StatusOK, "")
	if list := a.body["keys"].([]any); len(list) != 1 || list[0].(map[string]any)["id"] != id {
		t.Error(a.raw)
	}
	if strings.Contains(a.raw, "hash") || strings.Contains(a.raw, token[18:]) {
		t.Errorf("too much: %s", a.raw)
	}

	admin := b.key("root", clew.RoleAdmin)
	b.call(admin, "GET", "/api/v1/keys", "").is(http.StatusOK, "")
	for _, r := range [][3]string{{"GET", "/api/v1/keys", ""}, {"POST", "/api/v1/keys", `{"user":"x"}`}, {"DELETE", "/api/v1/keys/" + id, ""}} {
		b.call(token, r[0], r[1], r[2]).is(http.StatusForbidden, clew.Forbidden)
		b.call(b.key("eve", clew.RoleOwner), r[0], r[1], r[2]).is(http.StatusForbidden, clew.Forbidden)
	}

	if a := b.call(ownerToken, "DELETE", "/api/v1/keys/"+id, "").is(http.StatusNoContent, ""); a.raw != "" {
		t.Error(a.raw)
	}
	b.call(token, "GET", "/api/v1/sessions", "").is(http.StatusUnauthorized, clew.AuthFailed)
	b.call(ownerToken, "DELETE", "/api/v1/keys/"+id, "").is(http.StatusNoContent, "")
	b.call(ownerToken, "DELETE", "/api/v1/keys/ffffffffffff", "").is(http.StatusNotFound, clew.InvalidMessage)
	b.call(ownerToken, "DELETE", "/api/v1/keys/nope", "").is(http.StatusNotFound, clew.InvalidMessage)

	for _, body := range []string{`{}`, `{"user":"a b"}`, `{"user":"ada","role":"root"}`, `{"user":"ada","expires_ms":5}`, `{"user":"ada","expires_ms":-5}`} {
		b.call(ownerToken, "POST", "/api/v1/keys", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	b.store.Fail(errors.New("down"))
	b.call(ownerToken, "GET", "/api/v1/keys", "").is(http.StatusServiceUnavailable, clew.Unavailable)
	b.call(token, "GET", "/api/v1/sessions", "").is(http.StatusServiceUnavailable, clew.Unavailable)

	none := newBench(t, func(o *api.Options) { o.Keys = nil })
	none.call(ownerToken, "GET", "/api/v1/keys", "").is(http.StatusServiceUnavailable, clew.Unavailable)
}

// Covers: WS-102
func TestExpiredKey(t *testing.T) {
	b := newBench(t)
	a := b.call(ownerToken, "POST", "/api/v1/keys", fmt.Sprintf(`{"user":"ada","expires_ms":%d}`, b.now.UnixMilli()+1))
	b.now = b.now.Add(time.Second)
	b.call(a.body["token"].(string), "GET", "/api/v1/sessions", "").is(http.StatusUnauthorized, clew.TokenExpired)
}

// The OpenAPI document is complete: each route is in it, and what it refers to
// is there.
func TestOpenAPI(t *testing.T) {
	b := newBench(t)
	a := b.call("", "GET", "/openapi.json", "").is(http.StatusOK, "")
	if a.body["openapi"] != "3.1.0" || a.body["info"].(map[string]any)["version"] != "1.2.3" {
		t.Errorf("%v %v", a.body["openapi"], a.body["info"])
	}
	paths := a.body["paths"].(map[string]any)
	ids, count, pages := map[string]bool{}, 0, 0
	for _, r := range b.api.Routes() {
		if r.Page {
			pages++
			continue
		}
		item, _ := paths[r.Path].(map[string]any)
		op, ok := item[strings.ToLower(r.Method)].(map[string]any)
		if !ok {
			t.Errorf("%s %s is not in the document", r.Method, r.Path)
			continue
		}
		checkOperation(t, r, op, ids)
	}
	for _, item := range paths {
		count += len(item.(map[string]any))
	}
	if routes := len(b.api.Routes()) - pages; count != routes {
		t.Errorf("%d operations for %d routes", count, routes)
	}
	schemas := a.body["components"].(map[string]any)["schemas"].(map[string]any)
	for _, m := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllStringSubmatch(a.raw, -1) {
		name, ok := strings.CutPrefix(m[1], "#/components/schemas/")
		if _, found := schemas[name]; !ok || !found {
			t.Errorf("%s refers to nothing", m[1])
		}
	}
	if p, err := json.Marshal(schemas["Problem"]); err != nil || !strings.Contains(string(p), `"error"`) {
		t.Errorf("the form of errors: %s, %v", p, err)
	}
}

func checkOperation(t *testing.T, r api.Route, op map[string]any, ids map[string]bool) {
	t.Helper()
	id, _ := op["operationId"].(string)
	if id == "" || ids[id] || op["summary"] == "" {
		t.Errorf("%s %s: operation id %q", r.Method, r.Path, id)
	}
	ids[id] = true
	responses, _ := op["responses"].(map[string]any)
	if _, ok := responses["401"]; ok == r.Open || len(responses) == 0 {
		t.Errorf("%s: responses %v", id, responses)
	}
	if security, ok := op["security"].([]any); !ok || len(security) == 0 != r.Open {
		t.Errorf("%s: security %v", id, op["security"])
	}
	if tags, _ := op["tags"].([]any); len(tags) != 1 || tags[0] == "" {
		t.Errorf("%s %s has no group, see tags.go", r.Method, r.Path)
	}
	declared := map[string]bool{}
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		if m := p.(map[string]any); m["in"] == "path" {
			declared[m["name"].(string)] = m["required"] == true
		}
	}
	for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(r.Path, -1) {
		if !declared[m[1]] {
			t.Errorf("%s: path parameter %s is not declared", id, m[1])
		}
	}
}
