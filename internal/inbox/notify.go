package inbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal"
)

// A Webhook is where notices go and what they say of this server.
type Webhook struct {
	URL       string        // "" = notices are off
	PublicURL string        // where people reach this server
	LinkFor   time.Duration // how long an answer link holds
}

// A Notifier sends notices of questions to a webhook, signed as Standard
// Webhooks has it.
type Notifier struct {
	// Notices gives each notice to one node; see journal.Inbox.
	Notices func(ctx context.Context, send func(context.Context, journal.Notice) (time.Duration, error)) error
	Links   *Links
	// Webhook is asked before each notice, so that a change holds at once.
	Webhook func() Webhook
	// Secret gives the key that signs, "" if there is none.
	Secret func(context.Context) (string, error)
	Client *http.Client // nil = one with a time-out
	Log    *slog.Logger
	Now    func() time.Time // nil = the machine's
	// Again holds the pauses between attempts; after the last one the notice is
	// given up. nil = from seconds to hours.
	Again []time.Duration
}

var defaultAgain = []time.Duration{
	2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

const (
	sendTimeout   = 5 * time.Second
	notifierPause = 5 * time.Second // before a stream of notices that broke is begun anew
)

// Run sends notices until ctx ends, while a webhook is set. changed gets a
// signal whenever that may have changed.
func (n *Notifier) Run(ctx context.Context, changed <-chan struct{}) {
	if n.Client == nil {
		n.Client = &http.Client{Timeout: sendTimeout}
	}
	// A redirect would send the notice, with its link, where nobody said.
	n.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if n.Now == nil {
		n.Now = clock.System().Now
	}
	if n.Again == nil {
		n.Again = defaultAgain
	}
	for ctx.Err() == nil {
		if n.Webhook().URL != "" {
			n.runWhileOn(ctx, changed)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (n *Notifier) runWhileOn(ctx context.Context, changed <-chan struct{}) {
	if secret, err := n.Secret(ctx); err == nil && secret == "" {
		n.Log.Warn("notices of questions are not signed: there is no secret webhook_secret")
	}
	on, off := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- n.Notices(on, n.send) }()
	defer func() { off(); <-done }()
	for {
		select {
		case <-changed:
			if n.Webhook().URL == "" {
				return
			}
		case err := <-done:
			done <- err
			if ctx.Err() == nil {
				n.Log.Error("notices of questions stopped and are begun anew", "err", err)
				select {
				case <-time.After(notifierPause):
				case <-ctx.Done():
				}
			}
			return
		}
	}
}

// notice is the body that a webhook gets.
type notice struct {
	Type       string         `json:"type"` // question or reminder
	SessionID  clew.SessionID `json:"session_id"`
	Title      string         `json:"title"`
	User       clew.UserID    `json:"user"`
	Question   clew.Question  `json:"question"`
	AnswerURL  string         `json:"answer_url"`
	DeadlineMS int64          `json:"deadline_ms,omitempty"`
}

func (n *Notifier) send(ctx context.Context, j journal.Notice) (again time.Duration, err error) {
	if j.Attempt <= len(n.Again) {
		again = n.Again[max(0, j.Attempt-1)]
	}
	hook := n.Webhook()
	if hook.URL == "" { // switched off a moment ago: it stays open
		return max(again, time.Second), errors.New("the webhook is off")
	}
	body, err := n.body(hook, j)
	if err != nil {
		return 0, err
	}
	return again, n.post(ctx, hook.URL, j.ID, body)
}

func (n *Notifier) body(hook Webhook, j journal.Notice) ([]byte, error) {
	asking := j.Item.Question.Asking()
	token, err := n.Links.Token(Claim{
		RequestID: asking.RequestID, SessionID: j.Item.SessionID, User: j.User, ExpMS: n.Now().Add(hook.LinkFor).UnixMilli(),
	})
	if err != nil {
		return nil, err
	}
	out := notice{
		Type: "question", SessionID: j.Item.SessionID, Title: j.Item.Title, User: j.User, Question: j.Item.Question,
		// In the fragment, which browsers send to nobody.
		AnswerURL: strings.TrimRight(hook.PublicURL, "/") + "/answer#" + token, DeadlineMS: asking.DeadlineMS,
	}
	if j.Reminder {
		out.Type = "reminder"
	}
	return json.Marshal(out)
}

func (n *Notifier) post(ctx context.Context, to, id string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook's address cannot be used")
	}
	stamp := strconv.FormatInt(n.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", stamp)
	secret, err := n.Secret(ctx)
	if err != nil {
		return err
	}
	if secret != "" {
		sum, err := signature(secret, id, stamp, body)
		if err != nil {
			return err
		}
		req.Header.Set("Webhook-Signature", sum)
	}
	resp, err := n.Client.Do(req)
	if err != nil { // without the address, which may hold a secret
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection is used again
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the webhook answered %d", resp.StatusCode)
	}
	return nil
}

// signature signs a notice. A secret with the prefix whsec_ is the key in
// base64; any other is the key itself.
func signature(secret, id, stamp string, body []byte) (string, error) {
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return "", errors.New("webhook_secret begins with whsec_ and is not base64 behind it")
		}
	}
	m := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(m, "%s.%s.", id, stamp)
	_, _ = m.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil)), nil
}
