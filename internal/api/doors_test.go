package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
)

// target fills a route's wildcards in.
func target(path string) string {
	return strings.NewReplacer("{id}", "s1", "{session_id}", "s1", "{user_id}", "bob", "{name}", "x", "{notebook_id}", "nb1", "{page...}", "x", "{$}", "", "{address}", strings.Repeat("a", 64)).Replace(path)
}

// Every route that is registered is closed without credentials, but for the
// few that are meant to be open.
//
// Covers: WS-102, WS-111
func TestEveryRouteNeedsCredentials(t *testing.T) {
	b := newBench(t)
	open := map[string]bool{"/healthz": true, "/readyz": true, "/openapi.json": true, "/asyncapi.json": true}
	for _, r := range b.api.Routes() {
		for _, token := range []string{"", "wrong", "clew_0123456789ab_" + strings.Repeat("x", 43)} {
			a := b.call(token, r.Method, target(r.Path), "")
			switch {
			case r.Open:
				if a.is(http.StatusOK, ""); !open[r.Path] && !r.Page {
					t.Errorf("%s %s is open", r.Method, r.Path)
				}
			case r.Own && token == "":
				a.is(http.StatusUnauthorized, "")
			case r.Own:
			case token == "":
				if a.is(http.StatusUnauthorized, clew.AuthRequired); a.header.Get("WWW-Authenticate") != "Bearer" {
					t.Error("WWW-Authenticate is missing")
				}
			default:
				a.is(http.StatusUnauthorized, clew.AuthFailed)
			}
		}
	}
	pages := 0
	for _, r := range b.api.Routes() {
		if r.Page {
			pages++
		}
	}
	if n := len(b.api.Routes()) - pages; n != 85 || pages != 20 {
		t.Errorf("%d routes and %d pages; is the walk complete?", n, pages)
	}
}

// No route is reached under a foreign name or from a foreign page, not even
// with the owner's token.
func TestEveryRouteChecksTheDoors(t *testing.T) {
	b := newBench(t)
	for _, r := range append(b.api.Routes(), api.Route{Method: "GET", Path: "/nowhere"}) {
		req := b.request(ownerToken, r.Method, target(r.Path), "")
		req.Host = "evil.test"
		b.serve(req).is(http.StatusForbidden, clew.Forbidden)
		for _, origin := range []string{"https://evil.test", "null", "https://clew.test.evil.test"} {
			req := b.request(ownerToken, r.Method, target(r.Path), "")
			req.Header.Set("Origin", origin)
			b.serve(req).is(http.StatusForbidden, clew.Forbidden)
		}
	}
	req := b.request(ownerToken, "GET", "/api/v1/sessions", "")
	req.Header.Set("Origin", "https://clew.test")
	b.serve(req).is(http.StatusOK, "")
}

// From outside nobody can tell which routes there are.
func TestUnknownRoutes(t *testing.T) {
	b := newBench(t)
	for _, r := range [][2]string{
		{"POST", "/"}, {"GET", "/assets/none.js"}, {"GET", "/index.html"}, {"GET", "/.keep"}, {"GET", "/s"}, {"GET", "/nowhere"}, {"GET", "/api/v1/nowhere"}, {"PATCH", "/api/v1/sessions"}, {"POST", "/healthz"},
		{"GET", "/api/v1/sessions/"}, {"GET", "//healthz"}, {"GET", "/api/v1/../v1/sessions"}, {"OPTIONS", "/api/v1/sessions"},
		{"GET", "/openapi.yaml"}, {"GET", "/docs"}, {"GET", "/schemas/x"},
	} {
		b.call("", r[0], r[1], "").is(http.StatusUnauthorized, clew.AuthRequired)
		b.call(ownerToken, r[0], r[1], "").is(http.StatusNotFound, clew.InvalidMessage)
	}
}

func TestOpenRoutes(t *testing.T) {
	b := newBench(t)
	b.call("", "GET", "/healthz", "").is(http.StatusOK, "")
	b.call("", "GET", "/readyz", "").is(http.StatusOK, "")
	if a := b.call("", "GET", "/asyncapi.json", ""); a.raw != `{"asyncapi":"3.0.0"}` {
		t.Error(a.raw)
	}
	b.ready = errCanary
	if a := b.call("", "GET", "/readyz", "").is(http.StatusServiceUnavailable, clew.Unavailable); strings.Contains(a.raw, "CANARY") {
		t.Errorf("tells why: %s", a.raw)
	}
	b.call("", "GET", "/healthz", "").is(http.StatusOK, "")
	if a := b.call(ownerToken, "GET", "/metrics", "").is(http.StatusOK, ""); a.raw != "figures 1\n" {
		t.Error(a.raw)
	}
	b.call(b.key("ada", clew.RoleOwner), "GET", "/metrics", "").is(http.StatusForbidden, clew.Forbidden)
}

// Covers: WS-110
func TestQueryToken(t *testing.T) {
	b := newBench(t)
	b.call("", "GET", "/api/v1/sessions?token="+ownerToken, "").is(http.StatusUnauthorized, clew.AuthRequired)
	b = newBench(t, func(o *api.Options) { o.AllowQueryToken = true })
	b.call("", "GET", "/api/v1/sessions?token="+ownerToken, "").is(http.StatusOK, "")
	b.call("", "GET", "/api/v1/sessions?token=x", "").is(http.StatusUnauthorized, clew.AuthFailed)
}

// An API that nobody guards is not made.
func TestNewRefusesHalfAnAPI(t *testing.T) {
	for _, o := range []api.Options{{}, {Sessions: &sessions{}}, {Auth: auth.Off{}}} {
		if _, err := api.New(o); err == nil {
			t.Errorf("made from %+v", o)
		}
	}
}

func TestAuthOff(t *testing.T) {
	b := newBench(t, func(o *api.Options) { o.Auth = auth.Off{} })
	b.call("", "POST", "/api/v1/sessions", `{"session_id":"s1"}`).is(http.StatusCreated, "")
	if b.sessions.owner["s1"] != auth.LocalUser {
		t.Errorf("owner is %q", b.sessions.owner["s1"])
	}
	req := b.request("", "GET", "/api/v1/sessions", "")
	req.Host = "evil.test"
	b.serve(req).is(http.StatusForbidden, clew.Forbidden)
}

// Covers: WS-114
func TestRateLimit(t *testing.T) {
	b := newBench(t, func(o *api.Options) { o.PerMinute = 3 })
	ada, bob := b.key("ada", clew.RoleOwner), b.key("bob", clew.RoleOwner)
	other := b.key("ada", clew.RoleViewer) // the limit is the user's, not the key's
	for range 3 {
		b.call(ada, "GET", "/api/v1/sessions", "").is(http.StatusOK, "")
	}
	a := b.call(other, "GET", "/api/v1/sessions", "").is(http.StatusTooManyRequests, clew.RateLimited)
	if a.header.Get("Retry-After") != "20" || a.body["error"].(map[string]any)["retry_after_ms"] != 20000.0 {
		t.Errorf("%v %s", a.header, a.raw)
	}
	b.call(bob, "GET", "/api/v1/sessions", "").is(http.StatusOK, "")
	b.now = b.now.Add(20 * time.Second)
	b.call(ada, "GET", "/api/v1/sessions", "").is(http.StatusOK, "")
}

// The log has a line per request, and no token, query or body in it.
func TestRequestLog(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["panics"] = "owner"
	b.call(ownerToken, "GET", "/api/v1/sessions/panics", "").is(http.StatusInternalServerError, clew.Internal)
	if b.sessions.open != 0 {
		t.Error("a panic left a view open")
	}
	b.call(ownerToken, "GET", "/api/v1/sessions?q=CANARY-query&token="+ownerToken, "").is(http.StatusOK, "")
	b.call("", "GET", "/CANARY-path?token="+ownerToken, "")
	b.call(ownerToken+"x", "GET", "/api/v1/sessions", "")
	b.call(ownerToken, "POST", "/api/v1/keys", `{"user":"ada","role":"CANARY-value"}`).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	a := b.call(ownerToken, "POST", "/api/v1/keys", `{"user":"ada"}`).is(http.StatusCreated, "")
	b.call(a.body["token"].(string), "GET", "/api/v1/keys", "").is(http.StatusForbidden, clew.Forbidden)
	out := strings.ReplaceAll(b.log.String(), "a fault with CANARY inside? no", "")
	if strings.Contains(out, "CANARY") || strings.Contains(out, a.body["token"].(string)[18:]) {
		t.Errorf("a secret is in the log:\n%s", out)
	}
	for _, want := range []string{
		`"route":"GET /api/v1/sessions/{id}","status":500`, `"method":"GET","route":"GET /api/v1/sessions","status":200`,
		`"user":"owner"`, `"panic in a request"`, `"code":"AUTH_FAILED"`, `"user":"ada","code":"FORBIDDEN"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in the log:\n%s", want, out)
		}
	}
	if n := strings.Count(out, `"msg":"request"`); n != 7 {
		t.Errorf("%d lines for 7 requests", n)
	}
}

// The socket's handler gets the connection itself, behind the door checks.
//
// Covers: WS-002
func TestWebSocketIsHandedOver(t *testing.T) {
	b := newBench(t, func(o *api.Options) {
		o.WebSocket = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, rw, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			_, _ = fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\n\r\nhello %s", r.PathValue("session_id"))
			_ = rw.Flush()
		})
	})
	srv := httptest.NewServer(b.api)
	defer srv.Close()
	say := func(host string) string {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "GET /ws/s1 HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host)
		all, _ := io.ReadAll(bufio.NewReader(conn))
		return string(all)
	}
	if got := say("clew.test"); !strings.HasSuffix(got, "hello s1") {
		t.Error(got)
	}
	if got := say("evil.test"); !strings.HasPrefix(got, "HTTP/1.1 403") {
		t.Error(got)
	}
}
