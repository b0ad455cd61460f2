package push

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox/push/pushtest"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/tool/fetch"
)

// A world is a Push on a real store, with a push service of the test.
type world struct {
	t       *testing.T
	journal *journal.Journal
	rows    *journal.Inbox
	service *pushtest.Service
	p       *Push
	log     *lockedLog

	mu      sync.Mutex
	ahead   time.Duration // of the clock
	revoked map[string]bool
	allow   []string
}

type lockedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newWorld makes a world in which nobody is told yet; run begins that.
func newWorld(t *testing.T) *world {
	w := &world{t: t, service: pushtest.New(t), log: &lockedLog{}, revoked: map[string]bool{}}
	w.allow = []string{w.service.Address()}
	log := slog.New(slog.NewTextHandler(w.log, nil))
	var err error
	if w.journal, err = journal.Open(t.Context(), journal.Config{Dir: t.TempDir()}, log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.journal.Close(context.Background()) })
	if w.rows, err = w.journal.OpenInbox(t.Context()); err != nil {
		t.Fatal(err)
	}
	table, err := w.journal.FadingTable(t.Context(), "PUSH", 0)
	if err != nil {
		t.Fatal(err)
	}
	private, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ReadKey(private)
	if err != nil {
		t.Fatal(err)
	}
	out := fetch.Outbound{Allow: func() []string { w.mu.Lock(); defer w.mu.Unlock(); return w.allow }}
	w.p = New(Options{
		Key: key, Table: table, Rows: w.rows, Log: log, Check: out.Check, Dial: out.Dial,
		KeyInForce: func(_ context.Context, id string) (bool, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			return !w.revoked[id], nil
		},
		PublicURL: func() string { return "https://clew.example.org" },
		Now:       func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return time.Now().Add(w.ahead) },
		Again:     []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond},
	})
	w.service.Expect(w.p.PublicKey())
	w.p.client.Transport = withRoots(w.p, w.service)
	return w
}

// run tells people until the returned function is called, or the test ends.
func (w *world) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.p.Run(ctx); close(done) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	w.t.Cleanup(stop)
	return stop
}

// until waits for something that nothing tells of.
func (w *world) until(holds func() bool) {
	w.t.Helper()
	poll.Until(w.t, "what nothing tells of", holds)
}

func person(user, key string) clew.Principal {
	return clew.Principal{User: clew.UserID(user), Role: clew.RoleOwner, KeyID: key}
}

// browser has somebody subscribe with a new browser.
func (w *world) browser(by clew.Principal) *pushtest.Browser {
	w.t.Helper()
	b := w.service.Browser()
	w.subscribe(by, b)
	return b
}

func (w *world) subscribe(by clew.Principal, b *pushtest.Browser) Subscription {
	w.t.Helper()
	s, err := w.p.Subscribe(w.t.Context(), by, NewSubscription{Endpoint: b.Endpoint(), P256dh: b.P256dh(), Auth: b.Auth(), Name: "phone"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) list(by clew.Principal) []Subscription {
	w.t.Helper()
	list, err := w.p.List(w.t.Context(), by)
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// canary is what no push may have in it.
const canary = "CANARY-of-a-command"

func question(request string, deadline int64) core.InboxItem {
	return core.InboxItem{SessionID: "s1", Title: "Release 1.4", Owner: "ann", AskedMS: 5, Seq: 3, Question: clew.Question{
		Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
			Asking: clew.Asking{RequestID: clew.RequestID(request), DeadlineMS: deadline},
			Ask:    clew.AskCommand, Reason: canary, Input: json.RawMessage(`{"command":"` + canary + `"}`), Effect: &clew.Effect{Summary: canary},
		},
	}}
}

// asked makes the session's questions to one person these.
func (w *world) asked(user string, items ...core.InboxItem) {
	w.t.Helper()
	if err := w.rows.Sync(w.t.Context(), "s1", map[clew.UserID][]core.InboxItem{clew.UserID(user): items}); err != nil {
		w.t.Fatal(err)
	}
}
