package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/journal"
)

// A BackupReport is what a backup copied.
type BackupReport = journal.BackupReport

// Restored is what a restore brought back.
type Restored struct{ journal.RestoreReport }

// Backup writes what a stopped server keeps to a directory or bucket, or what is
// new since the last time. to is a URL, file:///dir or s3://bucket.
func Backup(ctx context.Context, cfg Config, to string) (BackupReport, error) {
	j, err := journal.OpenStopped(ctx, cfg.journal(), slog.New(slog.DiscardHandler))
	if err != nil {
		return BackupReport{}, err
	}
	defer j.Close(context.WithoutCancel(ctx))
	return backup(ctx, cfg, j, to)
}

func backup(ctx context.Context, cfg Config, j *journal.Journal, to string) (r BackupReport, err error) {
	place, err := archive.OpenObjects(ctx, to)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	if r, err = j.Backup(ctx, place); err != nil {
		return r, err
	}
	return r, copyFiles(ctx, cfg, place, &r)
}

// Beside the journal a backup has the checkpoints of workspaces, and the secrets
// as they lie there: encrypted, without the key. The owner token is not in it; a
// restored server makes its own.
const (
	checkpointFiles = "checkpoints/"
	secretsFile     = "secrets.age"
)

// copyFiles copies checkpoints and secrets. Files of git's object store never
// change; the others are compared.
func copyFiles(ctx context.Context, cfg Config, to *archive.Objects, r *BackupReport) error {
	have, err := to.Names(ctx)
	if err != nil {
		return err
	}
	names, err := checkpointNames(cfg.checkpoints())
	if err != nil {
		return err
	}
	names = append(names, secretsFile)
	want := map[string]bool{}
	for _, name := range names {
		want[name] = true
		if have[name] && strings.Contains(name, "/objects/") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(cfg.Data, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) { // there is none, or it went meanwhile
			continue
		}
		if err != nil {
			return err
		}
		if have[name] {
			err = to.Keep(ctx, name, data)
		} else {
			err = to.Put(ctx, name, data)
			r.Objects++
			r.Bytes += int64(len(data))
		}
		if err != nil {
			return err
		}
	}
	if err := to.Sync(ctx); err != nil {
		return err
	}
	for name := range have {
		if strings.HasPrefix(name, checkpointFiles) && !want[name] {
			if err := to.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkpointNames lists the files of checkpoints, what refers to objects before
// the objects: whatever is referred to is then there to be copied.
func checkpointNames(dir string) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.Type().IsRegular() && !strings.HasSuffix(path, ".lock") && !strings.HasPrefix(e.Name(), "tmp_"):
			rel, err := filepath.Rel(filepath.Dir(dir), path)
			names = append(names, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := strings.Contains(a, "/objects/"), strings.Contains(b, "/objects/")
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	})
	return names, err
}

// Restore makes a data directory of a backup.
func Restore(ctx context.Context, cfg Config, from string) (_ Restored, err error) {
	place, err := archive.OpenObjects(ctx, from)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	files := func(ctx context.Context) error { return restoreFiles(ctx, cfg.Data, place) }
	r, err := journal.Restore(ctx, cfg.journal(), place, files, slog.New(slog.DiscardHandler))
	return Restored{r}, err
}

func restoreFiles(ctx context.Context, dir string, from *archive.Objects) error {
	names, err := from.Names(ctx)
	if err != nil {
		return err
	}
	for name := range names {
		if name != secretsFile && !strings.HasPrefix(name, checkpointFiles) {
			continue
		}
		if err := restoreFile(ctx, dir, name, from); err != nil {
			return err
		}
	}
	return nil
}

func restoreFile(ctx context.Context, dir, name string, from *archive.Objects) error {
	path := filepath.FromSlash(name)
	if !filepath.IsLocal(path) {
		return fmt.Errorf("the backup has a file %q", name)
	}
	data, err := from.Read(ctx, name)
	if err != nil {
		return err
	}
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// Problems counts what is damaged or wrong.
func (r Restored) Problems() int { return len(r.Findings) + len(r.Wrong) }

// Write says it to a person.
func (r Restored) Write(w io.Writer) error {
	fmt.Fprintf(w, "restored %s with %s, as of %s\n", plural(r.Sessions, "session"), plural(int(r.Records), "record"),
		time.UnixMilli(r.MadeMS).Format("2006-01-02 15:04:05"))
	for _, f := range r.Findings {
		fmt.Fprintf(w, "damaged: session %s: %s\n", f.Session, f.Problem)
	}
	for _, f := range r.Wrong {
		fmt.Fprintf(w, "wrong: session %s: %s\n", f.Session, f.Problem)
	}
	if r.Unfinished > 0 {
		fmt.Fprintf(w, "left out: %s that began while the backup was made\n", plural(r.Unfinished, "session"))
	}
	_, err := fmt.Fprintln(w, "clients that were connected start again from what is here")
	return err
}

// A backups makes one backup at a time while the server runs. It implements
// api.Backups.
type backups struct {
	cfg   Config
	j     *journal.Journal
	log   *slog.Logger
	asked chan string // where to

	mu   sync.Mutex
	last api.BackupState
}

func newBackups(cfg Config, j *journal.Journal, log *slog.Logger) *backups {
	return &backups{cfg: cfg, j: j, log: log, asked: make(chan string, 1)}
}

// Begin implements api.Backups.
func (b *backups) Begin(to string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last.Running {
		if b.last.To == to {
			return nil
		}
		return clew.Errorf(clew.SessionInvalidState, "a backup to %s is being made", b.last.To)
	}
	b.last = api.BackupState{Running: true, To: to, StartedMS: b.cfg.Clock.Now().UnixMilli()}
	b.asked <- to // there is room: none is running
	return nil
}

// State implements api.Backups.
func (b *backups) State() api.BackupState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// run makes the backups that are asked for until ctx ends. What one that is cut
// short has copied is of use to the next.
func (b *backups) run(ctx context.Context) {
	for {
		select {
		case to := <-b.asked:
			r, err := backup(ctx, b.cfg, b.j, to)
			b.ended(to, r, err)
		case <-ctx.Done():
			return
		}
	}
}

func (b *backups) ended(to string, r BackupReport, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last.Running, b.last.EndedMS = false, b.cfg.Clock.Now().UnixMilli()
	b.last.Number, b.last.Sessions, b.last.Objects, b.last.Bytes = r.Number, r.Sessions, r.Objects, r.Bytes
	if err != nil {
		b.last.Problem = err.Error()
		b.log.Error("backup", "to", to, "err", err)
		return
	}
	b.log.Info("backup", "to", to, "number", r.Number, "objects", r.Objects, "bytes", r.Bytes)
}
