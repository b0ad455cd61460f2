package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/api"
)

// A call is a request to the server, and what is unusual about it.
type call struct {
	method, path string
	token        string
	host         string
	origin       string
	cookie       string
	upgrade      bool
	body         string
}

// reply is what came of a call.
type reply struct {
	status int
	body   []byte
	code   clew.Code
	cookie string // as it was set
}

func (p *proc) do(t testing.TB, c call) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, c.method, p.URL()+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = c.host
	set := func(key, value string) {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	if c.token != "" {
		set("Authorization", "Bearer "+c.token)
	}
	if c.body != "" {
		set("Content-Type", "application/json")
	}
	set("Origin", c.origin)
	set("Cookie", c.cookie)
	if c.upgrade {
		for k, v := range map[string]string{
			"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
			"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
		} {
			set(k, v)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	r := reply{status: resp.StatusCode, cookie: resp.Header.Get("Set-Cookie")}
	if r.status != http.StatusSwitchingProtocols {
		r.body, _ = io.ReadAll(resp.Body) // what came of it is all there is
	}
	var e struct {
		Error struct {
			Code clew.Code `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(r.body, &e) // not every answer is an error
	r.code = e.Error.Code
	return r
}

// openRoutes need no credentials; everything else does.
var openRoutes = map[string]bool{
	"/healthz": true, "/readyz": true, "/openapi.json": true, "/asyncapi.json": true,
	"/":       true,                                                    // the web UI, which holds nothing secret
	"/answer": true, "/answer/page.js": true, "/answer/page.css": true, // nothing secret: the token is in a link's fragment
}

// routes reads the route table from the server itself.
func routes(t testing.TB, p *proc) []call {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	r := p.do(t, call{method: "GET", path: "/openapi.json"})
	if err := json.Unmarshal(r.body, &doc); err != nil {
		t.Fatal(err)
	}
	var list []call
	fill := strings.NewReplacer("{id}", "sess_x", "{session_id}", "sess_x", "{user_id}", "bob", "{name}", "x", "{address}", strings.Repeat("a", 64))
	for path, methods := range doc.Paths {
		for m := range methods {
			c := call{method: strings.ToUpper(m), path: fill.Replace(path), upgrade: strings.HasPrefix(path, "/ws/")}
			if c.method == "POST" || c.method == "PUT" {
				c.body = "{}"
			}
			list = append(list, c)
		}
	}
	if len(list) < 10 {
		t.Fatalf("only %d routes in the document", len(list))
	}
	for _, path := range []string{"/", "/metrics", "/debug/pprof/", "/api/v1/", "/api/v1/nothing", "/ws", "/ws/", "/token", "/../token"} {
		list = append(list, call{method: "GET", path: path})
	}
	return append(list, call{method: "GET", path: "/ws/sess_x", upgrade: true}, call{method: "GET", path: "/ws/sess_x"})
}

// Whoever shows no credentials, or wrong ones, gets 401 everywhere but at the
// few open routes; who comes under a foreign name or from a foreign page is
// turned away whatever they carry.
//
// Covers: WS-005, WS-102, WS-110
func TestDoorsOfEveryRoute(t *testing.T) {
	srv := startServer(t, options{env: withUsers(t, map[string]string{"AUTH_FIRST_MESSAGE": "false"})})
	good := srv.ownerToken()
	hour := time.Now().Add(time.Hour).Unix()
	wrong := map[string]string{
		"nothing":     "",
		"a guess":     "clew_0000000000000000000000000000",
		"cut":         good[:len(good)-1],
		"expired":     signed(t, secret, jwt.MapClaims{"sub": "alice", "exp": time.Now().Add(-time.Minute).Unix()}),
		"foreign":     signed(t, "the secret of another installation", jwt.MapClaims{"sub": "alice", "exp": hour}),
		"endless":     signed(t, secret, jwt.MapClaims{"sub": "alice"}),
		"too early":   signed(t, secret, jwt.MapClaims{"sub": "alice", "exp": hour, "nbf": hour}),
		"the owner's": signed(t, secret, jwt.MapClaims{"sub": "owner", "exp": hour}),
		"unsigned":    unsigned(t, jwt.MapClaims{"sub": "alice", "exp": hour}),
	}
	for _, c := range routes(t, srv) {
		for name, token := range wrong {
			c.token = token
			want := http.StatusUnauthorized
			if openRoutes[c.path] {
				want = http.StatusOK
			}
			r := srv.do(t, c)
			if r.status != want {
				t.Errorf("%s %s with a token that is %s: %d, want %d: %s", c.method, c.path, name, r.status, want, r.body)
			}
			link := strings.HasPrefix(c.path, "/api/v1/answer") || c.path == "/api/v1/sign-in" // take a token in the body, and no other
			if name == "expired" && want != http.StatusOK && !link && r.code != clew.TokenExpired {
				t.Errorf("%s %s with an expired token: %s", c.method, c.path, r.code)
			}
		}
		c.token = good
		for _, c := range foreign(c) {
			if r := srv.do(t, c); r.status != http.StatusForbidden {
				t.Errorf("%s %s with host %q and origin %q: %d %s", c.method, c.path, c.host, c.origin, r.status, r.body)
			}
		}
	}
}

func unsigned(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodNone, claims).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// foreign gives a call as hostile pages and names would make it.
func foreign(c call) []call {
	var list []call
	for _, host := range []string{"evil.example", "evil.example:8000", "127.0.0.1", "localhost.evil.example"} {
		c := c
		c.host = host
		list = append(list, c)
	}
	for _, origin := range []string{"http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1.evil.example", "file://", "http://localhost:1"} {
		c := c
		c.origin = origin
		list = append(list, c)
	}
	return list
}

// The pages of the site are made of the document that a server gives.
func TestDocumentWithoutAServer(t *testing.T) {
	srv := startServer(t, options{})
	served := srv.do(t, call{method: "GET", path: "/openapi.json"}).body
	var doc struct {
		Info struct {
			Version string `json:"version"`
		} `json:"info"`
	}
	if err := json.Unmarshal(served, &doc); err != nil {
		t.Fatal(err)
	}
	made, err := api.Document(doc.Info.Version)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, served) {
		t.Errorf("api.Document makes %d bytes, the server gives %d: it leaves out a route, see its options", len(made), len(served))
	}
}

// A page of our own and a program without Origin are let in.
//
// Covers: WS-110
func TestOriginsThatMayConnect(t *testing.T) {
	srv := startServer(t, options{env: map[string]string{"ORIGINS": "https://app.example"}})
	token := srv.ownerToken()
	id, err := client.NewAPI(srv.URL(), token).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimPrefix(srv.URL(), "http://127.0.0.1")
	for origin, want := range map[string]int{
		"": 101, srv.URL(): 101, "http://localhost" + own: 101, "https://app.example": 101,
		"null": 403, "http://app.example": 403, "https://app.example.evil": 403, "https://sub.app.example": 403,
	} {
		r := srv.do(t, call{method: "GET", path: "/ws/" + string(id), token: token, origin: origin, upgrade: true})
		if r.status != want {
			t.Errorf("origin %q: %d, want %d", origin, r.status, want)
		}
	}
}

// Another user's session cannot be told from one that does not exist.
//
// Covers: WS-111
func TestForeignSessionLooksUnknown(t *testing.T) {
	srv := startServer(t, options{env: withUsers(t, nil)})
	mine, err := client.NewAPI(srv.URL(), srv.Token("alice")).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	bob := srv.Token("bob")
	nowhere := "sess_" + strings.Repeat("0", len(mine)-len("sess_"))
	for _, c := range []call{
		{method: "GET", path: "/api/v1/sessions/{id}"},
		{method: "GET", path: "/api/v1/sessions/{id}/messages"},
		{method: "POST", path: "/api/v1/sessions/{id}/commands", body: `{"type":"user_message","data":{"text":"hi"}}`},
		{method: "POST", path: "/api/v1/sessions/{id}/commands", body: `{"type":"get_state"}`},
		{method: "PUT", path: "/api/v1/sessions/{id}/access/bob", body: `{"role":"viewer"}`},
	} {
		c.token = bob
		path := c.path
		c.path = strings.Replace(path, "{id}", string(mine), 1)
		his := srv.do(t, c)
		c.path = strings.Replace(path, "{id}", nowhere, 1)
		none := srv.do(t, c)
		if his.status != http.StatusNotFound || his.code != clew.SessionNotFound {
			t.Errorf("%s %s: %d %s", c.method, path, his.status, his.body)
		}
		same := bytes.ReplaceAll(his.body, []byte(mine), []byte(nowhere))
		if his.status != none.status || !bytes.Equal(same, none.body) {
			t.Errorf("%s %s tells them apart:\n%s\n%s", c.method, path, his.body, none.body)
		}
	}
	a, b := refusalOf(t, srv, string(mine), bob), refusalOf(t, srv, nowhere, bob)
	if strings.ReplaceAll(a, string(mine), nowhere) != b || !strings.Contains(a, `"number":3001`) {
		t.Errorf("the socket tells them apart:\n%s\n%s", a, b)
	}
}

// refusalOf connects and gives what is heard until the close, and the close.
func refusalOf(t testing.TB, srv *proc, id, token string) string {
	t.Helper()
	ws, err := dialBare(t.Context(), srv.URL(), token, clew.SessionID(id), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	var heard strings.Builder
	for {
		_, b, err := ws.Read(t.Context())
		if err != nil {
			heard.WriteString(websocket.CloseStatus(err).String())
			return heard.String()
		}
		var e struct {
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(b, &e); err != nil {
			t.Fatal(err)
		}
		heard.Write(e.Data)
	}
}
