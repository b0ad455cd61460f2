package api

import (
	"context"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// add registers a handler under a pattern of the form "METHOD /path".
func (a *API) add(pattern string, route Route, h http.HandlerFunc) {
	route.Method, route.Path, _ = strings.Cut(pattern, " ")
	a.routes = append(a.routes, route)
	a.mux.HandleFunc(pattern, h)
}

// guard lets only known callers through, and not too often.
func (a *API) guard(next http.HandlerFunc) http.HandlerFunc {
	return a.guarded(a.o.Timeout, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, max(maxBody, maxDraftBody)+1) // the routes' own limit answers first
		next(w, r)
	})
}

// guardLong is guard for what moves large files. The route bounds the body.
func (a *API) guardLong(next http.HandlerFunc) http.HandlerFunc {
	return a.guarded(transferTimeout, next)
}

func (a *API) guarded(limit time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		p, err := a.principal(r)
		if err != nil {
			writeError(w, r, err)
			return
		}
		noteOf(r.Context()).user = p.User
		if ok, wait := a.limiter.Allow(string(p.User)); !ok {
			e := clew.Errorf(clew.RateLimited, "too many requests")
			e.RetryAfterMS = max(1, wait.Milliseconds())
			writeError(w, r, e)
			return
		}
		// A session whose node is away is waited for, but not without end.
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		next(w, r.WithContext(context.WithValue(ctx, principalKey{}, p)))
	}
}

func (a *API) principal(r *http.Request) (clew.Principal, error) {
	c, err := a.o.Cookies.Credentials(r, a.o.AllowQueryToken)
	if err != nil {
		return clew.Principal{}, err
	}
	return a.o.Auth.Authenticate(r.Context(), c)
}

type principalKey struct{}

// callerOf gives the principal that guard found. Without one it gives nobody,
// who has no rights.
func callerOf(ctx context.Context) clew.Principal {
	p, _ := ctx.Value(principalKey{}).(clew.Principal)
	return p
}

// notFound answers a caller who is known. To others guard says 401, so nobody
// learns from outside which routes there are.
func notFound(w http.ResponseWriter, r *http.Request) {
	writeProblem(w, r, noSuch("route"))
}

func cleanPath(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}
