package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The engine deletes a message by a mark: its bytes stay in the block, a file of up
// to blockSize, until no message of that block is left. So what must be gone is
// pushed out: a filler makes the engine begin a new block, all that must stay is
// written again behind it, and then the engine removes the old files.
const (
	blockSize  = 8 << 20
	fillerSize = 4 << 20
)

// errOldBlocks says that something still stands before the filler.
var errOldBlocks = errors.New("the engine still holds older blocks")

// beginBlock makes the engine begin a new block in a stream. It gives the last
// sequence before which everything has to go.
func (j *Journal) beginBlock(ctx context.Context, m *nats.Msg) (last uint64, err error) {
	m.Data = make([]byte, min(fillerSize, j.MaxRecord()))
	for size := 0; size < blockSize; size += len(m.Data) {
		err := j.health.write(ctx, func(ctx context.Context) error {
			ack, err := j.js.PublishMsg(ctx, m)
			if err == nil {
				last = ack.Sequence
			}
			return err
		})
		if err != nil {
			return 0, engineError(err)
		}
	}
	return last, nil
}

// endBlock takes the fillers away and checks that nothing is left before them.
func (j *Journal) endBlock(ctx context.Context, s jetstream.Stream, subject string, last uint64) error {
	err := j.health.write(ctx, func(ctx context.Context) error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
	if err != nil {
		return engineError(err)
	}
	info, err := s.Info(ctx)
	if err != nil {
		return engineError(err)
	}
	if info.State.FirstSeq <= last {
		return fmt.Errorf("%w: %s from %d", errOldBlocks, info.Config.Name, info.State.FirstSeq)
	}
	return j.awaitRemoved(ctx, info.Config.Name)
}

// awaitRemoved waits until the engine in this process has removed the files of a
// purge that left nothing in a stream: it puts them aside and removes them after
// it has answered. Another engine's files are out of sight.
func (j *Journal) awaitRemoved(ctx context.Context, stream string) error {
	if !j.cfg.Embedded() {
		return nil
	}
	aside := filepath.Join(j.cfg.streamDir(stream), "__msgs__")
	for try := 1; ; try++ {
		_, err := os.Lstat(aside)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case try == removedTries:
			return fmt.Errorf("%w: %s has files put aside", errOldBlocks, stream)
		}
		if err := pause(ctx, removedPause); err != nil {
			return err
		}
	}
}

// renewPartition pushes everything out of a partition's stream that was written up
// to now. Whoever has records there is sealed first.
func (j *Journal) renewPartition(ctx context.Context, p int, seal Sealer) error {
	_, subject := j.fenceSubject(j.sweeper(p)) // the sweep leaves fences out
	subject += "-filler"
	last, err := j.beginBlock(ctx, newMsg(subject, nil))
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		if err := j.SweepPartition(ctx, p, j.cfg.Clock.Now().Add(time.Second), seal); err != nil {
			return errors.Join(err, j.endBlock(ctx, j.streams[p], subject, 0))
		}
		err := j.endBlock(ctx, j.streams[p], subject, last)
		// The sweep reads from any replica, and one may be behind by the filler or
		// still have what was erased.
		if !errors.Is(err, errOldBlocks) || try == renewTries || pause(ctx, time.Duration(try)*renewPause) != nil {
			return err
		}
	}
}

const (
	renewTries = 10
	renewPause = 50 * time.Millisecond

	removedTries = 1000
	removedPause = 10 * time.Millisecond
)

const fillerKey = "filler"

// renew writes every row of a table again, and every mark of a deleted one, so that
// nothing is left of what they were before. Who writes a row meanwhile is not
// disturbed: that row is new anyway.
func (t *Table) renew(ctx context.Context, j *Journal) error {
	stream, err := j.js.Stream(ctx, "KV_"+t.kv.Bucket())
	if err != nil {
		return engineError(err)
	}
	filler := newMsg("$KV."+t.kv.Bucket()+"."+fillerKey, nil)
	filler.Header.Set("KV-Operation", "DEL") // for those who watch the table it is no row
	last, err := j.beginBlock(ctx, filler)
	if err != nil {
		return err
	}
	entries, err := t.entriesUpTo(ctx, last)
	for _, e := range entries {
		if err != nil {
			break
		}
		if e.Key() == fillerKey {
			continue
		}
		if err = t.rewrite(ctx, e); errors.Is(err, errRowChanged) {
			err = nil
		}
	}
	if err != nil {
		return errors.Join(err, j.endBlock(ctx, stream, filler.Subject, 0))
	}
	return j.endBlock(ctx, stream, filler.Subject, last)
}

func (t *Table) rewrite(ctx context.Context, e jetstream.KeyValueEntry) error {
	switch {
	case e.Operation() == jetstream.KeyValuePut:
		_, err := t.update(ctx, e.Key(), e.Value(), e.Revision())
		return err
	case t.fading:
		return t.remove(ctx, e.Key(), e.Revision())
	}
	err := t.purge(ctx, e.Key(), jetstream.LastRevision(e.Revision()))
	if isCode(err, codeWrongFence, codeFenceBusy) {
		return errRowChanged
	}
	return engineError(err)
}

// entriesUpTo gives the rows and marks up to a revision.
func (t *Table) entriesUpTo(ctx context.Context, last uint64) ([]jetstream.KeyValueEntry, error) {
	w, err := t.kv.WatchAll(ctx)
	if err != nil {
		return nil, engineError(err)
	}
	defer func() { _ = w.Stop() }()
	var entries []jetstream.KeyValueEntry
	for {
		select {
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return nil, errors.Join(ctx.Err(), errWatchEnded)
			case e == nil:
				return entries, nil
			case e.Revision() <= last:
				entries = append(entries, e)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
