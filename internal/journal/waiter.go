package journal

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/planted"
)

// A waiter says for whom a node waits that starts before the servers of its
// engine: after a moment, when it is somebody else, and seldom beside that. Safe
// for concurrent use.
type waiter struct {
	servers []string // host:port
	log     *slog.Logger
	now     func() time.Time // that does not jump

	mu     sync.Mutex
	since  time.Time // when it began to wait, zero if it does not
	looked time.Time // when it last looked who is away
	said   time.Time
	text   string // what it said
}

const (
	waiterLooks  = 2 * time.Second
	waiterSays   = 30 * time.Second
	waiterPause  = 200 * time.Millisecond
	lookAtServer = time.Second
)

func newWaiter(engine string, c clock.Clock, log *slog.Logger) *waiter {
	w := &waiter{log: log, now: clock.Steady(c)}
	for name := range strings.SplitSeq(engine, ",") {
		name = strings.TrimSpace(name)
		if u, err := url.Parse(name); err == nil && u.Host != "" {
			name = u.Host // without a password
		}
		if _, _, err := net.SplitHostPort(name); err != nil {
			name = net.JoinHostPort(name, "4222")
		}
		w.servers = append(w.servers, name)
	}
	return w
}

// note is told of each try that failed.
func (w *waiter) note(ctx context.Context, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	if w.since.IsZero() {
		w.since, w.looked = now, now
	}
	if now.Sub(w.looked) < waiterLooks {
		return
	}
	text := w.describe(ctx)
	w.looked = w.now()
	if ctx.Err() != nil || text == w.text && w.looked.Sub(w.said) < waiterSays {
		return
	}
	w.said, w.text = w.looked, text
	w.log.Warn("waiting for the engine: "+text, "servers", w.servers, "waited", w.looked.Sub(w.since).Round(time.Second).String(), "err", cause)
}

// done says that the waiting is over, if it ever said that it waits.
func (w *waiter) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text != "" {
		w.log.Info("the engine is there", "waited", w.now().Sub(w.since).Round(time.Second).String())
	}
	w.since, w.text = time.Time{}, ""
}

// describe says which servers are away.
func (w *waiter) describe(ctx context.Context) string {
	away := w.away(ctx)
	switch {
	case len(away) == 0:
		return "all its servers answer, and they have not chosen a leader yet"
	case len(away) == len(w.servers):
		return "no server answers at " + strings.Join(away, ", ")
	}
	return "no server answers at " + strings.Join(away, ", ") + ", and the others cannot continue without a majority"
}

// away lists the servers that take no connection.
func (w *waiter) away(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, lookAtServer)
	defer cancel()
	var mu sync.Mutex
	var away []string
	var looks sync.WaitGroup
	for _, server := range w.servers {
		looks.Go(func() {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", server)
			if err == nil {
				_ = conn.Close()
				return
			}
			mu.Lock()
			defer mu.Unlock()
			away = append(away, server)
		})
	}
	looks.Wait()
	slices.SortFunc(away, func(a, b string) int { return slices.Index(w.servers, a) - slices.Index(w.servers, b) })
	return away
}

// notThere reports whether a connection failed because no server took it, and not
// because one refused it.
func notThere(err error) bool {
	var network net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.As(err, &network)
}

// notYet reports whether the engine cannot answer now and may later: it has no
// leader, or too few of its servers are up.
func notYet(err error) bool {
	if silent(err) || errors.Is(err, nats.ErrDisconnected) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.Code == http.StatusServiceUnavailable || api.ErrorCode == codeNoPeers || api.ErrorCode == codeNotLeader)
}

// What a cluster says that is not whole yet.
const (
	codeNoPeers   = jetstream.ErrorCode(10005)
	codeNotLeader = jetstream.ErrorCode(10009)
)

// silent reports whether the engine gave no answer.
func silent(err error) bool {
	// No responders, or no response from a stream: the engine is there and has no leader yet.
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoResponders) ||
		errors.Is(err, jetstream.ErrNoStreamResponse)
}

// patiently asks the engine until it answers. While a node starts, the engine may
// be busy with its own files or with an election, and a node that gave up would
// only have to start again. With a waiter it waits as long as ctx lasts, without
// one for startTimeout.
func patiently[T any](ctx context.Context, w *waiter, ask func() (T, error)) (T, error) {
	if w == nil {
		return askUntil(ctx, ask)
	}
	for {
		v, err := ask()
		if err == nil {
			w.done()
			return v, nil
		}
		if !notYet(err) || ctx.Err() != nil || planted.Bug("engine not waited for") {
			return v, err
		}
		w.note(ctx, err)
		if pause(ctx, waiterPause) != nil {
			return v, err
		}
	}
}

func askUntil[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		v, err := ask()
		if !silent(err) || pause(ctx, 50*time.Millisecond) != nil {
			return v, err
		}
	}
}
