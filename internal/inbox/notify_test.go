package inbox

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/core"
)

// The example of the Standard Webhooks specification.
func TestSignature(t *testing.T) {
	got, err := signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if err != nil || got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := signature("whsec_***", "a", "1", nil); err == nil {
		t.Error("a key that is not base64 was taken")
	}
	plain, _ := signature("secret", "a", "1", []byte("x"))
	coded, _ := signature("whsec_"+base64.StdEncoding.EncodeToString([]byte("secret")), "a", "1", []byte("x"))
	if plain != coded {
		t.Error("a plain key is not the key itself")
	}
}

func aNotice(attempt int) journal.Notice {
	return journal.Notice{ID: "ntc_1", User: "bob", Attempt: attempt, Item: core.InboxItem{
		SessionID: "s", Title: "Work", Question: clew.Question{
			Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{Asking: asking("q", start+5)},
		},
	}}
}

// What a receiver does not take is tried again later and later, and given up in
// the end. Neither the address nor the link is in an error.
func TestNotifierFailures(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	answers := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	srv := httptest.NewServer(answers)
	defer srv.Close()
	_, l := linked()
	hook := Webhook{PublicURL: "https://clew.example.org/", LinkFor: time.Hour}
	n := &Notifier{
		Links: l, Webhook: func() Webhook { return hook }, Log: slog.New(slog.DiscardHandler),
		Secret: func(context.Context) (string, error) { return "k", nil },
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	n.Run(ended, nil) // fills in the defaults
	tests := []struct {
		url     string
		attempt int
		again   time.Duration
		ok      bool
	}{
		{srv.URL + "/fine", 1, 2 * time.Second, true},
		{srv.URL + "/broken?key=CANARY", 1, 2 * time.Second, false},
		{srv.URL + "/broken?key=CANARY", 4, 2 * time.Minute, false},
		{srv.URL + "/broken?key=CANARY", 9, 0, false},
		{srv.URL + "/moved", 2, 10 * time.Second, false},
		{"http://127.0.0.1:1/?key=CANARY", 1, 2 * time.Second, false},
		{"http://CANARY user@%zz", 1, 2 * time.Second, false},
		{"", 20, time.Second, false},
	}
	for _, tt := range tests {
		hook.URL = tt.url
		again, err := n.send(t.Context(), aNotice(tt.attempt))
		if (err == nil) != tt.ok || again != tt.again {
			t.Errorf("%s, attempt %d: %v, again in %s", tt.url, tt.attempt, err, again)
		}
		if err != nil && (strings.Contains(err.Error(), "CANARY") || strings.Contains(err.Error(), "answer#")) {
			t.Errorf("the error says too much: %v", err)
		}
	}
	body, err := n.body(hook, aNotice(1))
	if err != nil || !strings.Contains(string(body), `"answer_url":"https://clew.example.org/answer#ey`) || !strings.Contains(string(body), `"deadline_ms":`) {
		t.Errorf("%s, %v", body, err)
	}
	reminder := aNotice(1)
	reminder.Reminder = true
	if body, _ := n.body(hook, reminder); !strings.HasPrefix(string(body), `{"type":"reminder",`) {
		t.Errorf("%s", body)
	}
}

// Notices flow while there is a webhook, and a flow that breaks is begun anew.
func TestNotifierRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		hook, flows := Webhook{}, 0
		set := func(url string) { mu.Lock(); hook.URL = url; mu.Unlock() }
		running := func() int { mu.Lock(); defer mu.Unlock(); return flows }
		broken := make(chan error)
		n := &Notifier{
			Secret:  func(context.Context) (string, error) { return "", nil },
			Webhook: func() Webhook { mu.Lock(); defer mu.Unlock(); return hook }, Log: slog.New(slog.DiscardHandler),
			Notices: func(ctx context.Context, _ func(context.Context, journal.Notice) (time.Duration, error)) error {
				mu.Lock()
				flows++
				mu.Unlock()
				defer func() { mu.Lock(); flows--; mu.Unlock() }()
				select {
				case <-ctx.Done():
					return nil
				case err := <-broken:
					return err
				}
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		changed := make(chan struct{}, 1)
		done := make(chan struct{})
		go func() { n.Run(ctx, changed); close(done) }()
		want := func(n int) {
			t.Helper()
			synctest.Wait()
			if got := running(); got != n {
				t.Fatalf("%d flows, want %d", got, n)
			}
		}
		want(0)
		set("http://a")
		changed <- struct{}{}
		want(1)
		set("http://b")
		changed <- struct{}{}
		want(1)
		broken <- errors.New("the engine went away")
		want(0)
		time.Sleep(notifierPause)
		want(1)
		set("")
		changed <- struct{}{}
		want(0)
		set("http://c")
		changed <- struct{}{}
		want(1)
		cancel()
		<-done
		want(0)
	})
}
