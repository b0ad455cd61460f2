package server

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/toolchain"
	"github.com/clew-run/clew/internal/toolchain/login"
)

// How long a login shell may think, and how long its answer holds.
const (
	loginWithin = 10 * time.Second
	loginHolds  = time.Hour
)

// caches is where commands keep what they build, by workspace.
func (c Config) caches() string {
	if c.Data == "" {
		return ""
	}
	return filepath.Join(c.Data, "cache")
}

// manyUsers reports whether others than whoever runs the server have accounts.
func (c Config) manyUsers() bool {
	return c.Auth.HMACSecretFile != "" || c.Auth.JWKSURL != "" || c.Auth.JWKSFile != ""
}

// toolchains says whose build tools a command sees: those of whoever runs the
// server, in their own sessions only.
func (w *agentDeps) toolchains(ctx context.Context, v settings.Values) func(tool.Call) (toolchain.Request, bool) {
	if v.CommandToolchains == "off" {
		return nil
	}
	return func(call tool.Call) (toolchain.Request, bool) {
		if !trusted(call.Owner) {
			return toolchain.Request{}, false
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return toolchain.Request{}, false
		}
		r := toolchain.Request{Environ: map[string]string{}, Home: home}
		given := call.Environment
		if given == nil && v.CommandPath == "" {
			given = w.login.environment(ctx, w.cfg, home)
		}
		for name, value := range toolchain.Checked(given) { // records of older programs are checked, too
			r.Environ[name] = value
		}
		if v.CommandPath != "" {
			r.Environ["PATH"] = v.CommandPath
		}
		return r, len(r.Environ) > 0
	}
}

// A loginShell remembers what the login shell of the server's user said.
type loginShell struct {
	mu  sync.Mutex
	at  time.Duration // of clock.Elapsed
	env map[string]string
	log interface{ Warn(msg string, args ...any) }
}

// environment asks the shell, at most once an hour. Without an answer commands
// have the PATH of the system and the place for programs of one's own.
func (l *loginShell) environment(ctx context.Context, cfg Config, home string) map[string]string {
	if cfg.loginShell == "" || cfg.manyUsers() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := cfg.Clock
	if c == nil {
		c = clock.System()
	}
	if l.env != nil && c.Elapsed()-l.at < loginHolds {
		return l.env
	}
	env, err := login.Environment(ctx, cfg.loginShell, loginWithin)
	if ctx.Err() != nil {
		return nil // the call was cancelled, which says nothing of the shell
	}
	if err != nil {
		l.log.Warn(err.Error() + "; commands see the system's PATH only; clew doctor says more")
		env = map[string]string{"PATH": filepath.Join(home, ".local/bin") + ":" + toolchain.SystemPath}
	}
	l.env, l.at = env, c.Elapsed()
	return env
}

// How large the cache of a workspace may become, and how often that is looked at.
const (
	cacheLimit = 5 << 30
	trimEvery  = time.Hour
)

// trimCaches keeps the caches of workspaces small until ctx ends.
func (s *Server) trimCaches(ctx context.Context) {
	if s.cfg.Data == "" {
		return
	}
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for {
		if err := toolchain.Trim(s.cfg.caches(), cacheLimit); err != nil {
			s.log.Warn("the caches of workspaces could not be trimmed", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
