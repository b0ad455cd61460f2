package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// What a process of the test binary is told when it shall be a node, or an
// engine.
const (
	roleNode, roleEngine = "node", "engine"

	roleVar    = "CLEW_CHAOS_ROLE"
	dataVar    = "CLEW_CHAOS_DATA"
	engineVar  = "CLEW_CHAOS_ENGINE"
	archiveVar = "CLEW_CHAOS_ARCHIVE"
	listenVar  = "CLEW_CHAOS_LISTEN"
	ledgerVar  = "CLEW_CHAOS_LEDGER"
)

// runSettings are those of the runs. Nothing has a deadline: how fast the
// machine is must not decide what happens.
var runSettings = []string{
	"CLEW_SET_AUTO_APPROVAL_ENABLED=true", "CLEW_SET_ALWAYS_ALLOW_WRITE=true", "CLEW_SET_MISTAKE_LIMIT=0",
	`CLEW_SET_MODEL_PROFILES={"player":{"provider":"player","model":"player"}}`, "CLEW_SET_MODEL_PROFILE=player",
	fmt.Sprintf("CLEW_SET_RUN_PARALLEL_TODOS=%d", parallel), "CLEW_SET_RUN_MAX_TODOS=600", "CLEW_SET_RUN_MAX_RETRIES=1",
	"CLEW_SET_PLAN_REVIEW_TIMEOUT_SEC=0", "CLEW_SET_RUN_APPROVAL_TIMEOUT_SEC=0", "CLEW_SET_RUN_INPUT_TIMEOUT_SEC=0",
}

// parallel is how many todos of a run are under way at most.
const parallel = 16

// serve is a node until it is killed, or told to stop.
func serve() int {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	role := serveUntil
	if os.Getenv(roleVar) == roleEngine {
		role = driveUntil
	}
	if err := role(ctx, log); err != nil {
		log.Error("node", "err", err)
		return 1
	}
	return 0
}

func serveUntil(ctx context.Context, log *slog.Logger) error {
	cfg := nodeConfig(os.Getenv(dataVar), os.Getenv(engineVar), os.Getenv(archiveVar))
	cfg.Listen = os.Getenv(listenVar)
	cfg.IdleAfter = 2 * time.Second
	worker, err := runAgent(log, cfg.Data)
	if err != nil {
		return err
	}
	s, err := server.StartWith(context.Background(), cfg, log, worker)
	if err != nil {
		return err
	}
	worker.started(s.Blobs())
	fmt.Println("ready")
	<-ctx.Done()
	limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.Stop(limit)
	return nil
}

// driveUntil is an engine.
func driveUntil(ctx context.Context, log *slog.Logger) error {
	j, err := journal.Open(ctx, journal.Config{
		Dir: os.Getenv(dataVar), Listen: os.Getenv(listenVar), Archive: os.Getenv(archiveVar), Partitions: 4, SyncInterval: time.Minute,
	}, log)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	j.Close(context.Background())
	return nil
}

// A hired agent is the real one, with a model that plays runs and one tool.
type hired struct {
	*agent.Agent
	// blobs are the server's. It takes sessions over before it says that it has
	// started: an agent that ends its run by then waits until blobs are there.
	blobs agent.Blobs
	there chan struct{}
}

func (h *hired) started(blobs agent.Blobs) {
	h.blobs = blobs
	close(h.there)
}

// PutBlob implements agent.Blobs.
func (h *hired) PutBlob(ctx context.Context, by blob.For, data []byte) (string, error) {
	<-h.there
	return h.blobs.PutBlob(ctx, by, data)
}

// Blob implements agent.Blobs.
func (h *hired) Blob(ctx context.Context, address string) ([]byte, error) {
	<-h.there
	return h.blobs.Blob(ctx, address)
}

func runAgent(log *slog.Logger, dir string) (*hired, error) {
	set, err := settings.Open(context.Background(), settings.Options{Store: settings.NewMemory(), Environ: runSettings, Log: log})
	if err != nil {
		return nil, err
	}
	if problems := set.Problems(); len(problems) > 0 {
		return nil, fmt.Errorf("settings: %v", problems)
	}
	place := filepath.Join(dir, "place")
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	ledger, err := openLedger(os.Getenv(ledgerVar))
	if err != nil {
		return nil, err
	}
	h := &hired{there: make(chan struct{})}
	h.Agent = agent.New(agent.Config{
		Settings: set, Log: log, Blobs: h, Version: func() uint64 { return 1 },
		Provider: func(settings.Profile) (llm.Provider, error) { return player{}, nil },
		Model:    func(settings.Profile) agent.Model { return agent.Model{Free: true} },
		Tools:    func(context.Context) []tool.Tool { return []tool.Tool{ledger} },
		Workspace: func(clew.SessionID, clew.UserID, string, settings.Values) (*tool.Workspace, error) {
			return workspace.Open(place, nil)
		},
	})
	return h, nil
}
