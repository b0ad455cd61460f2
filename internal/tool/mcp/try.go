package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// tryWithin bounds a trial: somebody waits for it.
const tryWithin = 10 * time.Second

// A ServerTested says how the trial of a tool server came out. It is safe to show.
type ServerTested struct {
	OK        bool     `json:"ok"`
	LatencyMS int64    `json:"latency_ms" doc:"From its start to its list of tools"`
	Tools     []string `json:"tools" nullable:"false"`
	Error     string   `json:"error,omitempty" doc:"Why it failed, with the last lines that the program wrote"`
}

// Try starts or reaches a server, reads its tools and leaves it again. The server
// need not be stored, and one of that name that runs is left alone.
func (m *Manager) Try(ctx context.Context, name string, conf settings.McpServer) ServerTested {
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	began := time.Now()
	s := newServer(ctx, m, name, conf)
	defer s.cancel()
	l, err := s.connect(ctx, 0)
	if err != nil && ctx.Err() == nil {
		l, err = s.connect(ctx, 1) // the older handshake, as when it runs
	}
	tried := ServerTested{OK: err == nil, LatencyMS: time.Since(began).Milliseconds(), Tools: []string{}}
	if err != nil {
		tried.Error = err.Error()
		return tried
	}
	for _, d := range s.tools {
		if d.problem == "" {
			tried.Tools = append(tried.Tools, d.shown)
		}
	}
	_ = l.close(nil, func() {})
	return tried
}

// TryStored is Try for a server of the settings, also for one that is switched off.
func (m *Manager) TryStored(ctx context.Context, name string) (ServerTested, error) {
	conf, ok := m.opts.Servers()[name]
	if !ok {
		return ServerTested{}, clew.Errorf(clew.SettingsInvalid, "there is no tool server %q", name)
	}
	return m.Try(ctx, name, conf), nil
}

// Log gives the last lines that a server's program wrote beside the protocol, without
// secrets. A server that is reached by an address has none.
func (m *Manager) Log(name string) (string, error) {
	if _, ok := m.opts.Servers()[name]; !ok {
		return "", clew.Errorf(clew.SettingsInvalid, "there is no tool server %q", name)
	}
	s := m.server(name)
	if s == nil {
		return "", nil
	}
	s.mu.Lock()
	logs := s.logs
	s.mu.Unlock()
	for _, text := range slices.Backward(logs) { // one that has just begun has written nothing yet
		if text := text(); text != "" {
			return text, nil
		}
	}
	return "", nil
}
