package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/auth/authtest"
	"github.com/clew-run/clew/internal/llm/choice"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
	"github.com/clew-run/clew/internal/settings"
)

const ownerToken = "clew_owner_CANARY-of-the-owner-token"

// sessions is an api.Sessions in memory. Only its handler's goroutine and the
// test use it, one after the other.
type sessions struct {
	environment map[string]string // of the one that was made last
	owner       map[clew.SessionID]clew.UserID
	access      map[clew.SessionID]map[clew.UserID]clew.Role
	title       map[clew.SessionID]string
	spent       map[clew.SessionID][]core.Spent
	done        []clew.Command
	open        int   // views not closed
	fail        error // what Do returns
	listed      session.ListQuery
	paged       view.PageQuery
	asked       any            // of the rest of what a view is asked
	question    *clew.Question // the open question of all sessions, nil for none
}

func (s *sessions) Create(_ context.Context, by clew.Principal, n session.NewSession) (clew.SessionID, error) {
	if n.ID == "" {
		n.ID = clew.NewSessionID()
	}
	if s.owner[n.ID] != "" {
		return "", clew.Errorf(clew.SessionExists, "the session exists already")
	}
	s.owner[n.ID], s.title[n.ID] = by.User, n.Title
	s.environment = n.Environment
	return n.ID, nil
}

func (s *sessions) Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error) {
	if id == "hangs" {
		<-ctx.Done()
		return session.Receipt{}, ctx.Err()
	}
	if s.fail != nil {
		return session.Receipt{}, s.fail
	}
	s.done = append(s.done, cmd)
	return session.Receipt{ClientMessageID: cmd.ClientMessageID, Records: []clew.MessageID{clew.MessageIDOf(7)}}, nil
}

func (s *sessions) Access(_ context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	switch {
	case s.owner[id] == "":
	case s.owner[id] == p.User:
		return clew.RoleOwner, nil
	case s.access[id][p.User] != "":
		return s.access[id][p.User], nil
	case p.Role == clew.RoleAdmin:
		return clew.RoleAdmin, nil
	}
	return "", clew.Errorf(clew.SessionNotFound, "no such session")
}

func (s *sessions) List(_ context.Context, q session.ListQuery) ([]core.Summary, string, error) {
	s.listed = q
	var list []core.Summary
	for id, o := range s.owner {
		if q.Cursor != "more" && (o == q.Owner || q.Everyone) {
			list = append(list, core.Summary{ID: id, Title: s.title[id], Owner: o, Spent: s.spent[id]})
		}
	}
	if q.Cursor == "more" {
		return list, "", nil
	}
	return list, "more", nil
}

func (s *sessions) Watch(_ context.Context, id clew.SessionID) (api.View, error) {
	s.open++
	return fakeView{s, id}, nil
}

func (s *sessions) Report(_ context.Context, _ clew.SessionID, name string) (clew.Report, error) {
	kind, ok := map[string]string{"run_1/report.html": "text/html", "run_1/report.pdf": "application/pdf", "run_1/odd.bin": "application/x-odd"}[name]
	if !ok {
		return clew.Report{}, clew.Errorf(clew.SessionNotFound, "no such report")
	}
	return clew.Report{Name: name, MediaType: kind, Blob: reportBlob}, nil
}

var reportBlob = strings.Repeat("ab", 32)

type fakeView struct {
	s  *sessions
	id clew.SessionID
}

func (v fakeView) State(context.Context) (clew.SessionState, error) {
	if v.id == "panics" {
		panic("a fault with CANARY inside? no")
	}
	return clew.SessionState{
		Status: clew.StatusIdle, Owner: v.s.owner[v.id], Title: v.s.title[v.id], Workspace: "/w", LastMessageID: clew.MessageIDOf(3),
		HitlPending: v.s.question,
	}, nil
}

func (v fakeView) Epoch() string { return "e1" }

func (s *sessions) Overview(context.Context, clew.SessionID) (session.Overview, error) {
	return session.Overview{Tasks: []clew.HistoryItem{{ID: "task_1", Number: 1, Task: "sweep"}}}, nil
}

func (v fakeView) ToolCall(_ context.Context, id string, message clew.MessageID) (view.ToolCall, error) {
	v.s.asked = []any{id, message}
	return view.ToolCall{
		ToolCallID: id, MessageID: message, Tool: "run", Status: clew.ToolComplete, Input: json.RawMessage(`{"n":1}`), Output: "out",
		Effect: &clew.Effect{Summary: "it runs", Diff: "+a"},
	}, nil
}

func (v fakeView) Timeline(_ context.Context, q view.TimelineQuery) (view.Timeline, error) {
	v.s.asked = q
	return view.Timeline{Marks: []view.Mark{{MessageID: clew.MessageIDOf(2), Kind: view.MarkUser, Label: "hello"}}, Total: 1}, nil
}

func (v fakeView) KernelCheckpoints(context.Context, string, int64) ([]clew.CheckpointSavedData, error) {
	return []clew.CheckpointSavedData{{CheckpointID: "cp_1", CellID: "c1", TS: 5}}, nil
}

func (v fakeView) Page(_ context.Context, q view.PageQuery) (clew.MessagesPage, error) {
	v.s.paged = q
	return clew.MessagesPage{Messages: clew.List[clew.Message]{{MessageID: clew.MessageIDOf(2)}}, Total: 5, Next: clew.MessageIDOf(2)}, nil
}

func (v fakeView) Close() { v.s.open-- }

// A bench is an API with all that it needs.
type bench struct {
	t        *testing.T
	api      *api.API
	sessions *sessions
	keys     *auth.Keys
	store    *authtest.MemoryKeys
	now      time.Time
	ready    error
	log      lockedBuffer
	secrets  secrets
	blobs    blobs
	moved    *moved
	erasures erasures
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var benchProviders = []string{"anthropic", "openai", "echo"}

func newBench(t *testing.T, change ...func(*api.Options)) *bench {
	b := &bench{
		t: t, store: &authtest.MemoryKeys{}, now: time.UnixMilli(1_800_000_000_000),
		sessions: &sessions{
			owner:  map[clew.SessionID]clew.UserID{},
			access: map[clew.SessionID]map[clew.UserID]clew.Role{},
			title:  map[clew.SessionID]string{},
		},
	}
	b.secrets, b.blobs = secrets{}, blobs{}
	values, err := settings.Open(t.Context(), settings.Options{Store: settings.NewMemory(), Secrets: b.secrets, Providers: benchProviders})
	if err != nil {
		t.Fatal(err)
	}
	b.keys = auth.NewKeys(b.store, benchClock{b}.Now)
	authn := auth.New(auth.Options{OwnerToken: ownerToken, Keys: b.keys})
	o := api.Options{
		Sessions: b.sessions, Keys: b.keys, Auth: authn, UI: builtUI,
		SignIns: auth.NewSignIns(authn, b.keys, &authtest.MemoryTickets{}), Cookies: auth.NewCookies("test", nil),
		Doors:    auth.OriginPolicy{Hosts: []string{"clew.test"}, Origins: []string{"https://clew.test"}},
		Settings: values, Secrets: b.secrets, Models: &choice.Models{Settings: values, Keys: b.secrets, Providers: benchProviders}, Blobs: b.blobs, References: b.blobs,
		AsyncAPI: []byte(`{"asyncapi":"3.0.0"}`), Version: "1.2.3", PerMinute: api.DefaultPerMinute,
		Ready:   func(context.Context) error { return b.ready },
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures 1\n") }),
		WebSocket: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = io.WriteString(w, "socket of "+r.PathValue("session_id"))
		}),
		Clock: benchClock{b}, Log: slog.New(slog.NewJSONHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	b.moved = &moved{}
	o.Exports, o.Imports = b.moved, b.moved
	o.Erasures = &b.erasures
	o.Git = noGit{}
	for _, f := range change {
		f(&o)
	}
	if b.api, err = api.New(o); err != nil {
		t.Fatal(err)
	}
	return b
}

// key makes an API key.
func (b *bench) key(user clew.UserID, role clew.Role) string {
	b.t.Helper()
	_, token, err := b.keys.Create(b.t.Context(), auth.NewKey{User: user, Role: role})
	if err != nil {
		b.t.Fatal(err)
	}
	return token
}

func (b *bench) request(token, method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "clew.test"
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (b *bench) serve(r *http.Request) answer {
	b.t.Helper()
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, r)
	a := answer{t: b.t, status: w.Code, header: w.Header(), raw: w.Body.String()}
	_ = json.Unmarshal(w.Body.Bytes(), &a.body)
	return a
}

func (b *bench) call(token, method, target, body string) answer {
	b.t.Helper()
	return b.serve(b.request(token, method, target, body))
}

type answer struct {
	t      *testing.T
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// is checks the status and, for an error, the one form that errors have.
func (a answer) is(status int, code clew.Code) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Errorf("status %d, want %d: %s", a.status, status, a.raw)
	}
	if code == "" {
		return a
	}
	e, _ := a.body["error"].(map[string]any)
	info := code.Info()
	if len(a.body) != 1 || e["code"] != string(code) || e["number"] != float64(info.Number) || e["message"] == "" ||
		e["recoverable"] != info.Recoverable || e["suggested_action"] != info.Action {
		a.t.Errorf("body %s, want code %s", a.raw, code)
	}
	if ct := a.header.Get("Content-Type"); ct != "application/json" {
		a.t.Errorf("content type %q", ct)
	}
	return a
}

var errCanary = errors.New("CANARY-cause")

// benchClock is the bench's own time, which goes by when a test says so.
type benchClock struct{ b *bench }

func (c benchClock) Now() time.Time         { return c.b.now }
func (c benchClock) Elapsed() time.Duration { return c.b.now.Sub(time.Unix(0, 0)) }
func (c benchClock) After(time.Duration) (<-chan time.Time, func()) {
	return nil, func() {}
}

// noGit is for routes that nobody gets through to.
type noGit struct{ api.Git }

func (noGit) Wanted() bool { return false }
