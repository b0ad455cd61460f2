package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// Covers: G-05
func TestCreateAndRead(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	a := b.call(ada, "POST", "/api/v1/sessions", `{"title":"T","workspace":"/w"}`).is(http.StatusCreated, "")
	id, _ := a.body["session_id"].(string)
	if len(a.body) != 1 || b.sessions.owner[clew.SessionID(id)] != "ada" {
		t.Fatalf("%s", a.raw)
	}
	b.call(ada, "POST", "/api/v1/sessions", `{"session_id":"mine"}`).is(http.StatusCreated, "")
	b.call(ada, "POST", "/api/v1/sessions", `{"session_id":"mine"}`).is(http.StatusConflict, clew.SessionExists)
	b.call(ada, "POST", "/api/v1/sessions", `{}`).is(http.StatusCreated, "")
	b.call(ada, "POST", "/api/v1/sessions", "").is(http.StatusCreated, "")

	a = b.call(ada, "GET", "/api/v1/sessions/"+id, "").is(http.StatusOK, "")
	want := map[string]any{
		"session_id": id, "status": "idle", "owner": "ada", "workspace": "/w", "title": "T", "last_message_id": "msg_000000000003",
		"epoch": "e1", "role": "owner", "runs": []any{},
		"usage": map[string]any{"tokens_in": 0.0, "tokens_out": 0.0, "cache_writes": 0.0, "cache_reads": 0.0, "cost_usd": 0.0},
	}
	if !reflect.DeepEqual(a.body, want) {
		t.Errorf("got %v\nwant %v", a.body, want)
	}
	if b.sessions.open != 0 {
		t.Error("a view was left open")
	}
}

// Only whoever runs the server hands a terminal's environment to commands, and
// only names on the list pass.
func TestEnvironmentOfATerminal(t *testing.T) {
	b := newBench(t)
	body := `{"environment":{"PATH":"/home/ada/go/bin","GOFLAGS":"-v","GITHUB_TOKEN":"secret","LD_PRELOAD":"/x.so","GOPRIVATE":"https://me@host"}}`
	b.call(ownerToken, "POST", "/api/v1/sessions", body).is(http.StatusCreated, "")
	if want := map[string]string{"PATH": "/home/ada/go/bin", "GOFLAGS": "-v"}; !reflect.DeepEqual(b.sessions.environment, want) {
		t.Errorf("passed: %v", b.sessions.environment)
	}
	b.call(b.key("ada", clew.RoleOwner), "POST", "/api/v1/sessions", body).is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("ada", clew.RoleAdmin), "POST", "/api/v1/sessions", body).is(http.StatusForbidden, clew.Forbidden)
}

func TestBadBodies(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	first := "msg_000000000001"
	for _, body := range []string{
		`{`, `[]`, `"x"`, `{"session_id":7}`, `{"session_id":"a b"}`, `{"session_id":"../x"}`, `{"nope":1}`,
		`{"session_id":"` + strings.Repeat("x", 129) + `"}`,
	} {
		b.call(ownerToken, "POST", "/api/v1/sessions", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	form := b.request(ownerToken, "POST", "/api/v1/sessions", "{}")
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	b.serve(form).is(http.StatusUnsupportedMediaType, clew.InvalidMessage)
	big := `{"title":"` + strings.Repeat("x", 1<<20) + `"}`
	b.call(ownerToken, "POST", "/api/v1/sessions", big).is(http.StatusRequestEntityTooLarge, clew.MessageTooLarge)
	b.call(ownerToken, "POST", "/api/v1/sessions/s1/commands", big).is(http.StatusRequestEntityTooLarge, clew.MessageTooLarge)
	for _, q := range []string{"limit=0", "limit=201", "limit=x", "owner=a%20b", "status=lazy", "status=idle,"} {
		b.call(ownerToken, "GET", "/api/v1/sessions?"+q, "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	for _, q := range []string{"limit=0", "limit=1001", "offset=-1", "before=x", "before=msg_1", "as_of=x", "after=" + first + "&before=" + first, "around=" + first + "&offset=1"} {
		b.call(ownerToken, "GET", "/api/v1/sessions/s1/messages?"+q, "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	if b.sessions.open != 0 {
		t.Error("a view was left open")
	}
}

// Covers: WS-113
func TestList(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	b.sessions.owner["s1"], b.sessions.owner["s2"] = "ada", "bob"
	a := b.call(ada, "GET", "/api/v1/sessions?limit=7&cursor=c&q=x", "").is(http.StatusOK, "")
	if l := b.sessions.listed; l.Owner != "ada" || l.Q != "x" || l.Cursor != "c" || l.Limit != 7 {
		t.Errorf("%+v", l)
	}
	list, _ := a.body["sessions"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["session_id"] != "s1" || a.body["next"] != "more" {
		t.Error(a.raw)
	}
	b.call(ada, "GET", "/api/v1/sessions?owner=ada", "").is(http.StatusOK, "")
	b.call(ada, "GET", "/api/v1/sessions?owner=bob", "").is(http.StatusForbidden, clew.Forbidden)
	b.call(ownerToken, "GET", "/api/v1/sessions?owner=bob", "").is(http.StatusOK, "")
	if b.sessions.listed.Owner != "bob" || b.sessions.listed.Limit != 50 {
		t.Errorf("%+v", b.sessions.listed)
	}
	if a := b.call(ownerToken, "GET", "/api/v1/sessions", ""); !strings.Contains(a.raw, `"sessions":[]`) {
		t.Errorf("an empty list is not a list: %s", a.raw)
	}
}

// Covers: C-65
func TestMessages(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	a := b.call(ownerToken, "GET", "/api/v1/sessions/s1/messages?limit=2&offset=3&before=msg_000000000009", "").is(http.StatusOK, "")
	if p := b.sessions.paged; p.Limit != 2 || p.Offset != 3 || p.Before != "msg_000000000009" {
		t.Errorf("%+v", p)
	}
	list, _ := a.body["messages"].([]any)
	if len(list) != 1 || a.body["total"] != 5.0 || a.body["next"] != "msg_000000000002" || b.sessions.open != 0 {
		t.Error(a.raw)
	}
}

// Who may do what: the caller's role in the session against what the catalogue
// asks for, for every command there is.
//
// Covers: WS-111, WS-112, WS-113
func TestRights(t *testing.T) {
	b := newBench(t, noLimit)
	b.sessions.owner["s1"] = "ada"
	b.sessions.access["s1"] = map[clew.UserID]clew.Role{"val": clew.RoleViewer, "app": clew.RoleApprover, "adm": clew.RoleApprover}
	callers := []struct {
		name  string
		token string
		role  clew.Role // what the caller counts as; "" sees no session
	}{
		{"owner", b.key("ada", clew.RoleOwner), clew.RoleOwner},
		{"owner with an approver's key", b.key("ada", clew.RoleApprover), clew.RoleApprover},
		{"owner with a viewer's key", b.key("ada", clew.RoleViewer), clew.RoleViewer},
		{"owner who is an administrator", b.key("ada", clew.RoleAdmin), clew.RoleOwner},
		{"approver", b.key("app", clew.RoleOwner), clew.RoleApprover},
		{"approver with a viewer's key", b.key("app", clew.RoleViewer), clew.RoleViewer},
		{"viewer", b.key("val", clew.RoleOwner), clew.RoleViewer},
		{"viewer with an approver's key", b.key("val", clew.RoleApprover), clew.RoleViewer},
		{"administrator", ownerToken, clew.RoleViewer},
		{"administrator who is an approver", b.key("adm", clew.RoleAdmin), clew.RoleApprover},
		{"stranger", b.key("eve", clew.RoleOwner), ""},
	}
	connection := map[clew.CommandType]bool{"auth": true, "pong": true, "get_state": true, "get_messages": true, "subscribe_monitor": true}
	valid := map[clew.CommandType]string{
		clew.CommandUserMessage:          `{"text":"hi"}`,
		clew.CommandHitlApprovalResponse: `{"request_id":"hitl_1","action":"approve"}`,
	}
	taken := map[clew.Role]int{}
	for _, c := range callers {
		for _, info := range clew.Commands {
			b.sessions.done = nil
			data, err := json.Marshal(info.Data)
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := valid[info.Type]; ok {
				data = []byte(v)
			}
			a := b.call(c.token, "POST", "/api/v1/sessions/s1/commands", fmt.Sprintf(`{"type":%q,"data":%s}`, info.Type, data))
			name := c.name + " sends " + string(info.Type)
			switch {
			case c.role == "":
				a.is(http.StatusNotFound, clew.SessionNotFound)
			case !info.Allows(c.role):
				a.is(http.StatusForbidden, clew.Forbidden)
			case connection[info.Type]:
				a.is(http.StatusUnprocessableEntity, clew.InvalidMessage)
			case a.status == http.StatusOK && len(b.sessions.done) == 1:
				taken[c.role]++
				continue
			case a.status != http.StatusUnprocessableEntity: // a data struct that is empty may not be valid
				t.Errorf("%s: %s", name, a.raw)
			}
			if len(b.sessions.done) != 0 {
				t.Errorf("%s: was done", name)
			}
		}
		for _, path := range []string{"/api/v1/sessions/s1", "/api/v1/sessions/s1/messages"} {
			if a := b.call(c.token, "GET", path, ""); c.role == "" {
				a.is(http.StatusNotFound, clew.SessionNotFound)
			} else {
				a.is(http.StatusOK, "")
			}
		}
	}
	t.Logf("taken by role: %v", taken)
	if taken[clew.RoleOwner] < 20 || taken[clew.RoleApprover] == 0 {
		t.Errorf("too few commands were taken to tell: %v", taken)
	}
}

// A foreign session and one that does not exist look the same.
//
// Covers: WS-111
func TestForeignSession(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["theirs"] = "bob"
	ada := b.key("ada", clew.RoleOwner)
	for _, r := range [][3]string{
		{"GET", "/api/v1/sessions/%s", ""}, {"GET", "/api/v1/sessions/%s/messages?before=bad", ""},
		{"POST", "/api/v1/sessions/%s/commands", "not JSON"}, {"PUT", "/api/v1/sessions/%s/access/eve", `{"role":"viewer"}`},
	} {
		theirs := b.call(ada, r[0], fmt.Sprintf(r[1], "theirs"), r[2]).is(http.StatusNotFound, clew.SessionNotFound)
		none := b.call(ada, r[0], fmt.Sprintf(r[1], "none"), r[2])
		odd := b.call(ada, r[0], fmt.Sprintf(r[1], "a%20b"), r[2])
		if theirs.raw != none.raw || theirs.raw != odd.raw {
			t.Errorf("%s, %s, %s", theirs.raw, none.raw, odd.raw)
		}
	}
}

// Covers: WS-106
func TestCommand(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	send := func(body string) answer { return b.call(ownerToken, "POST", "/api/v1/sessions/s1/commands", body) }
	a := send(`{"type":"user_message","message_id":"c1","data":{"text":"hi"}}`).is(http.StatusOK, "")
	if a.raw != `{"client_message_id":"c1","records":["msg_000000000007"]}`+"\n" {
		t.Errorf("%s", a.raw)
	}
	cmd := b.sessions.done[0]
	if cmd.By != (clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}) || cmd.Data.(*clew.UserMessageData).Text != "hi" {
		t.Errorf("%+v", cmd)
	}
	for _, bad := range []string{`{`, `{}`, `{"type":"nope"}`, `{"type":"user_message","session_id":"s2","data":{"text":"x"}}`, `{"type":"pong"}`} {
		send(bad).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	for _, c := range clew.Codes {
		b.sessions.fail = clew.WrapError(c.Code, errCanary, "it failed")
		a := send(`{"type":"user_message","data":{"text":"hi"}}`)
		a.is(a.status, c.Code)
		if a.status < 401 || strings.Contains(a.raw, "CANARY") {
			t.Errorf("%s: %d %s", c.Code, a.status, a.raw)
		}
	}
	b.sessions.fail = errCanary // no *clew.Error at all
	if a := send(`{"type":"user_message","data":{"text":"hi"}}`).is(http.StatusInternalServerError, clew.Internal); strings.Contains(a.raw, "CANARY") {
		t.Error(a.raw)
	}
	if !strings.Contains(b.log.String(), `"cause":"CANARY-cause"`) {
		t.Error("the cause is not in the log")
	}
	b.sessions.fail = &clew.Error{Code: clew.RateLimited, Message: "slowly", RetryAfterMS: 1500}
	if a := send(`{"type":"user_message","data":{"text":"hi"}}`).is(http.StatusTooManyRequests, clew.RateLimited); a.header.Get("Retry-After") != "2" {
		t.Error(a.header)
	}
}

// A command that nobody can take now is refused after a while.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sessions.owner["hangs"] = "owner"
		start := time.Now()
		b.call(ownerToken, "POST", "/api/v1/sessions/hangs/commands", `{"type":"user_message","data":{"text":"hi"}}`).
			is(http.StatusServiceUnavailable, clew.Unavailable)
		if d := time.Since(start); d != 15*time.Second {
			t.Errorf("after %v", d)
		}
	})
}

// Covers: WS-112
func TestSetAccess(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "ada"
	ada := b.key("ada", clew.RoleOwner)
	for _, role := range []string{"viewer", "approver", ""} {
		b.call(ada, "PUT", "/api/v1/sessions/s1/access/bob", `{"role":"`+role+`"}`).is(http.StatusOK, "")
		last := b.sessions.done[len(b.sessions.done)-1]
		if d := last.Data.(*clew.SetAccessData); d.UserID != "bob" || string(d.Role) != role || last.By.User != "ada" {
			t.Errorf("%+v", last)
		}
	}
	for _, role := range []string{"owner", "admin", "root"} {
		b.call(ada, "PUT", "/api/v1/sessions/s1/access/bob", `{"role":"`+role+`"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	b.call(ada, "PUT", "/api/v1/sessions/s1/access/a%20b", `{"role":"viewer"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(ownerToken, "PUT", "/api/v1/sessions/s1/access/bob", `{"role":"viewer"}`).is(http.StatusForbidden, clew.Forbidden)
}

func TestOnlyOrdinaryKeysMakeSessions(t *testing.T) {
	b := newBench(t)
	for role, status := range map[clew.Role]int{
		clew.RoleAdmin: http.StatusCreated, clew.RoleOwner: http.StatusCreated,
		clew.RoleApprover: http.StatusForbidden, clew.RoleViewer: http.StatusForbidden,
	} {
		if a := b.call(b.key("ada", role), "POST", "/api/v1/sessions", `{}`); a.status != status {
			t.Errorf("%s: %s", role, a.raw)
		}
	}
}
