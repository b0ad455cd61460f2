package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/journal/salvage"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// engine is the connection to JetStream, with the embedded server behind it if
// there is one.
type engine struct {
	conn     *nats.Conn
	embedded *server.Server
	log      *engineLog // of the embedded server
}

const startTimeout = 60 * time.Second

func startEngine(cfg Config, log *slog.Logger) (*engine, error) {
	if !cfg.Embedded() {
		return dialEngine(cfg, log)
	}
	dir := filepath.Join(cfg.Dir, "engine")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	found, err := salvage.Blocks(cfg.Dir, log)
	if err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName:         "clew",
		JetStream:          true,
		StoreDir:           dir,
		SyncAlways:         cfg.SyncInterval == 0,
		SyncInterval:       cfg.SyncInterval,
		DontListen:         cfg.Listen == "",
		NoSigs:             true,
		NoLog:              true,
		MaxPayload:         maxPayload,
		MaxPending:         256 << 20,
		JetStreamMaxStore:  1 << 50, // the disk is the limit
		JetStreamMaxMemory: 256 << 20,
	}
	if cfg.Listen != "" {
		host, port, err := splitListen(cfg.Listen)
		if err != nil {
			return nil, err
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			// It has no authentication of its own: whoever reaches it has everything.
			return nil, fmt.Errorf("journal.engine_listen must be a loopback address, not %s", cfg.Listen)
		}
		opts.Host, opts.Port = host, port
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		return nil, err
	}
	warnings := &engineLog{log: log.With("part", "engine"), lines: found}
	srv.SetLogger(warnings, false, false)
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		srv.Shutdown()
		return nil, errors.New("the embedded engine did not start in time")
	}
	conn, err := nats.Connect("", nats.InProcessServer(srv), nats.Name("clew"), nats.MaxReconnects(-1))
	if err != nil {
		srv.Shutdown()
		return nil, err
	}
	return &engine{conn: conn, embedded: srv, log: warnings}, nil
}

func dialEngine(cfg Config, log *slog.Logger) (*engine, error) {
	opts := []nats.Option{
		nats.Name("clew " + cfg.Node),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(200 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.Timeout(2 * time.Second),
		nats.PingInterval(2 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.RetryOnFailedConnect(false),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if err != nil {
				log.Warn("engine connection lost", "err", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { log.Info("engine connection is back", "server", c.ConnectedServerName()) }),
	}
	if cfg.Credentials != "" {
		opts = append(opts, nats.UserCredentials(cfg.Credentials))
	}
	conn, err := nats.Connect(cfg.Engine, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the engine: %w", err)
	}
	return &engine{conn: conn}, nil
}

func (e *engine) close(ctx context.Context) {
	e.conn.Close()
	if e.embedded == nil {
		return
	}
	e.embedded.Shutdown()
	done := make(chan struct{})
	go func() { e.embedded.WaitForShutdown(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// engineLog passes the engine's warnings on. What it says about its files is
// the only sign of some kinds of damage, so the lines are kept for the doctor.
type engineLog struct {
	log *slog.Logger

	mu    sync.Mutex
	lines []string
}

const keptWarnings = 100

func (l *engineLog) Noticef(string, ...any) {}
func (l *engineLog) Debugf(string, ...any)  {}
func (l *engineLog) Tracef(string, ...any)  {}

func (l *engineLog) Warnf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	if harmless(line) {
		return
	}
	l.keep(line)
	l.log.Warn(line)
}

func (l *engineLog) Errorf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	l.keep(line)
	l.log.Error(line)
}

func (l *engineLog) Fatalf(format string, v ...any) { l.Errorf(format, v...) }

func (l *engineLog) keep(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) < keptWarnings {
		l.lines = append(l.lines, line)
	}
}

// harmless drops advice that does not fit an embedded engine.
func harmless(line string) bool {
	for _, part := range []string{
		"Temporary storage directory", "sync_interval",
		// After a kill it reads the blocks instead.
		"Recovering stream state from index errored: prior state file",
		"Stream state outdated, last block has additional entries, will rebuild",
		"TTL state is outdated; attempting to recover using linear scan",
	} {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}
