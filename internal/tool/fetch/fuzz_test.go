package fetch

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzAddress looks for an address that passes the allow list and leads an HTTP
// client to another host.
func FuzzAddress(f *testing.F) {
	for _, raw := range []string{
		"http://example.org", "https://a.example.org:443/x?y#z", "http://example.org@evil.test", "http://evil.test#@example.org", "http://evil.test\\@example.org",
		"http://example.org:80:90", "http://[::ffff:1.2.3.4]", "HTTP://EXAMPLE.ORG.", "http://ｅxample.org", "http://example.org%2eevil.test", "http://example.org%00.evil.test",
		"//example.org", "http:///example.org", "http://evil.test?.example.org", "http://evil.test/.example.org", "http://xn--example.org", "http://example.org\t.evil.test",
	} {
		f.Add(raw)
	}
	list := parseList([]string{"example.org", "*.example.org"})
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := parseURL(raw)
		if err != nil || list.permits(u) != nil {
			return
		}
		r, err := http.NewRequest(http.MethodGet, u.String(), nil)
		if err != nil {
			return // it is not sent
		}
		host := r.URL.Hostname()
		if host != "example.org" && !strings.HasSuffix(host, ".example.org") {
			t.Errorf("%q leads to %q", raw, host)
		}
		if p := r.URL.Port(); p != "" && p != "80" && p != "443" {
			t.Errorf("%q leads to port %s", raw, p)
		}
		if again, err := parseURL(u.String()); err != nil || again.String() != u.String() {
			t.Errorf("%q is written %q, and that %v (%v)", raw, u, again, err)
		}
	})
}
