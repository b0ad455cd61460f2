package ipc

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// maxOwn is how many sessions one client may have started or named.
const maxOwn = 1024

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
		if err := c.follow(ctx, cmd.SessionID, cursor{d.ResumeFrom, d.Epoch}, true); err != nil {
			return err
		}
		c.current, done.session = cmd.SessionID, cmd.SessionID
	}
	c.widen(d.Scope)
	return nil
}

// widen sets the scope. Narrowed, the client is done with what it has not named.
func (c *conn) widen(scope clew.FollowScope) {
	c.fmu.Lock()
	defer c.fmu.Unlock()
	if scope == "" || scope == c.scope || c.leaving {
		return
	}
	c.scope = scope
	if scope == clew.FollowAll {
		c.s.wide.Add(1)
		return
	}
	c.s.wide.Add(-1)
	for id, f := range c.follows {
		if !f.own {
			delete(c.follows, id)
			f.cancel()
		}
	}
}

// hearOf lets a client with the wide scope follow a session from a record on.
func (c *conn) hearOf(id clew.SessionID, after uint64) {
	c.fmu.Lock()
	defer c.fmu.Unlock()
	if c.leaving || c.scope != clew.FollowAll || c.follows[id] != nil {
		return
	}
	f := newFollower(c, id)
	c.follows[id] = f
	c.follower.Go(func() {
		defer f.end()
		if err := f.attachAfter(after); err == nil {
			f.run()
		}
	})
}

// follow lets the client follow a session that it started or named. It is at its
// position when this returns. anew begins again where the cursor says, with the
// session's state first.
func (c *conn) follow(ctx context.Context, id clew.SessionID, at cursor, anew bool) error {
	f, err := c.place(id, anew)
	if f == nil || err != nil {
		return err
	}
	if err := f.attach(ctx, at, anew); err != nil {
		f.end()
		return err
	}
	c.follower.Go(func() {
		defer f.end()
		f.run()
	})
	return nil
}

// place makes a follower that the client has asked for, nil if there is one that
// will do.
func (c *conn) place(id clew.SessionID, anew bool) (*follower, error) {
	c.fmu.Lock()
	defer c.fmu.Unlock()
	old := c.follows[id]
	if old == nil || !old.own {
		if c.owned() >= maxOwn {
			return nil, clew.Errorf(clew.QueueFull, "one client follows at most %d sessions; open another connection", maxOwn)
		}
	}
	if old != nil && !anew {
		old.own = true
		return nil, nil
	}
	for old != nil {
		old.cancel()
		c.fmu.Unlock()
		<-old.done // its lines come before the state
		c.fmu.Lock()
		if c.follows[id] == old {
			break
		}
		old = c.follows[id] // a record came meanwhile, and made another one
	}
	f := newFollower(c, id)
	f.own = true
	c.follows[id] = f
	return f, nil
}

func (c *conn) owned() int {
	n := 0
	for _, f := range c.follows {
		if f.own {
			n++
		}
	}
	return n
}

// leaveAll ends what the client follows. The connection's context has ended.
func (c *conn) leaveAll() {
	c.fmu.Lock()
	c.leaving = true
	if c.scope == clew.FollowAll {
		c.s.wide.Add(-1)
	}
	c.fmu.Unlock()
	c.follower.Wait()
}
