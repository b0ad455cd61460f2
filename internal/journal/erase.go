package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
)

// An Eraser takes sessions out of the store, so that nothing of them is left in its
// files. Every step may be repeated, and one that failed is, in the next round.
type Eraser struct {
	Journal *Journal
	Index   *Index
	Inbox   *Inbox
	Drafts  *Drafts
	BlobUse *BlobUse
	// Seal seals a session that goes on; Own has a fork's past become its own.
	Seal Sealer
	Own  Sealer
}

// Mine reports whether this node is the one that erases a session: the one that
// sweeps its partition.
func (e *Eraser) Mine(ctx context.Context, id clew.SessionID) (bool, error) {
	p, _ := e.Journal.sessionSubject(id)
	return e.Journal.claimSweep(ctx, p)
}

// Alone reports whether there can be no other node.
func (e *Eraser) Alone() bool { return e.Journal.nodes == nil }

// Erase removes sessions that were deleted. noted is told the blobs of each before
// its records go, and must keep them: they are in what was noted before if the
// round is not the first.
func (e *Eraser) Erase(ctx context.Context, due []session.Erasure, noted func(ctx context.Context, id clew.SessionID, blobs []string) error) error {
	ids := map[clew.SessionID]bool{}
	for _, d := range due {
		ids[d.Session] = true
	}
	if err := e.freeForks(ctx, ids); err != nil {
		return fmt.Errorf("forks: %w", err)
	}
	blobs := map[string]bool{}
	for _, d := range due {
		found, err := e.blobsOf(ctx, d)
		if err == nil && len(found) > len(d.Blobs) {
			err = noted(ctx, d.Session, found)
		}
		if err != nil {
			return fmt.Errorf("blobs of %s: %w", d.Session, err)
		}
		for _, ref := range found {
			blobs[ref] = true
		}
	}
	if err := e.eraseRows(ctx, ids); err != nil {
		return fmt.Errorf("lists: %w", err)
	}
	if err := e.eraseRecords(ctx, ids); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	if err := e.eraseBlobs(ctx, ids, blobs); err != nil {
		return fmt.Errorf("blobs: %w", err)
	}
	for _, table := range []*Table{e.Index.table, e.Inbox.table, e.Inbox.marks, e.Drafts.table, e.BlobUse.table} {
		if err := table.renew(ctx, e.Journal); err != nil {
			return fmt.Errorf("table %s: %w", table.kv.Bucket(), err)
		}
	}
	return nil
}

// Hide takes a deleted session out of lists and inboxes, and its wake-up back, whoever
// owns it: its owner ended before it could.
func (e *Eraser) Hide(ctx context.Context, d session.Erasure) error {
	hidden := func(s core.Summary) core.Summary {
		if !s.Gone {
			s.EraseMS = d.EraseMS
		}
		return s
	}
	if err := e.Index.change(ctx, map[clew.SessionID]bool{d.Session: true}, hidden); err != nil {
		return err
	}
	err := dropKeys(ctx, e.Inbox.table, "*."+string(d.Session)+".*")
	e.Inbox.Forget(d.Session)
	if err != nil {
		return err
	}
	return e.Journal.Wake(ctx, d.Session, 0)
}

// freeForks makes the records that others have from these sessions their own.
func (e *Eraser) freeForks(ctx context.Context, ids map[clew.SessionID]bool) error {
	j := e.Journal
	for id, err := range j.archive.Sessions(ctx) {
		if err != nil {
			return err
		}
		if ids[id] {
			continue
		}
		seal, err := j.latestSeal(ctx, id)
		if clew.CodeOf(err) == clew.SessionDamaged { // it cannot be read with its past either
			j.log.Warn("a damaged session may be a fork of one that is erased", "session", id, "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if seal == nil || !ids[seal.Base.Session] {
			continue
		}
		err = e.Own(ctx, id)
		if clew.CodeOf(err) == clew.SessionNotFound { // a deleted one, which may be brought back
			l := &log{j: j, id: id, seal: seal}
			err = l.Own(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

// Own implements session.Log.
func (l *log) Own(ctx context.Context) error {
	if l.seal == nil || l.seal.Base == (archive.Base{}) {
		return nil
	}
	seal, err := l.j.archive.Own(ctx, l.seal, l.j.Read(ctx, l.id, 1, l.seal.Head.Seq))
	if err != nil {
		return archiveError(l.id, err)
	}
	if err := l.j.Flush(ctx); err != nil {
		return err
	}
	l.seal = seal
	return nil
}

// A blob is named by 64 hexadecimal digits. Records have other such names too,
// which are no blobs.
var blobName = regexp.MustCompile(`[0-9a-f]{64}`)

func blobNames(line []byte, each func(ref string)) {
	if !blob.MayName(line) {
		return
	}
	for _, ref := range blobName.FindAll(line, -1) {
		each(string(ref))
	}
}

// blobsOf gives what a session's records name, and what was noted of it before.
func (e *Eraser) blobsOf(ctx context.Context, d session.Erasure) ([]string, error) {
	names := map[string]bool{}
	for _, ref := range d.Blobs {
		names[ref] = true
	}
	for r, err := range e.Journal.Read(ctx, d.Session, 1, math.MaxUint64) {
		if clew.CodeOf(err) == clew.SessionDamaged { // what can be read was
			break
		}
		if err != nil {
			return nil, err
		}
		blobNames(r.Line(), func(ref string) { names[ref] = true })
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// eraseBlobs removes those that no other session names.
func (e *Eraser) eraseBlobs(ctx context.Context, ids map[clew.SessionID]bool, blobs map[string]bool) error {
	if len(blobs) == 0 {
		return nil
	}
	j := e.Journal
	j.doomed.add(blobs)
	defer j.doomed.clear()
	all, err := j.allSessions(ctx)
	if err != nil {
		return err
	}
	for _, id := range all {
		if ids[id] {
			continue
		}
		for r, err := range j.Read(ctx, id, 1, math.MaxUint64) {
			if err != nil {
				return fmt.Errorf("session %s may need them: %w", id, err)
			}
			blobNames(r.Line(), j.doomed.spare)
		}
	}
	rows, err := e.Drafts.table.List(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		blobNames(row, j.doomed.spare)
	}
	return j.doomed.remove(func(ref string) error { return j.archive.EraseBlob(ctx, ref) })
}

// eraseRows takes the sessions out of lists, inboxes and drafts. In a list a line
// without words stays: a page never loses one.
func (e *Eraser) eraseRows(ctx context.Context, ids map[clew.SessionID]bool) error {
	if err := e.Index.erase(ctx, ids); err != nil {
		return err
	}
	for id := range ids {
		err := e.Inbox.Sync(ctx, id, nil)
		e.Inbox.Forget(id)
		if err != nil {
			return err
		}
		for _, in := range []struct {
			table   *Table
			pattern string
		}{{e.Inbox.table, "*." + string(id) + ".*"}, {e.Inbox.marks, "*." + string(id) + ".*"}, {e.Drafts.table, "*." + string(id)}, {e.BlobUse.table, "*." + string(id)}} {
			if err := dropKeys(ctx, in.table, in.pattern); err != nil {
				return err
			}
		}
	}
	return nil
}

func dropKeys(ctx context.Context, table *Table, pattern string) error {
	keys, err := table.keys(ctx, pattern)
	for _, key := range keys {
		err = errors.Join(err, table.Drop(ctx, key))
	}
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil
	}
	return err
}

// erase takes the words out of the lines of sessions in all lists.
func (x *Index) erase(ctx context.Context, ids map[clew.SessionID]bool) error {
	return x.change(ctx, ids, func(s core.Summary) core.Summary {
		return core.Summary{ID: s.ID, Gone: true, CreatedMS: s.CreatedMS, LastSeq: math.MaxInt64} // nothing is later
	})
}

// change changes the lines of sessions in all lists.
func (x *Index) change(ctx context.Context, ids map[clew.SessionID]bool, fn func(core.Summary) core.Summary) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	clear(x.last) // they are read again
	keys, err := x.table.keys(ctx, ">")
	if err != nil {
		return err
	}
	for _, key := range keys {
		err := x.table.Change(ctx, key, func(old []byte) ([]byte, error) { return changedPage(old, ids, fn) })
		if err != nil && !errors.Is(err, errUnchanged) {
			return err
		}
	}
	return nil
}

var errUnchanged = errors.New("nothing to change")

func changedPage(row []byte, ids map[clew.SessionID]bool, fn func(core.Summary) core.Summary) ([]byte, error) {
	p, ok := parsePage(row)
	changed := false
	for i, s := range p.Sessions {
		if !ids[s.ID] {
			continue
		}
		if now := fn(s); !reflect.DeepEqual(s, now) {
			p.Sessions[i], changed = now, true
		}
	}
	if !ok || !changed {
		return nil, errUnchanged
	}
	return json.Marshal(p)
}

// eraseRecords takes the sessions out of the engine and the archive.
func (e *Eraser) eraseRecords(ctx context.Context, ids map[clew.SessionID]bool) error {
	j := e.Journal
	partitions := map[int]bool{}
	for id := range ids {
		p, subject := j.sessionSubject(id)
		err := j.health.write(ctx, func(ctx context.Context) error {
			return j.streams[p].Purge(ctx, jetstream.WithPurgeSubject(subject))
		})
		if err != nil {
			return engineError(err)
		}
		partitions[p] = true
	}
	for p := range partitions {
		if err := j.renewPartition(ctx, p, e.Seal); err != nil {
			return err
		}
	}
	for id := range ids {
		if err := j.archive.Erase(ctx, id); err != nil {
			return err
		}
		j.seals.forget(id)
		j.witness.sealed(id, math.MaxUint64)
		if err := eraseQuarantine(j.cfg.Dir, id); err != nil {
			return err
		}
	}
	return nil
}

// eraseQuarantine removes the damaged blocks that have something of the session:
// what of theirs could be read was kept.
func eraseQuarantine(dir string, id clew.SessionID) error {
	blocks, err := filepath.Glob(filepath.Join(dir, "quarantine", "*"))
	if err != nil {
		return err
	}
	for _, path := range blocks {
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(id)) {
			err = os.Remove(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parsePage reads a row of the index; false if it is another kind of row.
func parsePage(row []byte) (p page, ok bool) {
	err := json.Unmarshal(row, &p)
	return p, err == nil
}

// Forks gives the sessions that go on from this one, or from a fork of it, by the
// lists of their owners.
func (x *Index) Forks(ctx context.Context, id clew.SessionID) ([]core.Summary, error) {
	rows, err := x.table.List(ctx)
	if err != nil {
		return nil, err
	}
	byParent := map[clew.SessionID][]core.Summary{}
	for _, row := range rows {
		p, _ := parsePage(row)
		for _, s := range p.Sessions {
			if s.ForkedFrom != nil && !s.Gone {
				byParent[s.ForkedFrom.SessionID] = append(byParent[s.ForkedFrom.SessionID], s)
			}
		}
	}
	var forks []core.Summary
	seen := map[clew.SessionID]bool{id: true}
	for next := []clew.SessionID{id}; len(next) > 0; next = next[1:] {
		for _, s := range byParent[next[0]] {
			if !seen[s.ID] {
				seen[s.ID] = true
				forks, next = append(forks, s), append(next, s.ID)
			}
		}
	}
	return forks, nil
}
