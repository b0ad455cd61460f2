package view

import (
	"context"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Refold folds a session from its records, as when its sealed state is of
// another version of this program.
type Refold struct {
	Past   *StateReader
	Loaded core.Loaded
	Mark   core.Stamp
	// Keep stores states on the way, nil to keep none.
	Keep func(ctx context.Context, head clew.Head, state []byte) error
}

// Fold gives the state after the last record.
func (a *Refold) Fold(ctx context.Context) (core.Folder, error) {
	targets, err := a.targets(ctx)
	if err != nil {
		return core.Folder{}, err
	}
	s, err := a.Past.Nearest(ctx, a.Loaded.Head.Seq)
	if err != nil {
		return core.Folder{}, err
	}
	f := a.Past.Folder(ctx, s)
	for r, err := range a.Past.Journal.Read(ctx, a.Past.ID, s.Seq+1, a.Loaded.Head.Seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return f, err
		}
		if f.TooNew != nil {
			a.Keep = nil // what follows is for looking at
		}
		if r.Seq == a.Loaded.StateSeq {
			a.ground(f.State)
		}
		if targets[r.Seq] || r.Seq%keepEvery == 0 || r.Seq == a.Loaded.Base {
			if err := a.store(ctx, f.State, r.After(), targets[r.Seq]); err != nil {
				return f, err
			}
		}
	}
	if f.State.Seq != a.Loaded.Head.Seq {
		err := fmt.Errorf("the journal ends at %d, its head is %d", f.State.Seq, a.Loaded.Head.Seq)
		return f, clew.WrapError(clew.SessionDamaged, err, "session %s has fewer records than it had", a.Past.ID)
	}
	return f, nil
}

// targets are the records that later ones take the session back to: their folds
// are kept at hand, so that each is made once.
func (a *Refold) targets(ctx context.Context) (map[uint64]bool, error) {
	list := map[uint64]bool{}
	for r, err := range a.Past.Journal.Read(ctx, a.Past.ID, 1, a.Loaded.Head.Seq) {
		if err != nil {
			return nil, err
		}
		to, err := core.RewindTarget(r)
		if err != nil {
			return nil, core.Unreadable(a.Past.ID, r, err)
		}
		if to > 0 {
			list[to] = true
		}
	}
	return list, nil
}

// keepEvery is how many records lie between the folds that are kept on the way.
const keepEvery = 1000

func (a *Refold) store(ctx context.Context, s *core.State, head clew.Head, target bool) error {
	b, err := s.Encode()
	if err != nil {
		return err
	}
	if target {
		a.Past.Know(head.Seq, b)
	}
	if a.Keep == nil || head.Seq < a.Loaded.Base || head.Seq < keepEvery { // a parent keeps its own
		return nil
	}
	return a.Keep(ctx, head, b)
}

// ground makes the state what a fork or an import begins with, if that is all
// that is sealed of it: somebody else's records say nothing of who owns it.
func (a *Refold) ground(s *core.State) {
	if a.Mark.Owner != "" {
		return
	}
	s.Owner, s.CreatedMS, s.PendingRewind = "", a.Mark.CreatedMS, nil
	if a.Loaded.Base == 0 { // a stranger's
		s.Workspace, s.Access, s.Settings = a.Mark.Workspace, nil, nil
	}
}
