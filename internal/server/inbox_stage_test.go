package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// pollster is an agent that puts one question in each turn: what is said to it,
// as JSON, or a plain approval. It outlives the servers that it works for.
type pollster struct {
	mu    sync.Mutex
	asked map[string]bool
}

// before reports whether it has asked in this turn, and notes that it has.
func (p *pollster) before(turn string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked = map[string]bool{}
	}
	defer func() { p.asked[turn] = true }()
	return p.asked[turn]
}

func (p *pollster) Work(_ context.Context, turn core.Turn, m clew.Message, desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		if p.before(string(s.ID) + string(turn.ID)) {
			tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
			return
		}
		var input clew.HitlInputRequestData
		if json.Unmarshal([]byte(m.Text), &input) == nil {
			decide.AskInput(tx, s, t, input)
			return
		}
		decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{
			Ask: clew.AskMistakeLimitReached, Limit: "mistakes", Reason: m.Text, Tool: "execute_command",
			Input:   json.RawMessage(`{"command":"make deploy <b>& more</b>","cwd":"/srv/app"}`),
			Effect:  &clew.Effect{Summary: "Runs a command in the workspace."},
			Why:     "No rule allows this command unasked.",
			Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject},
		})
	})
	return err
}

// stage is a server with a pollster, and its people.
type stage struct {
	t     *testing.T
	cfg   server.Config
	agent *pollster
	s     *server.Server
	token string
	log   *lockedLog
}

type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newStage(t *testing.T, environ ...string) *stage {
	st := &stage{t: t, cfg: config(t), agent: &pollster{}, log: &lockedLog{}}
	st.cfg.Environ = append([]string{}, environ...)
	port, err := proc.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	st.cfg.Listen = fmt.Sprintf("127.0.0.1:%d", port) // the same one after a restart
	st.start()
	t.Cleanup(func() { st.s.Stop(context.Background()) })
	return st
}

func (st *stage) start() {
	st.t.Helper()
	log := slog.New(slog.NewTextHandler(st.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := server.StartWith(st.t.Context(), st.cfg, log, st.agent)
	if err != nil {
		st.t.Fatal(err)
	}
	st.s = s
	b, err := os.ReadFile(filepath.Join(st.cfg.Data, "token"))
	if err != nil {
		st.t.Fatal(err)
	}
	st.token = strings.TrimSpace(string(b))
}

// key makes an API key for somebody.
func (st *stage) key(user, role string) string {
	st.t.Helper()
	r := st.call(st.token, "POST", "/api/v1/keys", map[string]any{"user": user, "role": role})
	return r.body["token"].(string)
}

type reply struct {
	status int
	code   string
	body   map[string]any
	raw    string
}

func (st *stage) call(token, method, path string, body any) reply {
	st.t.Helper()
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			st.t.Fatal(err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(st.t.Context(), method, st.s.URL()+path, in)
	if err != nil {
		st.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		st.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		st.t.Fatal(err)
	}
	r := reply{status: resp.StatusCode, raw: string(b)}
	_ = json.Unmarshal(b, &r.body)
	if e, ok := r.body["error"].(map[string]any); ok {
		r.code = e["code"].(string)
	}
	return r
}

func (st *stage) session() string {
	st.t.Helper()
	r := st.call(st.token, "POST", "/api/v1/sessions", map[string]any{"title": "Release 1.4"})
	return r.body["session_id"].(string)
}

func (st *stage) share(id, user, role string) {
	st.t.Helper()
	if r := st.call(st.token, "PUT", "/api/v1/sessions/"+id+"/access/"+user, map[string]any{"role": role}); r.status != 200 {
		st.t.Fatal(r.raw)
	}
}

// say has the agent ask something.
func (st *stage) say(id, text string) {
	st.t.Helper()
	r := st.call(st.token, "POST", "/api/v1/sessions/"+id+"/commands", map[string]any{"type": "user_message", "data": map[string]any{"text": text}})
	if r.status != 200 {
		st.t.Fatal(r.raw)
	}
}

// feed is somebody's inbox over a socket.
type feed struct {
	t *testing.T
	c *websocket.Conn
}

func (st *stage) feed(token string) *feed {
	st.t.Helper()
	c, resp, err := websocket.Dial(st.t.Context(), strings.Replace(st.s.URL(), "http", "ws", 1)+"/api/v1/inbox/feed",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		st.t.Fatal(err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	c.SetReadLimit(1 << 20)
	st.t.Cleanup(func() { _ = c.CloseNow() })
	return &feed{st.t, c}
}

type feedFrame struct {
	Type string `json:"type"`
	Data struct {
		Items   []map[string]any `json:"items"`
		Added   []map[string]any `json:"added"`
		Removed []string         `json:"removed"`
		Counts  map[string]any   `json:"counts"`
	} `json:"data"`
}

func (f *feed) next(typ string) feedFrame {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), time.Minute)
	defer cancel()
	for {
		_, b, err := f.c.Read(ctx)
		if err != nil {
			f.t.Fatalf("waiting for %s: %v", typ, err)
		}
		var frame feedFrame
		if err := json.Unmarshal(b, &frame); err != nil {
			f.t.Fatal(err)
		}
		if frame.Type == "ping" {
			continue
		}
		if frame.Type != typ {
			f.t.Fatalf("got %s, want %s", b, typ)
		}
		return frame
	}
}

// added reads the next change, which must be a new question, and gives its id.
func (f *feed) added() string {
	f.t.Helper()
	d := f.next("inbox_changed").Data
	if len(d.Added) != 1 || len(d.Removed) != 0 {
		f.t.Fatalf("changed %+v", d)
	}
	return requestOf(d.Added[0])
}

func requestOf(item map[string]any) string {
	return item["question"].(map[string]any)["request_id"].(string)
}
