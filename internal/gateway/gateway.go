// Package gateway carries sessions over WebSocket.
//
// A connection is two goroutines and a position in the session's feed. The
// reader takes commands, one after the other; the writer sends what the feed
// and the journal hold, and the answers to this client. Nothing of a session is
// queued per connection, so a slow client costs its own position and no more.
//
// The life of a connection, file by file: accept.go (doors, credentials,
// upgrade), auth.go (who is it, may they), registry.go (one connection per
// session and client), sync.go (state, replay), write.go (live), read.go and
// command.go (frames in), close.go (the end). tell.go has those that are about no
// session.
package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// Authenticator says who holds a token. *auth.Authenticator and auth.Off are
// such.
type Authenticator interface {
	// Authenticate fails with AUTH_REQUIRED if there is no token.
	Authenticate(ctx context.Context, c auth.Credentials) (clew.Principal, error)
}

// Revoker tells of API keys that were revoked. If the Authenticator is one
// too, live connections of a revoked key are closed.
type Revoker interface {
	OnRevoke(fn func(keyID string)) (cancel func())
	Revoked(keyID string) bool
}

// Options is what a Gateway is made with. Host, Auth and Doors are required.
type Options struct {
	Host  Host
	Auth  Authenticator
	Doors interface{ Check(*http.Request) error }
	// Credentials finds the caller's token in a request; nil takes it from the
	// header Authorization, or from ?token= if AllowQueryToken is set.
	Credentials     func(*http.Request) (auth.Credentials, error)
	AllowQueryToken bool
	// FirstMessageAuth lets sockets without credentials in, under tight limits,
	// to send `auth` as their first message.
	FirstMessageAuth bool
	// CreateOnConnect makes an unknown session for whoever connects to it.
	CreateOnConnect bool
	Limits          Limits
	Types           session.Types // is told what the gateway does by itself; nil = nobody
	Clock           clock.Clock   // nil = the machine's
	Log             *slog.Logger  // nil = slog.Default()
}

// A Gateway serves all WebSocket connections of a node. It is an http.Handler
// for `GET /ws/{session_id}` and safe for concurrent use.
type Gateway struct {
	o        Options
	limits   Limits
	log      *slog.Logger
	connects *auth.Limiter // by user
	local    *auth.Limiter // by user: the owner token on loopback
	answers  *auth.Limiter // by session: answers to questions
	fillers  chan struct{} // places for those who read the journal
	arrivals atomic.Uint64 // requests so far
	Counters Counters

	// ctx ends when the gateway has stopped; calls to the host are bound to it.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup // the goroutines of all connections, and the ticker
	forget func()         // takes back OnRevoke

	reg      registry
	presence presence
}

// Counters is what a Gateway counts. All but Connections and Waiting only rise.
type Counters struct {
	Connections atomic.Int64 // open now
	Waiting     atomic.Int64 // of those, not yet authenticated
	Accepted    atomic.Int64
	Refused     atomic.Int64 // turned away before the upgrade
	FramesIn    atomic.Int64
	FramesOut   atomic.Int64
	BytesIn     atomic.Int64
	BytesOut    atomic.Int64
	Replayed    atomic.Int64 // records sent again after resume_from
	CaughtUp    atomic.Int64 // records read from the journal because the feed had moved on
	Reattached  atomic.Int64 // connections that followed their session to another owner
	SlowClosed  atomic.Int64
	RateLimited atomic.Int64
	Panics      atomic.Int64
}

// New makes a Gateway and starts its ticker. Shutdown ends it.
func New(o Options) *Gateway {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Credentials == nil {
		query := o.AllowQueryToken
		o.Credentials = func(r *http.Request) (auth.Credentials, error) { return auth.CredentialsOf(r, query) }
	}
	g := &Gateway{
		o: o, limits: o.Limits.withDefaults(), log: o.Log,
		connects: auth.NewLimiter(o.Limits.ConnectsPerMinute, clock.Steady(o.Clock)),
		local:    auth.NewLimiter(o.Limits.LocalConnectsPerMinute, clock.Steady(o.Clock)),
		answers:  auth.NewLimiter(o.Limits.HitlPerMinute, clock.Steady(o.Clock)),
		fillers:  make(chan struct{}, fillers),
		forget:   func() {},
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.reg.init()
	if p, ok := o.Host.(Presenter); ok {
		g.presence.kick, g.presence.changed = make(chan struct{}, 1), map[clew.SessionID]bool{}
		g.reg.moved = g.presence.note
		g.wg.Add(1)
		go g.presenceLoop(p)
	}
	if r, ok := o.Auth.(Revoker); ok {
		g.forget = r.OnRevoke(g.revoke)
	}
	g.wg.Add(1)
	go g.tickLoop()
	return g
}

// Shutdown refuses new connections, closes the open ones with 1001 and waits
// until their goroutines have ended. When ctx ends first, the sockets are cut.
func (g *Gateway) Shutdown(ctx context.Context) error {
	g.forget()
	g.reg.drain()
	g.reg.each(func(c *conn) { c.close(wire.CloseGoing, wire.ReasonStopping) })
	done := make(chan struct{})
	go func() {
		g.reg.idle.Wait()
		g.cancel()
		g.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	g.cancel()
	g.reg.each(func(c *conn) { c.cut() })
	<-done
	return ctx.Err()
}

// tickLoop is the one clock of all connections: a timer for each would cost
// more memory than the rest of an idle connection.
func (g *Gateway) tickLoop() {
	defer g.wg.Done()
	t := time.NewTicker(g.limits.tick())
	defer t.Stop()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-t.C:
			g.tick(g.elapsed())
		}
	}
}

// now is the time of day in Unix ms: for what is sent, and for the end of tokens.
func (g *Gateway) now() int64 { return g.o.Clock.Now().UnixMilli() }

// elapsed counts ms, whatever the time of day does: for what waits or lasts so long.
func (g *Gateway) elapsed() int64 { return g.o.Clock.Elapsed().Milliseconds() }

// tick pings who is due and ends who is silent, late or out of time.
func (g *Gateway) tick(elapsed int64) {
	now := g.now()
	ping, silence := g.limits.PingEvery.Milliseconds(), g.limits.PongLimit.Milliseconds()
	g.reg.each(func(c *conn) {
		expires, deadline := c.expires.Load(), c.authBy.Load()
		switch {
		case deadline != 0 && elapsed >= deadline:
			c.push(c.errorFrame(clew.Errorf(clew.AuthRequired, "credentials are required"), clew.ErrorContext{}))
			c.close(wire.ClosePolicy, string(clew.AuthRequired))
		case expires != 0 && now >= expires:
			c.close(wire.ClosePolicy, string(clew.TokenExpired))
		case silence > 0 && elapsed-c.heard.Load() >= silence:
			c.close(wire.CloseGoing, string(clew.ConnectionTimeout))
		case ping > 0 && elapsed-c.pinged >= ping && deadline == 0:
			c.pinged = elapsed
			c.push(c.pingFrame())
		}
	})
}
