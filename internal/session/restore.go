package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

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
	state *core.State
	// anew says that it was folded from the records and should be sealed.
	anew bool
	// tooNew says why the session is read-only here, nil for most.
	tooNew error
}

// anewLimit bounds folding a session from its first record. What was kept on the
// way is there for the next try.
const anewLimit = 10 * time.Minute

// restore makes the state of a session that was loaded.
func (h *Host) restore(ctx context.Context, id clew.SessionID, log Log, loaded core.Loaded) (restored, error) {
	p := h.past(id)
	v := core.FoldOf(loaded.State)
	if loaded.State == nil || v == core.FoldVersion {
		f := p.Folder(ctx, &core.State{ID: id})
		err := f.Restore(loaded)
		return shown(restored{state: f.State, tooNew: f.TooNew}), err
	}
	mark, err := loaded.Check(id)
	if err != nil {
		return restored{}, err
	}
	ctx, cancel := context.WithTimeout(h.ctx, anewLimit)
	defer cancel()
	start := time.Now()
	a := anew{p: p, loaded: loaded, mark: mark}
	if v < core.FoldVersion {
		a.log = log
	}
	f, err := a.fold(ctx)
	if err != nil {
		return restored{}, err
	}
	h.cfg.Log.Info("session is folded anew", "session", id, "records", loaded.Head.Seq, "fold", v, "now", core.FoldVersion, "took", time.Since(start))
	if v > core.FoldVersion {
		return shown(restored{state: f.State, tooNew: cmp.Or(f.TooNew, core.TooNewFold(id, v))}), nil
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
	p      *view.StateReader
	loaded core.Loaded
	mark   core.Stamp
	log    Log // keeps folds on the way, nil to keep none
}

func (a *anew) fold(ctx context.Context) (core.Folder, error) {
	targets, err := a.targets(ctx)
	if err != nil {
		return core.Folder{}, err
	}
	s, err := a.p.Nearest(ctx, a.loaded.Head.Seq)
	if err != nil {
		return core.Folder{}, err
	}
	f := a.p.Folder(ctx, s)
	for r, err := range a.p.Journal.Read(ctx, a.p.ID, s.Seq+1, a.loaded.Head.Seq) {
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
		return f, clew.WrapError(clew.SessionDamaged, err, "session %s has fewer records than it had", a.p.ID)
	}
	return f, nil
}

// targets are the records that later ones take the session back to: their folds
// are kept at hand, so that each is made once.
func (a *anew) targets(ctx context.Context) (map[uint64]bool, error) {
	list := map[uint64]bool{}
	for r, err := range a.p.Journal.Read(ctx, a.p.ID, 1, a.loaded.Head.Seq) {
		if err != nil {
			return nil, err
		}
		to, err := core.RewindTarget(r)
		if err != nil {
			return nil, core.Unreadable(a.p.ID, r, err)
		}
		if to > 0 {
			list[to] = true
		}
	}
	return list, nil
}

// keepEvery is how many records lie between the folds that are kept on the way.
const keepEvery = 1000

func (a *anew) keep(ctx context.Context, s *core.State, head clew.Head, target bool) error {
	b, err := s.Encode()
	if err != nil {
		return err
	}
	if target {
		a.p.Know(head.Seq, b)
	}
	if a.log == nil || head.Seq < a.loaded.Base || head.Seq < keepEvery { // a parent keeps its own
		return nil
	}
	return a.log.Keep(ctx, head, b)
}

// ground makes the state what a fork or an import begins with, if that is all
// that is sealed of it: somebody else's records say nothing of who owns it.
func (a *anew) ground(s *core.State) {
	if a.mark.Owner != "" {
		return
	}
	s.Owner, s.CreatedMS, s.PendingRewind = "", a.mark.CreatedMS, nil
	if a.loaded.Base == 0 { // a stranger's
		s.Workspace, s.Access, s.Settings = a.mark.Workspace, nil, nil
	}
}
