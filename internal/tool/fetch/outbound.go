package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
)

// Outbound lets other parts of the program connect to public addresses, and to
// those that an operator names with their ports, checked as the tool's own
// connections are.
type Outbound struct {
	// Allow gives the addresses that are named, as of now.
	Allow func() []string
}

// Check reads an address that must be https and gives it in the one way that is
// compared and dialed. A name is not looked up: what it means is checked when it
// is dialed.
func (o Outbound) Check(raw string) (string, error) {
	u, err := parseURL(raw)
	if err != nil {
		return "", err
	}
	if u.Scheme != "https" {
		return "", errors.New("the url is not https")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		port := u.Port()
		if port == "" {
			port = "443"
		}
		if err := parseList(o.Allow()).reachable(net.JoinHostPort(ip.String(), port)); err != nil {
			return "", err
		}
	}
	return u.String(), nil
}

// Dial connects to an address if it may.
func (o Outbound) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	t := &Tool{lookup: systemLookup, dialer: systemDialer}
	return t.dial(parseList(o.Allow()))(ctx, network, address)
}
