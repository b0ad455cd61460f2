package session

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// remoteChanges is what a node knows of a state that another one owns, for those
// who watch it here. It asks the owner what changed when there are new records;
// while the owner answers, more of them gather. Guarded by remote.mu.
type remoteChanges struct {
	watchers int
	at       uint64                 // the last change in the feed goes up to here
	texts    map[clew.MessageID]int // how long the growing texts are
	pulling  bool
	again    bool // something happened while the owner was asked
	stale    bool // the owner did not answer
}

// sinceRemote is Since for a session that another node owns.
func (w *Watch) sinceRemote(ctx context.Context, cursor uint64) (*view.Change, uint64, error) {
	r := w.remote
	if w.leave == nil {
		r.mu.Lock()
		r.changes.watchers++
		r.mu.Unlock()
		w.leave = func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.changes.watchers--; r.changes.watchers == 0 {
				r.changes = remoteChanges{pulling: r.changes.pulling}
			}
		}
	}
	pos, _ := r.feed.End() // before the owner is asked: nothing falls between
	var c *view.Change
	err := w.host.at(ctx, w.id, false, func(*Session) error { return feed.ErrClosed }, func(node string) (err error) {
		c, err = w.host.callSince(ctx, node, w.id, cursor)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changes.texts == nil { // nobody was told anything yet
		r.changes.at, r.changes.texts = c.To, map[clew.MessageID]int{}
		r.changes.note(c)
		r.pullAgain()
	}
	return c, pos, nil
}

func (h *Host) callSince(ctx context.Context, node string, id clew.SessionID, cursor uint64) (*view.Change, error) {
	a, err := h.call(ctx, node, callRequest{Op: "since", Session: id, Cursor: cursor})
	switch {
	case clew.CodeOf(err) == clew.InvalidMessage: // an owner of an older version
		return nil, clew.WrapError(clew.Unavailable, err, "the session's node does not know this view yet")
	case err == nil && a.Change == nil:
		return nil, errNotHere
	}
	return a.Change, err
}

// pull asks the owner what changed, once for all who watch here.
func (r *remote) pull() {
	ch := &r.changes
	if ch.watchers == 0 {
		return
	}
	if ch.pulling || ch.texts == nil { // or nobody knows yet where to go on from
		ch.again = true
		return
	}
	ch.pulling = true
	from := ch.at
	r.host.runInBackground(func() {
		c, err := r.changedSince(from)
		r.mu.Lock()
		defer r.mu.Unlock()
		ch.pulling = false
		if ch.stale = err != nil; err == nil && ch.texts != nil && ch.at == from {
			ch.note(c)
			ch.at = c.To
			r.feed.AppendWith(nil, feed.NewChangeItem(r.host.now(), c, r.host.cfg.Encode))
		} else if err != nil && r.ctx.Err() == nil {
			r.host.cfg.Log.Warn("changes of a session on another node", "session", r.id, "err", err)
		}
		r.pullAgain()
	})
}

// pullAgain is pull if something happened since the owner was asked.
func (r *remote) pullAgain() {
	if r.changes.again {
		r.changes.again = false
		r.pull()
	}
}

func (r *remote) changedSince(from uint64) (c *view.Change, err error) {
	ctx, cancel := context.WithTimeout(r.ctx, loadTimeout)
	defer cancel()
	err = r.host.at(ctx, r.id, false, func(*Session) error { return errHere }, func(node string) (err error) {
		c, err = r.host.callSince(ctx, node, r.id, from)
		return err
	})
	return c, err
}

// errHere says that this node owns the session by now: its feed will close.
var errHere = errors.New("the session is here")

// note takes over how long the texts are that the owner sent.
func (ch *remoteChanges) note(c *view.Change) {
	for _, e := range c.Put {
		if e.Kind != clew.EntityMessage {
			continue
		}
		var m clew.Message
		if json.Unmarshal(e.Body, &m) != nil {
			continue
		}
		if delete(ch.texts, m.MessageID); m.Partial {
			ch.texts[m.MessageID] = len(m.Text) + len(m.Reasoning)
		}
	}
}

// transient takes in streamed text and who is present. A piece that does not go
// on from what was sent is left out in view `state`: the owner is asked for the
// text instead.
func (r *remote) transient(typ clew.EventType, env []byte) {
	var of struct {
		Data clew.AgentResponseData `json:"data"` // that of agent_thinking has the same fields
	}
	if typ != clew.EventAgentResponse && typ != clew.EventAgentThinking || r.changes.watchers == 0 || json.Unmarshal(env, &of) != nil {
		r.feed.Stream(typ, env)
		return
	}
	d := of.Data
	held, known := r.changes.texts[d.MessageID]
	if !known || d.Offset > held {
		r.feed.Stream(typ, env)
		r.pull()
		return
	}
	r.changes.texts[d.MessageID] = max(held, d.Offset+len(d.Delta))
	text := &clew.TextData{MessageID: d.MessageID, Offset: d.Offset, Delta: d.Delta}
	if typ == clew.EventAgentThinking {
		text.Field = clew.FieldReasoning
	}
	r.feed.StreamText(typ, env, text, d.MonitorID)
}
