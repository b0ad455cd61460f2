package clienttest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// A pipes is a network inside the process. It opens no port, and goroutines
// that wait on it count as idle for testing/synctest.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes {
	return &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
}

var errDown = errors.New("the server is down")

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, errDown
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// HTTPClient gives a client whose every request goes to the server through
// memory, whatever the host.
func (s *Server) HTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			s.mu.Lock()
			down, p := s.down, s.pipes
			s.mu.Unlock()
			if down {
				return nil, errDown
			}
			return p.dial(ctx)
		},
	}}
}
