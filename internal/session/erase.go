package session

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session/core"
)

// An Erasure says who deleted a session, and when. It has nothing of what the
// session held, and stays when the session is gone.
type Erasure struct {
	Session clew.SessionID `json:"session_id"`
	Owner   clew.UserID    `json:"owner"`
	By      clew.UserID    `json:"by,omitempty" doc:"Who deleted it; absent if its retention time was over"`
	Expired bool           `json:"expired,omitempty" doc:"Its retention time was over"`
	AtMS    int64          `json:"deleted_ms" doc:"When it was deleted"`
	EraseMS int64          `json:"erase_ms" doc:"Until then it can be brought back; then it is erased"`
	DoneMS  int64          `json:"erased_ms,omitempty" doc:"When nothing was left of it"`
	// Listed says that lists and inboxes may still have it.
	Listed bool `json:"listed,omitempty" hidden:"true"`
	// Begun says that the erasing is under way: it cannot be brought back.
	Begun bool `json:"begun,omitempty" hidden:"true"`
	// Blobs are those that the session referred to, until they are seen to.
	Blobs []string `json:"blobs,omitempty" hidden:"true"`
}

// Erasures knows which sessions were deleted. It is safe for concurrent use.
type Erasures interface {
	// Deleted gives what is known of a session's deletion, nil if it was not
	// deleted.
	Deleted(ctx context.Context, id clew.SessionID) (*Erasure, error)
	// Delete notes that a session is deleted, unless it is already.
	Delete(ctx context.Context, e Erasure) error
	// Hidden notes that no list and no inbox has a deleted session any more.
	Hidden(ctx context.Context, id clew.SessionID) error
	// Restore takes that back. It is too late once the erasing has begun.
	Restore(ctx context.Context, id clew.SessionID) error
}

// noneDeleted is for a host that erases nothing.
type noneDeleted struct{}

func (noneDeleted) Deleted(context.Context, clew.SessionID) (*Erasure, error) { return nil, nil }
func (noneDeleted) Restore(context.Context, clew.SessionID) error             { return notDeleted("") }
func (noneDeleted) Hidden(context.Context, clew.SessionID) error              { return notDeleted("") }
func (noneDeleted) Delete(context.Context, Erasure) error {
	return clew.Errorf(clew.Unavailable, "this server cannot erase sessions")
}

func notDeleted(id clew.SessionID) error {
	return clew.Errorf(clew.SessionInvalidState, "session %s is not deleted", id)
}

// undeleted fails if a session was deleted, as if it never was.
func (h *Host) undeleted(ctx context.Context, id clew.SessionID) error {
	e, err := h.cfg.Erasures.Deleted(ctx, id)
	if err == nil && e != nil {
		err = clew.Errorf(clew.SessionNotFound, "no session %s", id)
	}
	return err
}

// whyGone says to its owner and to administrators what became of a deleted
// session. To all others it is like one that never was.
func (h *Host) whyGone(ctx context.Context, id clew.SessionID, p clew.Principal, err error) error {
	if clew.CodeOf(err) != clew.SessionNotFound {
		return err
	}
	e, lookErr := h.cfg.Erasures.Deleted(ctx, id)
	if lookErr != nil || e == nil || !e.Concerns(p) {
		return err
	}
	code := clew.SessionNotFound
	if e.Expired {
		code = clew.SessionExpired
	}
	return clew.Errorf(code, "%s", e.Sentence())
}

// Concerns reports whether a caller may hear of it, and may take it back.
func (e Erasure) Concerns(p clew.Principal) bool {
	return p.Role == clew.RoleAdmin || p.Role == clew.RoleOwner && p.User == e.Owner
}

// Sentence says what became of the session, for people.
func (e Erasure) Sentence() string {
	day := func(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }
	text := "session " + string(e.Session) + " was deleted"
	if e.By != "" {
		text += " by " + string(e.By)
	}
	if e.Expired {
		text = "the retention time of session " + string(e.Session) + " was over"
	}
	text += " on " + day(e.AtMS)
	if e.DoneMS > 0 {
		return text + ", and is erased"
	}
	if e.Begun {
		return text + ", and is being erased"
	}
	return text + "; it can be brought back until " + day(e.EraseMS)
}

// Delete hides a session from everybody, and has it erased at e.EraseMS. Who watches
// it is sent away, and agents at work in it are stopped.
func (h *Host) Delete(ctx context.Context, e Erasure) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	err = h.at(ctx, e.Session, false, func(s *Session) error {
		return h.retire(ctx, s, e)
	}, func(node string) error {
		_, err := h.call(ctx, node, callRequest{Op: "delete", Session: e.Session, Data: data})
		return err
	})
	if clew.CodeOf(err) == clew.SessionNotFound { // a first try may have got through
		if done, _ := h.cfg.Erasures.Deleted(ctx, e.Session); done != nil && done.AtMS == e.AtMS && done.EraseMS == e.EraseMS && done.By == e.By {
			return nil
		}
	}
	return err
}

// retire deletes a session of this node.
func (h *Host) retire(ctx context.Context, s *Session, e Erasure) error {
	var line core.Summary
	var people []clew.UserID
	err := s.read(ctx, func(s *Session) {
		line = s.state.Summary()
		people = append(slices.Collect(maps.Keys(s.state.Access)), s.state.Owner)
	})
	if err != nil {
		return err
	}
	e.Owner, e.Listed = line.Owner, true
	if err := h.cfg.Erasures.Delete(ctx, e); err != nil {
		return err
	}
	crash.At("session.deleted") // whoever erases hides it then
	line.EraseMS = e.EraseMS
	hidden := make(chan error, 1)
	runs := h.runInBackground(func() { // whoever asked for it may give up; the session is deleted all the same
		select {
		case <-s.left:
		case <-h.ctx.Done(): // agents do not stop, and the server does
			return
		}
		h.EndWork(s.id)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hideWithin)
		defer cancel()
		hidden <- h.hide(ctx, s.id, line, people)
	})
	if !runs {
		return errStopping
	}
	s.end()
	select {
	case err := <-hidden:
		return err
	case <-ctx.Done():
		return timedOut(ctx)
	}
}

// hideWithin is how long it may take until nobody's lists have a deleted session.
const hideWithin = 30 * time.Second

// Has reports whether a session is in memory here, or leaves it only now.
func (h *Host) Has(id clew.SessionID) bool { return h.has(id) }

// hide takes a session out of the lists and inboxes, and its wake-ups back.
func (h *Host) hide(ctx context.Context, id clew.SessionID, line core.Summary, people []clew.UserID) error {
	h.wakes.drop(id)
	if err := h.cfg.Journal.Wake(ctx, id, 0); err != nil {
		return err
	}
	if h.mail != nil {
		h.mail.put(id, nil)
		h.InboxWritten(ctx)
	}
	for _, user := range people {
		h.listWritten(ctx, user) // what the session itself had for the list comes first
		if err := h.cfg.Index.Put(ctx, user, line); err != nil {
			return err
		}
	}
	return h.Hidden(ctx, id)
}

// Hidden notes that no list has a deleted session any more. One that was brought back
// meanwhile is in them again.
func (h *Host) Hidden(ctx context.Context, id clew.SessionID) error {
	err := h.cfg.Erasures.Hidden(ctx, id)
	if clew.CodeOf(err) == clew.SessionNotFound {
		return h.relist(ctx, id)
	}
	return err
}

// EndWork ends what runs on this node for a deleted session. It may be repeated.
func (h *Host) EndWork(id clew.SessionID) {
	if h.cfg.Retired != nil {
		h.cfg.Retired(id)
	}
}

// Restore brings a deleted session back, as long as it is not being erased.
func (h *Host) Restore(ctx context.Context, id clew.SessionID) error {
	if err := h.cfg.Erasures.Restore(ctx, id); err != nil {
		return err
	}
	return h.relist(ctx, id)
}

// relist has a session stand in the lists again, wherever it is.
func (h *Host) relist(ctx context.Context, id clew.SessionID) error {
	return h.at(ctx, id, false, func(s *Session) error {
		return h.show(ctx, s)
	}, func(node string) error {
		_, err := h.call(ctx, node, callRequest{Op: "show", Session: id})
		return err
	})
}

// show puts a session into the lists and inboxes again.
func (h *Host) show(ctx context.Context, s *Session) error {
	var owner clew.UserID
	err := s.read(ctx, func(s *Session) {
		s.putInIndexes(s.state.Summary())
		owner = s.state.Owner
		// Whoever hid it may have been late, and taken what it has in inboxes, and its wake-up.
		s.inboxDue, s.inboxRows, s.alarm.woken = true, true, unknownWake
		if s.state.Seq == s.head.Seq {
			s.noteInbox()
			s.arm()
		}
	})
	if err == nil {
		h.listWritten(ctx, owner)
	}
	return err
}

// Own makes the records that a fork has from another session its own.
func (h *Host) Own(ctx context.Context, id clew.SessionID) error {
	return h.at(ctx, id, false, func(s *Session) error {
		return s.own(ctx)
	}, func(node string) error {
		_, err := h.call(ctx, node, callRequest{Op: "own", Session: id})
		return err
	})
}

func (s *Session) own(ctx context.Context) error {
	var failed error
	err := s.read(ctx, func(s *Session) {
		if failed = s.readOnly; failed == nil {
			s.seal()
			failed = s.log.Own(ctx)
		}
	})
	if err == nil {
		err = failed
	}
	return err
}

// serveErasure serves another node's call about a deletion.
func (h *Host) serveErasure(ctx context.Context, s *Session, c callRequest) error {
	switch c.Op {
	case "delete":
		var e Erasure
		if err := json.Unmarshal(c.Data, &e); err != nil {
			return err
		}
		return h.retire(ctx, s, e)
	case "show":
		return h.show(ctx, s)
	}
	return s.own(ctx)
}
