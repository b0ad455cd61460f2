package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
)

// parseURL reads an address and writes its host in the one way that is
// compared and dialed: lower case, Punycode, no dot at the end.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("the url cannot be parsed")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the url is not http or https")
	case u.User != nil:
		return nil, errors.New("the url holds a user name or password")
	case u.Opaque != "" || u.Host == "":
		return nil, errors.New("the url has no host")
	}
	host, err := canonicalHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	clean := *u
	clean.Fragment, clean.RawFragment = "", ""
	clean.Host = net.JoinHostPort(host, port)
	if port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		clean.Host = strings.TrimSuffix(clean.Host, ":"+port)
	}
	return &clean, nil
}

// numeric is the end of a name that some resolvers take for an address, as in
// 2130706433, 0x7f.1 and 0177.0.0.1.
var numeric = regexp.MustCompile(`(^|\.)(0x[0-9a-f]*|[0-9]+)$`)

// canonicalHost gives a host's one spelling.
func canonicalHost(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" {
		return ip.Unmap().String(), nil
	}
	if strings.ContainsAny(host, ":%[]") {
		return "", fmt.Errorf("%q is no host", host)
	}
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil {
		return "", fmt.Errorf("%q is no host", host)
	}
	name = strings.ToLower(name)
	// What would be read in another way next time is no name to compare.
	if again, err := idna.Lookup.ToASCII(name); err != nil || again != name {
		return "", fmt.Errorf("%q is no host", host)
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().String(), nil
	}
	if name == "" || strings.HasPrefix(name, ".") || strings.Contains(name+".", "..") || numeric.MatchString(name) {
		return "", fmt.Errorf("%q is no usual way to write a host", host)
	}
	return name, nil
}

// An entry of the allow list: a host, or all below it, on the usual ports or on
// one port.
type entry struct {
	host  string
	below bool
	port  string
}

type allowList []entry

// parseList reads the setting. What is no host allows nothing.
func parseList(list []string) allowList {
	var all allowList
	for _, text := range list {
		if e, ok := parseEntry(strings.TrimSpace(text)); ok {
			all = append(all, e)
		}
	}
	return all
}

func parseEntry(text string) (entry, bool) {
	var e entry
	host := text
	if h, p, err := net.SplitHostPort(text); err == nil {
		host, e.port = h, p
	}
	host, e.below = strings.CutPrefix(host, "*.")
	name, err := canonicalHost(strings.Trim(host, "[]"))
	e.host = name
	return e, err == nil && (!e.below || !isAddress(name))
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// permits says why an address may not be fetched, nil if it may.
func (l allowList) permits(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	for _, e := range l {
		if e.hasHost(host) && e.hasPort(port) {
			return nil
		}
	}
	return fmt.Errorf("%s is not on the list of hosts that may be fetched (fetch_allow)", net.JoinHostPort(host, port))
}

func (e entry) hasHost(host string) bool {
	if e.below {
		return strings.HasSuffix(host, "."+e.host)
	}
	return host == e.host
}

func (e entry) hasPort(port string) bool {
	if e.port != "" {
		return port == e.port
	}
	return port == "80" || port == "443"
}

// names reports whether the list has this very address and port. Only that
// opens an address which is not public.
func (l allowList) names(addr netip.AddrPort) bool {
	for _, e := range l {
		if !e.below && e.host == addr.Addr().Unmap().String() && e.port == fmt.Sprint(addr.Port()) {
			return true
		}
	}
	return false
}
