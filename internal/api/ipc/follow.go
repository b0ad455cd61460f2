package ipc

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

const (
	// maxOwn is how many sessions with a task at work one client may have started
	// or named. A session whose task has ended gives its place back.
	maxOwn = 1024
	// maxKnown is how many it may have started or named at all: each costs a
	// position.
	maxKnown = 1 << 16
)

// A cursor is where a client wants to go on: from the present without
// resumeFrom.
type cursor struct{ resumeFrom, epoch string }

const fromStart = "start"

// start says after which record a client goes on, given the journal's head. A
// cursor that the journal does not have gives CURSOR_LOST and head.
func (at cursor) start(head uint64, epoch string) (uint64, error) {
	switch at.resumeFrom {
	case "":
		return head, nil
	case fromStart:
		return 0, nil
	}
	seq, err := clew.MessageID(at.resumeFrom).Seq()
	if err != nil || seq > head || at.epoch != "" && at.epoch != epoch {
		return head, errCursorLost
	}
	return seq, nil
}

var errCursorLost = clew.Errorf(clew.CursorLost, "the journal has no such position; start from its present state")

// A manner is how a client begins to follow a session.
type manner int

const (
	joins  manner = iota // goes on as it does, or from the present
	whole                // goes on if it has the session from its first record, or begins there
	afresh               // begins where the cursor says, with the session's state first
)

// onFollow sets what the client hears of. A session that is named is answered
// with its state, the records after the cursor, and sync_complete.
func (c *conn) onFollow(ctx context.Context, cmd wire.LocalCommand, done *accepted) error {
	var d clew.FollowData
	if err := wire.DecodeLocalData(cmd.Data, &d); err != nil {
		return err
	}
	switch {
	case d.Scope != "" && !slices.Contains(d.Scope.Values(), string(d.Scope)):
		return clew.Errorf(clew.InvalidMessage, "data.data.scope is all or own")
	case cmd.SessionID == "" && d.Scope == "":
		return clew.Errorf(clew.InvalidMessage, "follow needs a session_id, or a scope")
	case cmd.SessionID == "" && (d.ResumeFrom != "" || d.Epoch != ""):
		return clew.Errorf(clew.InvalidMessage, "resume_from and epoch are about one session: session_id is missing")
	}
	if cmd.SessionID != "" {
		if _, err := c.s.o.Host.Access(ctx, cmd.SessionID, c.s.o.By); err != nil {
			return err
		}
		if err := c.follow(ctx, cmd.SessionID, cursor{d.ResumeFrom, d.Epoch}, afresh); err != nil {
			return err
		}
		c.current, done.session = cmd.SessionID, cmd.SessionID
	}
	c.widen(d.Scope)
	return nil
}

// widen sets the scope. Narrowed, the client is done with what it has not named:
// when this returns, nothing of that comes any more.
func (c *conn) widen(scope clew.FollowScope) {
	c.fmu.Lock()
	if scope != "" {
		c.scope = scope
	}
	c.recount()
	var let []*follower
	for id, f := range c.follows {
		if scope == clew.FollowOwn && !f.own {
			delete(c.follows, id)
			f.cancel()
			let = append(let, f)
		}
	}
	c.fmu.Unlock()
	for _, f := range let {
		<-f.done
	}
}

// recount keeps the socket's count of clients that hear of sessions which they
// do not follow. fmu is held.
func (c *conn) recount() {
	hears := !c.leaving && (c.scope == clew.FollowAll || len(c.resting) > 0)
	switch {
	case hears && !c.hears:
		c.s.hearing.Add(1)
	case !hears && c.hears:
		c.s.hearing.Add(-1)
	}
	c.hears = hears
}

// hearOf lets a client follow a session from a record on: with the wide scope
// any, else one that it started or named and that was at rest.
func (c *conn) hearOf(id clew.SessionID, after uint64) {
	c.fmu.Lock()
	defer c.fmu.Unlock()
	_, rested := c.resting[id]
	if c.leaving || c.follows[id] != nil || c.scope != clew.FollowAll && !rested {
		return
	}
	f := c.add(id)
	f.whole = f.whole || !rested && after == 0
	if at, ok := c.left[id]; ok {
		f.left = &at
		delete(c.left, id)
	}
	c.follower.Go(func() {
		defer f.end()
		if err := f.attachAfter(after); err != nil {
			f.broken(err)
			return
		}
		f.run()
	})
}

// add makes a follower, which goes on where the client stopped hearing of the
// session if it is one of its own. fmu is held.
func (c *conn) add(id clew.SessionID) *follower {
	f := newFollower(c, id)
	if at, ok := c.resting[id]; ok {
		f.own, f.whole, f.after = true, at.whole, &at
		f.rests.Store(true)
		delete(c.resting, id)
		c.recount()
	}
	c.follows[id] = f
	return f
}

// follow lets the client follow a session that it names. It is at its position
// when this returns.
func (c *conn) follow(ctx context.Context, id clew.SessionID, at cursor, how manner) error {
	f, err := c.place(id, how)
	if f == nil || err != nil {
		return err
	}
	defer c.abandon(f)
	return c.begin(ctx, f, at, how)
}

// begin sets a follower to work.
func (c *conn) begin(ctx context.Context, f *follower, at cursor, how manner) error {
	var err error
	if f.after != nil {
		err = f.attachAfter(f.after.seq)
	} else {
		err = f.attach(ctx, at, how == afresh)
	}
	if err != nil {
		return err
	}
	f.begun = true
	c.follower.Go(func() {
		defer f.end()
		f.run()
	})
	return nil
}

// abandon gives up a follower that did not begin, and keeps the position of a
// session at rest.
func (c *conn) abandon(f *follower) {
	if f.begun {
		return
	}
	f.end()
	c.fmu.Lock()
	defer c.fmu.Unlock()
	if f.after != nil && c.follows[f.id] == nil {
		c.resting[f.id] = *f.after
		c.recount()
	}
}

// place makes a follower that the client has asked for, nil if there is one that
// will do.
func (c *conn) place(id clew.SessionID, how manner) (*follower, error) {
	c.fmu.Lock()
	defer c.fmu.Unlock()
	if err := c.mayOwn(id); err != nil {
		return nil, err
	}
	for old := c.follows[id]; old != nil; old = c.follows[id] {
		if how == joins || how == whole && old.whole {
			old.own = true
			return nil, nil
		}
		old.own = false // it rests nowhere
		old.cancel()
		c.fmu.Unlock()
		<-old.done // its lines come before the others
		c.fmu.Lock()
	}
	if at, ok := c.resting[id]; ok && (how == afresh || how == whole && !at.whole) {
		delete(c.resting, id)
		c.recount()
	}
	f := c.add(id)
	f.own, f.whole = true, f.whole || how == whole
	return f, nil
}

// mayOwn checks that there is a place for one more of the client's own sessions.
// fmu is held.
func (c *conn) mayOwn(id clew.SessionID) error {
	_, known := c.resting[id]
	own, atWork := 0, 0
	for other, f := range c.follows {
		if f.own {
			known = known || other == id
			own++
		}
		if f.own && !f.rests.Load() {
			atWork++
		}
	}
	switch {
	case known:
		return nil
	case atWork >= maxOwn:
		return clew.Errorf(clew.QueueFull, "one client has at most %d sessions at work; wait for one to end, or open another connection", maxOwn)
	case own+len(c.resting) >= maxKnown:
		return clew.Errorf(clew.QueueFull, "one client starts or names at most %d sessions; open another connection", maxKnown)
	}
	return nil
}

// leaveAll ends what the client follows. The connection's context has ended.
func (c *conn) leaveAll() {
	c.fmu.Lock()
	c.leaving = true
	c.recount()
	c.fmu.Unlock()
	c.follower.Wait()
}
