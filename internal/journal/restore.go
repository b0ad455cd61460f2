package journal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session"
)

// restoringFile marks a data directory that a restore has not finished.
const restoringFile = "restoring"

var (
	// ErrRestoring says that a restore into a directory was cut short.
	ErrRestoring = errors.New("a restore into this data directory was cut short; empty it and restore again")
	// ErrNotEmpty says that a restore would write over something.
	ErrNotEmpty = errors.New("there is a store already; restore into an empty directory")
	// ErrNoBackup says that a place has no backup.
	ErrNoBackup = errors.New("no backup there")
)

// A RestoreReport says what a restore brought back.
type RestoreReport struct {
	Report
	Epoch  string `json:"epoch"`
	MadeMS int64  `json:"made_ms"` // when the backup was made
	// Unfinished counts sessions that began while the backup was made and are in it
	// by half. They are left out.
	Unfinished int `json:"unfinished"`
}

// Restore makes a store of a backup, in a directory that has none, and verifies
// it; files, which may be nil, brings back what lies beside. Every session gets a new epoch: what is written from now on has other
// content than what was written after the backup, under the same numbers.
func Restore(ctx context.Context, cfg Config, from *archive.Objects, files func(context.Context) error, log *slog.Logger) (RestoreReport, error) {
	m, err := readManifest(ctx, from)
	if errors.Is(err, fs.ErrNotExist) {
		return RestoreReport{}, ErrNoBackup
	}
	if err != nil {
		return RestoreReport{}, err
	}
	if hasStore(cfg.Dir) {
		return RestoreReport{}, fmt.Errorf("%w: %s", ErrNotEmpty, cfg.Dir)
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return RestoreReport{}, err
	}
	if err := os.WriteFile(filepath.Join(cfg.Dir, restoringFile), nil, 0o600); err != nil {
		return RestoreReport{}, err
	}
	r := &restoring{cfg: cfg, from: from, m: m, log: log}
	r.report.Epoch, r.report.MadeMS = rand.Text()[:16], m.MadeMS
	if err := r.run(ctx); err != nil {
		return r.report, err
	}
	if files != nil {
		if err := files(ctx); err != nil {
			return r.report, err
		}
	}
	if err := flushTree(cfg.Dir); err != nil {
		return r.report, err
	}
	return r.report, os.Remove(filepath.Join(cfg.Dir, restoringFile))
}

type restoring struct {
	cfg    Config
	from   *archive.Objects
	m      backupManifest
	log    *slog.Logger
	j      *Journal
	report RestoreReport
}

func (r *restoring) run(ctx context.Context) (err error) {
	r.cfg.Prefix, r.cfg.Partitions = r.m.Prefix, r.m.Partitions
	r.cfg.SyncInterval = time.Hour // flushed at the end
	r.cfg.restored.on, r.cfg.restored.epoch = true, r.report.Epoch
	if planted.Bug("restored under the old epoch") {
		r.cfg.restored.epoch = firstEpoch
	}
	for _, last := range r.m.Last { // behind every mark of a seal and every term of a lease
		r.cfg.restored.firstSeq = max(r.cfg.restored.firstSeq, last+1)
	}
	if r.j, err = Open(ctx, r.cfg, r.log); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.archive, r.tables, r.records, r.verify} {
		if err := step(ctx); err != nil {
			r.j.Close(context.WithoutCancel(ctx))
			return err
		}
	}
	r.j.Close(context.WithoutCancel(ctx))
	return nil
}

func (r *restoring) archive(ctx context.Context) error {
	names, err := r.from.Names(ctx)
	if err != nil {
		return err
	}
	to := r.j.archive.Objects()
	have, err := to.Names(ctx) // a bucket that the store had, and has still
	if err != nil {
		return err
	}
	for name := range names {
		key, ok := strings.CutPrefix(name, "archive/")
		if !ok || have[key] {
			continue
		}
		data, err := r.from.Read(ctx, name)
		if err != nil {
			return err
		}
		if err := to.Put(ctx, key, data); err != nil {
			return err
		}
	}
	return to.Sync(ctx)
}

// read yields the messages of a part.
func (r *restoring) read(ctx context.Context, part backupPart, fn func(*nats.Msg) error) error {
	data, err := r.from.Read(ctx, part.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", part.Name, err)
	}
	for m, err := range readPart(data, part.SHA256) {
		if err == nil {
			err = fn(m)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return nil
}

func (r *restoring) tables(ctx context.Context) error {
	for _, t := range r.m.Tables {
		cfg := t.Config
		cfg.Replicas = r.j.cfg.Replicas
		if _, err := r.j.openStream(ctx, cfg); err != nil {
			return fmt.Errorf("table %s: %w", cfg.Name, err)
		}
		if err := r.publish(ctx, t.backupPart, func(*nats.Msg) bool { return true }); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoring) records(ctx context.Context) error {
	live := map[clew.SessionID]bool{}
	if err := r.read(ctx, r.m.Sessions, func(m *nats.Msg) error {
		live[clew.SessionID(m.Subject)] = true
		return nil
	}); err != nil {
		return err
	}
	for _, part := range r.m.Parts { // in the order in which they were written
		if err := r.publish(ctx, part, func(m *nats.Msg) bool { return live[sessionOf(m.Subject)] }); err != nil {
			return err
		}
	}
	return nil
}

// publish writes the messages of a part that are wanted, many at a time.
func (r *restoring) publish(ctx context.Context, part backupPart, wanted func(*nats.Msg) bool) error {
	var sent []jetstream.PubAckFuture
	settle := func() error {
		for _, ack := range sent {
			select {
			case <-ack.Ok():
			case err := <-ack.Err():
				return engineError(err)
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		sent = sent[:0]
		return nil
	}
	err := r.read(ctx, part, func(m *nats.Msg) error {
		if !wanted(m) {
			return nil
		}
		ack, err := r.j.js.PublishMsgAsync(m)
		if err != nil {
			return engineError(err)
		}
		if sent = append(sent, ack); len(sent) < 1000 {
			return nil
		}
		return settle()
	})
	return errors.Join(err, settle())
}

// verify has the doctor look at everything, and leaves out what began while the
// backup was made: it is in no list.
func (r *restoring) verify(ctx context.Context) error {
	report, err := r.j.Examine(ctx)
	if err != nil {
		return err
	}
	listed, err := r.j.listed(ctx)
	if err != nil {
		return err
	}
	r.report.Report = report
	r.report.Findings = nil
	for _, f := range report.Findings {
		if f.Session == "" || listed[f.Session] > 0 {
			r.report.Findings = append(r.report.Findings, f)
			continue
		}
		if err := r.leaveOut(ctx, f.Session); err != nil {
			return err
		}
		r.report.Unfinished++
		r.report.Sessions--
	}
	return nil
}

func (r *restoring) leaveOut(ctx context.Context, id clew.SessionID) error {
	shard := session.ShardOf(id)
	p := r.j.partition(shard)
	subject := r.j.subject("j", strconv.Itoa(p), "s", strconv.Itoa(shard), string(id))
	if err := r.j.streams[p].Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
		return engineError(err)
	}
	objects := r.j.archive.Objects()
	names, err := objects.Names(ctx)
	if err != nil {
		return err
	}
	for name := range names {
		if archive.SessionOf(name) == id {
			if err := objects.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// flushTree makes everything in a directory durable.
func flushTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() && !e.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
