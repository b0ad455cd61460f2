package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/clew-run/clew"
)

// FoldVersion is the version of the fold: of State and of what Apply makes of
// records. It is raised by one whenever either changes, which a test demands, and
// stands in every stored fold.
//
// A stored fold of a lower version is not used: the session is folded anew from
// its records, once, and sealed again. One of a higher version was made by a newer
// program: the session is read-only here, and its seal is left alone. The trees
// before there were versions wrote none, which is version 0.
const FoldVersion = 5

var foldMark = []byte(`{"fold":`)

// FoldOf gives the version of a stored fold.
func FoldOf(state []byte) int {
	rest, ok := bytes.CutPrefix(state, foldMark)
	if !ok {
		return 0
	}
	end := bytes.IndexAny(rest, ",}")
	if end < 0 {
		return 0
	}
	v, err := strconv.Atoi(string(rest[:end]))
	if err != nil {
		return 0
	}
	return v
}

// stamp is what every version of a fold says of itself, by these names.
type stamp struct {
	ID        clew.SessionID `json:"id"`
	Seq       uint64         `json:"seq"`
	Owner     clew.UserID    `json:"owner"`
	Workspace string         `json:"workspace"`
	CreatedMS int64          `json:"created_ms"`
}

// check makes sure that the loaded fold is the session's own.
func (l *Loaded) check(id clew.SessionID) (stamp, error) {
	s := stamp{ID: id}
	if l.State != nil {
		if err := json.Unmarshal(l.State, &s); err != nil {
			return s, clew.WrapError(clew.SessionDamaged, err, "the snapshot of session %s is not readable", id)
		}
	}
	if s.ID != id || s.Seq != l.StateSeq {
		return s, clew.WrapError(clew.SessionDamaged,
			fmt.Errorf("snapshot is of %s at %d, want %s at %d", s.ID, s.Seq, id, l.StateSeq),
			"the snapshot of session %s is not its own", id)
	}
	return s, nil
}

// Restore makes the state of a session from its snapshot and the records after
// it. past gives the fold up to an earlier record. A snapshot of another version
// is refused.
func Restore(id clew.SessionID, loaded Loaded, past func(seq uint64) ([]byte, error)) (*State, error) {
	f := Folder{State: &State{ID: id}, Past: past}
	if err := f.restore(loaded); err != nil {
		return nil, err
	}
	return f.State, nil
}

func (f *Folder) restore(loaded Loaded) error {
	id := f.State.ID
	if _, err := loaded.check(id); err != nil {
		return err
	}
	if loaded.State != nil {
		s, err := decodeState(id, loaded.State)
		if err != nil {
			return clew.WrapError(clew.SessionDamaged, err, "the snapshot of session %s is not readable", id)
		}
		f.State = s
	}
	for _, r := range loaded.Tail {
		if err := f.Add(r); err != nil {
			return unreadable(id, r, err)
		}
	}
	return nil
}

// unreadable tells a record that is too new from one that is damaged.
func unreadable(id clew.SessionID, r clew.Record, err error) error {
	switch {
	case errors.Is(err, clew.ErrUnknownEvent):
		return tooNewRecord(id, r, err)
	case clew.CodeOf(err) == clew.StorageFailed || errors.Is(err, context.DeadlineExceeded):
		return err // the past that the record goes back to could not be read now
	}
	return clew.WrapError(clew.SessionDamaged, err, "record %d of session %s is not readable", r.Seq, id)
}

func tooNewRecord(id clew.SessionID, r clew.Record, err error) error {
	return clew.WrapError(clew.SessionTooNew, err,
		"record %d of session %s is a %s, which a newer server wrote; this server shows the session but does not change it", r.Seq, id, r.Type)
}

func tooNewFold(id clew.SessionID, v int) error {
	return clew.Errorf(clew.SessionTooNew,
		"a newer server sealed session %s (version %d of the fold, this server has %d); this server shows the session but does not change it",
		id, v, FoldVersion)
}

// knownEverywhere refuses events that a live node could not read: it may have to
// carry the session on.
func (h *Host) knownEverywhere(events []clew.Event) error {
	if h.cfg.Cluster == nil {
		return nil
	}
	for _, ev := range events {
		if need := clew.LevelOf(ev.Type); need > 1 && need > h.cfg.Cluster.Level() {
			return clew.Errorf(clew.Unavailable, "a server of an older version is running beside this one and does not know %s; once all servers are upgraded it works", ev.Type)
		}
	}
	return nil
}

// restored is a session's state as this program has it.
type restored struct {
	state *State
	// anew says that it was folded from the records and should be sealed.
	anew bool
	// tooNew says why the session is read-only here, nil for most.
	tooNew error
}

// anewLimit bounds folding a session from its first record. What was kept on the
// way is there for the next try.
const anewLimit = 10 * time.Minute

// restore makes the state of a session that was loaded.
func (h *Host) restore(ctx context.Context, id clew.SessionID, log Log, loaded Loaded) (restored, error) {
	p := h.past(id)
	v := FoldOf(loaded.State)
	if loaded.State == nil || v == FoldVersion {
		f := p.folder(ctx, &State{ID: id})
		err := f.restore(loaded)
		return shown(restored{state: f.State, tooNew: f.TooNew}), err
	}
	mark, err := loaded.check(id)
	if err != nil {
		return restored{}, err
	}
	ctx, cancel := context.WithTimeout(h.ctx, anewLimit)
	defer cancel()
	start := time.Now()
	a := anew{p: p, loaded: loaded, mark: mark}
	if v < FoldVersion {
		a.log = log
	}
	f, err := a.fold(ctx)
	if err != nil {
		return restored{}, err
	}
	h.cfg.Log.Info("session is folded anew", "session", id, "records", loaded.Head.Seq, "fold", v, "now", FoldVersion, "took", time.Since(start))
	if v > FoldVersion {
		return shown(restored{state: f.State, tooNew: cmp.Or(f.TooNew, tooNewFold(id, v))}), nil
	}
	return shown(restored{state: f.State, anew: true, tooNew: f.TooNew}), nil
}

// shown leaves a session with records of unknown types to its owner alone: one of
// them may have taken the others' access away.
func shown(r restored) restored {
	if errors.Is(r.tooNew, clew.ErrUnknownEvent) {
		r.state.Access = nil
	}
	return r
}

// anew folds a session from its records.
type anew struct {
	p      *stateReader
	loaded Loaded
	mark   stamp
	log    Log // keeps folds on the way, nil to keep none
}

func (a *anew) fold(ctx context.Context) (Folder, error) {
	targets, err := a.targets(ctx)
	if err != nil {
		return Folder{}, err
	}
	s, err := a.p.nearest(ctx, a.loaded.Head.Seq)
	if err != nil {
		return Folder{}, err
	}
	f := a.p.folder(ctx, s)
	for r, err := range a.p.journal.Read(ctx, a.p.id, s.Seq+1, a.loaded.Head.Seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return f, err
		}
		if f.TooNew != nil {
			a.log = nil // what follows is for looking at
		}
		if r.Seq == a.loaded.StateSeq {
			a.ground(f.State)
		}
		if targets[r.Seq] || r.Seq%keepEvery == 0 || r.Seq == a.loaded.Base {
			if err := a.keep(ctx, f.State, r.After(), targets[r.Seq]); err != nil {
				return f, err
			}
		}
	}
	if f.State.Seq != a.loaded.Head.Seq {
		err := fmt.Errorf("the journal ends at %d, its head is %d", f.State.Seq, a.loaded.Head.Seq)
		return f, clew.WrapError(clew.SessionDamaged, err, "session %s has fewer records than it had", a.p.id)
	}
	return f, nil
}

// targets are the records that later ones take the session back to: their folds
// are kept at hand, so that each is made once.
func (a *anew) targets(ctx context.Context) (map[uint64]bool, error) {
	list := map[uint64]bool{}
	for r, err := range a.p.journal.Read(ctx, a.p.id, 1, a.loaded.Head.Seq) {
		if err != nil {
			return nil, err
		}
		to, err := RewindTarget(r)
		if err != nil {
			return nil, unreadable(a.p.id, r, err)
		}
		if to > 0 {
			list[to] = true
		}
	}
	return list, nil
}

// keepEvery is how many records lie between the folds that are kept on the way.
const keepEvery = 1000

func (a *anew) keep(ctx context.Context, s *State, head clew.Head, target bool) error {
	b, err := s.Encode()
	if err != nil {
		return err
	}
	if target {
		a.p.know(head.Seq, b)
	}
	if a.log == nil || head.Seq < a.loaded.Base || head.Seq < keepEvery { // a parent keeps its own
		return nil
	}
	return a.log.Keep(ctx, head, b)
}

// ground makes the state what a fork or an import begins with, if that is all
// that is sealed of it: somebody else's records say nothing of who owns it.
func (a *anew) ground(s *State) {
	if a.mark.Owner != "" {
		return
	}
	s.Owner, s.CreatedMS, s.PendingRewind = "", a.mark.CreatedMS, nil
	if a.loaded.Base == 0 { // a stranger's
		s.Workspace, s.Access, s.Settings = a.mark.Workspace, nil, nil
	}
}
