package session

import (
	"cmp"
	"context"
	"errors"
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
	start := h.cfg.Clock.Elapsed()
	a := view.Refold{Past: p, Loaded: loaded, Mark: mark}
	if v < core.FoldVersion {
		a.Keep = log.Keep
	}
	f, err := a.Fold(ctx)
	if err != nil {
		return restored{}, err
	}
	h.cfg.Log.Info("session is folded anew", "session", id, "records", loaded.Head.Seq, "fold", v, "now", core.FoldVersion, "took", h.cfg.Clock.Elapsed()-start)
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
