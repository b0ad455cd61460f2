package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
)

func config(t *testing.T) server.Config {
	cfg := server.DefaultConfig()
	cfg.Listen, cfg.Data = "127.0.0.1:0", t.TempDir()
	return cfg
}

func start(t *testing.T, cfg server.Config) (s *server.Server, token string) {
	t.Helper()
	s, err := server.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	b, err := os.ReadFile(filepath.Join(cfg.Data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	return s, strings.TrimSpace(string(b))
}

// Metrics are there, for those with credentials.
//
// Covers: WS-113
func TestMetrics(t *testing.T) {
	s, token := start(t, config(t))
	get := func(token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, _ := get(""); status != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", status)
	}
	status, body := get(token)
	if status != http.StatusOK || !strings.Contains(body, "clew_sessions_loaded") || !strings.Contains(body, "clew_connections ") || !strings.Contains(body, "\nclew_sandbox ") {
		t.Errorf("metrics: %d\n%.400s", status, body)
	}
}

// The log says once whether commands are kept in.
func TestSandboxInTheLog(t *testing.T) {
	cfg := config(t)
	cfg.Environ = []string{settings.EnvSecretsBackend + "=file", "CLEW_SET_COMMAND_SANDBOX=none"}
	var log bytes.Buffer
	s, err := server.Start(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(context.Background()) // nobody writes any more
	if want := `level=WARN msg="commands of agents run without a sandbox" reason="command_sandbox is none"`; strings.Count(log.String(), want) != 1 {
		t.Errorf("the log is\n%s", log.String())
	}
}

// A server that has no place for kernels does everything else.
func TestNoPlaceForKernels(t *testing.T) {
	cfg := config(t)
	cfg.Environ = []string{settings.EnvSecretsBackend + "=file"}
	if err := os.WriteFile(filepath.Join(cfg.Data, "run"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := server.Start(t.Context(), cfg, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(context.Background()) // nobody writes any more
	if want := `level=WARN msg="notebooks cannot be run"`; strings.Count(log.String(), want) != 1 {
		t.Errorf("the log is\n%s", log.String())
	}
}

// Traces go to the configured collector, and nowhere without one.
func TestTraces(t *testing.T) {
	var heard atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			heard.Add(1)
		}
	}))
	defer collector.Close()
	cfg := config(t)
	cfg.OTLPEndpoint = collector.URL
	s, err := server.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(s.URL() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	s.Stop(t.Context()) // flushes
	if heard.Load() == 0 {
		t.Error("the collector heard nothing")
	}
}

// Without authentication a server listens on loopback only.
//
// Covers: C-26
func TestAuthOffNeedsLoopback(t *testing.T) {
	cfg := config(t)
	cfg.Auth.Mode, cfg.Listen = "off", "0.0.0.0:0"
	if s, err := server.Start(t.Context(), cfg, slog.New(slog.DiscardHandler)); clew.CodeOf(err) != clew.SettingsInvalid {
		if err == nil {
			s.Stop(t.Context())
		}
		t.Errorf("auth off on every address: %v", err)
	}
}

// Over TLS the same protocol runs as wss.
//
// Covers: WS-002
func TestTLS(t *testing.T) {
	cfg := config(t)
	pool := certificate(t, &cfg)
	s, token := start(t, cfg)
	if !strings.HasPrefix(s.URL(), "https://") {
		t.Fatalf("URL is %s", s.URL())
	}
	hc := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	api := client.NewAPI(s.URL(), token).WithHTTPClient(hc)
	id, err := api.CreateSession(t.Context(), client.NewSession{Title: "over TLS"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(t.Context(), client.Options{URL: s.URL(), Session: id, Token: token, HTTPClient: hc, NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(t.Context(), clew.CommandGetMessages, &clew.GetMessagesData{Limit: 10}); err != nil {
		t.Error(err)
	}
}

func certificate(t *testing.T, cfg *server.Config) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "clew test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cfg.TLSCert, cfg.TLSKey = filepath.Join(cfg.Data, "cert.pem"), filepath.Join(cfg.Data, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, b := range map[string][]byte{cfg.TLSCert: certPEM, cfg.TLSKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return pool
}

// The data directory and all below it are made on the first start, closed to
// others; a session without messages has an empty transcript.
//
// Covers: STO-02, STO-05
func TestFirstStart(t *testing.T) {
	cfg := config(t)
	cfg.Data = filepath.Join(cfg.Data, "not", "there", "yet")
	s, token := start(t, cfg)
	info, err := os.Stat(cfg.Data)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("data directory: %v, %v", info, err)
	}
	api := client.NewAPI(s.URL(), token)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	page, err := api.Messages(t.Context(), id, client.PageOf{})
	if err != nil || page.Messages == nil || len(page.Messages) != 0 || page.Total != 0 {
		t.Errorf("the transcript of a new session is %+v, %v", page, err)
	}
}

// waiting is an agent that tells of its turns and then takes its time.
type waiting chan clew.MessageID

func (w waiting) Work(ctx context.Context, turn core.Turn, _ clew.Message, _ *session.TurnContext) error {
	w <- turn.ID
	<-ctx.Done()
	return ctx.Err()
}

// A turn that says nothing for so long that all its records are swept out of the
// engine is taken up again after a restart, without anyone asking.
//
// Covers: WS-097
func TestSweptTurnIsTakenUpAgain(t *testing.T) {
	cfg := config(t)
	first := make(waiting, 1)
	s, err := server.StartWith(t.Context(), cfg, slog.New(slog.DiscardHandler), first)
	if err != nil {
		t.Fatal(err)
	}
	me := clew.Principal{User: "owner", Role: clew.RoleOwner}
	id, err := s.Host().Create(t.Context(), me, session.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Host().Do(t.Context(), id, clew.Command{Type: clew.CommandUserMessage, By: me, Data: &clew.UserMessageData{Text: "long"}}); err != nil {
		t.Fatal(err)
	}
	turn := <-first
	for range 3 { // the records, then the fence and the marks themselves
		if err := s.Journal().SweepPartition(t.Context(), 0, time.Now().Add(time.Hour), s.Host().Seal); err != nil {
			t.Fatal(err)
		}
	}
	s.Stop(t.Context())

	again := make(waiting, 1)
	s, err = server.StartWith(t.Context(), cfg, slog.New(slog.DiscardHandler), again)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop(context.Background())
	select {
	case got := <-again:
		if got != turn {
			t.Errorf("turn %s is taken up, want %s", got, turn)
		}
	case <-time.After(time.Minute):
		t.Error("the turn is forgotten")
	}
}
