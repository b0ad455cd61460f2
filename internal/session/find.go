package session

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
)

// watcher finds places in a session's history.
type watcher struct {
	s *Session
	l standing
}

func (w *watcher) transcript() *transcript {
	return &transcript{journal: w.s.host.cfg.Journal, id: w.s.id, tail: w.l.tail, total: w.l.total, removed: w.l.removed, queue: w.l.queue, last: w.l.seq}
}

// find gives the message that a target names, and the record of the first
// message that will go, 0 if none will.
func (w *watcher) find(ctx context.Context, t clew.Target, keep bool) (clew.MessageID, uint64, error) {
	at, err := w.message(ctx, t)
	if err != nil || at == 0 {
		return "", 0, err
	}
	cut := at
	if keep {
		cut, err = w.next(ctx, at)
	}
	return clew.MessageIDOf(at), cut, err
}

// message gives the record of the message that a target names, 0 if it names
// the place after the last one.
func (w *watcher) message(ctx context.Context, t clew.Target) (uint64, error) {
	switch {
	case t.Index != nil:
		return w.byIndex(ctx, *t.Index)
	case t.TS != 0:
		return w.byTime(ctx, t.TS)
	}
	missing := clew.Errorf(clew.MessageNotFound, "no message %q in this session", t.MessageID)
	seq, err := t.MessageID.Seq()
	if err != nil || seq == 0 || seq > w.l.seq {
		return 0, missing
	}
	if hidden(w.l.removed, seq) {
		return 0, clew.Errorf(clew.MessageNotFound, "message %s was taken back; if that was a rewind, undo it first", t.MessageID)
	}
	ok, err := w.isMessage(ctx, seq)
	if err == nil && !ok {
		err = missing
	}
	return seq, err
}

func (w *watcher) byIndex(ctx context.Context, n int) (uint64, error) {
	if n >= w.l.total {
		return 0, nil
	}
	list, err := w.transcript().messages(ctx, 1, w.l.total-1-n, "")
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with index %d", n)
	}
	return list[0].MessageID.Seq()
}

// byTime finds a message by its ts, which is that of its record: they rise.
func (w *watcher) byTime(ctx context.Context, ts int64) (uint64, error) {
	lo, hi := uint64(1), w.l.seq
	for lo < hi {
		mid := lo + (hi-lo)/2
		r, err := w.record(ctx, mid)
		if err != nil {
			return 0, err
		}
		if r.TS < ts {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	r, err := w.record(ctx, lo)
	if err != nil {
		return 0, err
	}
	if r.TS != ts || r.Type != clew.EventMessageCreated || hidden(w.l.removed, lo) {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with ts %d in this session", ts)
	}
	return lo, nil
}

func (w *watcher) record(ctx context.Context, seq uint64) (clew.Record, error) {
	for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, seq, seq) {
		return r, err
	}
	return clew.Record{}, clew.Errorf(clew.MessageNotFound, "no record %d in this session", seq)
}

func (w *watcher) inTail(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(w.l.tail, clew.MessageIDOf(seq), func(m clew.Message, id clew.MessageID) int { return compareIDs(m.MessageID, id) })
}

func (w *watcher) isMessage(ctx context.Context, seq uint64) (bool, error) {
	if _, ok := w.inTail(seq); ok {
		return true, nil
	}
	r, err := w.record(ctx, seq)
	return err == nil && r.Type == clew.EventMessageCreated, err
}

// next gives the record of the message after the one at seq, 0 if there is
// none.
func (w *watcher) next(ctx context.Context, seq uint64) (uint64, error) {
	i, ok := w.inTail(seq)
	if !ok {
		for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, seq+1, w.l.seq) {
			if err != nil {
				return 0, err
			}
			if r.Type == clew.EventMessageCreated && !hidden(w.l.removed, r.Seq) {
				return r.Seq, nil
			}
		}
		return 0, nil
	}
	if i+1 == len(w.l.tail) {
		return 0, nil
	}
	return w.l.tail[i+1].MessageID.Seq()
}

// checkpointReach is how far after a message its own checkpoint is looked for.
const checkpointReach = 200

// checkpoint gives the checkpoint of the files as they were when the message at
// cut was about to be said. What a person changed by hand before saying it is in
// the checkpoint that was made for it; else the last one before it counts.
func (w *watcher) checkpoint(ctx context.Context, c course, cut uint64) (string, error) {
	if cut > 0 {
		hash, err := w.ownCheckpoint(ctx, cut)
		if err != nil || hash != "" {
			return hash, err
		}
	}
	then, err := decodeState(w.s.id, c.past)
	switch {
	case err != nil:
		return "", err
	case then.Checkpoint != "":
		return then.Checkpoint, nil
	case w.l.first != "":
		return w.l.first, nil
	case w.l.place.Dir == "" && w.s.host.cfg.Files != nil:
		// No agent ever wrote into its own directory, or a checkpoint would have
		// been made before: the files are as they were.
		now, err := w.s.host.cfg.Files.Save(ctx, w.l.place, "before a rewind")
		return now.Hash, err
	}
	return "", clew.Errorf(clew.SessionInvalidState, "there is no checkpoint of the files from that time")
}

func (w *watcher) ownCheckpoint(ctx context.Context, cut uint64) (string, error) {
	own := clew.MessageIDOf(cut)
	for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, cut, min(cut+checkpointReach, w.l.seq)) {
		if err != nil {
			return "", err
		}
		if hidden(w.l.removed, r.Seq) {
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return "", err
		}
		switch d := ev.Data.(type) {
		case *clew.CheckpointSavedData:
			if d.MessageID == own {
				return d.ToHash, nil
			}
		case *clew.MessageCreatedData:
			if r.Seq > cut && d.Message.Role == clew.SpeakerUser {
				return "", nil
			}
		case *clew.ToolProgressData:
			return "", nil
		}
	}
	return "", nil
}
