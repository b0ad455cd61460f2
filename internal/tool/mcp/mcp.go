// Package mcp connects tool servers that speak the Model Context Protocol. A
// server is a stranger: what it says about its tools is shown and bounded, and
// grants nothing.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// Options says what a Manager works with.
type Options struct {
	// Servers gives the servers as the settings have them now; none while MCP
	// is switched off.
	Servers func() map[string]settings.McpServer
	// Secret gives the value of a secret. It is asked each time a server starts.
	Secret func(ctx context.Context, name string) (string, error)
	Log    *slog.Logger
	// Version is told to servers.
	Version string
}

// A Manager keeps the connections to the tool servers of the settings. It is
// safe for concurrent use. Each server has one goroutine, which owns its
// connection; Close waits for all of them.
type Manager struct {
	opts Options
	time timing
	wg   sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	loaded    bool
	servers   map[string]*server
	listeners []func()
}

// timing holds how long things may take. Tests shorten it.
type timing struct {
	connect    time.Duration // from the start of a server to its list of tools
	wait       time.Duration // Tools waits so long for servers that are starting
	call       time.Duration // a call, unless the settings say otherwise
	fresh      time.Duration // a list of tools older than this is read again
	steady     time.Duration // a connection that lasted so long was a good one
	backoff    time.Duration // before the second attempt; doubles
	backoffMax time.Duration
	attempts   int // in a row; then it stays failed
	grace      time.Duration
}

var usual = timing{
	connect: 30 * time.Second, wait: 5 * time.Second, call: time.Minute, fresh: time.Minute,
	steady: time.Minute, backoff: time.Second, backoffMax: 5 * time.Minute, attempts: 8, grace: 2 * time.Second,
}

// New makes a Manager. Nothing is started before Reload or Tools is called.
func New(opts Options) *Manager {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Secret == nil {
		opts.Secret = func(_ context.Context, name string) (string, error) {
			return "", fmt.Errorf("there is no secret %q", name)
		}
	}
	return &Manager{opts: opts, time: usual, servers: map[string]*server{}}
}

// OnChange registers a function that is called after the list of servers or
// the tools of one changed. It must return soon.
func (m *Manager) OnChange(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listeners = append(m.listeners, f)
}

func (m *Manager) changed() {
	m.mu.Lock()
	listeners := slices.Clone(m.listeners)
	m.mu.Unlock()
	for _, f := range listeners {
		f()
	}
}

// Reload brings the connections in line with the settings: it starts, stops and
// restarts what changed and leaves the rest alone. It returns at once, the work
// goes on behind it.
func (m *Manager) Reload(ctx context.Context) {
	if m.reload(ctx, "") {
		m.changed()
	}
}

// reload restarts the server named again even if nothing changed.
func (m *Manager) reload(ctx context.Context, again string) bool {
	want := m.opts.Servers()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.loaded = true
	changed := false
	for name, s := range m.servers {
		conf, ok := want[name]
		if !ok || conf.Disabled {
			s.cancel()
			delete(m.servers, name)
			changed = true
		}
	}
	for name, conf := range want {
		old := m.servers[name]
		if conf.Disabled || old != nil && name != again && sameLaunch(old.conf, conf) {
			continue
		}
		m.servers[name] = m.start(ctx, name, conf, old)
		changed = true
	}
	return changed
}

// start runs a server in place of an old one, which ends first. The caller
// holds m.mu.
func (m *Manager) start(ctx context.Context, name string, conf settings.McpServer, old *server) *server {
	s := newServer(context.WithoutCancel(ctx), m, name, conf)
	if old != nil {
		old.cancel()
	}
	m.wg.Go(func() {
		defer close(s.done)
		if old != nil {
			<-old.done
		}
		s.run()
	})
	return s
}

// sameLaunch reports whether two settings start the same server. What is read
// at each use, such as always_allow, does not count.
func sameLaunch(a, b settings.McpServer) bool {
	for _, c := range []*settings.McpServer{&a, &b} {
		c.AlwaysAllow, c.ToolHashes, c.TimeoutSec = nil, nil, 0
	}
	return reflect.DeepEqual(a, b)
}

// Restart stops a server and starts it again, and waits for the outcome.
func (m *Manager) Restart(ctx context.Context, name string) error {
	conf, ok := m.opts.Servers()[name]
	switch {
	case !ok:
		return clew.Errorf(clew.SettingsInvalid, "there is no tool server %q", name)
	case conf.Disabled:
		return clew.Errorf(clew.SettingsInvalid, "the tool server %q is switched off", name)
	}
	m.reload(ctx, name)
	m.changed()
	s := m.server(name)
	if s == nil {
		return unavailable(name, "it is being shut down")
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	_, err := s.live()
	return err
}

// Close stops all servers and waits until their processes are gone.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	for _, s := range m.servers {
		s.cancel()
	}
	m.mu.Unlock()
	m.wg.Wait()
}

func (m *Manager) server(name string) *server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.servers[name]
}

// snapshot gives the running servers in order of name.
func (m *Manager) snapshot() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := slices.Sorted(maps.Keys(m.servers))
	list := make([]*server, 0, len(names))
	for _, name := range names {
		list = append(list, m.servers[name])
	}
	return list
}

// Tools gives the tools of all connected servers. It waits a few seconds for
// servers that are starting for the first time, and starts them if nobody did.
func (m *Manager) Tools(ctx context.Context) []tool.Tool {
	m.mu.Lock()
	loaded := m.loaded
	m.mu.Unlock()
	if !loaded {
		m.Reload(ctx)
	}
	wait, cancel := context.WithTimeout(ctx, m.time.wait)
	defer cancel()
	names := newNames()
	var tools []tool.Tool
	for _, s := range m.snapshot() {
		_ = s.settle(wait) // what is not there yet is left out
		for _, d := range s.usable() {
			if !d.forModels {
				continue
			}
			tools = append(tools, &remote{m: m, server: s.name, tool: d.name, name: names.pick(s.name, d.name), last: d})
		}
	}
	return tools
}

// List gives all servers of the settings in order of name.
func (m *Manager) List() []clew.McpServer {
	conf := m.opts.Servers()
	list := make([]clew.McpServer, 0, len(conf))
	for _, name := range slices.Sorted(maps.Keys(conf)) {
		entry := clew.McpServer{Name: name, Status: statusConnecting, Disabled: conf[name].Disabled}
		if s := m.server(name); s != nil && !entry.Disabled {
			s.describe(&entry, conf[name])
		} else if entry.Disabled {
			entry.Status = statusDisabled
		}
		list = append(list, entry)
	}
	return list
}

// AlwaysAllowed reports whether a tool runs without a question: it is in the
// server's always_allow, and is still what it was when it got there. The tool
// is named as in List or as models know it.
func (m *Manager) AlwaysAllowed(server, name string) bool {
	d := m.definition(server, name)
	if d == nil {
		return false
	}
	conf, ok := m.opts.Servers()[server]
	return ok && !conf.Disabled && allowed(conf, d)
}

func allowed(conf settings.McpServer, d *definition) bool {
	return slices.Contains(conf.AlwaysAllow, d.shown) && conf.ToolHashes[d.shown] == d.hash
}

// HashOf gives the present hash of a tool, for the settings that allow it. The
// tool is named as in List or as models know it.
func (m *Manager) HashOf(server, name string) (hash string, ok bool) {
	d := m.definition(server, name)
	if d == nil {
		return "", false
	}
	return d.hash, true
}

func (m *Manager) definition(server, name string) *definition {
	s := m.server(server)
	if s == nil {
		return nil
	}
	names := newNames()
	for _, d := range s.usable() {
		if d.shown == name || names.pick(server, d.name) == name {
			return d
		}
	}
	return nil
}
