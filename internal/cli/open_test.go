package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// A desk answers what clew open asks.
func newDesk(t *testing.T, auth string) (address string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := r.Header.Get("Authorization") == "Bearer the-owner-token"
		switch {
		case auth == "on" && !known:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"code":"AUTH_REQUIRED","message":"credentials are required"}}`)
		case r.Method == "GET" && r.URL.Path == "/api/v1/me":
			_ = json.NewEncoder(w).Encode(map[string]string{"auth": auth})
		case r.Method == "POST" && r.URL.Path == "/api/v1/tickets":
			_, _ = io.WriteString(w, `{"ticket":"TICKET","expires_ms":5}`)
		case r.Method == "GET" && strings.HasPrefix(r.URL.Path, "/api/v1/sessions/"):
			_ = json.NewEncoder(w).Encode(map[string]string{"session_id": filepath.Base(r.URL.Path)})
		default:
			t.Errorf("%s %s", r.Method, r.URL)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestOpen(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "token"), []byte("the-owner-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	on, off := newDesk(t, "on"), newDesk(t, "off")
	screen := func(string) error { return nil }
	dark := func(string) error { return errors.New("there is no screen") }
	for _, tt := range []struct {
		name        string
		args        []string
		browse      func(string) error
		opens, says string
	}{
		{"a browser", []string{"--server", on}, screen, on + "/#ticket=TICKET", "The browser opens " + on + "/\n"},
		{"a session", []string{"sess_1", "--server", on}, screen, on + "/s/sess_1#ticket=TICKET", "The browser opens " + on + "/s/sess_1\n"},
		{"a desktop", []string{"sess_1", "--desktop", "--server", on}, screen, on + "/s/sess_1/desktop#ticket=TICKET", "The browser opens " + on + "/s/sess_1/desktop\n"},
		{"no screen", []string{"--server", on}, dark, on + "/#ticket=TICKET", "Open this in a browser within a minute. It works once:\n  " + on + "/#ticket=TICKET\n"},
		{"not wanted", []string{"--server", on, "--no-open"}, screen, "", "Open this in a browser within a minute. It works once:\n  " + on + "/#ticket=TICKET\n"},
		{"for programs", []string{"--server", on, "--json"}, dark, on + "/#ticket=TICKET", `{"url":"` + on + `/#ticket=TICKET","opened":false,"expires_ms":5}` + "\n"},
		{"for programs, opened", []string{"--server", on, "--json"}, screen, on + "/#ticket=TICKET", `{"url":"` + on + `/","opened":true}` + "\n"},
		{"auth off", []string{"--server", off}, screen, off + "/", "The browser opens " + off + "/\n"},
		{"auth off, no screen", []string{"s1", "--server", off}, dark, off + "/s/s1", "Open this in a browser:\n  " + off + "/s/s1\n"},
		{"auth off, no token", []string{"--server", off, "--data", "/nowhere"}, screen, off + "/", "The browser opens " + off + "/\n"},
	} {
		opens := ""
		var out, errs bytes.Buffer
		a := &env.App{IO: env.IO{Out: &out, Err: &errs, Environ: []string{"CLEW_DATA=" + data}}, Browse: func(address string) error {
			opens = address
			return tt.browse(address)
		}}
		if code := execute(t.Context(), a, append([]string{"open"}, tt.args...)); code != env.ExitOK || opens != tt.opens || out.String() != tt.says {
			t.Errorf("%s: %d, opens %q, says %q %s", tt.name, code, opens, out.String(), errs.String())
		}
	}
	for args, want := range map[string]int{"--server " + on + " --data /nowhere": env.ExitRefused, "a/b": env.ExitUsage, "a b": env.ExitUsage} {
		got := call(t, env.Backend{}, nil, append([]string{"open"}, strings.Fields(args)...)...)
		if got.code != want || want == env.ExitRefused && !strings.Contains(got.errOut, "no owner token in /nowhere") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// Where the server lets everybody in, no command wants a token; elsewhere each says
// where it looked for one.
func TestNoTokenIsNeededWithAuthOff(t *testing.T) {
	on, off := newDesk(t, "on"), newDesk(t, "off")
	for server, want := range map[string]bool{on: false, off: true} {
		c, err := (&env.App{IO: env.IO{Environ: []string{}}}).Connect(env.Remote{Server: server, Data: "/nowhere"})
		var none *env.NoTokenError
		if got := err == nil; got != want || !want && !errors.As(err, &none) || c == nil {
			t.Errorf("auth off: %v; %v", want, err)
		}
	}
}

// What a server that was started with --open says goes to its log, so it has no
// ticket in it.
func TestServeOpens(t *testing.T) {
	server := env.Backend{Run: func(ctx context.Context, cfg env.Config, _ io.Writer, _ *slog.Logger) error {
		cfg.Ready(ctx, "http://127.0.0.1:1/#ticket=TICKET")
		return nil
	}}
	for _, screen := range []bool{true, false} {
		for _, flags := range [][]string{nil, {"--json"}} {
			opens := ""
			var out, errs bytes.Buffer
			a := &env.App{IO: env.IO{Out: &out, Err: &errs, Environ: []string{"HOME=" + t.TempDir()}}, Server: server, Browse: func(address string) error {
				if opens = address; !screen {
					return errors.New("there is no screen")
				}
				return nil
			}}
			if code := execute(t.Context(), a, append([]string{"serve", "--open", "--data", "/d"}, flags...)); code != env.ExitOK || opens != "http://127.0.0.1:1/#ticket=TICKET" {
				t.Errorf("%d, opens %q: %s", code, opens, errs.String())
			}
			if text := out.String() + errs.String(); strings.Contains(text, "TICKET") || !strings.Contains(text, "http://127.0.0.1:1/") {
				t.Errorf("says %s", text)
			}
			if !screen && flags == nil && !strings.Contains(errs.String(), "clew open --no-open --server http://127.0.0.1:1/ --data /d\n") {
				t.Errorf("says %s", errs.String())
			}
		}
	}
}

func TestDemoOpens(t *testing.T) {
	server := env.Backend{Demo: func(ctx context.Context, _ env.Config, opts env.DemoOptions, _ io.Writer, _ *slog.Logger) error {
		opts.Ready(ctx, env.DemoInfo{URL: "http://127.0.0.1:1", Session: "demo", TokenFile: "/nowhere", Page: "http://127.0.0.1:1/s/demo#ticket=TICKET"})
		return nil
	}}
	for flag, want := range map[string]string{"--fast": "http://127.0.0.1:1/s/demo#ticket=TICKET", "--no-open": ""} {
		opens := ""
		var out, errs bytes.Buffer
		a := &env.App{IO: env.IO{Out: &out, Err: &errs}, Server: server, Browse: func(address string) error { opens = address; return nil }}
		if code := execute(t.Context(), a, []string{"demo", flag}); code != env.ExitOK || opens != want || strings.Contains(errs.String(), "TICKET") {
			t.Errorf("%s: %d, opens %q, says %s", flag, code, opens, errs.String())
		}
	}
}

// The system's opener gets the address as one argument, and its failure counts.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the opener here is a shell script")
	}
	dir := t.TempDir()
	opener := filepath.Join(dir, "opener")
	if err := os.WriteFile(opener, []byte("#!/bin/sh\nprintf '%s|%s' \"$#\" \"$1\" > "+dir+"/got\nexit $CODE\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const address = "http://127.0.0.1:1/#ticket=a&b;c"
	for code, works := range map[string]bool{"0": true, "3": false} {
		a := &env.App{IO: env.IO{Environ: []string{"BROWSER=" + opener, "CODE=" + code}}}
		if err := openBrowser(a, address); (err == nil) != works {
			t.Errorf("exit code %s: %v", code, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "got")); string(got) != "1|"+address {
			t.Errorf("%s, %v", got, err)
		}
	}
	listed := &env.App{IO: env.IO{Environ: []string{"BROWSER=no-such-browser:" + opener + " %s", "CODE=0"}}}
	if err := openBrowser(listed, address+"2"); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "got")); string(got) != "1|"+address+"2" {
		t.Errorf("from a list: %s, %v", got, err)
	}
	if runtime.GOOS == "linux" {
		if err := openBrowser((&env.App{}), address); err == nil {
			t.Error("opened without a screen")
		}
	}
}
