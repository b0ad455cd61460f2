package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/apply"
	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// An intent is written before a restore changes the first file, and becomes the
// note of the last restore when it is done.
type intent struct {
	Session string   `json:"session"`
	ID      string   `json:"id"`
	From    string   `json:"from"` // the state that was saved before
	To      string   `json:"to"`
	Paths   [][]byte `json:"paths,omitempty"`
	Skip    [][]byte `json:"skip,omitempty"` // paths that the rules keep from being made
	Nonce   string   `json:"nonce"`
	At      int64    `json:"at"`

	// What there is to tell when it is done.
	Cut  string   `json:"cut,omitempty"`
	Left [][]byte `json:"left,omitempty"`

	back bool // it is being taken back; the note's state says so
}

// reversed gives the intent to take a restore back. From and To are exchanged,
// and so are the sides of each change.
func (i *intent) reversed() *intent {
	back := *i
	back.From, back.To, back.Nonce, back.back = i.To, i.From, i.Nonce+apply.BackNonce, true
	return &back
}

// Recovered tells what became of the last restore of a session.
type Recovered struct {
	// Finished says that a restore had been cut off and was finished just now.
	Finished bool
	// Session and ID are those of the last restore that was done, From the
	// state before it and To the one after. They are empty if there was none.
	// A restore that is not named here never began.
	Session, ID, From, To string
	Time                  time.Time
	// Cut is a checkpoint of the state in which a restore that was cut off was
	// found, if it could be made.
	Cut string
	// Left names what could not be brought to the state of the checkpoint, also
	// what somebody has changed since the restore was cut off.
	Left []string
	// Changed and Removed count what the restore was to change, 0 if that cannot
	// be told any more.
	Changed, Removed int

	back error // the restore that was cut off was taken back because of this
}

// Recover settles a restore that was cut off and tells which one was the last of
// a session; of all sessions if session is "". Every other call does the same
// first, so it is only needed for the answer. If a restore of the session cannot
// be finished, it is taken back, and the error says why; if that cannot be done
// either, the error is ErrUnsettled.
func (p *Place) Recover(ctx context.Context, session string) (Recovered, error) {
	if session != "" && !validName.MatchString(session) {
		return Recovered{}, clew.Errorf(clew.InvalidMessage, "%q cannot name a session", session)
	}
	release, err := p.repository.lock(ctx)
	if err != nil {
		if open, perr := p.repository.pending(); open || perr != nil {
			err = errors.Join(err, ErrUnsettled)
		}
		return Recovered{}, failed(errors.Join(err, ErrUnopened), ErrUnopened.Error())
	}
	defer release()
	r, err := p.recoverLocked(ctx)
	mine := session == "" || r.Session == "" || r.Session == session
	switch {
	case err != nil && mine && !errors.Is(err, errNote):
		return Recovered{}, failed(errors.Join(err, ErrUnsettled), "")
	case err != nil:
		return Recovered{}, failed(err, unsettledBefore)
	case r.back != nil && mine:
		return Recovered{}, failed(r.back, "a restore that was cut off could not be finished; it was taken back")
	case r.Finished && mine:
		return r, nil
	}
	last, err := p.repository.lastNote(session)
	if err != nil || last == nil {
		return Recovered{}, failed(err, "the note of the last restore cannot be read")
	}
	r = last.recovered()
	if plan, err := p.repository.planned(ctx, last, nil); err == nil {
		r.count(plan.Changes)
	}
	return r, nil
}

func (r *Recovered) count(changes []tree.Change) {
	for _, c := range changes {
		switch {
		case c.Path == "" || !c.Real():
		case c.To.Kind == tree.Absent:
			r.Removed++
		case c.From.Kind != tree.Directory || c.To.Kind != tree.Directory:
			r.Changed++
		}
	}
}

// saveCut saves the state in which a restore was cut off: somebody may have
// worked on the files since. If that fails the restore is settled all the same:
// it touches only what some checkpoint has, and when there is no room, to settle
// it must come before anything that makes room.
func (p *Place) saveCut(ctx context.Context, i *intent) string {
	ref := Ref{Session: i.Session, ID: i.ID + "-cut", Message: "in the middle of a restore", before: true}
	s, err := p.save(ctx, ref, nil)
	if err != nil {
		return ""
	}
	return s.Hash
}

func (i *intent) recovered() Recovered {
	r := Recovered{Session: i.Session, ID: i.ID, From: i.From, To: i.To, Time: time.Unix(0, i.At), Cut: i.Cut}
	for _, p := range i.Left {
		r.Left = append(r.Left, string(p))
	}
	return r
}

// recoverLocked goes on with a restore where it was cut off, or takes it back. If
// it fails, the restore is not settled, and what it gives says only whose it is.
func (p *Place) recoverLocked(ctx context.Context) (Recovered, error) {
	d := p.repository
	if open, err := d.pending(); err != nil || !open {
		return Recovered{}, err
	}
	i, state, err := d.readNote(noteFile)
	if err != nil || state == noteNone || state == noteDone {
		return Recovered{}, err
	}
	whose := Recovered{Session: i.Session}
	if state == noteBack {
		i = i.reversed()
	}
	plan, err := d.planned(ctx, i, nil)
	if err != nil {
		whose.back, err = d.abandon(nil, err)
		return whose, err
	}
	i.Cut = p.saveCut(ctx, i)
	if err := ctx.Err(); err != nil {
		return whose, err
	}
	ctx = context.WithoutCancel(ctx) // what was begun ends
	if _, err = d.carryOut(ctx, i, plan, true); err != nil {
		whose.back = err
		if !i.back {
			whose.back, err = d.retreat(ctx, i, err)
		}
		return whose, err
	}
	if i.back {
		return Recovered{}, nil
	}
	r := i.recovered()
	r.Finished = true
	r.count(plan.Changes)
	return r, nil
}

// planned makes the list of changes of an intent. It depends on nothing but the
// intent, so it is the same after a crash. seen, if it is not nil, is what the
// state before was made of.
func (d *repository) planned(ctx context.Context, i *intent, seen *tree.Node) (*tree.Comparison, error) {
	from, err := d.checkpoint(ctx, i.From)
	if err != nil {
		return nil, missing(err)
	}
	to, err := d.checkpoint(ctx, i.To)
	if err != nil {
		return nil, missing(err)
	}
	c := &tree.Comparison{Reader: tree.Reader{Ctx: ctx, Objects: d.objects}}
	for _, p := range i.Paths {
		c.Paths = append(c.Paths, string(p))
	}
	if err := c.Run(from.tree, to.tree, seen); err != nil {
		return nil, err
	}
	skip := map[string]bool{}
	for _, p := range i.Skip {
		skip[string(p)] = true
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(ch tree.Change) bool { return skip[ch.Path] })
	return c, nil
}

// missing says that a checkpoint which a note speaks of ought to be there.
func missing(err error) error {
	if clew.CodeOf(err) == clew.InvalidMessage {
		return fmt.Errorf("%w: %w", object.ErrDamaged, err)
	}
	return err
}

// carryOut makes the changes and then says so.
func (d *repository) carryOut(ctx context.Context, i *intent, plan *tree.Comparison, again bool) (*apply.Applier, error) {
	root, err := beneath.OpenRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(root) }()
	a := apply.New(ctx, root, d.objects, i.Nonce, plan.Changes)
	a.Again, a.Back = again, i.back
	defer a.Close()
	if again {
		a.Tidy()
	} else {
		a.Seen = d.tree
	}
	err = a.Run()
	d.forget(plan.Changes)
	if err != nil {
		return nil, err
	}
	crash.At("checkpoint.applied")
	a.Left = slices.Concat(plan.Blocked, a.Left)
	for _, p := range a.Left {
		i.Left = append(i.Left, []byte(p))
	}
	err = d.endNote(i, a.Small())
	crash.At("checkpoint.restored")
	return a, err
}

// forget makes the next scan look closely at what was changed.
func (d *repository) forget(changes []tree.Change) {
	if d.tree == nil {
		return
	}
	for _, c := range changes {
		d.tree.ForgetPath(c.Path)
	}
}
