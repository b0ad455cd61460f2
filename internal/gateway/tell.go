package gateway

import (
	"context"
	"net/http"
	"strings"

	"github.com/clew-run/clew"
)

// A Source fills connections that are about no session. It calls send, which
// never waits, until ctx ends or it cannot go on.
type Source func(ctx context.Context, by clew.Principal, send func(typ clew.EventType, data any)) error

// TellFrom serves connections that only listen: they get what the source sends, and
// pings. Credentials, doors, limits and the end of slow or silent clients are as
// for sessions.
func (g *Gateway) TellFrom(src Source) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.serve(w, r, func(r *http.Request) (pendingConn, error) { return g.receiveListener(r, src) })
	})
}

// receiveListener is receive for a connection without a session.
func (g *Gateway) receiveListener(r *http.Request, src Source) (pendingConn, error) {
	if g.reg.stopping() {
		return pendingConn{}, errStopping
	}
	if err := g.o.Doors.Check(r); err != nil {
		return pendingConn{}, err
	}
	v := pendingConn{client: clew.ClientID(strings.Clone(r.URL.Query().Get("client_id"))), source: src}
	ctx, cancel := context.WithTimeout(r.Context(), g.limits.CommandTimeout)
	defer cancel()
	if err := g.identify(ctx, r, &v); err != nil {
		return pendingConn{}, err
	}
	if err := v.check(r); err != nil {
		return pendingConn{}, err
	}
	if v.known {
		v.role = v.by.Role
		if err := g.mayConnect(v.by, r.RemoteAddr); err != nil {
			return v.tooOften(err)
		}
		return v, nil
	}
	err := g.awaitAuth(r, &v)
	return v, err
}

// listen is the writer of a connection without a session.
func (c *conn) listen() (err error) {
	defer c.catchInto("listener", &err)
	ctx, cancel := context.WithCancel(c.g.ctx)
	by := clew.Principal{User: c.user, Role: c.roleNow()} // not c.by, which is the reader's
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer c.catchInto("source", &err)
		err = c.source(ctx, by, func(typ clew.EventType, data any) { c.push(c.answerFrame(typ, data)) })
	}()
	defer func() { cancel(); <-done }()
	for {
		if err := c.flush(); err != nil {
			return err
		}
		select {
		case err := <-done:
			done <- err
			return clew.WrapError(clew.Unavailable, err, "there is nothing to hear right now; connect again")
		case <-c.signal:
		}
	}
}

// onListener refuses what only a session can take.
func (c *conn) onListener(cmd clew.Command) error {
	return clew.Errorf(clew.InvalidMessage, "%s is about a session; this connection only listens", cmd.Type)
}
