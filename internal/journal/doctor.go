package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
)

// A Finding is one thing that is wrong with the store.
type Finding struct {
	Session clew.SessionID `json:"session_id,omitempty"`
	Problem string         `json:"problem"`
}

// A Report is what an examination of the whole store found.
type Report struct {
	Sessions int       `json:"sessions"`
	Records  uint64    `json:"records"`
	Findings []Finding `json:"findings"`
	// Wrong are stored states that are not what the session's records come to. The
	// records are sound.
	Wrong []Finding `json:"wrong_states,omitempty"`
	// TooNew are sessions that a newer program wrote. They are whole, as far as
	// this one can tell, and read-only for it.
	TooNew []Finding `json:"too_new,omitempty"`
	// Older counts the sessions whose sealed state is of an older version: it is
	// made anew when they are next opened.
	Older int `json:"older,omitempty"`
	// Notes are about what is no damage: the store does without it.
	Notes []Finding `json:"notes,omitempty"`
	// Engine holds the engine's own warnings since it was opened.
	Engine []string `json:"engine_warnings,omitempty"`
}

// ErrNoStore says that a directory holds nothing of a store.
var ErrNoStore = errors.New("no clew data")

// OpenCopy opens a copy of a stopped node's store, for looking at: opening an
// engine on damaged files changes them. Close removes the copy. The archive,
// which is only ever read here, is the store's own; an outside engine is
// another's and is opened as it is.
func OpenCopy(ctx context.Context, cfg Config, log *slog.Logger) (*Journal, error) {
	if cfg.Embedded() && !hasStore(cfg.Dir) {
		return nil, fmt.Errorf("%w in %s", ErrNoStore, cfg.Dir) // and none is made by looking
	}
	cfg, err := cfg.withDefaults()
	if err != nil || !cfg.Embedded() {
		return nil, errors.Join(err, errNotEmbedded(cfg))
	}
	lock, err := lockDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(cfg.Dir, ".examined-*")
	if err == nil {
		err = copyStore(dir, cfg.Dir)
	}
	if err == nil {
		cfg.Dir = dir
		var j *Journal
		if j, err = Open(ctx, cfg, log); err == nil {
			j.onClose = func() { _ = os.RemoveAll(dir); _ = lock.Close() }
			return j, nil
		}
	}
	_ = os.RemoveAll(dir)
	_ = lock.Close()
	return nil, err
}

// OpenStopped opens the store of a stopped node, and makes none.
func OpenStopped(ctx context.Context, cfg Config, log *slog.Logger) (*Journal, error) {
	if cfg.Embedded() && !hasStore(cfg.Dir) {
		return nil, fmt.Errorf("%w in %s", ErrNoStore, cfg.Dir)
	}
	return Open(ctx, cfg, log)
}

// hasStore reports whether anything of a store is there, damaged or not.
func hasStore(dir string) bool {
	return slices.ContainsFunc([]string{"engine", "archive", witnessFile}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

func errNotEmbedded(cfg Config) error {
	if cfg.Embedded() {
		return nil
	}
	return errors.New("the doctor examines a node with the embedded engine; a cluster is examined with its own tools")
}

// copyStore copies what Open would write to.
func copyStore(to, from string) error {
	for _, name := range []string{"engine", witnessFile, "node"} {
		src := filepath.Join(from, name)
		info, err := os.Stat(src)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return err
		case info.IsDir():
			err = os.CopyFS(filepath.Join(to, name), os.DirFS(src))
		default:
			var b []byte
			if b, err = os.ReadFile(src); err == nil {
				err = os.WriteFile(filepath.Join(to, name), b, 0o600)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Examine verifies every session in the store, record by record, and compares
// the lists of sessions with them. It folds each and compares the folds that are
// stored.
func (j *Journal) Examine(ctx context.Context) (Report, error) {
	report := Report{Findings: []Finding{}}
	ids, err := j.allSessions(ctx)
	if err != nil {
		return report, err
	}
	listed, err := j.listed(ctx)
	if err != nil {
		return report, err
	}
	for id := range listed {
		if _, found := slices.BinarySearch(ids, id); !found {
			report.Findings = append(report.Findings, Finding{id, "its owner's list has it, but nothing is stored of it"})
		}
	}
	e := blockCheck{
		j: j, report: &report, listed: listed, sound: map[clew.SessionID]bool{},
		forks: map[clew.SessionID]archive.Base{}, checked: map[clew.SessionID]bool{},
	}
	for _, id := range ids {
		if err := e.session(ctx, id); err != nil {
			return report, err
		}
	}
	if err := e.forked(ctx); err != nil {
		return report, err
	}
	for _, id := range ids {
		if err := e.fold(ctx, id); err != nil {
			return report, err
		}
	}
	if l := j.engine.log; l != nil {
		l.mu.Lock()
		report.Engine = slices.Clone(l.lines)
		l.mu.Unlock()
	}
	return report, nil
}

// listed gives the last record of each session as its owner's list has it. The
// lists may lag behind, but are never ahead.
func (j *Journal) listed(ctx context.Context) (map[clew.SessionID]uint64, error) {
	table, err := j.Table(ctx, indexTable)
	if err != nil {
		return nil, err
	}
	rows, err := table.List(ctx)
	if err != nil {
		return nil, err
	}
	listed := map[clew.SessionID]uint64{}
	for _, row := range rows {
		var p page
		if json.Unmarshal(row, &p) != nil {
			continue // the number of pages
		}
		for _, s := range p.Sessions {
			if s.Gone { // erased, or no longer shared: others tell
				continue
			}
			listed[s.ID] = max(listed[s.ID], s.LastSeq)
		}
	}
	return listed, nil
}

// plain gives the cause, which says more to an operator than the safe message.
func plain(err error) string {
	if e := clew.AsError(err); e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}

// allSessions gathers every session that the archive, the streams or the
// witness know of.
func (j *Journal) allSessions(ctx context.Context) ([]clew.SessionID, error) {
	all := map[clew.SessionID]bool{}
	for id, err := range j.sealedSessions(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list the archive: %w", err)
		}
		all[id] = true
	}
	for p := range j.partitions {
		ids, err := j.subjectsOf(ctx, p, j.subject("j", strconv.Itoa(p), "s", ">"))
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			all[id] = true
		}
	}
	for _, id := range j.witness.sessions() {
		all[id] = true
	}
	return slices.Sorted(maps.Keys(all)), nil
}

func (j *Journal) sealedSessions(ctx context.Context) iter.Seq2[clew.SessionID, error] {
	return j.archive.Sessions(ctx)
}
