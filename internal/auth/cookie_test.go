package auth_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// A browser sends its cookie whoever made it call, so it counts only where our
// own page, or for a WebSocket an allowed one, is known to be the caller.
//
// Covers: WS-102, WS-110
func TestWhenACookieCounts(t *testing.T) {
	c := auth.NewCookies("abc", nil)
	tests := []struct {
		name    string
		method  string
		headers map[string]string
		want    clew.Code
		token   string
	}{
		{"reading", "GET", nil, "", "key"},
		{"reading the head", "HEAD", nil, "", "key"},
		{"our page", "POST", map[string]string{"Origin": "http://127.0.0.1:8000"}, "", "key"},
		{"our page in capitals", "POST", map[string]string{"Origin": "HTTP://127.0.0.1:8000"}, "", "key"},
		{"our page, by the browser's word", "DELETE", map[string]string{"Sec-Fetch-Site": "same-origin"}, "", "key"},
		{"nobody says who calls", "POST", nil, clew.Forbidden, ""},
		{"a neighbour", "POST", map[string]string{"Origin": "http://127.0.0.1:9999"}, clew.Forbidden, ""},
		{"a neighbour, by the browser's word", "PUT", map[string]string{"Sec-Fetch-Site": "same-site"}, clew.Forbidden, ""},
		{"a stranger", "POST", map[string]string{"Origin": "https://evil.example"}, clew.Forbidden, ""},
		{"a hidden page", "POST", map[string]string{"Origin": "null", "Sec-Fetch-Site": "same-origin"}, clew.Forbidden, ""},
		{"a name within a name", "POST", map[string]string{"Origin": "http://127.0.0.1:8000.evil.example"}, clew.Forbidden, ""},
		{"asking beforehand", "OPTIONS", nil, clew.Forbidden, ""},
		{"a socket", "GET", map[string]string{"Upgrade": "websocket", "Origin": "https://app.example"}, "", "key"},
		{"a socket of no page", "GET", map[string]string{"Upgrade": "websocket"}, clew.Forbidden, ""},
		{"a change in a socket's clothes", "POST", map[string]string{"Upgrade": "websocket", "Origin": "http://127.0.0.1:9999"}, clew.Forbidden, ""},
		{"a header beside it", "POST", map[string]string{"Authorization": "Bearer other"}, "", "other"},
		{"a bad header beside it", "GET", map[string]string{"Authorization": "Basic eDp4"}, clew.AuthFailed, ""},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(tt.method, "http://127.0.0.1:8000/api/v1/sessions", nil)
		r.Header.Set("Cookie", "other=1; clew_abc=key; clew_abd=foreign")
		for name, value := range tt.headers {
			r.Header.Set(name, value)
		}
		creds, err := c.Credentials(r, false)
		if clew.CodeOf(err) != tt.want || creds.Token != tt.token || creds.Cookie != (tt.token == "key") {
			t.Errorf("%s: %q %v, %v", tt.name, creds.Token, creds.Cookie, err)
		}
	}
}

func TestCookieNames(t *testing.T) {
	proxies, err := auth.NewProxies([]string{"10.0.0.0/8", "::1"})
	if err != nil {
		t.Fatal(err)
	}
	c := auth.NewCookies("abc", proxies)
	request := func(remote, proto string) *http.Request {
		r := httptest.NewRequest("POST", "http://clew.example/", nil)
		r.RemoteAddr = remote
		if proto != "" {
			r.Header.Set("X-Forwarded-Proto", proto)
		}
		return r
	}
	direct := request("192.0.2.1:5", "")
	direct.TLS = &tls.ConnectionState{}
	for name, tt := range map[string]struct {
		r      *http.Request
		secure bool
	}{
		"plain": {request("192.0.2.1:5", ""), false}, "https": {direct, true},
		"a proxy of ours": {request("10.1.2.3:5", "https"), true}, "in new clothes": {request("[::ffff:10.1.2.3]:5", "https"), true},
		"a proxy over http": {request("10.1.2.3:5", "http"), false}, "anybody": {request("192.0.2.1:5", "https"), false},
	} {
		w := httptest.NewRecorder()
		c.Set(w, tt.r, "the key", time.Unix(1_800_000_000, 0))
		got := w.Header().Get("Set-Cookie")
		prefix, end := "clew_abc=", "; Path=/; Expires=Fri, 15 Jan 2027 08:00:00 GMT; HttpOnly; SameSite=Strict"
		if tt.secure {
			prefix, end = "__Host-"+prefix, strings.Replace(end, "HttpOnly;", "HttpOnly; Secure;", 1)
		}
		if !strings.HasPrefix(got, prefix) || !strings.HasSuffix(got, end) {
			t.Errorf("%s: %s", name, got)
		}
		// Over https a cookie without the prefix is somebody else's.
		tt.r.Header.Set("Cookie", "clew_abc=key")
		if held, err := c.Held(tt.r); err != nil || (held.Token == "key") == tt.secure {
			t.Errorf("%s: %q %v", name, held.Token, err)
		}
		w = httptest.NewRecorder()
		if c.Clear(w, tt.r); !strings.HasPrefix(w.Header().Get("Set-Cookie"), prefix+"; Path=/; Max-Age=0") {
			t.Errorf("%s: %s", name, w.Header())
		}
	}
	two := request("192.0.2.1:5", "")
	two.Header.Set("Cookie", "clew_abc=key; clew_abc=planted")
	if held, err := c.Held(two); clew.CodeOf(err) != clew.AuthFailed || held.Token != "" {
		t.Errorf("two cookies: %q %v", held.Token, err)
	}
	if held, err := (*auth.Cookies)(nil).Held(two); err != nil || held.Token != "" {
		t.Errorf("no cookies: %q %v", held.Token, err)
	}
}

// Limits by address see through our own proxies and nobody else's.
func TestAddressBehindProxies(t *testing.T) {
	proxies, err := auth.NewProxies([]string{"10.0.0.0/8", "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:5", "", "192.0.2.1"},
		{"192.0.2.1:5", "198.51.100.1", "192.0.2.1"},
		{"127.0.0.1:5", "198.51.100.1", "198.51.100.1"},
		{"127.0.0.1:5", "203.0.113.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"127.0.0.1:5", "made up", "127.0.0.1"},
		{"127.0.0.1:5", "", "127.0.0.1"},
		{"[::ffff:127.0.0.1]:5", "2001:db8::1", "2001:db8::/64"},
		{"[fe80::1:2%eth0]:5", "", "fe80::/64"},
		{"@", "198.51.100.1", "@"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = tt.remote
		if tt.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := proxies.Address(r); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	for _, bad := range []string{"", "proxy.example", "10.0.0.0/33", "10.0.0.1:80"} {
		if _, err := auth.NewProxies([]string{bad}); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
