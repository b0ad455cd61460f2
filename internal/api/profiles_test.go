package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// message is what an error says.
func (a answer) message() string {
	e, _ := a.body["error"].(map[string]any)
	text, _ := e["message"].(string)
	return text
}

// A profile is made, read, changed and deleted by itself. Its key goes in and does
// not come out.
func TestModelProfiles(t *testing.T) {
	b := newBench(t)
	var seen strings.Builder
	call := func(method, path, body string, status int) answer {
		t.Helper()
		a := b.call(ownerToken, method, "/api/v1/model-profiles"+path, body).is(status, "")
		seen.WriteString(a.raw)
		return a
	}
	if a := call("GET", "", "", http.StatusOK); a.raw != `{"profiles":[]}`+"\n" {
		t.Error(a.raw)
	}
	a := call("PUT", "/work", `{"provider":"openai","model":"gpt-5.5","thinking":"low","api_key":"CANARY-of-a-key"}`, http.StatusOK)
	want := `{"name":"work","in_use":false,"provider":"openai","model":"gpt-5.5","key_name":"profile.work","thinking":"low"}` + "\n"
	if a.raw != want || b.secrets["profile.work"] != "CANARY-of-a-key" {
		t.Errorf("%s %v", a.raw, len(b.secrets))
	}
	if got := call("GET", "/work", "", http.StatusOK); got.raw != want {
		t.Error(got.raw)
	}
	call("PUT", "/work", a.raw, http.StatusOK) // what was read can be saved
	a = call("PATCH", "/work", `{"model":"gpt-5","thinking":null,"max_tokens":9}`, http.StatusOK)
	if a.raw != `{"name":"work","in_use":false,"provider":"openai","model":"gpt-5","key_name":"profile.work","max_tokens":9}`+"\n" {
		t.Error(a.raw)
	}
	a = call("PUT", "/work", `{"provider":"anthropic","model":"claude"}`, http.StatusOK)
	if a.raw != `{"name":"work","in_use":false,"provider":"anthropic","model":"claude","key_name":"profile.work"}`+"\n" {
		t.Error(a.raw)
	}
	a = call("PATCH", "/work", `{"api_key":null}`, http.StatusOK)
	if _, there := b.secrets["profile.work"]; there || a.body["key_name"] != nil {
		t.Error(a.raw)
	}
	call("PATCH", "/work", `{"api_key":"CANARY-of-a-key"}`, http.StatusOK)
	b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":{"model_profile":"work"}}`).is(http.StatusOK, "")
	if a := call("GET", "", "", http.StatusOK); !strings.HasPrefix(a.raw, `{"profiles":[{"name":"work","in_use":true,`) {
		t.Error(a.raw)
	}
	b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":{"model_profile":null}}`).is(http.StatusOK, "")
	call("DELETE", "/work", "", http.StatusNoContent)
	if len(b.secrets) != 0 {
		t.Error("the key is still there")
	}
	for _, method := range []string{"GET", "DELETE", "PATCH"} {
		body := ""
		if method == "PATCH" {
			body = `{"model":"m"}`
		}
		a := b.call(ownerToken, method, "/api/v1/model-profiles/work", body).is(http.StatusNotFound, clew.SettingsInvalid)
		if a.message() != `there is no model profile "work"` {
			t.Error(a.raw)
		}
	}
	if strings.Contains(seen.String()+b.log.String(), "CANARY") {
		t.Error("the key was shown")
	}
}

// What would leave a profile that cannot be used is refused, and changes nothing.
func TestModelProfileRefusals(t *testing.T) {
	b := newBench(t)
	for _, p := range [][2]string{
		{"a", `{"provider":"openai","model":"m"}`}, {"b", `{"provider":"openai","model":"m","fallback":["a"]}`},
		{"c", `{"provider":"anthropic","model":"m"}`}, {"d", `{"provider":"echo"}`}, {"e", `{"provider":"openai","model":"m"}`}, {"f", `{"provider":"openai","model":"m"}`},
	} {
		b.call(ownerToken, "PUT", "/api/v1/model-profiles/"+p[0], p[1]).is(http.StatusOK, "")
	}
	b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":{"model_profile":"c","model_small":"e","model_subtasks":"f",
		"custom_modes":[{"slug":"review","name":"Review","prompt":"p","groups":["read"],"model_profile":"d"}]}}`).is(http.StatusOK, "")
	before := b.call(ownerToken, "GET", "/api/v1/model-profiles", "").raw
	for _, c := range []struct {
		method, name, body string
		status             int
		want               string
	}{
		{"DELETE", "c", "", 409, `The profile "c" is in use; choose another first: clew model use NAME`},
		{"DELETE", "a", "", 409, `The profile "a" is a fallback of "b"; take it out there first`},
		{"DELETE", "d", "", 409, `The mode "review" uses the profile "d"; choose another in custom_modes first`},
		{"DELETE", "e", "", 409, `The profile "e" does small jobs; choose another first: clew settings set model_small NAME`},
		{"DELETE", "f", "", 409, `The profile "f" is used by subtasks; choose another first: clew settings set model_subtasks NAME`},
		{"PATCH", "c", `{"provider":"nobody"}`, 422, "model_profiles c provider must be one of anthropic, openai, echo"},
		{"PATCH", "c", `{"provider":null}`, 422, "provider is missing; it is one of anthropic, openai, echo"},
		{"PATCH", "c", `{"model":null}`, 422, "model is missing: the name of one of the provider's models"},
		{"PATCH", "c", `{"colour":"red"}`, 422, "colour"},
		{"PATCH", "c", `{"api_key":7}`, 422, "api_key must be text"},
		{"PUT", "c", `{"model":"m"}`, 422, "provider is missing"},
		{"PUT", "no good", `{"provider":"echo"}`, 422, "must be a name of letters"},
		{"PUT", "new", `[]`, 422, ""},
		{"PATCH", "a", `{"fallback":["a"]}`, 422, "fallback names itself: a → a"},
		{"PATCH", "a", `{"fallback":["c","b"]}`, 422, "fallback names itself: a → b → a"},
		{"PATCH", "a", `{"fallback":["none"]}`, 422, `fallback of "a" names a profile that does not exist`},
	} {
		code := clew.SettingsInvalid
		if c.body == `[]` {
			code = clew.InvalidMessage
		}
		a := b.call(ownerToken, c.method, "/api/v1/model-profiles/"+strings.ReplaceAll(c.name, " ", "%20"), c.body).is(c.status, code)
		if !strings.Contains(a.message(), c.want) {
			t.Errorf("%s %s %s: %s", c.method, c.name, c.body, a.message())
		}
	}
	circle := `{"model_profiles":{"x":{"provider":"echo","fallback":["y"]},"y":{"provider":"echo","fallback":["x"]}}}`
	for _, a := range []answer{
		b.call(ownerToken, "PATCH", "/api/v1/settings", `{"settings":`+circle+`}`),
		b.call(ownerToken, "POST", "/api/v1/settings/import", circle),
	} {
		if a.is(http.StatusUnprocessableEntity, clew.SettingsInvalid); a.message() != "fallback names itself: x → y → x" {
			t.Error(a.raw)
		}
	}
	if after := b.call(ownerToken, "GET", "/api/v1/model-profiles", "").raw; after != before {
		t.Errorf("before %s after %s", before, after)
	}
}
