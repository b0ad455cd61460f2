package server

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/docs"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/api/ipc"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/disk"
	"github.com/clew-run/clew/internal/erase"
	"github.com/clew-run/clew/internal/gateway"
	"github.com/clew-run/clew/internal/git"
	"github.com/clew-run/clew/internal/inbox/push"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/search"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/toolchain/login"
	"github.com/clew-run/clew/web"
)

// Version is the program's version, set when it is built.
var Version = "dev"

// A Server is a running clew node.
type Server struct {
	cfg     Config
	log     *slog.Logger
	agent   session.Agent
	shop    *agentDeps
	files   *retention.Keeper
	journal *journal.Journal
	host    *session.Host
	// notebooks runs cells; nil where kernels cannot be kept.
	notebooks *notebook.Runner
	gateway   *gateway.Gateway
	socket    atomic.Pointer[ipc.Socket]
	http      *http.Server
	addr      net.Addr
	trace     func(context.Context) error
	types     session.Types // nil if nobody wants a record
	reserve   *disk.Reserve
	refers    *blob.Finder
	blobs     *journal.BlobUse

	connections *connections
	idle        idleWatch

	figures   *http.Server // nil if metrics have no address of their own
	figuresAt net.Addr

	open      atomic.Pointer[http.Handler] // nil until the node can serve
	front     httpFront
	questions questions
	push      *push.Push
	drafts    *journal.Drafts
	eraser    *erase.Eraser
	git       *git.Keeper
	backups   *backups
	months    months
	search    *search.Index // nil if it cannot be had

	oldWorktrees []git.Worktree // that were there at the start

	stop context.CancelFunc
	work sync.WaitGroup
}

// Run serves until ctx ends. It prints one line when it is ready, and returns
// nil after a graceful stop.
func Run(ctx context.Context, cfg Config, stdout io.Writer, log *slog.Logger) error {
	cfg.openGroups(log)
	cfg.loginShell = login.Shell()
	s, err := Start(ctx, cfg, log)
	if err != nil && ctx.Err() != nil {
		log.Info("stopped before the start was done", "err", err)
		return nil
	}
	if err != nil {
		return err
	}
	return s.serve(ctx, stdout, func() { s.tellReady(ctx) })
}

// serve says that the node is ready, first to the world and then to ready, and
// stops it gracefully when ctx ends. It returns an error if the store failed for
// good: another process may have more luck.
func (s *Server) serve(ctx context.Context, stdout io.Writer, ready func()) error {
	if _, err := fmt.Fprintf(stdout, "clew: ready %s\n", s.URL()); err != nil {
		s.log.Warn("the ready line could not be printed", "err", err)
	}
	if ready != nil {
		ready()
	}
	until, end := context.WithCancel(ctx)
	defer end()
	if s.cfg.Background && s.cfg.IdleExit > 0 {
		s.work.Go(func() { s.endWhenIdle(until, end) })
	}
	failed := s.awaitEnd(until)
	end()
	s.log.Info("stopping")
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.StopAfter)
	defer cancel()
	s.Stop(limit)
	s.log.Info("stopped")
	return failed
}

// awaitEnd waits until ctx ends or the store has failed for good.
func (s *Server) awaitEnd(ctx context.Context) error {
	for {
		storage, changed := s.journal.Storage()
		if storage.State == journal.StorageFailed {
			s.log.Error("the store could not be brought back in this process, which ends now; start it again", "why", storage.Why)
			return s.journal.Writable()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// Start builds and starts a node. Stop ends it.
func Start(ctx context.Context, cfg Config, log *slog.Logger) (*Server, error) {
	return StartWith(ctx, cfg, log, nil)
}

// StartWith is Start with an agent in place of the usual one.
func StartWith(ctx context.Context, cfg Config, log *slog.Logger, worker session.Agent) (_ *Server, err error) {
	if err := cfg.Absolute(); err != nil { // of a program that embeds a server
		return nil, err
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Redactor == nil {
		cfg.Redactor = settings.NewRedactor()
	}
	log = slog.New(cfg.Redactor.Handler(log.Handler())) // no secret in a log, whoever writes it
	s := &Server{cfg: cfg, log: log, agent: worker}
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	defer func() {
		if err != nil {
			s.Stop(context.WithoutCancel(ctx))
		}
	}()
	if cfg.Auth.Mode != "on" && cfg.Auth.Mode != "off" {
		return nil, clew.Errorf(clew.SettingsInvalid, "auth mode is on or off, not %q", cfg.Auth.Mode)
	}
	reserve, err := disk.ParseSize(cmp.Or(cfg.DiskReserve, "0"))
	if err != nil {
		return nil, clew.WrapError(clew.SettingsInvalid, err, "disk_reserve: %v", err)
	}
	s.reserve = disk.NewReserve(cfg.Data, reserve)
	listener, err := cfg.listen()
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s; is a server running already? --listen chooses another address: %w", cfg.Listen, err)
	}
	s.addr = listener.Addr()
	if cfg.Auth.Mode == "off" && !loopback(s.addr) {
		_ = listener.Close()
		return nil, clew.Errorf(clew.SettingsInvalid, "auth off works on a loopback address only, not on %s", s.addr)
	}
	defer func() {
		if err != nil {
			_ = listener.Close()
		}
	}()
	if s.types, err = recordTypes(worker); err != nil {
		return nil, err
	}
	if s.trace, err = startTraces(ctx, cfg); err != nil {
		return nil, err
	}
	if listener, err = s.openHTTP(listener); err != nil {
		return nil, err
	}
	engine := cfg.journal()
	engine.Patient = true
	if !engine.Embedded() { // it may have to wait for others
		s.serveHTTP(listener)
	}
	if s.journal, err = journal.Open(ctx, engine, log); err != nil {
		return nil, err
	}
	s.refers = blob.NewFinder(s.journal)
	if err = s.emptyTemporary(); err != nil {
		return nil, err
	}
	if s.shop, err = s.openWorkshop(ctx, bg); err != nil {
		return nil, err
	}
	if s.agent == nil {
		s.agent = s.shop.agent
	}
	s.openNotebooks(ctx)
	if err = s.startHost(ctx, bg); err != nil {
		return nil, err
	}
	handler, err := s.handler(ctx, bg)
	if err != nil {
		return nil, err
	}
	if err = s.openSocket(); err != nil {
		return nil, err
	}
	s.open.Store(&handler)
	if engine.Embedded() {
		s.serveHTTP(listener)
	}
	return s, nil
}

// startHost starts the sessions and what keeps them going.
func (s *Server) startHost(ctx, bg context.Context) error {
	index, err := s.journal.OpenIndex(ctx)
	if err != nil {
		return err
	}
	s.months.clock, s.months.list = s.cfg.Clock, index.List
	if err := s.openQuestions(ctx); err != nil {
		return err
	}
	erasures, err := s.journal.OpenErasures(ctx)
	if err != nil {
		return err
	}
	s.openSearch()
	s.host = session.NewHost(session.Config{
		Clock: s.cfg.Clock, Journal: s.journal, Storage: s.journal, Index: index, Inbox: s.questions.rows, Erasures: erasures, Retired: s.retired, Notebooks: s.notebookPort(), Peers: s.journal.Peers(), Cluster: s.journal.Cluster(), Agent: s.agent, Slots: s.slots(), Services: s.shop.desk, Place: s.shop.place,
		Room: s.reserve.Room, Blobs: s.blobs, ForkBlobs: s.blobs.ForkBlobs, References: s.refers, Files: s.files, Log: s.log,
		Encode: gateway.Frame, MaxRecord: s.journal.MaxRecord(), IdleAfter: s.cfg.IdleAfter,
		Appended: s.appended, Types: s.types, Rules: keptRules{s.shop.settings},
	})
	s.journal.OnGone(func(string) { s.takeOver(bg) })
	s.journal.OnSettled(func() { s.takeOver(bg) })
	s.journal.OnTaken(s.host.Lost)
	s.journal.OnSilence(func() { s.checkLeases(bg) })
	s.work.Go(func() {
		if err := s.journal.Wakes(bg, s.host.Wake); err != nil && bg.Err() == nil {
			s.log.Error("wake-ups", "err", err)
		}
	})
	if err := s.openGit(); err != nil {
		return err
	}
	if err := s.openEraser(ctx, index, erasures); err != nil {
		return err
	}
	s.work.Go(func() { s.followJournals(bg, index) })
	s.work.Go(func() { s.eraser.Run(bg) })
	s.backups = newBackups(s.cfg, s.journal, s.log)
	s.work.Go(func() { s.backups.run(bg) })
	s.work.Go(func() { s.files.Run(bg, collectEvery) })
	s.work.Go(s.tellSandbox)
	s.work.Go(func() { s.trimCaches(bg) })
	s.work.Go(func() {
		s.recoverGit(bg)
		s.takeOver(bg) // before the sweeper takes anything out of the stream
		s.journal.Sweep(bg, s.host.Seal)
	})
	return nil
}

// takeOver goes on with work that is under way and nobody carries on: after a
// start, and when a node is gone.
func (s *Server) takeOver(ctx context.Context) {
	ids, err := s.journal.Recent(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("take over", "err", err)
		}
		return
	}
	for _, id := range ids { // lists may not have what was written last
		s.noticed(id)
	}
	s.host.TakeOver(ctx, ids)
}

// checkLeases finds out which shards were taken over while this node could not
// hear.
func (s *Server) checkLeases(ctx context.Context) {
	for _, shard := range s.host.Shards() {
		owner, err := s.journal.OwnerOf(ctx, shard)
		if err == nil && owner != s.journal.Node() {
			s.host.Lost(shard)
		}
	}
}

// handler builds the outside face.
func (s *Server) handler(ctx, bg context.Context) (http.Handler, error) {
	var err error
	if s.front, err = s.openFront(ctx, bg); err != nil {
		return nil, err
	}
	f := s.front
	s.gateway = gateway.New(gateway.Options{
		Clock: s.cfg.Clock, Host: gateway.HostOf(s.host), Auth: f.auth, Doors: f.doors, Credentials: s.credentials,
		FirstMessageAuth: s.cfg.Auth.FirstMessage, CreateOnConnect: s.cfg.Auth.CreateSessions || s.cfg.Auth.Mode == "off",
		Limits: s.cfg.Limits.gateway(), Types: s.types, Log: s.log,
	})
	s.tellOfSettings(bg)
	if err := s.serveQuestions(ctx, bg); err != nil {
		return nil, err
	}
	if err := s.servePush(ctx, bg, f.keys); err != nil {
		return nil, err
	}
	figures := s.metrics()
	if err := s.listenMetrics(figures); err != nil {
		return nil, err
	}
	o := api.Options{
		Clock: s.cfg.Clock, Sessions: api.Of(s.host), Auth: f.auth, Keys: f.keys, Doors: f.doors, AllowQueryToken: s.cfg.Auth.QueryToken,
		Cookies: f.cookies, Proxies: f.proxies, UI: web.Files(),
		Settings: s.shop.settings, Secrets: s.shop.secrets, Models: s.shop.models, Words: projectWords{s.shop, s.madeFrom}, Files: sessionFiles{s.shop}, Folders: folders{s.shop}, ToolServers: s.shop.desk, Blobs: s.journal, References: s.refers, Exports: s.exporter(), Imports: s.importer(),
		Inbox: s.questions.inbox, Links: s.questions.links, InboxFeed: s.gateway.TellFrom(s.questions.inbox.Feed),
		Push: s.push, Drafts: s.drafts, Erasures: s.eraser, Backups: s.backups, Search: s.finder(), Git: repositories{s, s.git}, Usage: s.usage, Budgets: s.budgets,
		PerMinute: perMinute(s.cfg.Limits.RequestsPerMinute), Version: Version, AsyncAPI: docs.AsyncAPI,
		Ready: s.journal.Ready, Metrics: figures, WebSocket: s.gateway, Log: s.log,
	}
	if f.signIns != nil {
		o.SignIns = f.signIns
	}
	if s.notebooks != nil {
		o.Notebooks = s.notebooks
	}
	h, err := api.New(o)
	if err != nil {
		return nil, err
	}
	return traced(s.cfg, h), nil
}

// tellOfSettings sends `state` to everybody when the server's settings or tool
// servers change. Changes that come while one is told are told together.
func (s *Server) tellOfSettings(bg context.Context) {
	changed := make(chan struct{}, 1)
	note := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	s.shop.settings.Subscribe(func([]string) { note() })
	s.shop.mcp.OnChange(note)
	s.work.Go(func() {
		for {
			select {
			case <-bg.Done():
				return
			case <-changed:
				s.gateway.Tell(func(id clew.SessionID, by clew.Principal) (clew.EventType, any, error) {
					data, err := s.shop.desk.State(bg, id, by)
					return clew.EventState, data, err
				})
			}
		}
	})
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// URL is where the server listens.
func (s *Server) URL() string {
	scheme := "http"
	if s.cfg.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + strings.Replace(s.addr.String(), "[::]", "localhost", 1)
}

// Host gives the sessions, for programs that embed a server.
func (s *Server) Host() *session.Host { return s.host }

// Blobs keeps what is too large for a record, for programs that embed a server.
func (s *Server) Blobs() session.Blobs { return s.blobs }

// Journal gives the store, for programs that embed a server.
func (s *Server) Journal() *journal.Journal { return s.journal }

// Stop ends the node in the order in which nothing is lost: no new work, the
// sockets, the sessions, the engine.
func (s *Server) Stop(ctx context.Context) {
	if socket := s.socket.Load(); socket != nil {
		socket.Shutdown(ctx)
	}
	if s.gateway != nil {
		if err := s.gateway.Shutdown(ctx); err != nil {
			s.log.Warn("sockets were cut", "err", err)
		}
	}
	if s.http != nil {
		_ = s.http.Shutdown(ctx)
	}
	if s.figures != nil {
		_ = s.figures.Close()
	}
	if s.host != nil {
		s.host.Close(ctx)
	}
	if s.notebooks != nil {
		s.notebooks.Close()
	}
	if s.shop != nil {
		s.shop.close()
	}
	s.stop()
	s.work.Wait()
	if s.search != nil {
		s.search.Close()
	}
	if s.files != nil { // nobody uses them any more
		if err := s.files.Close(); err != nil {
			s.log.Warn("checkpoints", "err", err)
		}
	}
	if s.journal != nil {
		s.journal.Close(ctx)
	}
	if s.trace != nil {
		_ = s.trace(ctx)
	}
}
