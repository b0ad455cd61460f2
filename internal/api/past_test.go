package api_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

// The routes that read what happened ask the session for exactly that, and a
// stranger learns nothing from them.
func TestWhatHappened(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	ada, bob := b.key("ada", clew.RoleViewer), b.key("bob", clew.RoleOwner)
	for _, c := range []struct {
		path, want string
		asked      any
	}{
		{"tools/call_1?message_id=msg_000000000002", `"input":{"n":1}`, []any{"call_1", clew.MessageID("msg_000000000002")}},
		{"timeline?from=1&to=9&hidden=true", `"label":"hello"`, view.TimelineQuery{FromTS: 1, ToTS: 9, Hidden: true}},
		{"timeline", `"total":1`, view.TimelineQuery{}},
		{"tasks", `"tasks":[{"id":"task_1"`, nil},
	} {
		b.sessions.asked = nil
		path := "/api/v1/sessions/s1/" + c.path
		if a := b.call(ada, "GET", path, "").is(http.StatusOK, ""); !strings.Contains(a.raw, c.want) || !reflect.DeepEqual(b.sessions.asked, c.asked) {
			t.Errorf("%s: asked %v, answered %s", c.path, b.sessions.asked, a.raw)
		}
		b.call(bob, "GET", path, "").is(http.StatusNotFound, clew.SessionNotFound)
	}
	for _, path := range []string{"tools/call_1", "tools/call_1?message_id=x", "timeline?from=-1", "timeline?to=x"} {
		b.call(ada, "GET", "/api/v1/sessions/s1/"+path, "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	if b.sessions.open != 0 {
		t.Error("a view was left open")
	}
}

func TestListFilters(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	b.sessions.owner["s1"], b.sessions.owner["s2"] = "ada", "bob"
	b.call(ada, "GET", "/api/v1/sessions?owner=*", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("everyone", clew.RoleOwner), "GET", "/api/v1/sessions?owner=*", "").is(http.StatusForbidden, clew.Forbidden)
	a := b.call(ownerToken, "GET", "/api/v1/sessions?owner=*&status=idle,executing", "").is(http.StatusOK, "")
	if l := b.sessions.listed; !l.Everyone || l.Owner != "" || !reflect.DeepEqual(l.Status, []string{"idle", "executing"}) {
		t.Errorf("%+v", l)
	}
	if list, _ := a.body["sessions"].([]any); len(list) != 2 {
		t.Error(a.raw)
	}
	for _, c := range []struct {
		query string
		want  view.PageQuery
	}{
		{"around=msg_000000000007&limit=9", view.PageQuery{Limit: 9, Around: "msg_000000000007"}},
		{"after=msg_000000000007", view.PageQuery{Limit: 50, After: "msg_000000000007"}},
		{"as_of=msg_000000000007&before=msg_000000000004", view.PageQuery{Limit: 50, AsOf: "msg_000000000007", Before: "msg_000000000004"}},
	} {
		b.call(ada, "GET", "/api/v1/sessions/s1/messages?"+c.query, "").is(http.StatusOK, "")
		if b.sessions.paged != c.want {
			t.Errorf("%s asks for %+v", c.query, b.sessions.paged)
		}
	}
}
