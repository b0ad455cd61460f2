package checkpoint

import (
	"context"
	"errors"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/apply"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// ErrUnsettled says that a restore was begun and could neither be finished nor
// taken back yet. The next user of the place tries again, and Recover tells what
// became of it. Every other error of a restore means that it did not happen.
var ErrUnsettled = errors.New("the files could neither be restored nor be put back as they were; clew continues as soon as it can")

// ErrUnopened says that the checkpoints of a workspace could not be looked at: of a
// restore that was begun before it says nothing.
var ErrUnopened = errors.New("the checkpoints of the workspace cannot be opened")

// unsettledBefore is what others hear who come before a restore is settled.
const unsettledBefore = "an earlier restore of this workspace can neither be finished nor be taken back yet"

// retreat takes back a restore that cannot be finished. It gives the reason, with
// the files that could not be taken back as they are damaged, so that the place is
// usable and the caller knows. It fails if the restore is still not settled.
func (d *repository) retreat(ctx context.Context, i *intent, cause error) (reason, err error) {
	back := i.reversed()
	plan, err := d.planned(ctx, back, nil)
	if err != nil {
		return d.abandon(cause, err)
	}
	err = d.markNote(noteBack, true) // in place, so that it needs no room
	var done *apply.Applier
	if err == nil {
		done, err = d.carryOut(ctx, back, plan, true)
	}
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if len(done.Lost) > 0 {
		cause = clew.WrapError(clew.CheckpointFailed, cause,
			"the files could not be restored, and not all could be put back as they were: %s", strings.Join(done.Lost, ", "))
	}
	return cause, nil
}

// abandon forgets a restore if the trees that say what it is about are damaged:
// then nobody can finish it or take it back, ever.
func (d *repository) abandon(cause, planning error) (reason, err error) {
	cause = errors.Join(cause, planning)
	if !errors.Is(planning, object.ErrDamaged) {
		return nil, cause
	}
	if err := d.markNote(noteNone, true); err != nil {
		return nil, errors.Join(cause, err)
	}
	return clew.WrapError(clew.CheckpointFailed, cause,
		"the checkpoints of a restore that was cut off are damaged; some of its files may be changed and others not"), nil
}
