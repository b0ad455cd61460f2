package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
)

// A browser calls from the server's own page, with the cookie it was given.
type browser struct {
	b      *bench
	cookie string // NAME=VALUE
}

// signIn gives a browser that has signed in with the body.
func (b *bench) signIn(body string) *browser {
	b.t.Helper()
	br := &browser{b: b}
	a := br.call("POST", "/api/v1/sign-in", body).is(http.StatusOK, "")
	br.cookie, _, _ = strings.Cut(a.header.Get("Set-Cookie"), ";")
	if !strings.HasPrefix(br.cookie, "clew_test=clew_") {
		b.t.Fatalf("cookie %q", a.header.Get("Set-Cookie"))
	}
	return br
}

func (br *browser) request(method, target, body string) *http.Request {
	r := br.b.request("", method, target, body)
	r.Header.Set("Origin", "https://clew.test")
	if br.cookie != "" {
		r.Header.Set("Cookie", br.cookie)
	}
	return r
}

func (br *browser) call(method, target, body string) answer {
	br.b.t.Helper()
	return br.b.serve(br.request(method, target, body))
}

// Covers: WS-102
func TestSignIn(t *testing.T) {
	b := newBench(t)
	br := b.signIn(`{"token":"` + ownerToken + `"}`)
	a := br.call("GET", "/api/v1/me", "").is(http.StatusOK, "")
	if a.body["user_id"] != "owner" || a.body["role"] != "admin" || a.body["auth"] != "on" || a.body["version"] != "1.2.3" ||
		a.body["server_time_ms"] != float64(b.now.UnixMilli()) || a.body["expires_ms"] != float64(b.now.Add(30*24*time.Hour).UnixMilli()) || a.body["key_id"] == "" {
		t.Error(a.raw)
	}
	br.call("POST", "/api/v1/sessions", `{"session_id":"s1"}`).is(http.StatusCreated, "")
	br.call("GET", "/api/v1/sessions/s1", "").is(http.StatusOK, "")
	b.blobs[reportBlob] = []byte("<p>")
	br.call("GET", "/reports/s1/run_1/report.html", "").is(http.StatusOK, "")

	again := br.call("POST", "/api/v1/sign-in", `{"token":"`+ownerToken+`"}`).is(http.StatusOK, "")
	if again.header.Get("Set-Cookie") != "" || again.body["user_id"] != "owner" {
		t.Errorf("signed in twice: %v %s", again.header, again.raw)
	}

	viewer := b.signIn(`{"token":"` + b.key("ada", clew.RoleViewer) + `"}`)
	if a := viewer.call("GET", "/api/v1/me", "").is(http.StatusOK, ""); a.body["user_id"] != "ada" || a.body["role"] != "viewer" || a.body["expires_ms"] == nil {
		t.Error(a.raw)
	}
	viewer.call("GET", "/api/v1/keys", "").is(http.StatusForbidden, clew.Forbidden)

	none := &browser{b: b}
	for body, want := range map[string]clew.Code{
		"": clew.AuthRequired, "{}": clew.AuthRequired, `{"token":"x"}`: clew.AuthFailed, `{"ticket":"x"}`: clew.AuthFailed,
		`{"token":"x","ticket":"y"}`: clew.InvalidMessage, `{`: clew.InvalidMessage, `{"token":5}`: clew.InvalidMessage,
		`{"token":"` + strings.Repeat("x", 17<<10) + `"}`: clew.MessageTooLarge,
	} {
		if a := none.call("POST", "/api/v1/sign-in", body); a.header.Get("Set-Cookie") != "" || !strings.Contains(a.raw, string(want)) || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%.30s: %d %s", body, a.status, a.raw)
		}
	}
	if out := b.log.String(); strings.Contains(out, "CANARY") || strings.Contains(out, br.cookie[30:]) {
		t.Errorf("a secret is in the log:\n%s", out)
	}
}

// A request that rests on a cookie is refused unless our own page makes it, and
// so is a cookie that does not hold, on every route.
//
// Covers: WS-102, WS-110
func TestCookieFromElsewhere(t *testing.T) {
	b := newBench(t)
	br := b.signIn(`{"token":"` + ownerToken + `"}`)
	b.call(ownerToken, "POST", "/api/v1/sessions", `{"session_id":"s1"}`).is(http.StatusCreated, "")
	for _, route := range b.api.Routes() {
		if route.Method == "GET" || route.Path == "/api/v1/sign-in" {
			continue
		}
		for name, set := range map[string]func(http.Header){
			"no origin":       func(h http.Header) { h.Del("Origin") },
			"a neighbour":     func(h http.Header) { h.Set("Origin", "https://clew.test:9999") },
			"a stranger":      func(h http.Header) { h.Set("Origin", "https://evil.test") },
			"the same site":   func(h http.Header) { h.Del("Origin"); h.Set("Sec-Fetch-Site", "same-site") },
			"a typed address": func(h http.Header) { h.Del("Origin"); h.Set("Sec-Fetch-Site", "none") },
		} {
			r := br.request(route.Method, target(route.Path), "{}")
			set(r.Header)
			if a := b.serve(r); a.status != http.StatusForbidden {
				t.Errorf("%s %s, %s: %d %s", route.Method, route.Path, name, a.status, a.raw)
			}
		}
	}
	r := br.request("POST", "/api/v1/tickets", "")
	r.Header.Del("Origin")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	b.serve(r).is(http.StatusOK, "")

	r = br.request("GET", "/api/v1/me", "")
	r.Header.Set("Authorization", "Bearer wrong")
	b.serve(r).is(http.StatusUnauthorized, clew.AuthFailed)
	other := &browser{b: b, cookie: strings.Replace(br.cookie, "clew_test", "clew_other", 1)}
	other.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthRequired)
	foreign := newBench(t).signIn(`{"token":"` + ownerToken + `"}`)
	foreign.b = b // the cookie of a server of the same name
	foreign.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthFailed)
	none := newBench(t, func(o *api.Options) { o.Cookies = nil })
	br.b = none
	br.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthRequired)
	br.call("POST", "/api/v1/sign-in", `{"token":"`+ownerToken+`"}`).is(http.StatusServiceUnavailable, clew.Unavailable)
}

// A page of another origin that may call the server cannot have a browser sign in,
// or people would work as somebody else without knowing.
func TestSignInFromAnotherPage(t *testing.T) {
	b := newBench(t, func(o *api.Options) { o.Doors.Origins = append(o.Doors.Origins, "https://friend.test") })
	r := (&browser{b: b}).request("POST", "/api/v1/sign-in", `{"token":"`+ownerToken+`"}`)
	r.Header.Set("Origin", "https://friend.test")
	if a := b.serve(r).is(http.StatusForbidden, clew.Forbidden); a.header.Get("Set-Cookie") != "" {
		t.Error(a.header)
	}
	r = b.request("", "POST", "/api/v1/sign-in", `{"token":"`+ownerToken+`"}`) // a program
	b.serve(r).is(http.StatusOK, "")
}

func TestSignInEnds(t *testing.T) {
	b := newBench(t)
	out := b.signIn(`{"token":"` + ownerToken + `"}`)
	a := out.call("POST", "/api/v1/sign-out", "").is(http.StatusNoContent, "")
	if got := a.header.Get("Set-Cookie"); !strings.HasPrefix(got, "clew_test=; Path=/; Max-Age=0") {
		t.Error(got)
	}
	out.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthFailed)
	if a := out.call("POST", "/api/v1/sign-out", "").is(http.StatusNoContent, ""); a.header.Get("Set-Cookie") == "" {
		t.Error("a dead cookie stays")
	}
	(&browser{b: b}).call("POST", "/api/v1/sign-out", "").is(http.StatusUnauthorized, clew.AuthRequired)

	// A program's own key is not ended by it.
	key := b.key("ada", clew.RoleOwner)
	b.call(key, "POST", "/api/v1/sign-out", "").is(http.StatusNoContent, "")
	b.call(key, "GET", "/api/v1/me", "").is(http.StatusOK, "")

	// An administrator sees the browser and ends it; a key takes its browsers along.
	ada := b.signIn(`{"token":"` + key + `"}`)
	list := b.call(ownerToken, "GET", "/api/v1/keys", "").is(http.StatusOK, "").body["keys"].([]any)
	var parent string
	for _, k := range list {
		if k := k.(map[string]any); k["browser"] == true && k["user"] == "ada" {
			parent, _ = k["parent"].(string)
		}
	}
	b.call(ownerToken, "DELETE", "/api/v1/keys/"+parent, "").is(http.StatusNoContent, "")
	ada.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.AuthFailed)

	late := b.signIn(`{"token":"` + ownerToken + `"}`)
	b.now = b.now.Add(31 * 24 * time.Hour)
	late.call("GET", "/api/v1/me", "").is(http.StatusUnauthorized, clew.TokenExpired)
	late.call("POST", "/api/v1/sign-out", "").is(http.StatusNoContent, "")
}

func TestTickets(t *testing.T) {
	b := newBench(t)
	key := b.key("ada", clew.RoleViewer) // needs no more rights
	a := b.call(key, "POST", "/api/v1/tickets", "").is(http.StatusOK, "")
	if a.body["expires_ms"] != float64(b.now.Add(time.Minute).UnixMilli()) || a.header.Get("Cache-Control") != "no-store" {
		t.Error(a.raw)
	}
	body := fmt.Sprintf(`{"ticket":%q}`, a.body["ticket"])
	ada := b.signIn(body)
	(&browser{b: b}).call("POST", "/api/v1/sign-in", body).is(http.StatusUnauthorized, clew.AuthFailed)
	a = ada.call("POST", "/api/v1/tickets", "").is(http.StatusOK, "")
	phone := b.signIn(fmt.Sprintf(`{"ticket":%q}`, a.body["ticket"]))
	if a := phone.call("GET", "/api/v1/me", "").is(http.StatusOK, ""); a.body["user_id"] != "ada" || a.body["role"] != "viewer" {
		t.Error(a.raw)
	}
	if strings.Contains(b.log.String(), a.body["ticket"].(string)) {
		t.Error("a ticket is in the log")
	}
}

func TestSignInWithAuthOff(t *testing.T) {
	b := newBench(t, func(o *api.Options) { o.Auth, o.Keys, o.SignIns, o.Cookies = auth.Off{}, nil, nil, nil })
	if a := b.call("", "GET", "/api/v1/me", "").is(http.StatusOK, ""); a.body["auth"] != "off" || a.body["user_id"] != "local" || a.body["role"] != "admin" || a.body["expires_ms"] != nil {
		t.Error(a.raw)
	}
	if a := b.call("", "POST", "/api/v1/sign-in", `{"token":"any"}`).is(http.StatusOK, ""); a.body["user_id"] != "local" || a.header.Get("Set-Cookie") != "" {
		t.Error(a.raw)
	}
	b.call("", "POST", "/api/v1/sign-out", "").is(http.StatusNoContent, "")
	b.call("", "POST", "/api/v1/tickets", "").is(http.StatusServiceUnavailable, clew.Unavailable)
}

// Covers: WS-114
func TestSignInRate(t *testing.T) {
	b := newBench(t)
	try := func(addr string) answer {
		r := b.request("", "POST", "/api/v1/sign-in", `{"token":"guess"}`)
		r.RemoteAddr = addr
		return b.serve(r)
	}
	for range 60 {
		try("192.0.2.1:1").is(http.StatusUnauthorized, clew.AuthFailed)
	}
	if a := try("192.0.2.1:2").is(http.StatusTooManyRequests, clew.RateLimited); a.header.Get("Retry-After") != "1" {
		t.Error(a.header)
	}
	try("192.0.2.2:1").is(http.StatusUnauthorized, clew.AuthFailed)
	b.now = b.now.Add(time.Second)
	try("192.0.2.1:3").is(http.StatusUnauthorized, clew.AuthFailed)
}
