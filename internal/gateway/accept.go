package gateway

import (
	"context"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/wire"
)

// A pendingConn is a request that may become a connection.
type pendingConn struct {
	session clew.SessionID
	client  clew.ClientID
	at      cursor
	view    clew.View
	known   bool // authenticated; otherwise the first message must do it
	browser bool // by its cookie
	by      clew.Principal
	role    clew.Role
	err     error  // why the session stays closed to it; told after the upgrade
	addr    string // counted as waiting under this address, "" if it is not
	source  Source // for a connection without a session
	arrival uint64 // counts requests
}

// ServeHTTP takes a request up to the start of its two goroutines and returns,
// so that the request's own goroutine and buffers are free again.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.serve(w, r, g.receive) }

func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, receive func(*http.Request) (pendingConn, error)) {
	arrival := g.arrivals.Add(1)
	v, err := receive(r)
	if err != nil {
		g.refuse(w, r, err)
		return
	}
	sock, rw, _, err := ws.HTTPUpgrader{Timeout: 5 * time.Second}.Upgrade(r, w)
	if err != nil {
		if sock != nil {
			_ = sock.Close()
		}
		if v.addr != "" {
			g.reg.unawait(v.addr)
		}
		g.Counters.Refused.Add(1)
		g.log.Debug("upgrade failed", "session", v.session, "err", err)
		return
	}
	var early []byte // a client may send frames before it has our answer
	if n := rw.Reader.Buffered(); n > 0 {
		early, _ = rw.Reader.Peek(n)
	}
	v.arrival = arrival
	g.start(sock, append([]byte(nil), early...), v)
}

// receive makes all checks that come before the upgrade, cheapest first.
func (g *Gateway) receive(r *http.Request) (pendingConn, error) {
	if g.reg.stopping() {
		return pendingConn{}, errStopping
	}
	if err := g.o.Doors.Check(r); err != nil {
		return pendingConn{}, err
	}
	q := r.URL.Query()
	v := pendingConn{ // clones, so that a connection does not hold its whole request
		session: clew.SessionID(strings.Clone(r.PathValue("session_id"))),
		client:  clew.ClientID(strings.Clone(q.Get("client_id"))),
		at:      cursor{strings.Clone(q.Get("resume_from")), strings.Clone(q.Get("epoch"))},
		view:    viewOf(q.Get("view")),
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.limits.CommandTimeout)
	defer cancel()
	if err := g.identify(ctx, r, &v); err != nil {
		return pendingConn{}, err
	}
	if err := v.check(r); err != nil {
		return pendingConn{}, err
	}
	if v.known {
		if err := g.mayConnect(v.by, r.RemoteAddr); err != nil {
			return v.tooOften(err)
		}
		v.role, v.err = g.access(ctx, v.session, v.by, v.at)
		return v, nil
	}
	err := g.awaitAuth(r, &v)
	return v, err
}

// awaitAuth counts a visitor without credentials, if there is room for one.
func (g *Gateway) awaitAuth(r *http.Request, v *pendingConn) error {
	addr := hostOf(r.RemoteAddr)
	if !g.reg.await(addr, g.limits) {
		return clew.Errorf(clew.RateLimited, "too many connections without credentials")
	}
	v.addr = addr
	return nil
}

// viewOf reads the parameter view, "" if there is no such view.
func viewOf(name string) clew.View {
	switch v := clew.View(name); v {
	case "", clew.ViewRecords:
		return clew.ViewRecords
	case clew.ViewState:
		return clew.ViewState
	}
	return ""
}

// check looks at the form of the request.
func (v *pendingConn) check(r *http.Request) error {
	switch {
	case !wantsUpgrade(r):
		return errNoUpgrade
	case v.source == nil && !v.session.Valid():
		return clew.Errorf(clew.InvalidMessage, "the session id is malformed")
	case v.source == nil && v.view == "":
		return clew.Errorf(clew.InvalidMessage, "view is %s or %s", clew.ViewRecords, clew.ViewState)
	case v.client != "" && !clew.ValidID(string(v.client)):
		return clew.Errorf(clew.InvalidMessage, "client_id is malformed")
	}
	return nil
}

// identify looks at the credentials. Having none is allowed if the first
// message may still bring some; having wrong ones is not.
func (g *Gateway) identify(ctx context.Context, r *http.Request, v *pendingConn) error {
	creds, err := g.o.Credentials(r)
	if err != nil {
		return err
	}
	v.by, err = g.o.Auth.Authenticate(ctx, creds)
	v.known, v.browser = err == nil, creds.Cookie
	if creds.Token == "" && clew.CodeOf(err) == clew.AuthRequired && g.o.FirstMessageAuth && wantsUpgrade(r) {
		return nil
	}
	return err
}

// mayConnect applies the limit on connects.
func (g *Gateway) mayConnect(p clew.Principal, remote string) error {
	limiter := g.connects
	if p.User == auth.OwnerUser || p.User == auth.LocalUser {
		if ip := net.ParseIP(hostOf(remote)); ip != nil && ip.IsLoopback() {
			limiter = g.local
		}
	}
	if ok, retry := limiter.Allow(string(p.User)); !ok {
		g.Counters.RateLimited.Add(1)
		return &clew.Error{Code: clew.RateLimited, Message: "too many connects", RetryAfterMS: retry.Milliseconds() + 1}
	}
	return nil
}

// tooOften refuses a visitor by the limit. Pages are not told with what status
// an upgrade was refused, nor for how long: they are told on a connection that
// is closed at once.
func (v pendingConn) tooOften(err error) (pendingConn, error) {
	if !v.browser {
		return pendingConn{}, err
	}
	v.err = err
	return v, nil
}

// start makes the connection and its two goroutines.
func (g *Gateway) start(sock net.Conn, early []byte, v pendingConn) {
	elapsed := g.elapsed()
	c := &conn{
		g: g, sock: sock, session: v.session, client: v.client, view: v.view, addr: v.addr,
		by: v.by, role: v.role, source: v.source, arrival: v.arrival, pinged: elapsed, signal: make(chan struct{}, 1),
	}
	switch sock.(type) {
	case *net.TCPConn, *net.UnixConn:
		c.vectored = true
	}
	c.in.early = early
	c.heard.Store(elapsed)
	c.left.Store(2)
	if !v.known {
		c.want = &v.at
		c.authBy.Store(elapsed + g.limits.AuthWait.Milliseconds())
	}
	gone := hungUp(sock)
	if gone || !g.reg.add(c) {
		if !gone {
			_, _ = sock.Write(closeFrame(wire.CloseGoing, wire.ReasonStopping))
		}
		_ = sock.Close()
		if v.addr != "" {
			g.reg.unawait(v.addr)
		}
		return
	}
	g.Counters.Accepted.Add(1)
	g.Counters.Connections.Add(1)
	if v.known {
		c.enter(v.at, v.err)
	} else {
		g.Counters.Waiting.Add(1)
	}
	go c.readLoop()
	go c.writeLoop()
}

var errStopping = clew.Errorf(clew.Unavailable, "the server is stopping")

// errNoUpgrade answers a plain HTTP request.
var errNoUpgrade = clew.Errorf(clew.InvalidMessage, "this address speaks WebSocket only")

func wantsUpgrade(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// refuse answers a request that is not upgraded.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := clew.AsError(err)
	status := statusOf(e)
	g.Counters.Refused.Add(1)
	g.log.Info("connect refused", "code", e.Code, "status", status, "remote", hostOf(r.RemoteAddr), "err", e.Err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
		h.Set("Connection", "close") // nobody is kept whom we do not know
	case http.StatusUpgradeRequired:
		h.Set("Upgrade", "websocket")
		h.Set("Connection", "Upgrade")
	}
	if e.RetryAfterMS > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(e.RetryAfterMS)/1000))))
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": clew.NewErrorData(e, clew.ErrorContext{})})
}

func statusOf(e *clew.Error) int {
	if e == errNoUpgrade {
		return http.StatusUpgradeRequired
	}
	switch e.Code {
	case clew.AuthRequired, clew.AuthFailed, clew.TokenExpired:
		return http.StatusUnauthorized
	case clew.Forbidden:
		return http.StatusForbidden
	case clew.RateLimited:
		return http.StatusTooManyRequests
	case clew.InvalidMessage:
		return http.StatusBadRequest
	case clew.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// hostOf gives the address without its port.
func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}
