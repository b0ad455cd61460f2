// Package push tells people of their questions through their browsers, also
// when no page is open: Web Push (RFC 8030), encrypted for the browser
// (RFC 8291), under the installation's own key (RFC 8292).
//
// A message says that there is a question, of what kind and in which session,
// and no word of what it is about: the page asks the server for that. The push
// service in between learns neither; it sees when something was sent to which
// browser.
package push

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/core"
)

// Rows is the table of open questions: *journal.Inbox.
type Rows interface {
	Changes(ctx context.Context, name string, take func(context.Context, journal.Change) (time.Duration, error)) error
	HasRow(ctx context.Context, row string) (bool, error)
	List(ctx context.Context, user clew.UserID) ([]core.InboxItem, error)
}

// Options is what a Push is made of.
type Options struct {
	Key   Key
	Table *journal.Table // a fading one, for subscriptions and what they were told
	Rows  Rows
	// KeyInForce reports whether an API key still holds.
	KeyInForce func(ctx context.Context, id string) (bool, error)
	// Check reads an address and says why it may not be connected to.
	Check func(endpoint string) (string, error)
	// Dial connects to what may be connected to, and to nothing else.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// PublicURL is where people reach this server, "" if nobody said.
	PublicURL func() string
	Log       *slog.Logger
	Now       func() time.Time // nil = the machine's
	// Again holds the pauses between attempts; after the last one a message is
	// given up. nil = from seconds to half an hour.
	Again []time.Duration
}

var defaultAgain = []time.Duration{2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute}

// A Push tells people through their browsers. Safe for concurrent use.
type Push struct {
	o      Options
	client *http.Client
	tests  *auth.Limiter

	// Counters are for the metrics.
	Counters struct{ Sent, Retried, GivenUp, Gone atomic.Int64 }
}

const testsPerMinute = 6

// New makes a Push.
func New(o Options) *Push {
	if o.Now == nil {
		o.Now = clock.System().Now
	}
	if o.Again == nil {
		o.Again = defaultAgain
	}
	return &Push{o: o, tests: auth.NewLimiter(testsPerMinute, nil), client: &http.Client{
		Timeout: sendTimeout,
		// Neither a redirect nor a proxy of the environment decides where we go.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: o.Dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: sendTimeout,
			MaxIdleConns: 100, MaxIdleConnsPerHost: 4, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		},
	}}
}

func (p *Push) now() int64 { return p.o.Now().UnixMilli() }

// restartPause is waited before a stream of changes that broke is begun anew.
const restartPause = 5 * time.Second

// Run tells people until ctx ends.
func (p *Push) Run(ctx context.Context) {
	defer p.client.CloseIdleConnections()
	for ctx.Err() == nil {
		err := p.settleMissed(ctx)
		if err == nil {
			err = p.o.Rows.Changes(ctx, "push", p.take)
		}
		if ctx.Err() != nil {
			return
		}
		p.o.Log.Error("pushing stopped and is begun anew", "err", err)
		select {
		case <-time.After(restartPause):
		case <-ctx.Done():
		}
	}
}
