package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// SignIns is what the API needs to let browsers in: *auth.SignIns.
type SignIns interface {
	ByToken(ctx context.Context, token, agent string, had auth.Credentials) (auth.Visit, error)
	ByTicket(ctx context.Context, ticket, agent string, had auth.Credentials) (auth.Visit, error)
	NewTicket(ctx context.Context, p clew.Principal) (ticket string, expiresMS int64, err error)
	End(ctx context.Context, keyID string) error
	Devices(ctx context.Context, p clew.Principal) ([]auth.KeyRecord, error)
	EndDevice(ctx context.Context, p clew.Principal, keyID string) error
}

const (
	signInPath  = prefix + "/sign-in"
	signOutPath = prefix + "/sign-out"

	maxSignIn        = 16 << 10 // bytes of a body
	signInsPerMinute = 60       // of one address
)

type signInBody struct {
	Token  string `json:"token"`
	Ticket string `json:"ticket"`
}

type signedIn struct {
	UserID    clew.UserID `json:"user_id"`
	Role      clew.Role   `json:"role"`
	ExpiresMS int64       `json:"expires_ms"`
}

type meOutput struct {
	Body struct {
		UserID       clew.UserID `json:"user_id"`
		Role         clew.Role   `json:"role" doc:"The most that the caller may do"`
		Auth         string      `json:"auth" enum:"on,off" doc:"off: everybody is let in, there is no sign-in"`
		ExpiresMS    int64       `json:"expires_ms,omitempty" doc:"When the credentials end, Unix ms"`
		KeyID        string      `json:"key_id,omitempty" doc:"Of the API key or the sign-in that the caller came with"`
		Version      string      `json:"version" doc:"Of the server"`
		ServerTimeMS int64       `json:"server_time_ms" doc:"Unix ms"`
	}
}

type ticketOutput struct {
	Body struct {
		Ticket    string `json:"ticket" doc:"Good for one sign-in as the caller; it belongs behind # of an address and nowhere else"`
		ExpiresMS int64  `json:"expires_ms" doc:"Unix ms"`
	}
}

func (a *API) signInRoutes(h huma.API) {
	a.add("POST "+signInPath, Route{Own: true}, a.signIn)
	a.add("POST "+signOutPath, Route{Own: true}, a.signOut)
	huma.Register(h, operation("get-me", http.MethodGet, "/me", http.StatusOK, "Say who the caller is."), a.me)
	huma.Register(h, operation("create-ticket", http.MethodPost, "/tickets", http.StatusOK,
		"Make a ticket with which a browser can sign in as the caller, once and within a minute."), a.ticket)
}

// off reports whether everybody is let in.
func (a *API) off() bool {
	_, off := a.o.Auth.(auth.Off)
	return off
}

// signIn exchanges credentials for a cookie. They come in the body and never in
// the address.
func (a *API) signIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := a.notTooOften(a.signIns, r); err != nil {
		writeError(w, r, err)
		return
	}
	in, err := readSignIn(w, r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.o.Timeout)
	defer cancel()
	if a.off() {
		p, _ := a.o.Auth.Authenticate(ctx, auth.Credentials{}) // lets everybody in
		writeJSON(w, http.StatusOK, signedIn{UserID: p.User, Role: p.Role})
		return
	}
	visit, err := a.exchange(ctx, r, in)
	if err != nil {
		writeError(w, r, err)
		return
	}
	noteOf(r.Context()).user = visit.User
	if visit.Token != "" {
		a.o.Cookies.Set(w, r, visit.Token, time.UnixMilli(visit.ExpiresMS))
	}
	writeJSON(w, http.StatusOK, signedIn{visit.User, visit.Role, visit.ExpiresMS})
}

func (a *API) exchange(ctx context.Context, r *http.Request, in signInBody) (auth.Visit, error) {
	if a.o.SignIns == nil || a.o.Cookies == nil {
		return auth.Visit{}, clew.Errorf(clew.Unavailable, "this server has no sign-in")
	}
	if err := a.o.Cookies.MayKeep(r); err != nil {
		return auth.Visit{}, err
	}
	had, err := a.o.Cookies.Held(r)
	if err != nil {
		return auth.Visit{}, err
	}
	switch {
	case in.Token != "" && in.Ticket != "":
		return auth.Visit{}, clew.Errorf(clew.InvalidMessage, "give a token or a ticket, not both")
	case in.Ticket != "":
		return a.o.SignIns.ByTicket(ctx, in.Ticket, r.UserAgent(), had)
	}
	return a.o.SignIns.ByToken(ctx, in.Token, r.UserAgent(), had)
}

// signOut ends the sign-in that the request rests on. A cookie that does not
// hold any more is taken back all the same.
func (a *API) signOut(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), a.o.Timeout)
	defer cancel()
	creds, err := a.o.Cookies.Credentials(r, a.o.AllowQueryToken)
	if err != nil {
		writeError(w, r, err)
		return
	}
	p, err := a.o.Auth.Authenticate(ctx, creds)
	if err == nil && p.KeyID != "" && a.o.SignIns != nil {
		noteOf(r.Context()).user = p.User
		err = a.o.SignIns.End(ctx, p.KeyID)
	}
	ended := statusOf(clew.CodeOf(err)) == http.StatusUnauthorized && creds.Cookie
	if err != nil && !ended {
		writeError(w, r, err)
		return
	}
	if creds.Cookie {
		a.o.Cookies.Clear(w, r)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *API) me(ctx context.Context, _ *struct{}) (*meOutput, error) {
	p := callerOf(ctx)
	out := &meOutput{}
	b := &out.Body
	b.UserID, b.Role, b.ExpiresMS, b.KeyID = p.User, p.Role, p.ExpiresMS, p.KeyID
	b.Auth, b.Version, b.ServerTimeMS = "on", a.o.Version, a.o.Clock.Now().UnixMilli()
	if a.off() {
		b.Auth = "off"
	}
	return out, nil
}

func (a *API) ticket(ctx context.Context, _ *struct{}) (*ticketOutput, error) {
	if a.o.SignIns == nil {
		return nil, clew.Errorf(clew.Unavailable, "this server has no sign-in")
	}
	ticket, expires, err := a.o.SignIns.NewTicket(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	out := &ticketOutput{}
	out.Body.Ticket, out.Body.ExpiresMS = ticket, expires
	return out, nil
}

func readSignIn(w http.ResponseWriter, r *http.Request) (signInBody, error) {
	var in signInBody
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSignIn))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return in, clew.Errorf(clew.MessageTooLarge, "the body is too large")
	}
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &in)
	}
	if err != nil { // the cause may quote the token
		return in, clew.Errorf(clew.InvalidMessage, "the body is not as it should be")
	}
	return in, nil
}

// notTooOften holds the callers of an open route back by their address.
func (a *API) notTooOften(l *auth.Limiter, r *http.Request) error {
	if ok, wait := l.Allow(a.o.Proxies.Address(r)); !ok {
		e := clew.Errorf(clew.RateLimited, "too many requests")
		e.RetryAfterMS = max(1, wait.Milliseconds())
		return e
	}
	return nil
}

// signInOperation describes the two routes; nil for all others.
func signInOperation(r Route) *huma.Operation {
	text := map[string]string{
		signInPath:  "Exchange a token or a ticket for a cookie that a browser keeps.",
		signOutPath: "End the sign-in of a browser and close its connections.",
	}[r.Path]
	if text == "" {
		return nil
	}
	op := plainOperation(Route{Method: r.Method, Path: r.Path}, text)
	if r.Path == signOutPath {
		op.OperationID = "sign-out"
		op.Responses[statusKey(http.StatusNoContent)] = op.Responses[statusKey(http.StatusOK)]
		delete(op.Responses, statusKey(http.StatusOK))
		return op
	}
	op.OperationID, op.Security = "sign-in", []map[string][]string{{}}
	op.Responses[statusKey(http.StatusTooManyRequests)] = &huma.Response{Description: http.StatusText(http.StatusTooManyRequests)}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{
			"token":  {Type: huma.TypeString, Description: "The owner token, an API key or a JWT"},
			"ticket": {Type: huma.TypeString, Description: "In place of a token"},
		},
	}}}}
	return op
}
