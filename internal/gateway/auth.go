package gateway

import (
	"context"
	"errors"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// access gives the caller's role in the session, and makes the session if it
// is unknown and that is allowed. Who has a cursor has seen the session: then
// it is not made anew.
func (g *Gateway) access(ctx context.Context, id clew.SessionID, p clew.Principal, at cursor) (clew.Role, error) {
	role, err := g.o.Host.Access(ctx, id, p)
	if clew.CodeOf(err) != clew.SessionNotFound || !g.o.CreateOnConnect || at.resumeFrom != "" {
		return role, err
	}
	_, cerr := g.o.Host.Create(ctx, p, session.NewSession{ID: id})
	// Somebody else may have been faster, so what counts is the access now.
	if role, err = g.o.Host.Access(ctx, id, p); err != nil && cerr != nil && clew.CodeOf(cerr) != clew.Forbidden {
		return clew.RoleNone, cerr
	}
	return role, err
}

// enter lets an authenticated connection into its session, or tells it why
// not and ends it. It is called once.
func (c *conn) enter(at cursor, err error) {
	if err != nil {
		c.fail(err)
		return
	}
	c.expires.Store(c.by.ExpiresMS)
	c.since = c.g.now()
	if old := c.g.reg.file(c); old != nil {
		old.close(wire.CloseNormal, wire.ReasonTakenOver)
		if old == c {
			return
		}
	}
	// First filed, then asked: no revocation slips through between the two.
	if r, ok := c.g.o.Auth.(Revoker); ok && c.by.KeyID != "" && r.Revoked(c.by.KeyID) {
		c.close(wire.ClosePolicy, string(clew.AuthFailed))
		return
	}
	c.g.log.Debug("connected", "session", c.session, "client", c.client, "user", c.by.User, "role", c.roleNow())
	c.admit(at)
}

// checkAccess looks up again what the caller may do in the session, after a
// record said that access changed. Who may not watch any more is told so and
// closed.
func (c *conn) checkAccess() error {
	return c.retry(func(ctx context.Context) error {
		role, err := c.g.o.Host.Access(ctx, c.session, clew.Principal{User: c.by.User, Role: c.by.Role})
		if err == nil && c.setRole(role) && c.view == clew.ViewState && c.watch != nil {
			c.push(c.connectedFrame())
		}
		return err
	})
}

// recheckAccess is checkAccess if a record said that access changed.
func (c *conn) recheckAccess() error {
	if !c.recheck {
		return nil
	}
	c.recheck = false
	return c.checkAccess()
}

// fail tells the client what is wrong and ends the connection.
func (c *conn) fail(err error) {
	e := clew.AsError(err)
	if e.Err != nil && !errors.Is(e.Err, context.Canceled) { // else the client left meanwhile
		c.g.log.Warn("connection failed", "session", c.session, "code", e.Code, "err", e.Err)
	}
	c.push(c.errorFrame(e, clew.ErrorContext{}))
	c.close(wire.CloseFor(e), string(e.Code))
}

// waiting reports whether the connection has yet to authenticate.
func (c *conn) waiting() bool { return c.authBy.Load() != 0 }

// onAuth answers `auth`.
func (c *conn) onAuth(ctx context.Context, token string) {
	if !c.waiting() {
		c.authAgain(ctx, token)
		return
	}
	p, err := c.g.o.Auth.Authenticate(ctx, auth.Credentials{Token: token})
	if err == nil {
		err = c.g.mayConnect(p, c.sock.RemoteAddr().String())
	}
	if err != nil {
		c.push(c.authFrame(authRefusal(err)))
		c.close(wire.CloseFor(err), string(clew.CodeOf(err)))
		return
	}
	c.by = p
	role := p.Role
	if c.source == nil {
		role, err = c.g.access(ctx, c.session, p, *c.want)
	}
	c.setRole(role)
	if err != nil {
		role = p.Role
	}
	c.authBy.Store(0)
	c.g.Counters.Waiting.Add(-1)
	c.g.reg.admitted(c)
	c.push(c.authFrame(&clew.AuthResult{OK: true, UserID: p.User, Role: role}))
	at := *c.want
	c.want = nil
	c.enter(at, err)
}

// authAgain answers an `auth` on an authenticated connection. Fresh
// credentials of the same user replace the old ones, so that a connection can
// outlive a short token; others change nothing.
func (c *conn) authAgain(ctx context.Context, token string) {
	if token != "" {
		p, err := c.g.o.Auth.Authenticate(ctx, auth.Credentials{Token: token})
		if err == nil && p.User != c.by.User {
			err = clew.Errorf(clew.AuthFailed, "the connection belongs to another user")
		}
		if err != nil {
			c.push(c.authFrame(authRefusal(err)))
			return
		}
		c.renew(p)
	}
	c.push(c.authFrame(&clew.AuthResult{OK: true, UserID: c.by.User, Role: c.roleNow()}))
}

func (c *conn) renew(p clew.Principal) {
	c.by.KeyID, c.by.ExpiresMS = p.KeyID, p.ExpiresMS
	c.g.reg.rekey(c, p.KeyID)
	c.expires.Store(p.ExpiresMS)
	if r, ok := c.g.o.Auth.(Revoker); ok && p.KeyID != "" && r.Revoked(p.KeyID) {
		c.close(wire.ClosePolicy, string(clew.AuthFailed))
	}
}

func authRefusal(err error) *clew.AuthResult {
	e := clew.AsError(err)
	return &clew.AuthResult{Code: e.Code, Number: e.Code.Number(), Message: e.Message}
}
