package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// What a server's status can be.
const (
	statusConnected  = "connected"
	statusConnecting = "connecting"
	statusFailed     = "failed"
	statusDisabled   = "disabled"
)

// A server is one run of a server's settings: it ends when they change. Its
// goroutine (run) connects, and connects again after a failure.
type server struct {
	m      *Manager
	name   string
	conf   settings.McpServer // never changed
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // run has returned
	// settled is closed when the first attempt has succeeded or failed.
	settled chan struct{}
	once    sync.Once

	mu     sync.Mutex
	status string
	reason string // of a failure, safe to show
	link   *link  // while connected
	tools  []*definition
	listed time.Time
	calls  map[*call]bool
	logs   []func() string // what its last two processes wrote; none over HTTP
}

func newServer(ctx context.Context, m *Manager, name string, conf settings.McpServer) *server {
	s := &server{m: m, name: name, conf: conf, status: statusConnecting, calls: map[*call]bool{}}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.done, s.settled = make(chan struct{}), make(chan struct{})
	return s
}

func (s *server) run() {
	defer s.once.Do(func() { close(s.settled) })
	for failures := 0; s.ctx.Err() == nil; {
		began := time.Now()
		err := s.attempt(failures)
		if s.ctx.Err() != nil {
			s.set(statusConnecting, "")
			return
		}
		if time.Since(began) > s.m.time.steady {
			failures = 0
		}
		failures++
		s.set(statusFailed, err.Error())
		s.m.opts.Log.Warn("tool server failed", "server", s.name, "reason", err.Error(), "failures", failures)
		if failures >= s.m.time.attempts {
			<-s.ctx.Done() // a restart or a change of the settings makes a new one
			return
		}
		s.pause(failures)
	}
}

// pause keeps a server that fails again and again from starting in a storm.
func (s *server) pause(failures int) {
	d := min(s.m.time.backoff<<(failures-1), s.m.time.backoffMax)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// attempt connects and stays until the connection ends. The error is safe to
// show.
func (s *server) attempt(failures int) error {
	s.set(statusConnecting, s.lastReason())
	l, err := s.connect(s.ctx, failures)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.link = l
	s.status, s.reason = statusConnected, ""
	s.mu.Unlock()
	s.once.Do(func() { close(s.settled) })
	s.m.changed()
	return s.stay(l)
}

func (s *server) stay(l *link) error {
	for {
		select {
		case <-l.relist:
			ctx, cancel := context.WithTimeout(s.ctx, s.m.time.connect)
			err := s.list(ctx, l)
			cancel()
			if err != nil && s.ctx.Err() == nil {
				return s.leave(l, err)
			}
			s.m.changed()
		case err := <-l.ended:
			return s.leave(l, err)
		case <-s.ctx.Done():
			return s.leave(l, s.ctx.Err())
		}
	}
}

// leave takes a connection out of use and waits until nothing of it is left.
func (s *server) leave(l *link, cause error) error {
	s.mu.Lock()
	s.link, s.status = nil, statusConnecting
	calls := make([]*call, 0, len(s.calls))
	for c := range s.calls {
		calls = append(calls, c)
	}
	s.mu.Unlock()
	err := l.close(cause, func() {
		for _, c := range calls {
			c.cancel(errGone)
		}
	})
	if errors.Is(cause, context.Canceled) {
		l.lost = errors.New("it was stopped")
	} else {
		l.lost = err
	}
	close(l.gone)
	return err
}

func (s *server) set(status, reason string) {
	s.mu.Lock()
	changed := s.status != status || s.reason != reason
	s.status, s.reason = status, reason
	s.mu.Unlock()
	if status != statusConnecting {
		s.once.Do(func() { close(s.settled) })
	}
	if changed {
		s.m.changed()
	}
}

func (s *server) lastReason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// settle waits for the end of the first attempt.
func (s *server) settle(ctx context.Context) error {
	select {
	case <-s.settled:
		return nil
	case <-ctx.Done():
		return unavailable(s.name, "it is still starting")
	}
}

// live gives the connection, or an error that says why there is none.
func (s *server) live() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		return s.link, nil
	}
	if s.reason != "" {
		return nil, unavailable(s.name, s.reason)
	}
	return nil, unavailable(s.name, "it is not connected")
}

func unavailable(server, reason string) *clew.Error {
	return clew.Errorf(clew.Unavailable, "tool server %s: %s", server, reason)
}

// usable gives the tools that can be called while the server is connected.
func (s *server) usable() []*definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil
	}
	list := make([]*definition, 0, len(s.tools))
	for _, d := range s.tools {
		if d.problem == "" {
			list = append(list, d)
		}
	}
	return list
}

// find gives a tool by the server's own name for it, nil if there is none.
func (s *server) find(name string) *definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.tools {
		if d.name == name && d.problem == "" {
			return d
		}
	}
	return nil
}

func (s *server) describe(entry *clew.McpServer, conf settings.McpServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry.Status, entry.Error = s.status, s.reason
	if s.link == nil {
		return
	}
	for _, d := range s.tools {
		t := clew.McpTool{Name: d.shown, Description: d.description, AlwaysAllow: allowed(conf, d)}
		if d.problem != "" {
			t = clew.McpTool{Name: d.shown, Description: "Cannot be used: " + d.problem}
		}
		entry.Tools = append(entry.Tools, t)
	}
}
