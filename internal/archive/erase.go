package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew"
)

// Erase removes everything that the store has of a session: seals, segments, kept
// folds, and what waits to get its name. It may be repeated. Nobody may put
// anything of the session meanwhile. On a bucket with versions the older ones go
// too, or Erase fails.
func (a *Archive) Erase(ctx context.Context, id clew.SessionID) error {
	if !id.Valid() {
		return fmt.Errorf("archive: %q is not a session id", id)
	}
	if err := a.Sync(ctx); err != nil { // what waits gets its name, so that it can be listed
		return err
	}
	for _, prefix := range []string{sealPrefix(id), segmentPrefix(id), foldPrefix(id)} {
		keys, err := a.store.list(ctx, prefix)
		if err != nil {
			return fmt.Errorf("archive: list %s: %w", prefix, err)
		}
		for _, key := range keys {
			if err := a.store.erase(ctx, key); err != nil {
				return fmt.Errorf("archive: erase %s: %w", key, err)
			}
		}
	}
	if err := a.store.erased(ctx, leafOf(id)+string(id)); err != nil {
		return fmt.Errorf("archive: erase %s: %w", id, err)
	}
	return nil
}

// EraseBlob removes a blob. One that is gone already is no error.
func (a *Archive) EraseBlob(ctx context.Context, ref string) error {
	if err := a.store.erase(ctx, blobKey(ref)); err != nil {
		return fmt.Errorf("archive: erase %s: %w", blobKey(ref), err)
	}
	return nil
}

// Own writes a seal of a session that no longer goes back to another one: the
// records up to its base become its own. from yields all of its records, from the
// first one on. As with Put, the seal counts after Sync.
func (a *Archive) Own(ctx context.Context, s *Seal, from func(yield func(clew.Record, error) bool)) (*Seal, error) {
	if s.Base == (Base{}) {
		return s, nil
	}
	next := &Seal{
		Session: s.Session, Epoch: s.Epoch, Mark: s.Mark, State: s.State, Created: a.now(),
		key: sealKey(s.Session, s.Head.Seq, s.rev+1), rev: s.rev + 1, open: index{first: 1},
	}
	f := &Filing{a: a, s: next}
	var step []clew.Record
	for r, err := range from {
		if err != nil {
			return nil, err
		}
		if step = append(step, r); len(step) == frameRecords {
			if err := f.Add(ctx, step); err != nil {
				return nil, err
			}
			step = step[:0]
		}
	}
	if err := f.Add(ctx, step); err != nil {
		return nil, err
	}
	if err := f.Reaches(s.Head); err != nil {
		return nil, err
	}
	return a.write(ctx, next)
}

func (d *directory) erase(ctx context.Context, key string) error {
	if err := d.remove(ctx, key); err != nil {
		return err
	}
	err := syncDir(filepath.Dir(d.path(key)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// asideFor is more than a file waits in pending/ before a live process names it.
const asideFor = time.Minute

// erased removes what is left of a session beside its objects: empty directories,
// and what a process that died left in pending/, where names say nothing.
func (d *directory) erased(_ context.Context, session string) error {
	for _, dir := range []string{segmentsDir, foldsDir} {
		if err := os.Remove(d.path(session + dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	aside := filepath.Join(d.root, pendingDir)
	list, err := os.ReadDir(aside)
	if err != nil {
		return err
	}
	for _, e := range list {
		info, err := e.Info()
		if strings.HasPrefix(e.Name(), d.tag+"-") || err != nil || time.Since(info.ModTime()) < asideFor {
			continue
		}
		if err := os.Remove(filepath.Join(aside, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return syncDir(aside)
}

// erased has nothing to do: a bucket has only objects.
func (s *bucket) erased(context.Context, string) error { return nil }
