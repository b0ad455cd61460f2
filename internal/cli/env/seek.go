package env

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A seeker is the way to a server that was found by its local socket. The socket
// is asked before each new connection where the server is: one that was started
// again may listen elsewhere, and whoever took its old address gets nothing to see.
// Safe for concurrent use.
type seeker struct {
	socket string
	next   *http.Transport

	mu   sync.Mutex
	host string // where the server was last
}

// seek makes a client whose requests go to wherever the server is.
func seek(socket string, base *url.URL) *http.Client {
	s := &seeker{socket: socket, host: base.Host}
	s.next = &http.Transport{DialContext: s.dial, MaxIdleConns: 4}
	return &http.Client{Transport: s}
}

// A movedError says that the server is elsewhere by now.
type movedError struct{ host string }

func (e *movedError) Error() string { return "the server is at " + e.host + " now" }

// RoundTrip implements http.RoundTripper.
func (s *seeker) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(s.turned(req))
	var moved *movedError
	if !errors.As(err, &moved) {
		return resp, err
	}
	s.mu.Lock()
	s.host = moved.host
	s.mu.Unlock()
	again := s.turned(req)
	if req.Body != nil && req.Body != http.NoBody { // it is closed, though nobody read it
		if req.GetBody == nil {
			return nil, err
		}
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return s.next.RoundTrip(again)
}

// Address is where the server is now, as far as is known: the way to one that was
// found by its socket follows it.
func (c *Rest) Address() *url.URL {
	u := *c.Base
	if s, ok := c.HTTP.Transport.(*seeker); ok {
		s.mu.Lock()
		u.Host = s.host
		s.mu.Unlock()
	}
	return &u
}

// turned is a request to where the server is.
func (s *seeker) turned(req *http.Request) *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.URL.Host == s.host {
		return req
	}
	out := req.Clone(req.Context())
	out.URL.Host, out.Host = s.host, ""
	return out
}

func (s *seeker) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ack, err := client.FindLocal(ctx, s.socket)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(ack.URL)
	if err != nil || !thisMachine(ack.URL) {
		return nil, clew.Errorf(clew.ConnectionFailed, "the local socket names %q", ack.URL)
	}
	if u.Host != address {
		return nil, &movedError{u.Host}
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}
