package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

// fakeServer answers like the REST interface, and asks for the token.
func fakeServer(t *testing.T, token string) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+token {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	answer("GET /api/v1/keys", 200, `{"keys":[{"id":"k1","user":"ada","role":"viewer","last_four":"wxyz","revoked_ms":1}]}`)
	answer("POST /api/v1/keys", 201, `{"id":"k2","user":"ada","role":"viewer","token":"clew_k2_secret"}`)
	answer("DELETE /api/v1/keys/{id}", 204, ``)
	answer("GET /api/v1/sessions", 200, `{"sessions":[{"session_id":"sess_1","title":"First\u001b[2J","status":"idle","updated_ms":1,"last_seq":7}],"next":"c2"}`)
	answer("GET /api/v1/sessions/sess_1", 200, `{"session_id":"sess_1","title":"First"}`)
	answer("GET /api/v1/sessions/sess_2", 403, `{"code":"FORBIDDEN","message":"it is another's"}`)
	answer("GET /api/v1/sessions/sess_1/messages", 200, `{"messages":[{"message_id":"msg_000000000001","role":"user","text":"hello"}],"total":1}`)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestRemoteCommands(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := fakeServer(t, "secret")
	tests := []struct {
		args []string
		code int
		want string // in the output, stdout or stderr by code
	}{
		{[]string{"token", "list"}, env.ExitOK, "k1  ada   viewer  wxyz       revoked"},
		{[]string{"token", "create", "--user", "ada", "--role", "viewer", "--expires", "1h"}, env.ExitOK, "clew_k2_secret\n"},
		{[]string{"token", "revoke", "k1"}, env.ExitOK, "revoked k1"},
		{[]string{"ls"}, env.ExitOK, "sess_1   idle"},
		{[]string{"ls"}, env.ExitOK, ":00  First\uFFFD[2J\n"},
		{[]string{"ls"}, env.ExitOK, "clew ls --cursor c2"},
		{[]string{"show", "sess_1"}, env.ExitOK, "msg_000000000001  user  hello"},
		{[]string{"show", "sess_2"}, env.ExitRefused, "clew: it is another's\n  Your key does not allow it."},
		{[]string{"show", "sess_2", "--json"}, env.ExitRefused, `{"error":{"code":"FORBIDDEN","hint":"Your key does not allow it. Ask the session's owner, or an administrator of the server.","message":"it is another's"}}`},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			got := call(t, env.Backend{}, []string{"CLEW_SERVER=" + server, "CLEW_DATA=" + data}, tt.args...)
			output := got.out
			if tt.code != env.ExitOK {
				output = got.errOut
			}
			if got.code != tt.code || !strings.Contains(output, tt.want) {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}

func TestRemoteJSON(t *testing.T) {
	server := fakeServer(t, "secret")
	for _, args := range [][]string{
		{"token", "list"}, {"token", "create", "--user", "ada"}, {"token", "revoke", "k1"}, {"token", "show"}, {"ls"}, {"show", "sess_1"}, {"version"},
	} {
		got := call(t, env.Backend{}, []string{"CLEW_TOKEN=secret", "HOME=/h"}, append(args, "--json", "--server", server)[:len(args)+1+2*flagged(args)]...)
		if got.code != env.ExitOK || !json.Valid([]byte(got.out)) {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// flagged is 1 for the commands that know --server.
func flagged(args []string) int {
	if args[0] == "version" {
		return 0
	}
	return 1
}

func TestWrongToken(t *testing.T) {
	got := call(t, env.Backend{}, []string{"CLEW_TOKEN=canary-token", "CLEW_SERVER=" + fakeServer(t, "secret")}, "ls")
	if got.code != env.ExitRefused || !strings.Contains(got.errOut, "401") || strings.Contains(got.errOut, "canary") {
		t.Errorf("%+v", got)
	}
}

func TestNobodyThere(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	got := call(t, env.Backend{}, []string{"CLEW_TOKEN=t", "CLEW_SERVER=" + s.URL}, "ls")
	if got.code != env.ExitNoServer || !strings.Contains(got.errOut, "cannot be reached") {
		t.Errorf("%+v", got)
	}
}
