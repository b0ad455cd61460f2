package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/planted"
)

// A healer brings the store back after a failed write. The embedded engine takes
// no more writes to a stream that failed one, until it is started anew; that is
// done in the process, behind the same connection, once the disk takes flushed
// writes again.
type healer struct {
	j     *Journal
	log   *slog.Logger
	heals []time.Duration // those after a failing disk, not a full one
	fails int             // starts that failed in a row
}

const (
	healEvery   = 100 * time.Millisecond
	probeSize   = 4 << 20
	healStop    = 10 * time.Second // for the engine to leave its files
	healTries   = 3                // starts that may fail before the process has to end
	healsAtMost = 3                // after a failing disk, within healWindow: it is not trusted more often
	healWindow  = 10 * time.Minute
)

func (h *healer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.j.health.healing:
		}
		if s, _ := h.j.Storage(); s.State == StorageReadOnly {
			h.log.Error("the store takes no more records; it is read-only until the disk takes writes again", "why", s.Why)
			h.heal(ctx, s)
		}
	}
}

// heal returns when the store takes records again or has failed for good.
func (h *healer) heal(ctx context.Context, s Storage) {
	for ctx.Err() == nil {
		if planted.Bug("store never heals") {
			return
		}
		if !h.mayHeal(s) || probeDisk(h.j.cfg.Dir) != nil {
			if pause(ctx, healEvery) != nil {
				return
			}
			continue
		}
		began := h.j.cfg.Clock.Elapsed()
		err := h.restart(ctx)
		if err == nil {
			err = h.j.witness.renew()
		}
		if err == nil {
			h.fails = 0
			h.j.health.healed()
			h.log.Warn("the store takes records again", "read_only_for", h.j.cfg.Clock.Now().Sub(s.Since).Round(time.Millisecond), "restart_took", (h.j.cfg.Clock.Elapsed() - began).Round(time.Microsecond))
			return
		}
		if ctx.Err() != nil {
			return
		}
		h.fails++
		h.log.Error("the engine could not be started anew", "err", err, "try", h.fails)
		if h.fails >= healTries {
			h.j.health.set(StorageFailed, err.Error())
			return
		}
	}
}

// mayHeal keeps a dying disk from being trusted again and again.
func (h *healer) mayHeal(s Storage) bool {
	if diskFull(s.Why) {
		return true
	}
	h.heals = slices.DeleteFunc(h.heals, func(at time.Duration) bool { return h.j.cfg.Clock.Elapsed()-at > healWindow })
	return len(h.heals) < healsAtMost
}

// restart starts the engine anew on its store, if one of its streams needs it.
func (h *healer) restart(ctx context.Context) error {
	s, _ := h.j.Storage()
	if !diskFull(s.Why) {
		h.heals = append(h.heals, h.j.cfg.Clock.Elapsed())
	}
	streams := h.j.health.latchedStreams()
	if len(streams) == 0 { // the engine itself is well
		return nil
	}
	e := h.j.engine
	e.mu.Lock()
	old := e.embedded
	e.embedded = nil
	e.mu.Unlock()
	if old != nil {
		wait, cancel := context.WithTimeout(ctx, healStop)
		defer cancel()
		if !shutDown(wait, old) {
			return errors.New("the engine did not leave its files in time")
		}
	}
	if !diskFull(s.Why) {
		for _, name := range streams {
			if err := rewriteLastBlock(filepath.Join(h.j.cfg.streamDir(name), "msgs")); err != nil {
				return fmt.Errorf("write the newest records of %s again: %w", name, err)
			}
		}
	}
	srv, err := e.start()
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.embedded = srv
	e.mu.Unlock()
	h.j.health.restarted()
	return nil
}

// rewriteLastBlock copies a stream's newest block, flushed, over itself. After a
// failed flush the kernel takes the pages for clean: what is read back need not
// be on the disk, and the engine would build on it.
func rewriteLastBlock(dir string) error {
	path, err := lastBlock(dir)
	if err != nil || path == "" {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	copied := path + ".new"
	if err := writeFlushed(copied, data); err != nil {
		_ = os.Remove(copied)
		return err
	}
	if err := os.Rename(copied, path); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}

// lastBlock finds the block with the highest number, "" if there is none.
func lastBlock(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	last, path := -1, ""
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".blk")
		if n, err := strconv.Atoi(name); ok && err == nil && n > last {
			last, path = n, filepath.Join(dir, e.Name())
		}
	}
	return path, nil
}

// probeDisk writes and flushes a file beside the store, as large as what the
// engine may want at once.
func probeDisk(dir string) error {
	path := filepath.Join(dir, "probe")
	defer func() { _ = os.Remove(path) }()
	return writeFlushed(path, make([]byte, probeSize))
}

func writeFlushed(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
