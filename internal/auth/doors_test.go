package auth_test

import (
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

func doors(t *testing.T, listen string, hosts, origins []string) auth.OriginPolicy {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	d, err := auth.NewDoors(addr, hosts, origins)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDoorsHost(t *testing.T) {
	d := doors(t, "127.0.0.1:8000", []string{"Clew.Example.com", "kelvin.com"}, nil)
	for host, ok := range map[string]bool{
		"127.0.0.1:8000": true, "localhost:8000": true, "[::1]:8000": true, "LocalHost:8000": true,
		"clew.example.com": true, "CLEW.example.com": true,
		"": false, "localhost": false, "localhost:8001": false, "localhost:80000": false, "localhost.:8000": false,
		"localhost:8000.evil.com": false, "evil.com": false, "evil.com:8000": false, "clew.example.com:443": false,
		"clew.example.com.": false, "clew.example.com.evil.com": false, "evilclew.example.com": false,
		"x@localhost:8000": false, "127.0.0.2:8000": false, "127.1:8000": false, "0.0.0.0:8000": false, "::1:8000": false,
		"localhost:8000 ": false, //nolint:gocritic // the blank is the point
		"\u212aelvin.com": false, "localhost:8000,evil.com": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		if err := d.Check(r); (err == nil) != ok || err != nil && clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestDoorsOfOtherListeners(t *testing.T) {
	tests := []struct {
		listen, host string
		ok           bool
	}{
		{"127.0.0.1:80", "localhost", true},
		{"127.0.0.1:80", "localhost:80", true},
		{"127.0.0.1:443", "localhost", true},
		{"0.0.0.0:8000", "localhost:8000", true},
		{"0.0.0.0:8000", "0.0.0.0:8000", false},
		{"0.0.0.0:8000", "192.0.2.1:8000", false},
		{"192.0.2.1:8000", "192.0.2.1:8000", true},
		{"[2001:db8::1]:8000", "[2001:db8::1]:8000", true},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = tt.host
		if err := doors(t, tt.listen, nil, nil).Check(r); (err == nil) != tt.ok {
			t.Errorf("%s on %s: %v", tt.host, tt.listen, err)
		}
	}
}

func TestDoorsOrigin(t *testing.T) {
	d := doors(t, "127.0.0.1:8000", []string{"clew.example.com"},
		[]string{"https://good.com", "https://Port.com:8443", "https://kelvin.com", "https://xn--bcher-kva.example"})
	tests := []struct {
		name    string
		origins []string
		ok      bool
	}{
		{"none", nil, true},
		{"own", []string{"http://localhost:8000"}, true},
		{"own by address", []string{"http://127.0.0.1:8000"}, true},
		{"own by IPv6", []string{"http://[::1]:8000"}, true},
		{"configured host over https", []string{"https://clew.example.com"}, true},
		{"configured", []string{"https://good.com"}, true},
		{"default port spelled out", []string{"https://good.com:443"}, true},
		{"case", []string{"HTTPS://GOOD.com"}, true},
		{"configured port", []string{"https://port.com:8443"}, true},
		{"IDN as browsers send it", []string{"https://xn--bcher-kva.example"}, true},

		{"suffix", []string{"https://good.com.evil.com"}, false},
		{"prefix", []string{"https://evilgood.com"}, false},
		{"subdomain", []string{"https://a.good.com"}, false},
		{"scheme", []string{"http://good.com"}, false},
		{"configured host over http", []string{"http://clew.example.com"}, false},
		{"other port", []string{"https://good.com:8443"}, false},
		{"port of own missing", []string{"http://localhost"}, false},
		{"port of configured missing", []string{"https://port.com"}, false},
		{"port of http", []string{"https://good.com:80"}, false},
		{"port with a zero", []string{"https://good.com:0443"}, false},
		{"empty port", []string{"https://good.com:"}, false},
		{"IDN raw", []string{"https://bücher.example"}, false},
		{"full-width", []string{"https://ｇood.com"}, false},
		{"Kelvin sign", []string{"https://\u212aelvin.com"}, false},
		{"user", []string{"https://good.com@evil.com"}, false},
		{"user before", []string{"https://evil.com@good.com"}, false},
		{"password", []string{"https://good.com:443@evil.com"}, false},
		{"trailing dot", []string{"https://good.com."}, false},
		{"path", []string{"https://good.com/"}, false},
		{"query", []string{"https://good.com?x"}, false},
		{"fragment", []string{"https://good.com#"}, false},
		{"backslash", []string{`https://evil.com\good.com`}, false},
		{"percent", []string{"https://good%2ecom"}, false},
		{"space", []string{" https://good.com"}, false},
		{"list", []string{"https://good.com https://evil.com"}, false},
		{"no scheme", []string{"good.com"}, false},
		{"null", []string{"null"}, false},
		{"empty", []string{""}, false},
		{"star", []string{"*"}, false},
		{"two, one good", []string{"https://good.com", "https://evil.com"}, false},
		{"two good", []string{"https://good.com", "https://good.com"}, false},
		{"file", []string{"file://"}, false},
	}
	for _, tt := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = "localhost:8000"
		r.Header.Set("Authorization", "Bearer whatever") // credentials open no door
		for _, o := range tt.origins {
			r.Header.Add("Origin", o)
		}
		if err := d.Check(r); (err == nil) != tt.ok || err != nil && clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Browsers leave Origin out of some requests, but not what kind they are.
func TestDoorsFetchSite(t *testing.T) {
	d := doors(t, "127.0.0.1:8000", nil, nil)
	tests := []struct {
		method, site, mode, dest string
		ok                       bool
	}{
		{"GET", "same-origin", "cors", "empty", true},
		{"GET", "none", "navigate", "document", true},
		{"GET", "cross-site", "navigate", "document", true},
		{"GET", "cross-site", "no-cors", "image", false},
		{"GET", "cross-site", "navigate", "iframe", false},
		{"GET", "same-site", "no-cors", "script", false},
		{"GET", "cross-site", "websocket", "empty", false},
		{"POST", "cross-site", "navigate", "document", false},
		{"GET", "whatever", "", "", false},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(tt.method, "/", nil)
		r.Host = "localhost:8000"
		r.Header.Set("Sec-Fetch-Site", tt.site)
		r.Header.Set("Sec-Fetch-Mode", tt.mode)
		r.Header.Set("Sec-Fetch-Dest", tt.dest)
		if err := d.Check(r); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

func TestDoorsSettingsRefused(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000}
	for _, h := range []string{"", "a b", "http://x", "x/", "*", "*.x", "x.", "u@x", "x:", "x:y"} {
		if _, err := auth.NewDoors(addr, []string{h}, nil); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("host %q: %v", h, err)
		}
	}
	for _, o := range []string{"", "null", "*", "x", "https://*.x", "https://x/", "https://x?y", "://x"} {
		if _, err := auth.NewDoors(addr, nil, []string{o}); clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("origin %q: %v", o, err)
		}
	}
}

// Covers: WS-114
func TestLimiter(t *testing.T) {
	now := noon
	l := auth.NewLimiter(10, func() time.Time { return now })
	take := func(key string, n int) {
		t.Helper()
		for range n {
			if ok, _ := l.Allow(key); !ok {
				t.Fatalf("%s was refused", key)
			}
		}
	}
	take("ada", 10)
	ok, wait := l.Allow("ada")
	if ok || wait != 6*time.Second {
		t.Errorf("%v, %v", ok, wait)
	}
	take("bob", 10) // has an allowance of his own
	now = now.Add(wait)
	take("ada", 1) // a refusal cost nothing
	if ok, _ := l.Allow("ada"); ok {
		t.Error("allowed too much")
	}
	now = now.Add(time.Minute)
	take("eve", 1)
	if l.Len() != 1 {
		t.Errorf("%d keys are remembered, want eve's alone", l.Len())
	}
	take("ada", 10)

	for _, off := range []*auth.Limiter{nil, auth.NewLimiter(0, nil)} {
		for range 1000 {
			if ok, _ := off.Allow("ada"); !ok {
				t.Fatal("a limiter that is off refused")
			}
		}
		if off.Len() != 0 {
			t.Error("a limiter that is off remembers")
		}
	}
}
