package journal

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// Erasures implements session.Erasures: one row for each session that was deleted.
// Of those that were brought back nothing is kept; the others stay for ever, to say
// who deleted them and when.
type Erasures struct{ table *Table }

// OpenErasures opens the table of deleted sessions.
func (j *Journal) OpenErasures(ctx context.Context) (*Erasures, error) {
	table, err := j.FadingTable(ctx, "ERASED", 0)
	if err != nil {
		return nil, err
	}
	return &Erasures{table}, nil
}

// Deleted implements session.Erasures.
func (x *Erasures) Deleted(ctx context.Context, id clew.SessionID) (*session.Erasure, error) {
	if !id.Valid() {
		return nil, nil
	}
	b, _, err := x.table.Get(ctx, string(id))
	if errors.Is(err, ErrNoRow) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e := &session.Erasure{}
	return e, json.Unmarshal(b, e)
}

// Delete implements session.Erasures.
func (x *Erasures) Delete(ctx context.Context, e session.Erasure) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = x.table.create(ctx, string(e.Session), b)
	if errors.Is(err, errRowChanged) {
		return clew.Errorf(clew.SessionNotFound, "session %s is deleted already", e.Session)
	}
	return err
}

// Hidden implements session.Erasures.
func (x *Erasures) Hidden(ctx context.Context, id clew.SessionID) error {
	return x.Change(ctx, id, func(e *session.Erasure) { e.Listed = false })
}

// Restore implements session.Erasures.
func (x *Erasures) Restore(ctx context.Context, id clew.SessionID) error {
	return x.change(ctx, id, func(e *session.Erasure) (keep bool, err error) {
		if e.Begun {
			return true, clew.Errorf(clew.SessionInvalidState, "%s: it cannot be brought back", e.Sentence())
		}
		return false, nil
	})
}

// Change changes a row, which must be there.
func (x *Erasures) Change(ctx context.Context, id clew.SessionID, fn func(*session.Erasure)) error {
	return x.change(ctx, id, func(e *session.Erasure) (bool, error) { fn(e); return true, nil })
}

func (x *Erasures) change(ctx context.Context, id clew.SessionID, fn func(*session.Erasure) (keep bool, err error)) error {
	return x.table.Change(ctx, string(id), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, clew.Errorf(clew.SessionNotFound, "session %s is not deleted", id)
		}
		var e session.Erasure
		if err := json.Unmarshal(old, &e); err != nil {
			return nil, err
		}
		keep, err := fn(&e)
		if err != nil || !keep {
			return nil, err
		}
		return json.Marshal(e)
	})
}

// List gives all that were deleted and not brought back, erased or not.
func (x *Erasures) List(ctx context.Context) ([]session.Erasure, error) {
	rows, err := x.table.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]session.Erasure, 0, len(rows))
	for _, b := range rows {
		var e session.Erasure
		if err := json.Unmarshal(b, &e); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}
