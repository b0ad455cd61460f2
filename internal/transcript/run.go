package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rogpeppe/go-internal/txtar"
)

// A Server is what a transcript talks to.
type Server interface {
	// URL is the server's address, http://host:port. It may change with
	// Restart.
	URL() string
	// Token gives the credentials of a user that a transcript names.
	Token(user string) string
	// Kill ends the server without warning; Restart starts it on its data.
	Kill() error
	Restart() error
}

var update = flag.Bool("update", false, "rewrite the server's part of transcripts that do not fit")

const (
	patience = time.Minute            // for one frame or answer
	quiet    = 500 * time.Millisecond // with -update: no more frames will come
)

// RunDir runs every *.txtar of a folder as a subtest. start gives the server
// for one transcript; transcripts may share it.
func RunDir(t *testing.T, dir string, start func(t *testing.T) Server) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts in %s (%v)", dir, err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			Run(t, start(t), p)
		})
	}
}

// Run runs one transcript. With -update it rewrites the file instead of
// failing where only the server's words differ.
func Run(t *testing.T, srv Server, path string) {
	t.Helper()
	s, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := s.run(t.Context(), srv, *update)
	if err != nil {
		t.Fatal(err)
	}
	if changed {
		if err := os.WriteFile(path, txtar.Format(s.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("rewrote %s", path)
	}
}

// A player carries out a script. It is used by one goroutine.
type player struct {
	srv    Server
	script *script
	vars   vars
	conns  map[string]*conn
	answer *answer // of the last request
	update bool
	edited bool
}

// An answer is what came back for a request.
type answer struct {
	status int
	body   []byte
}

func (s *script) run(ctx context.Context, srv Server, update bool) (changed bool, err error) {
	p := &player{srv: srv, script: s, vars: vars{}, conns: map[string]*conn{}, update: update}
	defer func() {
		for _, c := range p.conns {
			c.stop()
		}
	}()
	for i := range s.steps {
		if err := p.step(ctx, i); err != nil {
			return p.edited, fmt.Errorf("%s, section %d (%s): %w", s.path, i+1, s.archive.Files[i].Name, err)
		}
	}
	return p.edited, nil
}

func (p *player) step(ctx context.Context, i int) error {
	st := &p.script.steps[i]
	switch st.verb {
	case "setup":
		return p.setup(ctx, st)
	case "connect":
		return p.connect(ctx, st)
	case "request":
		return p.request(ctx, st.request)
	case "response":
		return p.response(i)
	case "kill":
		return p.srv.Kill()
	case "restart":
		return p.srv.Restart()
	case "wait":
		time.Sleep(st.pause) // the transcript asks for time to pass
		return nil
	}
	c, ok := p.conns[st.who]
	if !ok {
		return fmt.Errorf("client %s is not connected", st.who)
	}
	switch st.verb {
	case "server":
		return p.hear(c, i)
	case "client":
		return p.send(ctx, c, st)
	case "close":
		return p.expectClose(c, st)
	default: // leave
		c.leave()
		delete(p.conns, st.who)
		return nil
	}
}

// setup makes sessions: create NAME as=USER title=TEXT.
func (p *player) setup(ctx context.Context, st *step) error {
	for _, l := range st.body {
		words := strings.Fields(l)
		if len(words) < 2 || words[0] != "create" {
			return fmt.Errorf("%q is not create NAME as=USER", l)
		}
		r := request{method: http.MethodPost, target: "/api/v1/sessions", header: http.Header{}}
		body := map[string]string{}
		for _, w := range words[2:] {
			key, value, _ := strings.Cut(w, "=")
			if key == "as" {
				r.as = value
			} else {
				body[key] = value
			}
		}
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r.body = string(b)
		if err := p.request(ctx, r); err != nil {
			return err
		}
		var made struct {
			SessionID string `json:"session_id"`
		}
		if err := json.Unmarshal(p.answer.body, &made); err != nil || made.SessionID == "" {
			return fmt.Errorf("session not created: %d %s", p.answer.status, p.answer.body)
		}
		p.vars[words[1]] = made.SessionID
	}
	return nil
}

func (p *player) token(as string) string {
	if as == "" {
		return ""
	}
	return p.srv.Token(as)
}

// tokens keeps the credentials that a text to be sent names as {token_USER}.
func (p *player) tokens(text string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if user, ok := strings.CutPrefix(m[1], "token_"); ok {
			p.vars[m[1]] = p.srv.Token(user)
		}
	}
}

func (p *player) connect(ctx context.Context, st *step) error {
	if old, ok := p.conns[st.who]; ok {
		old.stop()
		delete(p.conns, st.who)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r := st.request
	r.target = p.vars.expand(r.target)
	c, status, err := dial(ctx, p.srv.URL(), r, p.token(r.as))
	if c != nil {
		p.conns[st.who] = c
	}
	switch {
	case st.status == 0:
		return err
	case status != st.status:
		return fmt.Errorf("the handshake got %d, want %d (%w)", status, st.status, err)
	default:
		return nil
	}
}

func (p *player) request(ctx context.Context, r request) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p.tokens(r.body)
	req, err := http.NewRequestWithContext(ctx, r.method, p.srv.URL()+p.vars.expand(r.target),
		strings.NewReader(p.vars.expand(r.body)))
	if err != nil {
		return err
	}
	req.Header = r.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	if r.body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token := p.token(r.as); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	p.answer = &answer{resp.StatusCode, bytes.TrimSpace(body)}
	return err
}

func (p *player) send(ctx context.Context, c *conn, st *step) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, l := range st.body {
		p.tokens(l)
		frames, err := p.vars.outgoing(l)
		if err != nil {
			return err
		}
		for _, f := range frames {
			if err := c.send(ctx, f); err != nil && !isClosed(c) {
				return err
			}
		}
	}
	return nil
}

// isClosed reports whether the server has ended the connection; the step after
// the send looks at how.
func isClosed(c *conn) bool {
	select {
	case <-c.done:
		return true
	case <-time.After(patience):
		return false
	}
}

func (p *player) expectClose(c *conn, st *step) error {
	for {
		f, err := c.next(patience)
		if err == nil {
			if v, perr := parseJSON(f); perr == nil && (passing(kindOf(v)) || snapshot(v)) {
				continue
			}
			return fmt.Errorf("heard %s before the close", f)
		}
		var end *closedError
		if !errors.As(err, &end) {
			return err
		}
		return p.checkClose(end, st)
	}
}

func (p *player) checkClose(end *closedError, st *step) error {
	defer delete(p.conns, st.who)
	code, reason, _ := strings.Cut(st.body[0], " ")
	var ce websocket.CloseError
	if !errors.As(end.err, &ce) {
		if code == "broken" { // the server died
			return nil
		}
		return end
	}
	got := []any{strconv.Itoa(int(ce.Code)), ce.Reason}
	if err := p.vars.match([]any{code, reason}, got); err != nil {
		return fmt.Errorf("%w: want %s", end, st.body[0])
	}
	return nil
}
