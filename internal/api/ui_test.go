package api_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
)

// builtUI is a web UI as its build leaves it.
var builtUI = fstest.MapFS{
	".keep":                 {},
	"index.html":            {Data: []byte("<!doctype html><title>index</title>")},
	"sw.js":                 {Data: []byte("self")},
	"manifest.webmanifest":  {Data: []byte("{}")},
	"icon.svg":              {Data: []byte("<svg/>")},
	"frame.html":            {Data: []byte("<title>frame</title><script>put()</script>")},
	"assets/main-Ab1.js":    {Data: []byte("main()")},
	"assets/main-Ab1.js.gz": {Data: packed("main()")},
	"assets/page-Ab2.js.gz": {Data: packed("page()")}, // only so
}

func packed(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func TestUI(t *testing.T) {
	b := newBench(t)
	for _, path := range []string{
		"/", "/sign-in", "/inbox", "/history", "/search", "/usage", "/settings", "/settings/", "/settings/devices", "/mcp", "/admin", "/admin/sessions",
		"/s/sess_1", "/s/sess_1/", "/s/sess_1/time", "/design", "/inbox?q=1",
	} {
		a := b.call("", "GET", path, "").is(http.StatusOK, "")
		if !strings.Contains(a.raw, "<title>index") || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v %s", path, a.header, a.raw)
		}
	}
	const forever = "public, max-age=31536000, immutable"
	for path, want := range map[string][2]string{
		"/sw.js":                {"text/javascript; charset=utf-8", "no-cache"},
		"/manifest.webmanifest": {"application/manifest+json", "no-cache"},
		"/icon.svg":             {"image/svg+xml", "no-cache"},
		"/assets/main-Ab1.js":   {"text/javascript; charset=utf-8", forever},
		"/assets/page-Ab2.js":   {"text/javascript; charset=utf-8", forever},
	} {
		a := b.call("", "GET", path, "").is(http.StatusOK, "")
		if a.header.Get("Content-Type") != want[0] || a.header.Get("Cache-Control") != want[1] || (a.header.Get("Service-Worker-Allowed") == "/") != (path == "/sw.js") {
			t.Errorf("%s: %v", path, a.header)
		}
		for name, has := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; ", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": "camera=()",
		} {
			if !strings.Contains(a.header.Get(name), has) {
				t.Errorf("%s: %s is %q", path, name, a.header.Get(name))
			}
		}
		if head := b.call("", "HEAD", path, "").is(http.StatusOK, ""); head.raw != "" || head.header.Get("ETag") != a.header.Get("ETag") {
			t.Errorf("HEAD %s: %v %q", path, head.header, head.raw)
		}
		b.call("", "POST", path, "").is(http.StatusUnauthorized, clew.AuthRequired)
		b.call(ownerToken, "DELETE", path, "").is(http.StatusNotFound, clew.InvalidMessage)
	}
	if strings.Contains(b.call("", "GET", "/", "").header.Get("Content-Security-Policy"), "unsafe") {
		t.Error("the policy has a hole")
	}
}

// A wrong address shows the UI to who opens it in a browser, with the status that it is
// missing. Programs get an error, and only those who may ask.
func TestUIAtAWrongAddress(t *testing.T) {
	b := newBench(t)
	open := func(token, method, path string) answer {
		t.Helper()
		r := b.request(token, method, path, "")
		r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		return b.serve(r)
	}
	for _, path := range []string{"/nonsense/page", "/nonsense", "/assets/main-Old.js", "/s"} {
		a := open("", "GET", path).is(http.StatusNotFound, "")
		if !strings.Contains(a.raw, "<title>index") || a.header.Get("Cache-Control") != "no-cache" || a.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v %s", path, a.header, a.raw)
		}
		b.call("", "GET", path, "").is(http.StatusUnauthorized, clew.AuthRequired)
		b.call(ownerToken, "GET", path, "").is(http.StatusNotFound, clew.InvalidMessage)
		open("", "POST", path).is(http.StatusUnauthorized, clew.AuthRequired)
	}
	open("", "GET", "/api/v1/nonsense").is(http.StatusUnauthorized, clew.AuthRequired)
	open(ownerToken, "GET", "/api/v2/sessions").is(http.StatusNotFound, clew.InvalidMessage)
}

// The page that holds what agents wrote is a stranger everywhere and reaches
// nothing. Scripts in it run only if that was asked for.
func TestUIFrame(t *testing.T) {
	b := newBench(t)
	for path, scripts := range map[string]string{
		"/frame.html": "'sha256-XIdHZNRwWbipbgv3LnaPzQeu+sD6SsrpMWpIjqNsmQo='", "/frame.html?run": "'unsafe-inline'",
	} {
		a := b.call("", "GET", path, "").is(http.StatusOK, "")
		policy := map[string]string{}
		for part := range strings.SplitSeq(a.header.Get("Content-Security-Policy"), "; ") {
			name, value, _ := strings.Cut(part, " ")
			policy[name] = value
		}
		for name, want := range map[string]string{
			"sandbox": "allow-scripts", "default-src": "'none'", "connect-src": "'none'", "form-action": "'none'", "base-uri": "'none'",
			"frame-ancestors": "'self'", "script-src": scripts, "img-src": "data: blob:",
		} {
			if policy[name] != want {
				t.Errorf("%s: %s is %q, want %q", path, name, policy[name], want)
			}
		}
		if a.header.Get("Cross-Origin-Opener-Policy") != "same-origin" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
}

// A page of a tool server reaches the hosts that it was asked for with, and no request
// says more in its policy than hosts.
func TestUIFrameHosts(t *testing.T) {
	b := newBench(t)
	policy := func(query string) string {
		return b.call("", "GET", "/frame.html?"+query, "").is(http.StatusOK, "").header.Get("Content-Security-Policy")
	}
	got := policy("run&connect=https://api.example.org&connect=wss://live.example.org:8443&load=https://*.cdn.example.org")
	for _, want := range []string{
		"; connect-src https://api.example.org wss://live.example.org:8443;", "; img-src data: blob: https://*.cdn.example.org;",
		"; script-src 'unsafe-inline' https://*.cdn.example.org;", "sandbox allow-scripts; default-src 'none';", "frame-ancestors 'self'",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if got := policy("connect=https://api.example.org"); got != policy("") {
		t.Errorf("without scripts: %q", got)
	}
	for _, host := range []string{
		"*", "https:", "https://*", "http://api.example.org", "https://api.example.org/path", "https://api.example.org; script-src *",
		"https://api.example.org 'unsafe-eval'", "https://127.0.0.1", "https://localhost", "https://[::1]", "data:", "'self'", "", "https://API.example.org",
		"https://a.example.org\nx", "https://a.example.org,https://b.example.org",
	} {
		for _, name := range []string{"connect", "load"} {
			b.call("", "GET", "/frame.html?run&"+url.Values{name: {host}}.Encode(), "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
		}
	}
	b.call("", "GET", "/frame.html?run"+strings.Repeat("&load=https://a.example.org", 17), "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
}

func TestUIIsSentOnce(t *testing.T) {
	b := newBench(t)
	get := func(encoding, tag string) answer {
		r := b.request("", "GET", "/assets/main-Ab1.js", "")
		r.Header.Set("Accept-Encoding", encoding)
		r.Header.Set("If-None-Match", tag)
		return b.serve(r)
	}
	plain, packed := get("", ""), get("br, gzip;q=0.5", "")
	if plain.raw != "main()" || plain.header.Get("Content-Encoding") != "" || plain.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v %s", plain.header, plain.raw)
	}
	r, err := gzip.NewReader(strings.NewReader(packed.raw))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(r); err != nil || string(all) != "main()" || packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v %s %v", packed.header, all, err)
	}
	if only := b.call("", "GET", "/assets/page-Ab2.js", ""); only.raw != "page()" || only.header.Get("Content-Encoding") != "" {
		t.Errorf("a file that is only there packed: %v %q", only.header, only.raw)
	}
	if plain.header.Get("ETag") == packed.header.Get("ETag") || plain.header.Get("ETag") == "" {
		t.Error("two contents under one tag")
	}
	for encoding, want := range map[string]string{"gzip": "gzip", "*": "", "gzip;q=0": "", "GZIP": "gzip", "deflate": "", "gzip; q=1": "gzip", "gzip;q=x": ""} {
		if got := get(encoding, "").header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: %q", encoding, got)
		}
	}
	if a := get("gzip", packed.header.Get("ETag")); a.status != http.StatusNotModified || a.raw != "" {
		t.Errorf("%d %q", a.status, a.raw)
	}
	if a := get("gzip", plain.header.Get("ETag")); a.status != http.StatusOK {
		t.Errorf("the other one's tag: %d", a.status)
	}
}

// Without a build there is a page that says so, and nothing else is served.
func TestUIThatWasNotBuilt(t *testing.T) {
	b := newBench(t, func(o *api.Options) { o.UI = fstest.MapFS{".keep": {}} })
	for _, path := range []string{"/", "/s/sess_1", "/settings/devices"} {
		a := b.call("", "GET", path, "").is(http.StatusOK, "")
		if !strings.Contains(a.raw, "make web") || a.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%v %s", a.header, a.raw)
		}
	}
	b.call("", "GET", "/assets/main-Ab1.js", "").is(http.StatusUnauthorized, clew.AuthRequired)
	none := newBench(t, func(o *api.Options) { o.UI = nil })
	none.call("", "GET", "/", "").is(http.StatusUnauthorized, clew.AuthRequired)
	none.call(ownerToken, "GET", "/", "").is(http.StatusNotFound, clew.InvalidMessage)
}
