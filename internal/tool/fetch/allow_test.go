package fetch

import (
	"net/netip"
	"strings"
	"testing"
)

func TestAllowList(t *testing.T) {
	cases := []struct {
		allow, url string
		ok         bool
	}{
		{"example.org", "http://example.org/", true},
		{"example.org", "https://EXAMPLE.ORG./x", true},
		{"Example.org.", "https://example.org", true},
		{"example.org", "https://www.example.org", false},
		{"example.org", "https://example.org.evil.test", false},
		{"example.org", "https://evilexample.org", false},
		{"example.org", "https://example.org:8443", false},
		{"example.org", "http://example.org:443", true},
		{"example.org:8443", "https://example.org:8443", true},
		{"example.org:8443", "https://example.org", false},
		{"*.example.org", "https://a.b.example.org", true},
		{"*.example.org", "https://example.org", false},
		{"*.example.org", "https://xexample.org", false},
		{"*.example.org:81", "http://a.example.org:81", true},
		{"*", "https://example.org", false},
		{"*.", "https://example.org", false},
		{"", "https://example.org", false},
		{"ex*mple.org", "https://example.org", false},
		{"https://example.org", "https://example.org", false},
		{"bücher.example", "https://xn--bcher-kva.example", true},
		{"xn--bcher-kva.example", "https://BÜCHER.example", true},
		{"example.org", "https://ex\u0430mple.org", false}, // a Cyrillic letter
		{"example.org", "https://e\u200bxample.org", true}, // mapped away, and so is what is dialed
		{"example.org", "https://ｅｘａｍｐｌｅ.org", true},       // the same name in wide letters
		{"example.org", "https://example\u3002org", true},  // a wide full stop
		{"8.8.8.8", "https://8.8.8.8", true},
		{"8.8.8.8", "https://8.8.8.8:53", false},
		{"*.8.8.8", "https://8.8.8.8", false},
		{"127.0.0.1:80", "http://127.0.0.1", true},
		{"127.0.0.1:80", "http://[::ffff:127.0.0.1]", true}, // the same address, named by a person
		{"[::1]:80", "http://[::1]", true},
		{"[::1]:80", "http://[0:0::1]", true},
		{"localhost:80", "http://localhost", true}, // the name passes; its address does not
	}
	for _, c := range cases {
		u, err := parseURL(c.url)
		if err == nil {
			err = parseList([]string{c.allow}).permits(u)
		}
		if (err == nil) != c.ok {
			t.Errorf("%q with %q: %v (%v)", c.url, c.allow, err, u)
		}
		if err == nil && strings.ContainsFunc(u.Host, func(r rune) bool { return r > 127 }) {
			t.Errorf("%q would be dialed as %q", c.url, u.Host)
		}
	}
}

func TestUnusualSpellingsOfAddresses(t *testing.T) {
	for _, host := range []string{
		"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1.", "0x7f.0.0.0x1", "017700000001", "１２７.1", "127.0.0.0x1",
		"[::1%25lo]", "[fe80::1%25eth0]", "127.0.0.01", "256.1.1.1", "1.2.3.4.5", "", ".", "..", "a..b",
	} {
		u, err := parseURL("http://" + host + "/")
		if err == nil && host != "127.0.0.1." {
			t.Errorf("%q is taken for %q", host, u.Host)
		}
		if err == nil && u.Host != "127.0.0.1" {
			t.Errorf("%q is taken for %q", host, u.Host)
		}
	}
}

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, ip := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
		"100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16", "198.18.0.1", "224.0.0.1", "239.1.1.1", "255.255.255.255", "240.0.0.1",
		"192.0.2.1", "198.51.100.1", "203.0.113.1", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
		"2002:7f00:1::", "2001::1", "2001:db8::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1", "5f00::1", "3fff::1",
	} {
		addr := netip.MustParseAddr(ip)
		if public(addr) {
			t.Errorf("%s counts as public", ip)
		}
		if err := parseList([]string{"example.org", ip}).reachable(netip.AddrPortFrom(addr, 80).String()); err == nil {
			t.Errorf("%s is reached without its port on the list", ip)
		}
	}
	for _, ip := range []string{"8.8.8.8", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8"} {
		if !public(netip.MustParseAddr(ip)) {
			t.Errorf("%s does not count as public", ip)
		}
	}
	for _, address := range []string{"", "x", "1.2.3.4", "/run/x.sock", "[::1]"} {
		if (allowList{}).reachable(address) == nil {
			t.Errorf("%q is reached", address)
		}
	}
}
