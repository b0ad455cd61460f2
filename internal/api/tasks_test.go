package api_test

import (
	"net/http"
	"testing"

	"github.com/clew-run/clew"
)

// A task is started in one request, and the same request starts no second one.
//
// Covers: G-06
func TestStartTask(t *testing.T) {
	b := newBench(t)
	ada, bob := b.key("ada", clew.RoleOwner), b.key("bob", clew.RoleOwner)
	body := `{"text":"sweep","mode":"chat","title":"T","client_message_id":"c-1"}`
	a := b.call(ada, "POST", "/api/v1/tasks", body).is(http.StatusCreated, "")
	id, _ := a.body["session_id"].(string)
	if a.body["task_id"] != "task_1" || a.body["client_message_id"] != "c-1" || b.sessions.owner[clew.SessionID(id)] != "ada" || b.sessions.title[clew.SessionID(id)] != "T" {
		t.Errorf("%s", a.raw)
	}
	if a := b.call(ada, "POST", "/api/v1/tasks", body).is(http.StatusCreated, ""); a.body["session_id"] != id {
		t.Errorf("a second session: %s", a.raw)
	}
	if a := b.call(bob, "POST", "/api/v1/tasks", body).is(http.StatusCreated, ""); a.body["session_id"] == id {
		t.Errorf("two people share a session: %s", a.raw)
	}
	b.call(b.key("eve", clew.RoleViewer), "POST", "/api/v1/tasks", body).is(http.StatusForbidden, clew.Forbidden)
	made := len(b.sessions.owner)
	b.call(ada, "POST", "/api/v1/tasks", `{}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ada, "POST", "/api/v1/tasks", `{"text":"x","client_message_id":"\u0007"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ada, "POST", "/api/v1/tasks", `{"txt":"x"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	if len(b.sessions.owner) != made {
		t.Error("a session was made for nothing")
	}
}
