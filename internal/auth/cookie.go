package auth

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// Cookies carries the keys of signed-in browsers. The cookie's name has the
// installation in it: cookies know no ports, and two servers on one machine
// must not take each other's place.
//
// A browser sends a cookie whoever made it call, so more is asked of a request
// that rests on one; see Credentials. A nil Cookies takes none.
type Cookies struct {
	name    string
	proxies Proxies
}

// NewCookies makes the cookies of an installation, whose id is of letters and
// digits.
func NewCookies(installation string, proxies Proxies) *Cookies {
	return &Cookies{name: "clew_" + installation, proxies: proxies}
}

// nameFor gives the cookie's name for a request. Over https the prefix __Host-
// has browsers refuse a cookie that another host, or a page over http, made up.
func (c *Cookies) nameFor(r *http.Request) string {
	if c.proxies.Secure(r) {
		return "__Host-" + c.name
	}
	return c.name
}

// Credentials takes the caller's token from where CredentialsOf finds it, or
// else from the cookie. A request with a cookie must come from a page of ours if
// it changes something, and from an allowed page if it opens a WebSocket: to a
// browser every server on this machine is one site, whatever its port.
func (c *Cookies) Credentials(r *http.Request, allowQuery bool) (Credentials, error) {
	creds, err := CredentialsOf(r, allowQuery)
	if err != nil || creds.Token != "" || c == nil {
		return creds, err
	}
	if creds, err = c.Held(r); err != nil || creds.Token == "" {
		return creds, err
	}
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !reading && !sameOrigin(r):
		return Credentials{}, clew.Errorf(clew.Forbidden, "only a page of this server may do that with its cookie")
	case r.Header.Get("Upgrade") != "" && r.Header.Get("Origin") == "": // Doors has looked at one that is there
		return Credentials{}, clew.Errorf(clew.Forbidden, "a browser says from which page it connects")
	}
	return creds, nil
}

// Held gives what the browser's cookie holds, whoever made it call.
func (c *Cookies) Held(r *http.Request) (Credentials, error) {
	if c == nil {
		return Credentials{}, nil
	}
	switch list := r.CookiesNamed(c.nameFor(r)); {
	case len(list) == 0:
		return Credentials{}, nil
	case len(list) > 1: // somebody near us put one beside ours
		return Credentials{}, refused(errors.New("more than one cookie"))
	default:
		return Credentials{Token: list[0].Value, Cookie: list[0].Value != ""}, nil
	}
}

// MayKeep says whether a page may have its browser keep a cookie of ours. Pages of
// other origins that may call us use a token; a cookie that they had set would
// have people work as somebody else without knowing. Programs name no origin.
func (c *Cookies) MayKeep(r *http.Request) error {
	if len(r.Header.Values("Origin")) > 0 && !sameOrigin(r) {
		return clew.Errorf(clew.Forbidden, "only a page of this server can sign in; others use a token")
	}
	return nil
}

// sameOrigin reports whether a browser says that one of our own pages calls.
func sameOrigin(r *http.Request) bool {
	switch origins := r.Header.Values("Origin"); len(origins) {
	case 0:
		return r.Header.Get("Sec-Fetch-Site") == "same-origin"
	case 1:
		origin, ok := canonicalOrigin(origins[0])
		scheme, _, _ := strings.Cut(origin, "://")
		own, known := canonicalOrigin(scheme + "://" + r.Host)
		return ok && known && origin == own
	}
	return false
}

// Set hands the browser its key.
func (c *Cookies) Set(w http.ResponseWriter, r *http.Request, token string, expires time.Time) {
	cookie := c.cookie(r)
	cookie.Value, cookie.Expires = token, expires
	http.SetCookie(w, cookie)
}

// Clear takes it back.
func (c *Cookies) Clear(w http.ResponseWriter, r *http.Request) {
	cookie := c.cookie(r)
	cookie.MaxAge = -1
	http.SetCookie(w, cookie)
}

func (c *Cookies) cookie(r *http.Request) *http.Cookie {
	return &http.Cookie{
		Name: c.nameFor(r), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.proxies.Secure(r),
	}
}
