package e2e

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// No credential shows up in a log, on whatever way it came in and however it
// was refused, and API keys are not kept in a form that opens anything.
//
// Covers: WS-110
func TestCredentialsNeverInLogs(t *testing.T) {
	srv := startServer(t, options{env: withUsers(t, map[string]string{"LOG_LEVEL": "debug", "AUTH_QUERY_TOKEN": "true"})})
	key := makeKey(t, srv, "carol", clew.RoleOwner)
	revoked := makeKey(t, srv, "dave", clew.RoleOwner)
	srv.do(t, call{method: "DELETE", path: "/api/v1/keys/" + revoked.ID, token: srv.ownerToken()})
	canaries := map[string]string{
		"owner token": srv.ownerToken(), "API key": key.Token, "revoked key": revoked.Token,
		"JWT": srv.Token("alice"), "foreign JWT": signed(t, "the secret of another installation", nil),
		"guess": "guess-0123456789abcdefghijklmnopqrstuvwxyz", "secret": secret,
	}
	for _, token := range canaries {
		bringEverywhere(t, srv, token)
	}
	srv.do(t, call{method: "GET", path: "/api/v1/keys", token: srv.ownerToken()})
	if err := srv.Stop(); err != nil {
		t.Fatal(err)
	}
	logs := srv.Out.String()
	if !strings.Contains(logs, `"level":"DEBUG"`) && !strings.Contains(logs, `"level":"INFO"`) {
		t.Errorf("the log is too silent to show anything:\n%s", logs)
	}
	for name, token := range canaries {
		if strings.Contains(logs, token) || strings.Contains(logs, url.QueryEscape(token)) {
			t.Errorf("the %s is in the log", name)
		}
		if i := strings.LastIndexAny(token, "._"); i > 0 && len(token)-i > 20 && strings.Contains(logs, token[i+1:]) {
			t.Errorf("the end of the %s is in the log", name)
		}
	}
	for _, k := range []madeKey{key, revoked} {
		if path := findInFiles(t, srv.Dir, k.Token); path != "" {
			t.Errorf("an API key stands in %s", path)
		}
	}
}

// bringEverywhere shows a token at every door there is.
func bringEverywhere(t *testing.T, srv *proc, token string) {
	t.Helper()
	api := client.NewAPI(srv.URL(), token)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		id = "sess_x"
	}
	query := "?token=" + url.QueryEscape(token)
	for _, path := range []string{"/api/v1/sessions", "/api/v1/nothing", "/metrics", "/healthz", "/ws/" + string(id)} {
		srv.do(t, call{method: "GET", path: path, token: token})
		srv.do(t, call{method: "GET", path: path + query})
		srv.do(t, call{method: "GET", path: path + query, upgrade: strings.HasPrefix(path, "/ws"), origin: "http://evil.example"})
	}
	srv.do(t, call{method: "POST", path: "/api/v1/sign-in", body: `{"token":"` + token + `"}`})
	srv.do(t, call{method: "POST", path: "/api/v1/sign-in", body: `{"ticket":"` + token + `"}`})
	srv.do(t, call{method: "POST", path: "/api/v1/sign-in", body: `{"token":["` + token + `"]}`})
	for _, first := range []string{
		`{"type":"auth","data":{"token":"` + token + `"}}`,
		`{"type":"auth","data":{"token":["` + token + `"]}}`,
		`{"type":"` + token + `"}`,
		token,
	} {
		ws, _, err := websocket.Dial(t.Context(), srv.URL()+"/ws/"+string(id), &websocket.DialOptions{HTTPHeader: http.Header{}})
		if err != nil {
			t.Fatal(err)
		}
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(first)); err != nil {
			t.Fatal(err)
		}
		_, _, _ = ws.Read(t.Context()) // whatever it is, the log is what counts
		_ = ws.CloseNow()
	}
}

func findInFiles(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Type()&fs.ModeType != 0 {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(text)) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
