package auth

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Proxies are the reverse proxies that the operator named. What they say of a
// request's origin is believed; what anybody else says of it is not.
type Proxies []netip.Prefix

// NewProxies takes addresses and networks: 10.0.0.7, 10.1.0.0/16, ::1.
func NewProxies(list []string) (Proxies, error) {
	var p Proxies
	for _, s := range list {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			addr, err := netip.ParseAddr(s)
			if err != nil {
				return nil, clew.Errorf(clew.SettingsInvalid, "%q is neither an address nor a network", s)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		p = append(p, prefix.Masked())
	}
	return p, nil
}

func (p Proxies) has(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// Has reports whether an address is that of a proxy.
func (p Proxies) Has(ip net.IP) bool {
	addr, ok := netip.AddrFromSlice(ip)
	return ok && p.has(addr.Unmap())
}

// Secure reports whether the browser speaks https: to us, or to a proxy of ours
// that says so.
func (p Proxies) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	addr, ok := peer(r)
	return ok && p.has(addr) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Address says from where a request comes, for limits: the peer, or the last
// address before our own proxies. Of IPv6 it is the network, which is what one
// customer has.
func (p Proxies) Address(r *http.Request) string {
	addr, ok := peer(r)
	if !ok {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && p.has(addr); i-- {
		before, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = before.Unmap()
	}
	if addr.Is6() {
		network, _ := addr.WithZone("").Prefix(64) // fails for IPv4 only
		return network.String()
	}
	return addr.String()
}

func peer(r *http.Request) (netip.Addr, bool) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(host)
	return addr.Unmap().WithZone(""), err == nil
}
