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
	conn *nats.Conn
	log  *engineLog // of the embedded server

	mu       sync.Mutex
	embedded *server.Server                 // nil with an outside engine, and while it starts anew
	start    func() (*server.Server, error) // starts it on its store
}

// InProcessConn gives the connection to the server that is there now: the
// client asks for it after each disconnect, and goes on where it was after the
// server behind it was started anew.
func (e *engine) InProcessConn() (net.Conn, error) {
	e.mu.Lock()
	srv := e.embedded
	e.mu.Unlock()
	if srv == nil {
		return nil, errors.New("the embedded engine is being started anew")
	}
	return srv.InProcessConn()
}

const startTimeout = 60 * time.Second

func startEngine(ctx context.Context, cfg Config, w *waiter, health *health, log *slog.Logger) (*engine, error) {
	if !cfg.Embedded() {
		return dialEngine(ctx, cfg, w, log)
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
	e := &engine{log: &engineLog{log: log.With("part", "engine"), lines: found, health: health}}
	e.start = func() (*server.Server, error) { return startServer(opts, e.log) }
	if e.embedded, err = e.start(); err != nil {
		return nil, err
	}
	e.conn, err = nats.Connect("", nats.InProcessServer(e), nats.Name("clew"), nats.MaxReconnects(-1), nats.SyncQueueLen(answersQueue),
		nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		e.embedded.Shutdown()
		return nil, err
	}
	return e, nil
}

// answersQueue is room for what a read of many messages is answered with. The
// library's own default is 65,536, half a megabyte for each read.
const answersQueue = 2 * readBatch

func startServer(opts *server.Options, log *engineLog) (*server.Server, error) {
	srv, err := server.NewServer(opts.Clone()) // it changes them
	if err != nil {
		return nil, err
	}
	srv.SetLogger(log, false, false)
	srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		srv.Shutdown()
		return nil, errors.New("the embedded engine did not start in time")
	}
	return srv, nil
}

func dialEngine(ctx context.Context, cfg Config, w *waiter, log *slog.Logger) (*engine, error) {
	opts := []nats.Option{
		nats.Name("clew " + cfg.Node),
		nats.SyncQueueLen(answersQueue),
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
	for {
		conn, err := connect(ctx, cfg.Engine, opts)
		if err == nil {
			return &engine{conn: conn}, nil
		}
		if w == nil || !notThere(err) || ctx.Err() != nil {
			return nil, fmt.Errorf("connect to the engine: %w", err)
		}
		w.note(ctx, err)
		if err := pause(ctx, waiterPause); err != nil {
			return nil, fmt.Errorf("connect to the engine: %w", err)
		}
	}
}

// connect is nats.Connect for a caller that may not have the time.
func connect(ctx context.Context, servers string, opts []nats.Option) (*nats.Conn, error) {
	type attempt struct {
		conn *nats.Conn
		err  error
	}
	tried := make(chan attempt, 1)
	go func() {
		conn, err := nats.Connect(servers, opts...)
		tried <- attempt{conn, err}
	}()
	select {
	case a := <-tried:
		return a.conn, a.err
	case <-ctx.Done():
		go func() {
			if a := <-tried; a.conn != nil {
				a.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// close leaves the engine. Nobody starts it anew any more.
func (e *engine) close(ctx context.Context) {
	e.conn.Close()
	if srv := e.embedded; srv != nil {
		shutDown(ctx, srv)
	}
}

// shutDown stops a server and waits until it has left its files, or for ctx.
func shutDown(ctx context.Context, srv *server.Server) bool {
	srv.Shutdown()
	done := make(chan struct{})
	go func() { srv.WaitForShutdown(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// engineLog passes the engine's warnings on. What it says about its files is
// the only sign of some kinds of damage, so the lines are kept for the doctor.
type engineLog struct {
	log    *slog.Logger
	health *health

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
	if stream, why, ok := writeError(line); ok {
		l.health.latch(stream, why)
	}
}

// writeError reads the engine's line about a write that failed: of which stream,
// "" for all, and why. The stream takes no more writes from then on, and this
// line is the only sign: who writes gets no answer.
func writeError(line string) (stream, why string, ok bool) {
	const mark = "ritical write error: "
	if i := strings.Index(line, mark); i >= 0 {
		before, _, _ := strings.Cut(line[:i], "]")
		if _, name, found := strings.Cut(before, "Filestore ["); found {
			stream = name
		} else if _, name, found := strings.Cut(line[:i], "> "); found { // JetStream stream '$G > NAME' critical…
			stream, _, _ = strings.Cut(name, "'")
		}
		return stream, line[i+len(mark):], true
	}
	if strings.Contains(line, "disabling JetStream") {
		return "", line, true
	}
	return "", "", false
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
