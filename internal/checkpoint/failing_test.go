package checkpoint

import (
	"context"
	"errors"
)

// errTired is why a restore fails that has only so many steps.
var errTired = errors.New("no more steps")

// A tiring context ends after so many looks at it.
type tiring struct {
	context.Context
	steps int
}

func (t *tiring) Err() error {
	if t.steps--; t.steps < 0 {
		return errTired
	}
	return nil
}

// RestoreFailing restores a checkpoint and fails after so many steps. It reports
// whether it did, and was taken back.
func (p *Place) RestoreFailing(ctx context.Context, hash string, o RestoreOptions, steps int) (bool, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	_, i, plan, err := p.intend(ctx, hash, Ref{Session: o.Session, ID: o.ID, before: true}, nil)
	if err != nil {
		return false, err
	}
	if _, err = p.repository.carryOut(&tiring{ctx, steps}, i, plan, false); err == nil {
		return false, nil
	}
	reason, err := p.repository.retreat(ctx, i, err)
	if !errors.Is(reason, errTired) {
		err = errors.Join(err, errors.New("it failed for another reason"), reason)
	}
	return true, err
}
