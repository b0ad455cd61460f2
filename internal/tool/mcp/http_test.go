package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew/internal/settings"
)

// serve starts a tool server on loopback and gives its address.
func serve(t *testing.T, stateless bool) string {
	t.Helper()
	s := peerServer("plain")
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		for ss := range s.Sessions() {
			_ = ss.Close()
		}
	})
	return web.URL
}

func TestToolOverHTTP(t *testing.T) {
	for name, stateless := range map[string]bool{"stateful": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]settings.McpServer{"peer": {URL: serve(t, stateless)}})
			res, err := f.call("echo", `{"text":"hi"}`, nil)
			if err != nil || res.Text != "hi" {
				t.Fatalf("%+v %v", res, err)
			}
			if res, err := f.call("flood", `{}`, nil); err != nil || len(res.Text) > maxResultText {
				t.Errorf("%d bytes, %v", len(res.Text), err)
			}
		})
	}
}

func TestChangeOverHTTP(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{"peer": {URL: serve(t, false)}})
	f.Tools(t.Context())
	f.swap("schema")
}

// Headers with secrets go to the address of the settings, and never further.
func TestHeaders(t *testing.T) {
	var stolen, got atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen.Store(r.Header.Get("X-Key"))
	}))
	defer thief.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("X-Key"))
		http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
	}))
	defer web.Close()
	f := newFixture(t, map[string]settings.McpServer{"peer": {
		URL: web.URL + "/?token=x", Headers: map[string]string{"X-Key": "Bearer $SECRET:key"},
	}})
	f.time.attempts = 1
	f.Reload(t.Context())
	res := f.await(hasStatus(statusFailed))
	if got.Load() != "Bearer "+canary {
		t.Errorf("header %v", got.Load())
	}
	if stolen.Load() != nil || !strings.Contains(res.Error, "redirects to another address") {
		t.Errorf("followed: %v, %s", stolen.Load(), res.Error)
	}
}

func TestAnswersThatAreNoMCP(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"not found": http.NotFound,
		"page":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"garbage": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{{{"))
		},
		"flood": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for chunk := make([]byte, 1<<20); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
		"endless event": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for chunk := []byte("data: " + strings.Repeat("x", 1<<20)); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(h)
			defer web.Close()
			f := newFixture(t, map[string]settings.McpServer{"peer": {URL: web.URL}})
			f.time.attempts = 1
			f.Reload(t.Context())
			if got := f.await(hasStatus(statusFailed)); got.Error == "" {
				t.Error("no reason")
			}
		})
	}
}

func TestAddressIsShownWithoutCredentials(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{"peer": {URL: serve(t, true) + "/?token=abc"}})
	a := prepare(t, f.tool("mcp__peer__echo"), `{"text":"x"}`)
	if a.Effect.URL == "" || strings.Contains(a.Effect.URL, "abc") {
		t.Errorf("url %q", a.Effect.URL)
	}
	if _, err := a.Run(t.Context(), &output{}); err != nil {
		t.Error(err)
	}
}
