package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/gateway"
)

// A httpFront tells callers apart.
type httpFront struct {
	doors   auth.OriginPolicy
	proxies auth.Proxies
	owners  ownerStore
	auth    gateway.Authenticator
	keys    *auth.Keys    // nil with authentication off, and so are the others
	signIns *auth.SignIns // of browsers
	cookies *auth.Cookies
}

func (s *Server) openFront(ctx, bg context.Context) (f httpFront, err error) {
	if f.doors, err = auth.NewDoors(s.addr, s.cfg.Hosts, s.cfg.Origins); err != nil {
		return f, err
	}
	if f.proxies, err = auth.NewProxies(s.cfg.Proxies); err != nil {
		return f, err
	}
	if s.cfg.Auth.Mode == "off" {
		s.log.Warn("AUTHENTICATION IS OFF: every program on this machine can use this server")
		f.auth = auth.Off{}
		return f, nil
	}
	token, err := auth.LoadOwnerToken(s.cfg.Data)
	if err != nil {
		return f, err
	}
	if f.owners, err = s.openOwners(ctx, bg, token); err != nil {
		return f, err
	}
	table, err := s.journal.Table(ctx, "KEYS")
	if err != nil {
		return f, err
	}
	f.keys = auth.NewKeys(keyStore{table}, s.cfg.Clock.Now)
	jwt, err := s.issuer(bg)
	if err != nil {
		return f, err
	}
	authn := auth.New(auth.Options{OwnerToken: token, Owners: f.owners, Keys: f.keys, JWT: jwt, Log: s.log})
	f.auth = authn
	s.work.Go(func() {
		if err := authn.Run(bg); err != nil && bg.Err() == nil {
			s.log.Error("watching API keys", "err", err)
		}
	})
	return f, s.openSignIns(ctx, &f, authn)
}

// issuer makes what checks the tokens of an outside issuer; nil if there is none.
func (s *Server) issuer(bg context.Context) (*auth.JWT, error) {
	a := s.cfg.Auth
	if a.HMACSecretFile == "" && a.JWKSURL == "" && a.JWKSFile == "" {
		return nil, nil
	}
	return auth.NewJWT(bg, auth.JWTConfig{
		Now:        s.cfg.Clock.Now,
		SecretFile: a.HMACSecretFile, JWKSURL: a.JWKSURL, JWKSFile: a.JWKSFile, Issuer: a.Issuer,
		Audience: a.Audience, RoleClaim: a.RoleClaim, AllowAdmin: a.AllowAdmin, Log: s.log,
	})
}

func (s *Server) openSignIns(ctx context.Context, f *httpFront, authn *auth.Authenticator) error {
	tickets, err := s.journal.FadingTable(ctx, "TICKETS", 2*auth.TicketLife)
	if err != nil {
		return err
	}
	f.signIns = auth.NewSignIns(authn, f.keys, ticketStore{tickets})
	// All nodes of an installation have one name for the cookie, and no other
	// installation has it.
	key, err := s.linkKey(ctx)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("the name of the cookie"))
	f.cookies = auth.NewCookies(hex.EncodeToString(mac.Sum(nil)[:6]), f.proxies)
	return nil
}

// credentials finds them in a request to the WebSocket.
func (s *Server) credentials(r *http.Request) (auth.Credentials, error) {
	return s.front.cookies.Credentials(r, s.cfg.Auth.QueryToken)
}

// page gives an address that opens the web UI, at a session if one is named, as
// the owner. It works once and soon: there is a ticket in it, which must not be
// logged.
func (s *Server) page(ctx context.Context, id clew.SessionID) (string, error) {
	v, _ := s.shop.settings.For(nil)
	base := v.PublicURL
	if base == "" {
		base = s.localURL()
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	if u = u.JoinPath("/"); id != "" {
		u = u.JoinPath("s", string(id))
	}
	if s.front.signIns == nil {
		return u.String(), nil
	}
	ticket, _, err := s.front.signIns.NewTicket(ctx, clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin})
	u.Fragment = "ticket=" + ticket
	return u.String(), err
}

// tellReady gives the address of the page to whoever waits for it.
func (s *Server) tellReady(ctx context.Context) {
	if s.cfg.Ready == nil {
		return
	}
	page, err := s.page(ctx, "")
	if err != nil {
		s.log.Warn("no ticket for the browser", "err", err)
		return
	}
	s.cfg.Ready(ctx, page)
}

// demoPage is where the demo's story is seen, "" if that cannot be told.
func (s *Server) demoPage(ctx context.Context) string {
	page, err := s.page(ctx, demo.Session)
	if err != nil {
		s.log.Warn("no ticket for the browser", "err", err)
		return ""
	}
	return page
}
