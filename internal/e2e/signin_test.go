package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// ticketFor has clew open make a ticket.
func ticketFor(t *testing.T, srv *proc) string {
	t.Helper()
	out, errs, code := srv.clew("open", "--no-open", "--json", "--server", srv.URL(), "--data", srv.Dir)
	var page struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal([]byte(out), &page); err != nil || code != 0 {
		t.Fatalf("clew open: %d %s %s", code, out, errs)
	}
	u, err := url.Parse(page.URL)
	if err != nil || !strings.HasPrefix(page.URL, srv.URL()+"/#") {
		t.Fatalf("%s, %v", page.URL, err)
	}
	ticket, ok := strings.CutPrefix(u.Fragment, "ticket=")
	if !ok {
		t.Fatal(page.URL)
	}
	return ticket
}

// enter signs a browser in and gives its cookie.
func enter(t *testing.T, srv *proc, body string) (cookie string) {
	t.Helper()
	r := srv.do(t, call{method: "POST", path: "/api/v1/sign-in", origin: srv.URL(), body: body})
	cookie, _, _ = strings.Cut(r.cookie, ";")
	if r.status != http.StatusOK || !strings.HasPrefix(cookie, "clew_") {
		t.Fatalf("%d %s %q", r.status, r.body, r.cookie)
	}
	return cookie
}

// dialAs connects as a page of the origin would, with its browser's cookie.
func dialAs(ctx context.Context, base, path, cookie, origin string) (*websocket.Conn, int, error) {
	h := http.Header{"Cookie": {cookie}}
	if origin != "" {
		h.Set("Origin", origin)
	}
	ws, resp, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+path, &websocket.DialOptions{HTTPHeader: h})
	status := 0
	if resp != nil {
		status = resp.StatusCode
	}
	return ws, status, err
}

// closedAs reads until the end and says how it came.
func closedAs(ctx context.Context, ws *websocket.Conn) (websocket.StatusCode, string) {
	for {
		if _, _, err := ws.Read(ctx); err != nil {
			var e websocket.CloseError
			errors.As(err, &e)
			return e.Code, e.Reason
		}
	}
}

// A ticket becomes a cookie, once; the cookie opens REST and the sockets for our
// own page and nobody else's; signing out closes what is open.
//
// Covers: WS-102, WS-110
func TestBrowserSignsInAndOut(t *testing.T) {
	srv := startServer(t, options{env: map[string]string{"AUTH_FIRST_MESSAGE": "false", "LOG_LEVEL": "debug"}})
	other := startServer(t, options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	id, err := client.NewAPI(srv.URL(), srv.ownerToken()).CreateSession(ctx, client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	ticket := ticketFor(t, srv)
	cookie := enter(t, srv, `{"ticket":"`+ticket+`"}`)
	if r := srv.do(t, call{method: "POST", path: "/api/v1/sign-in", body: `{"ticket":"` + ticket + `"}`}); r.code != clew.AuthFailed {
		t.Errorf("the ticket worked twice: %d %s", r.status, r.body)
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/me", cookie: cookie}); !strings.Contains(string(r.body), `"user_id":"owner","role":"admin"`) {
		t.Errorf("%d %s", r.status, r.body)
	}

	// Another server on this machine has a cookie of its own; both are sent to both.
	theirs := enter(t, other, `{"token":"`+other.ownerToken()+`"}`)
	both := cookie + "; " + theirs
	for _, p := range []*proc{srv, other} {
		if r := p.do(t, call{method: "GET", path: "/api/v1/me", cookie: both}); r.status != http.StatusOK {
			t.Errorf("with both cookies: %d %s", r.status, r.body)
		}
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/me", cookie: theirs}); r.code != clew.AuthRequired {
		t.Errorf("the other's cookie: %d %s", r.status, r.body)
	}
	if r := srv.do(t, call{method: "POST", path: "/api/v1/sessions", cookie: cookie, origin: other.URL(), body: "{}"}); r.status != http.StatusForbidden {
		t.Errorf("the other's page: %d %s", r.status, r.body)
	}
	if r := srv.do(t, call{method: "POST", path: "/api/v1/sessions", cookie: cookie, body: "{}"}); r.status != http.StatusForbidden {
		t.Errorf("nobody's page: %d %s", r.status, r.body)
	}
	if r := srv.do(t, call{method: "POST", path: "/api/v1/sessions", cookie: both, origin: srv.URL(), body: "{}"}); r.status != http.StatusCreated {
		t.Errorf("our page: %d %s", r.status, r.body)
	}

	paths := []string{"/ws/" + string(id), "/api/v1/inbox/feed"}
	var open []*websocket.Conn
	for _, path := range paths {
		for origin, want := range map[string]int{"": 403, other.URL(): 403, "null": 403} {
			if _, status, err := dialAs(ctx, srv.URL(), path, cookie, origin); err == nil || status != want {
				t.Errorf("%s from %q: %d", path, origin, status)
			}
		}
		if _, status, err := dialAs(ctx, srv.URL(), path, theirs, srv.URL()); err == nil || status != 401 {
			t.Errorf("%s with the other's cookie: %d", path, status)
		}
		ws, _, err := dialAs(ctx, srv.URL(), path, both, srv.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ws.CloseNow() }()
		if _, _, err := ws.Read(ctx); err != nil {
			t.Fatal(err)
		}
		open = append(open, ws)
	}
	if r := srv.do(t, call{method: "POST", path: "/api/v1/sign-out", cookie: cookie, origin: srv.URL()}); r.status != http.StatusNoContent || !strings.Contains(r.cookie, "Max-Age=0") {
		t.Errorf("sign-out: %d %s %q", r.status, r.body, r.cookie)
	}
	for i, ws := range open {
		if code, reason := closedAs(ctx, ws); code != websocket.StatusPolicyViolation || reason != string(clew.AuthFailed) {
			t.Errorf("%s was closed with %d %s", paths[i], code, reason)
		}
		if _, status, err := dialAs(ctx, srv.URL(), paths[i], cookie, srv.URL()); err == nil || status != 401 {
			t.Errorf("%s after signing out: %d", paths[i], status)
		}
	}
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(cookie, "=")
	for _, word := range []string{ticket, secret} {
		if strings.Contains(srv.Out.String(), word) {
			t.Error("a secret is in the log")
		}
		if path := findInFiles(t, srv.Dir, word); path != "" {
			t.Errorf("a secret stands in %s", path)
		}
	}
}

// A browser that was let in with a key goes when the key goes, and a restart
// keeps the others.
//
// Covers: WS-102
func TestSignInOutlivesARestartAndNotItsKey(t *testing.T) {
	srv := startServer(t, options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	key := makeKey(t, srv, "carol", clew.RoleOwner)
	cookie := enter(t, srv, `{"token":"`+key.Token+`"}`)
	owner := enter(t, srv, `{"token":"`+srv.ownerToken()+`"}`)
	srv.kill()
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	ws, _, err := dialAs(ctx, srv.URL(), "/api/v1/inbox/feed", cookie, srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	if r := srv.do(t, call{method: "DELETE", path: "/api/v1/keys/" + key.ID, cookie: owner, origin: srv.URL()}); r.status != http.StatusNoContent {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if code, reason := closedAs(ctx, ws); code != websocket.StatusPolicyViolation || reason != string(clew.AuthFailed) {
		t.Errorf("closed with %d %s", code, reason)
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/me", cookie: cookie}); r.code != clew.AuthFailed {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/me", cookie: owner}); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.body)
	}
}
