package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/clew-run/clew"
)

// An edited pattern is tried against the command that is asked about; nothing is
// recorded by that.
func TestCheckRule(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	check := func(token, session, request, pattern string) answer {
		return b.call(token, "POST", "/api/v1/rules/check", fmt.Sprintf(`{"session_id":%q,"request_id":%q,"pattern":%q}`, session, request, pattern))
	}
	check(ownerToken, "s1", "req_1", "go test *").is(http.StatusConflict, clew.HitlRequestExpired)
	b.sessions.question = &clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "req_1"}, Effect: &clew.Effect{Command: "go test ./..."},
	}}
	for pattern, want := range map[string][]any{
		"go test *":     {true, "go test something-else", "go test -exec x", nil, true},
		"go test ./...": {true, "go test ./...", "go test ./... something-else", nil, nil},
		"go vet *":      {false, "go vet something-else", "go vet -vettool=x", nil, true},
		"*":             {false, nil, nil, "a star alone covers nothing: say which command", nil},
	} {
		a := check(ownerToken, "s1", "req_1", pattern).is(http.StatusOK, "")
		for i, name := range []string{"covers", "match", "near_miss", "problem", "runs_workspace"} {
			if a.body[name] != want[i] {
				t.Errorf("%s: %s is %v, want %v", pattern, name, a.body[name], want[i])
			}
		}
	}
	check(b.key("eve", clew.RoleOwner), "s1", "req_1", "go test *").is(http.StatusNotFound, clew.SessionNotFound)
	if len(b.sessions.done) != 0 || b.sessions.open != 0 {
		t.Errorf("commands %v, %d views open", b.sessions.done, b.sessions.open)
	}
}

// Everybody sees and changes their own rules and permissions, and nobody else's.
func TestOwnRulesAndPermissions(t *testing.T) {
	b := newBench(t)
	get := func(token, dir string) answer { return b.call(token, "GET", "/api/v1/permissions?workspace="+dir, "") }
	if a := get(ownerToken, "/w").is(http.StatusOK, ""); a.body["chosen"] != "" || a.body["holds"] != "ask" {
		t.Errorf("%v", a.body)
	}
	get(ownerToken, "w").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ownerToken, "PUT", "/api/v1/permissions", `{"workspace":"/w","permissions":"edits"}`).is(http.StatusOK, "")
	b.call(ownerToken, "PUT", "/api/v1/permissions", `{"workspace":"w","permissions":"edits"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	if a := b.call(ownerToken, "PUT", "/api/v1/permissions", `{"workspace":"/w","permissions":"all"}`); a.status < 400 {
		t.Errorf("a preset that there is not: %d", a.status)
	}
	if a := get(ownerToken, "/w").is(http.StatusOK, ""); a.body["chosen"] != "edits" || a.body["holds"] != "edits" {
		t.Errorf("%v", a.body)
	}
	if a := b.call(ownerToken, "GET", "/api/v1/rules", "").is(http.StatusOK, ""); len(a.body["rules"].([]any)) != 0 {
		t.Errorf("%v", a.body)
	}
	b.call(ownerToken, "DELETE", "/api/v1/rules/req_1", "").is(http.StatusNotFound, clew.InvalidMessage)
}
