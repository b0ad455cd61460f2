package checkpoint

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/object"
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
	Back    bool     `json:"back,omitempty"` // a restore that cannot be finished is taken back
	Nonce   string   `json:"nonce"`
	At      int64    `json:"at"`
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
	// Cut is a checkpoint of the state in which the restore was found. It has
	// what was changed by others before it was finished. "" if it could not be
	// made.
	Cut  string
	Left []string
	// Changed and Removed count what the restore was to change, 0 if that cannot
	// be told any more.
	Changed, Removed int
}

// Recover finishes a restore that was cut off and tells which one was the last
// of a session; of all sessions if session is "". Every other call does the same first, so it is only needed for the answer.
func (p *Place) Recover(ctx context.Context, session string) (Recovered, error) {
	if session != "" && !validName.MatchString(session) {
		return Recovered{}, clew.Errorf(clew.InvalidMessage, "%q cannot name a session", session)
	}
	release, err := p.depot.lock(ctx)
	if err != nil {
		return Recovered{}, failed(err, "the checkpoints of the workspace cannot be opened")
	}
	defer release()
	r, err := p.recoverLocked(ctx)
	if err != nil || r.Finished && (session == "" || session == r.Session) {
		return r, failed(err, "a restore that was cut off could not be finished")
	}
	last, err := p.depot.lastNote(session)
	if err != nil || last == nil {
		return Recovered{}, failed(err, "the note of the last restore cannot be read")
	}
	r = last.recovered()
	if plan, err := p.depot.planned(ctx, last, nil); err == nil {
		r.count(plan.changes)
	}
	return r, nil
}

func (r *Recovered) count(changes []change) {
	for _, c := range changes {
		switch {
		case c.path == "" || !c.real():
		case c.to.kind == absent:
			r.Removed++
		case c.from.kind != directory || c.to.kind != directory:
			r.Changed++
		}
	}
}

// saveCut saves the state in which a restore was cut off: somebody may have
// worked on the files since. If that fails the restore goes on all the same, as
// nothing else can be done before it is finished.
func (p *Place) saveCut(ctx context.Context, i *intent) string {
	id := i.ID + "-cut"
	for _, c := range p.depot.list {
		if c.Session == i.Session && c.ID == id {
			return c.Hash
		}
	}
	s, err := p.save(ctx, Ref{Session: i.Session, ID: id, Message: "in the middle of a restore", before: true}, nil)
	if err != nil {
		return ""
	}
	return s.Hash
}

func (i *intent) recovered() Recovered {
	return Recovered{Session: i.Session, ID: i.ID, From: i.From, To: i.To, Time: time.Unix(0, i.At)}
}

// recoverLocked goes on with a restore where it was cut off.
func (p *Place) recoverLocked(ctx context.Context) (Recovered, error) {
	d := p.depot
	if open, err := d.pending(); err != nil || !open {
		return Recovered{}, err
	}
	i, state, err := d.readNote(noteFile)
	if err != nil || state == noteNone || state == noteDone {
		return Recovered{}, err
	}
	c, err := d.planned(ctx, i, nil)
	if err != nil {
		return Recovered{}, err
	}
	cut := p.saveCut(ctx, i)
	result, err := d.carryOut(ctx, i, c.changes, true)
	if err != nil {
		return Recovered{}, d.retreat(ctx, i, err)
	}
	if i.Back {
		return Recovered{}, nil
	}
	r := i.recovered()
	r.Finished, r.Cut, r.Left = true, cut, slices.Concat(c.blocked, result.left)
	r.count(c.changes)
	return r, nil
}

// planned makes the list of changes of an intent. It depends on nothing but the
// intent, so it is the same after a crash. seen, if it is not nil, is what the
// state before was made of.
func (d *depot) planned(ctx context.Context, i *intent, seen *node) (*comparison, error) {
	from, err := d.checkpoint(ctx, i.From)
	if err != nil {
		return nil, err
	}
	to, err := d.checkpoint(ctx, i.To)
	if err != nil {
		return nil, err
	}
	c := &comparison{reader: reader{ctx, d.objects}}
	for _, p := range i.Paths {
		c.paths = append(c.paths, string(p))
	}
	if err := c.run(from.tree, to.tree, seen); err != nil {
		return nil, err
	}
	skip := map[string]bool{}
	for _, p := range i.Skip {
		skip[string(p)] = true
	}
	c.changes = slices.DeleteFunc(c.changes, func(ch change) bool { return skip[ch.path] })
	return c, nil
}

// carryOut makes the changes and then says so.
func (d *depot) carryOut(ctx context.Context, i *intent, changes []change, again bool) (*applier, error) {
	root, err := openRoot(d.root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(root) }()
	a := newApplier(ctx, root, d.objects, i.Nonce, changes)
	if a.again = again; !again {
		a.seen = d.tree
	}
	defer a.close()
	err = a.run()
	d.forget(changes)
	if err != nil {
		return nil, err
	}
	crash.At("checkpoint.applied")
	state := noteDone
	if i.Back {
		state = noteNone
	}
	err = d.markNote(state, !a.small())
	crash.At("checkpoint.restored")
	return a, err
}

// retreat takes back a restore that cannot be finished because what it needs is
// damaged. It gives the reason if that worked, so that the place is usable and
// the caller knows.
func (d *depot) retreat(ctx context.Context, i *intent, cause error) error {
	if !errors.Is(cause, object.ErrDamaged) || i.Back {
		return cause
	}
	back := *i
	back.From, back.To, back.Back = i.To, i.From, true
	c, err := d.planned(ctx, &back, nil)
	if err == nil {
		err = d.writeNote(&back, false)
	}
	if err == nil {
		_, err = d.carryOut(ctx, &back, c.changes, true)
	}
	return errors.Join(cause, err)
}

// forget makes the next scan look closely at what was changed.
func (d *depot) forget(changes []change) {
	if d.tree == nil {
		return
	}
	for _, c := range changes {
		d.tree.forgetPath(c.path)
	}
}
