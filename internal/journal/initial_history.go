package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
)

// Found implements session.Journal. The session comes into being with its seal,
// which is the last thing written.
func (j *Journal) Found(ctx context.Context, id clew.SessionID, f session.InitialHistory) error {
	if !j.startFounding(id) {
		return session.ErrTaken
	}
	defer j.endFounding(id)
	if f.Head.Seq == 0 || (f.Parent == "") == (f.Records == nil) || f.Parent == id {
		return errors.New("a session begins with another session's records or with its own, and with one at least")
	}
	if err := j.vacant(ctx, id); err != nil {
		return err
	}
	if f.Parent != "" {
		return j.fork(ctx, id, f)
	}
	return j.takeIn(ctx, id, f)
}

// startFounding lets one call at a time work on a session.
func (j *Journal) startFounding(id clew.SessionID) bool {
	j.foundMu.Lock()
	defer j.foundMu.Unlock()
	if j.founding[id] {
		return false
	}
	j.founding[id] = true
	return true
}

func (j *Journal) endFounding(id clew.SessionID) {
	j.foundMu.Lock()
	defer j.foundMu.Unlock()
	delete(j.founding, id)
}

// vacant fails with ErrTaken if the session has records.
func (j *Journal) vacant(ctx context.Context, id clew.SessionID) error {
	_, _, head, _, err := j.load(ctx, id)
	if err == nil && head.Seq > 0 {
		err = session.ErrTaken
	}
	return err
}

// fork founds a session on another one's records.
func (j *Journal) fork(ctx context.Context, id clew.SessionID, f session.InitialHistory) error {
	writer, err := j.writerOf(ctx, f.Parent, f.Head)
	if err != nil {
		return err
	}
	if f.Head.Seq >= keepEvery {
		if err := j.archive.PutState(ctx, id, f.Head, f.State); err != nil {
			j.log.Warn("a fold was not kept", "session", id, "err", err)
		}
	}
	_, err = j.archive.Put(ctx, nil, archive.Sealing{
		Session: id, Epoch: j.epoch, Head: f.Head, State: f.State,
		Base: archive.Base{Session: writer, Head: f.Head},
	})
	return j.founded(ctx, id, err)
}

// writerOf finds the session that wrote the parent's record at head. A fork goes
// back to that one, so that forks of one place do not pile up.
func (j *Journal) writerOf(ctx context.Context, parent clew.SessionID, head clew.Head) (clew.SessionID, error) {
	list, err := j.stretches(ctx, parent, head.Seq, head.Seq)
	if err != nil {
		return "", err
	}
	s := list[0]
	same, err := s.has(ctx, j.archive, head)
	if err == nil && !same {
		err = fmt.Errorf("session %s has no such record %d to fork at", parent, head.Seq)
	}
	return s.writer, err
}

// founded makes the seal durable.
func (j *Journal) founded(ctx context.Context, id clew.SessionID, err error) error {
	switch {
	case errors.Is(err, archive.ErrConflict):
		return session.ErrTaken
	case err != nil:
		return archiveError(id, err)
	}
	return j.Flush(ctx)
}

// takeIn founds a session on records from elsewhere.
func (j *Journal) takeIn(ctx context.Context, id clew.SessionID, f session.InitialHistory) error {
	filing, err := j.archive.File(id, j.epoch)
	if err != nil {
		return err
	}
	err = fill(ctx, filing, f)
	if err == nil {
		err = j.vacant(ctx, id) // it took a while
	}
	if errors.Is(err, session.ErrTaken) {
		return err // what is there may be in use
	}
	if err != nil {
		j.abandon(ctx, id, filing)
		return err
	}
	_, err = filing.Seal(ctx, f.Head, f.State)
	return j.founded(ctx, id, err)
}

// abandonLimit is for the removal of what a failed import left.
const abandonLimit = 10 * time.Second

func (j *Journal) abandon(ctx context.Context, id clew.SessionID, filing *archive.Filing) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonLimit)
	defer cancel()
	if err := filing.Abandon(ctx); err != nil {
		j.log.Warn("a failed import left objects behind that nothing refers to", "session", id, "err", err)
	}
}

// An import is taken in steps of so much, so that its length does not matter.
const (
	stepRecords = 1024
	stepBytes   = 4 << 20
)

func fill(ctx context.Context, filing *archive.Filing, f session.InitialHistory) error {
	var step []clew.Record
	size := 0
	for r, err := range f.Records {
		if err != nil {
			return err
		}
		step, size = append(step, r), size+len(r.Line())
		if len(step) < stepRecords && size < stepBytes {
			continue
		}
		if err := filing.Add(ctx, step); err != nil {
			return err
		}
		step, size = step[:0], 0
	}
	if err := filing.Add(ctx, step); err != nil {
		return err
	}
	if err := filing.Reaches(f.Head); err != nil {
		return err
	}
	return keepFolds(ctx, filing, f)
}

func keepFolds(ctx context.Context, filing *archive.Filing, f session.InitialHistory) error {
	if f.Kept != nil {
		for seq, state := range f.Kept {
			if err := filing.Keep(ctx, seq, state); err != nil {
				return err
			}
		}
	}
	if f.Head.Seq < keepEvery {
		return nil
	}
	return filing.Keep(ctx, f.Head.Seq, f.State)
}
