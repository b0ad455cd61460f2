package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// A Lookup resolves a name.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

type (
	control  = func(network, address string, c syscall.RawConn) error
	dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)
)

func systemLookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func systemDialer(check control) dialFunc {
	d := &net.Dialer{Control: check}
	return d.DialContext
}

// dial resolves a name once and connects to what came of it. The check is made
// on the socket, after every lookup: there is no moment between check and use
// in which a name could come to mean another address.
func (t *Tool) dial(list allowList) dialFunc {
	connect := t.dialer(func(_, address string, _ syscall.RawConn) error { return list.reachable(address) })
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		addrs, port, err := t.resolve(ctx, address)
		if err != nil {
			return nil, err
		}
		failed := fmt.Errorf("%s has no address", address)
		for _, ip := range addrs {
			conn, err := connect(ctx, network, netip.AddrPortFrom(ip.Unmap(), port).String())
			if err == nil {
				return conn, nil
			}
			failed = err
		}
		return nil, failed
	}
}

func (t *Tool) resolve(ctx context.Context, address string) ([]netip.Addr, uint16, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, 0, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, 0, err
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, uint16(port), nil
	}
	addrs, err := t.lookup(ctx, host)
	return addrs, uint16(port), err
}

// reachable says why an address may not be connected to, nil if it may.
func (l allowList) reachable(address string) error {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return errors.New("the address cannot be checked")
	}
	if public(addr.Addr()) || l.names(addr) {
		return nil
	}
	return fmt.Errorf("%s is not a public address", addr.Addr())
}

// notPublic lists what the registries keep apart: own machine and network,
// links, carriers, tests, groups, ways to wrap IPv4 into IPv6; and the one
// address of a cloud's machine service that looks public.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// globalIPv6 is all of IPv6 that is given out for public use.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

func public(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsValid() || ip.Zone() != "" || (ip.Is6() && !globalIPv6.Contains(ip)) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}
