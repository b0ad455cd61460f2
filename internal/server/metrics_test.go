package server

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// Metrics may have an address of their own. It needs no credentials and has
// nothing else.
func TestMetricsListen(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Listen, cfg.Data, cfg.MetricsListen = "127.0.0.1:0", t.TempDir(), "127.0.0.1:0"
	s, err := Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(t.Context())
	for path, want := range map[string]int{"/metrics": http.StatusOK, "/api/v1/sessions": http.StatusNotFound, "/healthz": http.StatusNotFound} {
		resp, err := http.Get("http://" + s.figuresAt.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || err != nil || want == http.StatusOK && !strings.Contains(string(body), "clew_sessions_loaded") {
			t.Errorf("GET %s gave %d %v %.100s", path, resp.StatusCode, err, body)
		}
	}
}
