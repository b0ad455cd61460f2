package journal

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/view"
)

// An blockCheck goes through the sessions one by one, each with what it wrote
// itself, then through the forks, and then folds all of them.
type blockCheck struct {
	j      *Journal
	report *Report
	listed map[clew.SessionID]uint64
	sound  map[clew.SessionID]bool // what the session wrote is as it was
	forks  map[clew.SessionID]archive.Base
	// checked has the forks that were compared, and whether they are whole.
	checked map[clew.SessionID]bool
}

// session examines what a session wrote; err says that ctx ended.
func (e *blockCheck) session(ctx context.Context, id clew.SessionID) error {
	e.report.Sessions++
	base, head, err := e.own(ctx, id)
	if err == nil && head.Seq < e.listed[id] {
		err = fmt.Errorf("its owner's list knows record %d, but the store ends at %d", e.listed[id], head.Seq)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.folds(ctx, id)
	if err != nil {
		e.find(id, err)
		return nil
	}
	e.sound[id] = true
	e.report.Records += head.Seq - base.Head.Seq
	if base != (archive.Base{}) {
		e.forks[id] = base
	}
	return nil
}

func (e *blockCheck) own(ctx context.Context, id clew.SessionID) (base archive.Base, head clew.Head, err error) {
	seal, _, head, _, err := e.j.load(ctx, id)
	if err != nil || seal == nil {
		return base, head, err
	}
	return seal.Base, head, e.j.archive.Verify(ctx, seal)
}

func (e *blockCheck) find(id clew.SessionID, err error) {
	if clew.CodeOf(err) == clew.SessionTooNew {
		e.report.TooNew = append(e.report.TooNew, Finding{id, clew.AsError(err).Message})
		return
	}
	e.report.Findings = append(e.report.Findings, Finding{id, plain(err)})
}

// folds notes kept folds that are of no use. The records tell the same.
func (e *blockCheck) folds(ctx context.Context, id clew.SessionID) {
	damage, err := e.j.archive.CheckStates(ctx, id, func(clew.Head, []byte) {})
	for _, d := range damage {
		e.note(id, "a kept fold is not used: "+d.Error())
	}
	if err != nil {
		e.note(id, "the kept folds cannot be read: "+err.Error())
	}
}

// fold folds a session from its first record and compares what is stored of it;
// err says that ctx ended.
func (e *blockCheck) fold(ctx context.Context, id clew.SessionID) error {
	if !e.whole(ctx, id) {
		return ctx.Err() // there is worse
	}
	_, loaded, err := e.j.Open(ctx, session.Lease{Shard: session.ShardOf(id)}, id)
	if err == nil && loaded.Head.Seq > 0 {
		var v view.Verdict
		v, err = view.VerifyFolds(ctx, e.j, id, loaded, e.kept(ctx, id))
		if v.TooNew != nil {
			e.find(id, v.TooNew)
		}
		if v.Older {
			e.report.Older++
		}
		for _, wrong := range v.Wrong {
			e.report.Wrong = append(e.report.Wrong, Finding{id, wrong})
		}
	}
	if err != nil && ctx.Err() == nil {
		e.report.Wrong = append(e.report.Wrong, Finding{id, "its state cannot be compared with its records: " + plain(err)})
	}
	return ctx.Err()
}

// kept gives the kept fold of a session at a record. They are read one at a time: a
// long session has many.
func (e *blockCheck) kept(ctx context.Context, id clew.SessionID) func(seq uint64) []byte {
	there := map[uint64]bool{}
	_, _ = e.j.archive.CheckStates(ctx, id, func(at clew.Head, _ []byte) { there[at.Seq] = true }) // noted before
	return func(seq uint64) []byte {
		if !there[seq] {
			return nil
		}
		state, _, err := e.j.archive.StateBefore(ctx, id, seq)
		if err != nil {
			return nil
		}
		return state
	}
}

func (e *blockCheck) note(id clew.SessionID, problem string) {
	e.report.Notes = append(e.report.Notes, Finding{id, problem})
}

// forked compares the forks with what they go back to.
func (e *blockCheck) forked(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(e.forks)) {
		e.whole(ctx, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// whole reports whether all records of a session are as they were, also those
// that others wrote. What was found sound before is not read again but for the
// record at the seam.
func (e *blockCheck) whole(ctx context.Context, id clew.SessionID) bool {
	base, fork := e.forks[id]
	if !fork {
		return e.sound[id]
	}
	if known, ok := e.checked[id]; ok {
		return known
	}
	e.checked[id] = false // should it go back to itself
	from := uint64(1)
	if e.whole(ctx, base.Session) {
		from = base.Head.Seq
	}
	for _, err := range e.j.Read(ctx, id, from, base.Head.Seq) {
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			e.find(id, err)
			return false
		}
	}
	e.checked[id] = true
	return true
}
