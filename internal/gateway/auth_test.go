package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/wire"
)

// Covers: WS-005, WS-110, C-26
func TestRefusedBeforeTheUpgrade(t *testing.T) {
	plain := http.Header{"Upgrade": nil, "Connection": nil}
	for _, tc := range []struct {
		name   string
		path   string
		token  string
		header http.Header
		first  bool // first-message auth
		query  bool
		status int // 0 = upgraded
	}{
		{"header", "/ws/s1", "ann", nil, false, false, 0},
		{"wrong header", "/ws/s1", "eve", nil, true, false, 401},
		{"other scheme", "/ws/s1", "", http.Header{"Authorization": {"Basic YTpi"}}, true, false, 401},
		{"none, first message off", "/ws/s1", "", nil, false, false, 401},
		{"none, first message on", "/ws/s1", "", nil, true, false, 0},
		{"query allowed", "/ws/s1?token=ann", "", nil, false, true, 0},
		{"query not allowed", "/ws/s1?token=ann", "", nil, false, false, 401},
		{"wrong query", "/ws/s1?token=eve", "", nil, true, true, 401},
		{"foreign origin", "/ws/s1", "ann", http.Header{"Origin": {"https://evil.example"}}, true, false, 403},
		{"null origin", "/ws/s1", "ann", http.Header{"Origin": {"null"}}, true, false, 403},
		{"foreign host", "/ws/s1", "ann", http.Header{"Host": {"evil.example"}}, true, false, 403},
		{"foreign origin, no token", "/ws/s1", "", http.Header{"Origin": {"https://evil.example"}}, true, false, 403},
		{"plain request, no token", "/ws/s1", "", plain, true, false, 401},
		{"plain request", "/ws/s1", "ann", plain, true, false, 426},
		{"bad session id", "/ws/s%201", "ann", nil, true, false, 400},
		{"bad client id", "/ws/s1?client_id=%2f", "ann", nil, true, false, 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.FirstMessageAuth, o.AllowQueryToken = tc.first, tc.query })
			r.host.add("s1", "ann")
			_, no := r.request(tc.path, tc.token, tc.header)
			status := 0
			if no != nil {
				status = no.status
				if !strings.Contains(no.body, `"code"`) {
					t.Errorf("body %s", no.body)
				}
			}
			if status != tc.status {
				t.Errorf("status %d, want %d", status, tc.status)
			}
		})
	}
}

// Covers: WS-006, WS-110, C-26, G-01
func TestFirstMessageAuth(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.connect("/ws/s1", "")
	p.command(clew.CommandUserMessage, "m1", `{"text":"hi"}`)
	p.expectError(clew.AuthRequired)
	p.send(`{"type":"auth","data":{"token":"ann"}}`)
	m := p.expect(clew.EventAuthResult)
	if m.field("ok") != true || m.field("user_id") != "ann" || m.field("role") != "owner" {
		t.Errorf("auth_result %s", m.raw)
	}
	p.expect(clew.EventSessionState)
	p.expect(clew.EventSyncComplete)
	if n := r.g.Counters.Waiting.Load(); n != 0 {
		t.Errorf("%d waiting", n)
	}
	if len(r.host.commands()) != 0 {
		t.Error("a command was carried out before authentication")
	}

	p.send(`{"type":"auth","data":{"token":"ann"}}`)
	if m := p.expect(clew.EventAuthResult); m.field("ok") != true {
		t.Errorf("second auth_result %s", m.raw)
	}
	p.send(`{"type":"auth","data":{"token":"bob"}}`)
	if m := p.expect(clew.EventAuthResult); m.field("ok") == true {
		t.Errorf("another user's token: %s", m.raw)
	}
}

// Covers: WS-102, C-26, G-01
func TestFirstMessageAuthFails(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.connect("/ws/s1", "")
	p.send(`{"type":"auth","data":{"token":"canary-token"}}`)
	m := p.expect(clew.EventAuthResult)
	if m.field("ok") != false || m.field("code") != string(clew.AuthFailed) || m.field("number") != 2002.0 {
		t.Errorf("auth_result %s", m.raw)
	}
	p.expectClose(wire.ClosePolicy, string(clew.AuthFailed))
	r.noSecrets("canary-token")

	p = r.connect("/ws/s2", "")
	p.send(`{"type":"auth","data":{"token":"ann"}}`)
	p.expect(clew.EventAuthResult)
	p.expectError(clew.SessionNotFound)
	p.expectClose(wire.ClosePolicy, string(clew.SessionNotFound))
}

// Covers: C-26, G-17
func TestUnauthenticatedLimits(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.AuthPerAddress = 2 })
	r.host.add("s1", "ann")
	p := r.connect("/ws/s1", "")
	q := r.connect("/ws/s1", "")
	if _, no := r.request("/ws/s1", "", nil); no == nil || no.status != 429 {
		t.Errorf("third socket: %+v", no)
	}
	r.join("/ws/s1", "ann") // credentials are not held up by those without
	p.send(`{"type":"auth","data":{"token":"ann"}}`)
	p.expect(clew.EventAuthResult)
	r.connect("/ws/s1", "") // its place is free again
	q.write(ws.NewTextFrame(make([]byte, 5000)))
	q.expectClose(wire.CloseTooLarge, string(clew.MessageTooLarge))
}

// Covers: C-26, WS-102
func TestAuthTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		start := time.Now()
		p := r.connect("/ws/s1", "")
		p.expectError(clew.AuthRequired)
		p.expectClose(wire.ClosePolicy, string(clew.AuthRequired))
		if d := time.Since(start); d < 10*time.Second || d > 12*time.Second {
			t.Errorf("closed after %v", d)
		}
	})
}

// Covers: WS-111, WS-139, C-32
func TestUnknownSession(t *testing.T) {
	for _, tc := range []struct {
		create bool
		query  string
		made   bool
	}{
		{false, "", false},
		{true, "", true},
		{true, "?resume_from=start", false},
	} {
		t.Run(fmt.Sprintf("create=%v%s", tc.create, tc.query), func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.CreateOnConnect = tc.create })
			p := r.connect("/ws/test_session"+tc.query, "ann")
			if tc.made {
				p.expect(clew.EventSessionState)
				if s := r.host.get("test_session"); s == nil || s.owner != "ann" {
					t.Error("the session does not belong to the caller")
				}
				return
			}
			p.expectError(clew.SessionNotFound)
			p.expectClose(wire.ClosePolicy, string(clew.SessionNotFound))
		})
	}
}

// Covers: WS-111, WS-112, WS-113
func TestRights(t *testing.T) {
	const say, answer = `{"text":"hi"}`, `{"request_id":"q1","value":"x"}`
	for _, tc := range []struct {
		token, typ, data string
		allowed          bool
	}{
		{"ann", "user_message", say, true},
		{"ann", "hitl_input_response", answer, true},
		{"approver", "user_message", say, false},
		{"approver", "hitl_input_response", answer, true},
		{"viewer", "user_message", say, false},
		{"viewer", "hitl_input_response", answer, false},
		{"root", "user_message", say, false},
		{"root", "hitl_input_response", answer, false},
	} {
		t.Run(tc.token+"/"+tc.typ, func(t *testing.T) {
			r := newRig(t, nil)
			s := r.host.add("s1", "ann")
			for _, role := range []clew.Role{clew.RoleApprover, clew.RoleViewer} {
				s.roles[clew.UserID(role)] = role
				r.auth.allow(string(role), clew.Principal{User: clew.UserID(role), Role: clew.RoleOwner})
			}
			p := r.join("/ws/s1", tc.token)
			p.command(clew.CommandType(tc.typ), "m1", tc.data)
			p.command(clew.CommandGetState, "m2", `{}`)
			m, err := p.next()
			if err != nil {
				t.Fatal(err)
			}
			if refused := m.field("code") == string(clew.Forbidden); refused == tc.allowed {
				t.Errorf("got %s", m.raw)
			}
			if n := len(r.host.commands()); (n == 1) != tc.allowed {
				t.Errorf("%d commands carried out", n)
			}
		})
	}
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.connect("/ws/s1", "bob") // a stranger learns nothing
	p.expectError(clew.SessionNotFound)
}

// Covers: WS-102
func TestTokenExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newPipeRig(t, nil)
		r.host.add("s1", "ann")
		expires := func(d time.Duration) int64 { return time.Now().Add(d).UnixMilli() }
		r.auth.allow("short", clew.Principal{User: "ann", Role: clew.RoleOwner, ExpiresMS: expires(5 * time.Second)})
		r.auth.allow("longer", clew.Principal{User: "ann", Role: clew.RoleOwner, ExpiresMS: expires(10 * time.Second)})
		start := time.Now()
		p := r.join("/ws/s1", "short")
		q := r.join("/ws/s1", "short")
		q.send(`{"type":"auth","data":{"token":"longer"}}`)
		q.expect(clew.EventAuthResult)
		p.expectClose(wire.ClosePolicy, string(clew.TokenExpired))
		if d := time.Since(start); d < 5*time.Second || d > 7*time.Second {
			t.Errorf("closed after %v", d)
		}
		q.expectClose(wire.ClosePolicy, string(clew.TokenExpired))
		if d := time.Since(start); d < 10*time.Second || d > 12*time.Second {
			t.Errorf("renewed one closed after %v", d)
		}
	})
}

// Covers: WS-102, WS-111
func TestRevokedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock counts no load of the machine
		r := newPipeRig(t, nil)
		r.host.add("s1", "ann")
		p := r.join("/ws/s1?client_id=a", "annkey")
		q := r.join("/ws/s1?client_id=b", "ann")
		start := time.Now()
		r.auth.revoke("k1")
		p.expectClose(wire.ClosePolicy, string(clew.AuthFailed))
		if d := time.Since(start); d > time.Second {
			t.Errorf("closed after %v", d)
		}
		q.command(clew.CommandGetState, "m1", "{}")
		q.expect(clew.EventSessionState)

		// Authenticated just before, filed just after the revocation.
		late := r.connect("/ws/s1?client_id=c", "annkey")
		late.expectClose(wire.ClosePolicy, string(clew.AuthFailed))
	})
}

// Covers: WS-114
func TestConnectRate(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.ConnectsPerMinute, o.Limits.LocalConnectsPerMinute = 2, 4 })
	r.auth.allow("owner", clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin})
	r.host.add("s1", "ann")
	for _, tc := range []struct {
		token string
		n     int
	}{{"ann", 2}, {"root", 2}, {"owner", 4}} {
		for range tc.n {
			r.join("/ws/s1", tc.token)
		}
		_, no := r.request("/ws/s1", tc.token, nil)
		if no == nil || no.status != 429 || no.header.Get("Retry-After") == "" {
			t.Errorf("%s: %+v", tc.token, no)
		}
	}
	p := r.connect("/ws/s1", "") // first-message auth is no way around it
	p.send(`{"type":"auth","data":{"token":"ann"}}`)
	p.expect(clew.EventAuthResult)
	p.expectClose(wire.ClosePolicy, string(clew.RateLimited))
}

// A page cannot read the status of a refused upgrade, so it is told on a
// connection, with how long to wait.
// Covers: WS-114
func TestConnectRateOfBrowsers(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Limits.ConnectsPerMinute = 1
		o.Credentials = func(r *http.Request) (auth.Credentials, error) {
			c, err := auth.CredentialsOf(r, false)
			c.Cookie = true
			return c, err
		}
	})
	r.host.add("s1", "ann")
	r.join("/ws/s1", "ann")
	for _, path := range []string{"/ws/s1", "/listen"} {
		p := r.connect(path, "ann")
		if m := p.expectError(clew.RateLimited); !strings.Contains(string(m.raw), `"retry_after_ms":`) {
			t.Errorf("%s: %s", path, m.raw)
		}
		p.expectClose(wire.ClosePolicy, string(clew.RateLimited))
	}
}

// Access that is taken back ends the connection; access that is changed counts
// from then on.
// Covers: WS-111, WS-112
func TestAccessChanges(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.roles["bob"] = clew.RoleViewer
	p := r.join("/ws/s1", "bob")
	s.grant("bob", clew.RoleApprover)
	p.records(1, 1)
	waitFor(t, func() bool {
		p.command(clew.CommandHitlInputResponse, "m1", `{"request_id":"q1","value":"x"}`)
		p.command(clew.CommandGetState, "", `{}`)
		p.until(clew.EventSessionState)
		return len(r.host.commands()) > 0
	})
	s.grant("bob", clew.RoleNone)
	p.records(2, 2)
	p.expectError(clew.SessionNotFound)
	p.expectClose(wire.ClosePolicy, string(clew.SessionNotFound))
}
