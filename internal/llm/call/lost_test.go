package call

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/llm"
)

// What people read of a connection that failed names the host and the cause, and
// never the address, which may hold a key.
func TestLostConnections(t *testing.T) {
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	tls.Config.ErrorLog = nil
	defer tls.Close()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("cut"))
	}))
	defer plain.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	_ = l.Close()
	host := func(url string) string { return url[strings.Index(url, "//")+2:] }
	for name, c := range map[string]struct{ url, want string }{
		"refused":        {"http://" + closed, "the model provider " + closed + " did not answer: connection refused"},
		"no name":        {"http://nowhere.invalid", "the model provider nowhere.invalid did not answer: "},
		"unknown issuer": {tls.URL, "the connection to the model provider " + host(tls.URL) + " is not safe: its certificate is not from an authority that this machine trusts"},
		"no TLS":         {strings.Replace(plain.URL, "http:", "https:", 1), "the connection to the model provider " + host(plain.URL) + " is not safe: it does not speak TLS"},
		"broken off":     {plain.URL, "the connection to the model provider " + host(plain.URL) + " broke off"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := get(t, Client(nil, 0), c.url+"/v1?key=canary-canary")
			if err == nil {
				body := make([]byte, 200)
				for err == nil {
					_, err = res.Body.Read(body)
				}
				_ = res.Body.Close()
			}
			e := llm.AsError(Failure(t.Context(), err, nil))
			if !strings.HasPrefix(e.Error(), c.want) || strings.Contains(e.Error(), "canary") || !e.Temporary() {
				t.Errorf("%s\nwant %s\nof %v", e, c.want, err)
			}
		})
	}
}

// What a provider refuses is told with its name and its words.
func TestRefusals(t *testing.T) {
	for want, s := range map[string]*StatusError{
		"the model provider api.example.com is busy: slow down (HTTP 429)":          {Status: 429, Body: []byte(`{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`)},
		"the model provider api.example.com refused the key: no (HTTP 401)":         {Status: 401, Body: []byte(`{"error":{"message":"no"}}`)},
		"the model provider api.example.com failed: Bad Gateway (HTTP 502)":         {Status: 502, Body: []byte(`<html>`)},
		"the model provider api.example.com refused the call: gone (HTTP 404)":      {Status: 404, Body: []byte(`{"error":"gone"}`)},
		"the model provider api.example.com wants to be paid first: pay (HTTP 402)": {Status: 402, Body: []byte(`{"error":"pay"}`)},
	} {
		s.Host = "api.example.com"
		if got := Failure(t.Context(), s, nil).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
