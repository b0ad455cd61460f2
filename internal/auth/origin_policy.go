package auth

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// OriginPolicy says under which names the server is addressed and from which pages a
// browser may call it. Both are compared whole; there are no patterns.
//
// The Host check stops pages that point their own name at this machine; the
// Origin check stops pages that call it by its right name.
type OriginPolicy struct {
	Hosts   []string // in lower case: "name:port", or "name" where clients leave the port out
	Origins []string // "scheme://name[:port]"
}

// NewDoors makes the doors of a server that listens on addr: its loopback
// names, the address itself if it is a certain one, and what the operator adds.
// A host that the operator adds is also an origin over https, since the web UI
// is served under it.
func NewDoors(addr net.Addr, hosts, origins []string) (OriginPolicy, error) {
	var d OriginPolicy
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return OriginPolicy{}, clew.WrapError(clew.SettingsInvalid, err, "the listen address has no port")
	}
	names := []string{"127.0.0.1", "localhost", "::1"}
	if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() && !slices.Contains(names, host) {
		names = append(names, host)
	}
	for _, n := range names {
		d.addOwn(n, port)
	}
	for _, h := range hosts {
		h, ok := lowerASCII(h)
		if !ok || !plainHost(h) {
			return OriginPolicy{}, clew.Errorf(clew.SettingsInvalid, "%q is not a host", h)
		}
		d.Hosts = append(d.Hosts, h)
		origins = append(slices.Clip(origins), "https://"+h)
	}
	for _, o := range origins {
		canon, ok := canonicalOrigin(o)
		if !ok {
			return OriginPolicy{}, clew.Errorf(clew.SettingsInvalid, "%q is not an origin", o)
		}
		d.Origins = append(d.Origins, canon)
	}
	return d, nil
}

// addOwn adds a name of the listener in the spellings that clients use.
func (d *OriginPolicy) addOwn(name, port string) {
	hostport := net.JoinHostPort(name, port)
	d.Hosts = append(d.Hosts, hostport)
	for _, scheme := range []string{"http", "https"} {
		if port == defaultPorts[scheme] {
			d.Hosts = append(d.Hosts, strings.TrimSuffix(hostport, ":"+port))
		}
		if origin, ok := canonicalOrigin(scheme + "://" + hostport); ok {
			d.Origins = append(d.Origins, origin)
		}
	}
}

// Check refuses with FORBIDDEN what comes under a foreign name or from a
// foreign page, whatever credentials it carries.
func (d OriginPolicy) Check(r *http.Request) error {
	if host, ok := lowerASCII(r.Host); !ok || !slices.Contains(d.Hosts, host) {
		return clew.Errorf(clew.Forbidden, "the server is not known under this host name")
	}
	origins := r.Header.Values("Origin")
	switch len(origins) {
	case 0:
		return checkFetchSite(r)
	case 1:
		if d.allowsOrigin(origins[0]) {
			return nil
		}
	}
	return clew.Errorf(clew.Forbidden, "this origin may not call the server")
}

func (d OriginPolicy) allowsOrigin(origin string) bool {
	canon, ok := canonicalOrigin(origin)
	return ok && slices.ContainsFunc(d.Origins, func(allowed string) bool {
		a, ok := canonicalOrigin(allowed)
		return ok && a == canon
	})
}

// checkFetchSite covers the requests that browsers send without Origin, such
// as images and scripts. A person who follows a link from elsewhere to a page
// of ours is let in: the page that had the link gets to see nothing of it.
func checkFetchSite(r *http.Request) error {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	reading := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reading && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil
	}
	return clew.Errorf(clew.Forbidden, "a page of another site may not call the server")
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// canonicalOrigin gives the one spelling of an origin: lower case, without the
// scheme's default port. Anything but scheme, host and port is refused, and so
// are names that are not plain ASCII: browsers send those as xn--.
func canonicalOrigin(s string) (string, bool) {
	s, ascii := lowerASCII(s)
	scheme, host, ok := strings.Cut(s, "://")
	if !ascii || !ok || scheme == "" || !plainHost(host) {
		return "", false
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Host != host || u.Scheme != scheme {
		return "", false
	}
	if port := u.Port(); port != "" && port == defaultPorts[scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return scheme + "://" + host, true
}

// plainHost reports whether s is name[:port] or [ip6][:port] in lower case and
// nothing else: no user, no path, no trailing dot, no empty port.
func plainHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', strings.IndexByte(".-_:[]", c) >= 0:
		default:
			return false
		}
	}
	u, err := url.Parse("http://" + s)
	if err != nil || u.Host != s || u.Hostname() == "" {
		return false
	}
	return !strings.HasSuffix(u.Hostname(), ".") && !strings.HasSuffix(s, ":")
}

// lowerASCII is strings.ToLower for ASCII alone: some foreign letters, such as
// the Kelvin sign, become ASCII in lower case.
func lowerASCII(s string) (lower string, ok bool) {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return s, false
		}
	}
	return strings.ToLower(s), true
}
