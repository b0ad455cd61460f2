package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// commandSamples gives one frame for each command of the catalogue.
func commandSamples(t testing.TB) map[clew.CommandType]json.RawMessage {
	t.Helper()
	f, err := os.Open(filepath.Join(procs.Root(), "wire", "testdata", "commands.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	samples := map[clew.CommandType]json.RawMessage{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var env wire.Envelope
		if err := json.Unmarshal(lines.Bytes(), &env); err != nil {
			t.Fatal(err)
		}
		samples[clew.CommandType(env.Type)] = env.Data
	}
	for _, info := range clew.Commands {
		if _, ok := samples[info.Type]; !ok {
			t.Errorf("no sample of %s", info.Type)
		}
	}
	return samples
}

// frameOf writes a command under its own name as id.
func frameOf(t testing.TB, typ clew.CommandType, data json.RawMessage) string {
	t.Helper()
	b, err := json.Marshal(wire.Envelope{Type: string(typ), MessageID: "id-" + string(typ), Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every command of the catalogue, from every role, over REST and the socket:
// FORBIDDEN exactly where the catalogue does not allow it.
//
// Covers: WS-111, WS-112, WS-113
func TestRightsMatrix(t *testing.T) {
	srv := startServer(t, options{env: withUsers(t, nil)})
	samples := commandSamples(t)
	for _, role := range []clew.Role{clew.RoleOwner, clew.RoleApprover, clew.RoleViewer, clew.RoleAdmin} {
		t.Run(string(role), func(t *testing.T) {
			token, id := member(t, srv, role)
			onSocket := forbiddenOnSocket(t, srv, token, id, samples)
			for _, info := range clew.Commands {
				if info.Type == clew.CommandAuth {
					continue // belongs to the connection
				}
				data := info.New()
				if err := json.Unmarshal(samples[info.Type], data); err != nil && len(samples[info.Type]) > 0 {
					t.Fatal(err)
				}
				want := !info.Allows(role) || clew.NeedsAdmin(data)
				r := srv.do(t, call{
					method: "POST", path: "/api/v1/sessions/" + string(id) + "/commands",
					token: token, body: frameOf(t, info.Type, samples[info.Type]),
				})
				if got := r.status == http.StatusForbidden && r.code == clew.Forbidden; got != want || r.status == http.StatusNotFound && r.code == clew.SessionNotFound {
					t.Errorf("REST, %s: %d %s, forbidden should be %v", info.Type, r.status, r.body, want)
				}
				if onSocket[info.Type] != want {
					t.Errorf("socket, %s: forbidden is %v, want %v", info.Type, onSocket[info.Type], want)
				}
			}
		})
	}
}

// member gives somebody's token with that role in a session of its own.
func member(t *testing.T, srv *proc, role clew.Role) (token string, id clew.SessionID) {
	t.Helper()
	alice := client.NewAPI(srv.URL(), srv.Token("alice"))
	id, err := alice.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	switch role {
	case clew.RoleOwner:
		return srv.Token("alice"), id
	case clew.RoleAdmin:
		return srv.Token("admin"), id
	}
	if _, err := alice.Command(t.Context(), id, "", clew.CommandSetAccess, clew.SetAccessData{UserID: "bob", Role: role}); err != nil {
		t.Fatal(err)
	}
	return srv.Token("bob"), id
}

// forbiddenOnSocket sends all commands over one connection and gives those that
// were answered with FORBIDDEN. The answer to the last one ends it: commands
// are answered in order.
func forbiddenOnSocket(t *testing.T, srv *proc, token string, id clew.SessionID, samples map[clew.CommandType]json.RawMessage) map[clew.CommandType]bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ws, err := dialBare(ctx, srv.URL(), token, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	for _, info := range clew.Commands {
		if info.Type == clew.CommandAuth {
			continue
		}
		if err := ws.Write(ctx, websocket.MessageText, []byte(frameOf(t, info.Type, samples[info.Type]))); err != nil {
			t.Fatal(err)
		}
	}
	const last = `{"type":"get_messages","message_id":"last"}`
	if err := ws.Write(ctx, websocket.MessageText, []byte(last)); err != nil {
		t.Fatal(err)
	}
	refused := map[clew.CommandType]bool{}
	for {
		var env struct {
			Type clew.EventType `json:"type"`
			Data struct {
				Code            clew.Code            `json:"code"`
				ClientMessageID clew.ClientMessageID `json:"client_message_id"`
				Context         clew.ErrorContext    `json:"context"`
			} `json:"data"`
		}
		_, b, err := ws.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &env); err != nil {
			t.Fatal(err)
		}
		if env.Type == clew.EventMessagesPage && env.Data.ClientMessageID == "last" {
			return refused
		}
		if env.Data.Code == clew.Forbidden {
			refused[clew.CommandType(strings.TrimPrefix(string(env.Data.Context.ClientMessageID), "id-"))] = true
		}
	}
}

// madeKey is an API key as the server shows it once.
type madeKey struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

func makeKey(t *testing.T, srv *proc, user string, role clew.Role) madeKey {
	t.Helper()
	r := srv.do(t, call{
		method: "POST", path: "/api/v1/keys", token: srv.ownerToken(),
		body: fmt.Sprintf(`{"name":"test","user":%q,"role":%q}`, user, role),
	})
	var k madeKey
	if err := json.Unmarshal(r.body, &k); err != nil || r.status != http.StatusCreated || k.Token == "" {
		t.Fatalf("make a key: %d %s", r.status, r.body)
	}
	return k
}

// A revoked key ends what came in with it, within a second.
//
// Covers: WS-110
func TestRevokedKeyEndsLiveSockets(t *testing.T) {
	srv := startServer(t, options{})
	k := makeKey(t, srv, "carol", clew.RoleOwner)
	id, err := client.NewAPI(srv.URL(), k.Token).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := dialBare(t.Context(), srv.URL(), k.Token, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	for range 2 { // session_state, sync_complete
		if _, _, err := ws.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r := srv.do(t, call{method: "DELETE", path: "/api/v1/keys/" + k.ID, token: srv.ownerToken()}); r.status != http.StatusNoContent {
		t.Fatalf("revoke: %d %s", r.status, r.body)
	}
	for err == nil { // TestOnRevoke in internal/auth holds the second, by a clock of its own
		_, _, err = ws.Read(t.Context())
	}
	if code := websocket.CloseStatus(err); code != websocket.StatusPolicyViolation {
		t.Errorf("closed with %v", err)
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/sessions", token: k.Token}); r.status != http.StatusUnauthorized {
		t.Errorf("the key still opens: %d", r.status)
	}
	srv.kill()
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	if r := srv.do(t, call{method: "GET", path: "/api/v1/sessions", token: k.Token}); r.status != http.StatusUnauthorized {
		t.Errorf("after a restart the key opens again: %d", r.status)
	}
}
