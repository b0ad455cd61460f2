package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/disk"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/settings"
)

// Inventory is what is kept of a workspace.
type Inventory = retention.Inventory

// Collected tells what a collection did.
type Collected = retention.Collected

// collectEvery is how often checkpoints that nobody needs are dropped.
const collectEvery = 6 * time.Hour

func (c Config) checkpoints() string { return filepath.Join(c.Data, "checkpoints") }

// ownWorkspace is the directory of a session that was made without one.
func (c Config) ownWorkspace(id clew.SessionID) string {
	return filepath.Join(c.ownWorkspaces(), string(id))
}

// ownWorkspaces holds them. It may be a file system of its own, with quotas of its
// own.
func (c Config) ownWorkspaces() string { return filepath.Join(c.Data, "workspaces") }

// keeper opens the checkpoints with what is known of the sessions. A nil journal
// knows nothing of them; nil workspaces have room for any fork.
func (c Config) keeper(j *journal.Journal, s *settings.Settings, w *disk.Workspaces, log *slog.Logger) (*retention.Keeper, error) {
	o := retention.Options{Home: c.ownWorkspace, Temp: c.temporary(), Log: log}
	if c.Clock != nil { // a command has none
		o.Now = c.Clock.Now
	}
	if w != nil {
		o.Room = func(owner clew.UserID, id clew.SessionID, bytes int64) error {
			share, err := w.Share(owner, id)
			if err != nil {
				return clew.WrapError(clew.StorageFailed, err, "the workspace cannot be counted")
			}
			return share.Room(bytes)
		}
	}
	if s != nil {
		o.Settings = func(own map[string]any) settings.Values { v, _ := s.For(own); return v }
	}
	if j != nil {
		o.Records = func(ctx context.Context, id clew.SessionID) iter.Seq2[clew.Record, error] {
			return j.Read(ctx, id, 1, math.MaxUint64)
		}
	}
	return retention.Open(c.checkpoints(), o)
}

// openStored opens the checkpoints of a data directory for somebody who looks
// after them by hand. There must be some.
func openStored(cfg Config, j *journal.Journal, s *settings.Settings) (*retention.Keeper, error) {
	if _, err := os.Stat(cfg.checkpoints()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no checkpoints in %s", cfg.Data)
	}
	return cfg.keeper(j, s, nil, slog.New(slog.DiscardHandler))
}

// Checkpoints gives what a data directory keeps: of a session, of a workspace if
// what is an absolute path, of all with "". A server may be running on it.
func Checkpoints(ctx context.Context, cfg Config, what string) ([]Inventory, error) {
	k, err := openStored(cfg, nil, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = k.Close() }()
	return k.Inventory(ctx, what)
}

// CollectCheckpoints drops the checkpoints that nobody needs, for a server that
// is stopped: what is needed stands in its records. A running one does it by
// itself.
func CollectCheckpoints(ctx context.Context, cfg Config) (_ Collected, err error) {
	if _, err := os.Stat(cfg.checkpoints()); errors.Is(err, fs.ErrNotExist) {
		return Collected{}, fmt.Errorf("there are no checkpoints in %s", cfg.Data)
	}
	log := slog.New(slog.DiscardHandler)
	j, err := journal.OpenCopy(ctx, cfg.journal(), log)
	if err != nil {
		return Collected{}, fmt.Errorf("checkpoints are collected by hand only while no server runs on this directory; a server collects them itself every %d hours: %w", int(collectEvery.Hours()), err)
	}
	defer j.Close(ctx)
	s, err := storedSettings(ctx, cfg, j, log)
	if err != nil {
		return Collected{}, err
	}
	defer s.Close()
	k, err := openStored(cfg, j, s)
	if err != nil {
		return Collected{}, err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	return k.Collect(ctx)
}

// storedSettings reads the settings that the server would have.
func storedSettings(ctx context.Context, cfg Config, j *journal.Journal, log *slog.Logger) (*settings.Settings, error) {
	table, err := j.Table(ctx, "SETTINGS")
	if err != nil {
		return nil, err
	}
	return settings.Open(ctx, settings.Options{File: cfg.Settings, Environ: cfg.environ(), Store: settingsStore{table, log}, Log: log})
}
