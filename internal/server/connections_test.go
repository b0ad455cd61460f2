package server

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// dialled opens a connection to a server.
func dialled(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ends reports whether the server closes a connection soon.
func ends(t *testing.T, conn net.Conn, within time.Duration) bool {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	_, err := io.Copy(io.Discard, conn)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// Who is refused does not stay (T11).
func TestRefusedConnectionsEnd(t *testing.T) {
	s := started(t, func(*Config) {})
	for _, path := range []string{"/api/v1/sessions", "/metrics", "/ws/s1", "/nothing"} {
		conn := dialled(t, s)
		req := "GET " + path + " HTTP/1.1\r\nHost: " + s.addr.String() + "\r\nAuthorization: Bearer wrong\r\nConnection: keep-alive\r\n\r\n"
		if _, err := io.WriteString(conn, req); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%s: %+v, %v", path, resp, err)
		}
		if !ends(t, conn, 10*time.Second) {
			t.Errorf("%s: the connection stays", path)
		}
	}
}

func started(t *testing.T, change func(*Config)) *Server {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Listen, cfg.Data = "127.0.0.1:0", t.TempDir()
	change(&cfg)
	s, err := Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(t.Context()) })
	return s
}

// There are only so many connections. A new one takes the place of the one that
// has said nothing for longest.
func TestTooManyConnections(t *testing.T) {
	s := started(t, func(c *Config) { c.Limits.Connections = 20 })
	var silent []net.Conn
	for range 60 {
		silent = append(silent, dialled(t, s))
	}
	for i, conn := range silent[:40] {
		if !ends(t, conn, 10*time.Second) {
			t.Fatalf("connection %d of 60 stays", i)
		}
	}
	resp, err := http.Get("http://" + s.addr.String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK || s.connections.turnedAway.Load() < 40 {
		t.Errorf("%d, %d were turned away", resp.StatusCode, s.connections.turnedAway.Load())
	}
}

// A fakeConn comes from an address.
type fakeConn struct {
	net.Conn
	ip     string
	closed *bool
}

func (c fakeConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.ip)} }
func (c fakeConn) Close() error         { *c.closed = true; return nil }

func TestConnectionsOfAnAddress(t *testing.T) {
	c := newConnections(0, 2, func(ip net.IP) bool { return ip.IsLoopback() })
	open := func(ip string) fakeConn {
		conn := fakeConn{ip: ip, closed: new(bool)}
		c.note(conn, http.StateNew)
		return conn
	}
	first, second := open("192.0.2.1"), open("192.0.2.1")
	other := open("192.0.2.2")
	c.note(first, http.StateActive)
	third := open("192.0.2.1")
	if *first.closed || !*second.closed || *third.closed || *other.closed {
		t.Error("the one that waits goes, and none of another address")
	}
	c.note(third, http.StateActive)
	if fourth := open("192.0.2.1"); !*fourth.closed {
		t.Error("all others are at work, and a new one came in")
	}
	c.note(first, http.StateHijacked)
	if fifth := open("192.0.2.1"); *fifth.closed {
		t.Error("there is room again")
	}
	a, b := open("2001:db8::1"), open("2001:db8::2")
	if open("2001:db8::3"); !*a.closed || *b.closed {
		t.Error("a network of IPv6 is one")
	}
	for range 10 {
		if local := open("127.0.0.1"); *local.closed {
			t.Error("this machine stands for many")
		}
	}
}
