package gateway

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/wire"
)

// onMessage handles one message of the client to its end before the next one
// is read, so a client's commands keep their order. Whatever goes wrong is
// answered with `error`; the connection stays.
func (c *conn) onMessage(message []byte) {
	cmd, err := wire.DecodeCommand(message, c.session)
	if cmd.Type == clew.CommandPong && err == nil {
		c.g.took(cmd.Type)
		return // free, and counted as a sign of life already
	}
	about := clew.ErrorContext{ClientMessageID: cmd.ClientMessageID, CommandType: cmd.Type}
	if rerr := c.withinRate(cmd.Type); rerr != nil {
		c.overRate(rerr, about)
		return
	}
	c.rate.over = 0
	if err == nil {
		cmd.By = c.by
		if err = c.guard(cmd); err == nil && cmd.Type != clew.CommandAuth {
			c.g.took(cmd.Type)
		}
	} else if c.waiting() {
		err = errAuthFirst
	}
	if err != nil {
		c.answerError(err, about)
	}
}

var errAuthFirst = clew.Errorf(clew.AuthRequired, "send auth first")

// guard runs a command and turns a panic into an error: a fault in one handler
// must not take other connections with it.
func (c *conn) guard(cmd clew.Command) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.g.Counters.Panics.Add(1)
			c.g.log.Error("panic in a command", "session", c.session, "type", cmd.Type, "panic", p, "stack", string(debug.Stack()))
			err = clew.Errorf(clew.Internal, "internal error")
		}
	}()
	ctx, cancel := context.WithTimeout(c.g.ctx, c.g.limits.CommandTimeout)
	defer cancel()
	return c.handle(ctx, cmd)
}

// catch is for faults in the gateway itself; the connection is lost.
func (c *conn) catch(where string) {
	var err error
	if c.catchInto(where, &err); err != nil {
		c.die()
	}
}

// catchInto is catch for a step that can return an error.
func (c *conn) catchInto(where string, err *error) {
	if p := recover(); p != nil {
		c.g.Counters.Panics.Add(1)
		c.g.log.Error("panic in a connection", "where", where, "session", c.session, "panic", p, "stack", string(debug.Stack()))
		*err = clew.Errorf(clew.Internal, "internal error")
	}
}

func (c *conn) handle(ctx context.Context, cmd clew.Command) error {
	if d, ok := cmd.Data.(*clew.AuthData); ok {
		token := d.Token
		if token == "" {
			token = d.APIKey
		}
		c.onAuth(ctx, token)
		return nil
	}
	if c.waiting() {
		return errAuthFirst
	}
	if c.source != nil {
		return c.onListener(cmd)
	}
	if info, ok := clew.CommandInfoOf(cmd.Type); !ok || !info.Allows(c.roleNow()) {
		return clew.Errorf(clew.Forbidden, "your role in this session does not allow %s", cmd.Type)
	}
	switch d := cmd.Data.(type) {
	case *clew.GetStateData:
		if d.Scope != clew.ScopeUI {
			return c.onGetState(ctx)
		}
	case *clew.GetMessagesData:
		return c.onGetMessages(ctx, cmd.ClientMessageID, d)
	case *clew.SubscribeMonitorData:
		c.onSubscribe(d.MonitorID)
		return nil
	}
	receipt, err := c.g.o.Host.Do(ctx, c.session, cmd)
	if err == nil && receipt.Answer != nil {
		c.push(c.answerFrame(receipt.Answer.Type, receipt.Answer.Data))
		return nil
	}
	if err == nil && cmd.ClientMessageID != "" && (receipt.Repeat || len(receipt.Records) == 0) {
		c.onNothingNew(cmd, receipt)
	}
	return err
}

// onNothingNew tells a client that its command is taken when no record will:
// it is a repeat, or it changes nothing.
func (c *conn) onNothingNew(cmd clew.Command, receipt session.Receipt) {
	d := &clew.MessageAcceptedData{ClientMessageID: cmd.ClientMessageID}
	if len(receipt.Records) > 0 {
		d.MessageID = receipt.Records[0]
	}
	c.push(c.answerFrame(clew.EventMessageAccepted, d))
}

// look calls fn with a Watch of the session, again if the session moves
// meanwhile. The writer's own Watch is not shared: it may be replaced.
func (c *conn) look(ctx context.Context, fn func(Watch) error) error {
	const tries = 3
	var err error
	for range tries {
		var w Watch
		if w, err = c.g.o.Host.Watch(ctx, c.session); err != nil {
			break
		}
		err = fn(w)
		w.Close()
		if !errors.Is(err, feed.ErrClosed) {
			break
		}
	}
	return unavailable(err)
}

// onGetState answers with a snapshot, held back until the client has every
// record that is in it.
func (c *conn) onGetState(ctx context.Context) error {
	return c.look(ctx, func(w Watch) error {
		st, err := w.State(ctx)
		if err != nil {
			return err
		}
		head, err := headOf(st)
		if err != nil {
			return err
		}
		if c.view == clew.ViewState { // positions there are those of changes
			head = 0
		}
		c.pushAfter(c.stateFrame(st, w.Epoch()), head)
		return nil
	})
}

func (c *conn) onGetMessages(ctx context.Context, id clew.ClientMessageID, d *clew.GetMessagesData) error {
	return c.look(ctx, func(w Watch) error {
		page, err := w.Messages(ctx, d.Limit, d.Offset, d.Before)
		if err != nil {
			return err
		}
		page.ClientMessageID = id
		c.push(c.answerFrame(clew.EventMessagesPage, &page))
		return nil
	})
}

// onSubscribe adds a monitor to those that the connection hears of.
func (c *conn) onSubscribe(id clew.MonitorID) {
	var next filter
	if old := c.filter.Load(); old != nil {
		if !old.hides([]byte(id)) {
			return
		}
		next = append(next, *old...)
	}
	next = append(next, id)
	c.filter.Store(&next)
}

// withinRate applies the limits on messages and on answers to questions.
func (c *conn) withinRate(t clew.CommandType) error {
	ok, retry := c.rate.allow(c.g.elapsed(), c.g.limits.MessagesPerMinute)
	if info, _ := clew.CommandInfoOf(t); ok && info.Hitl {
		allowed, wait := c.g.answers.Allow(string(c.session))
		ok, retry = allowed, wait.Milliseconds()+1
	}
	if ok {
		return nil
	}
	return &clew.Error{Code: clew.RateLimited, Message: "too many messages", RetryAfterMS: retry}
}

// overRate drops a message; the third in a row ends the connection.
func (c *conn) overRate(err error, about clew.ErrorContext) {
	c.g.Counters.RateLimited.Add(1)
	c.push(c.errorFrame(err, about))
	c.rate.over++
	if limit := c.g.limits.Strikes; limit > 0 && int(c.rate.over) >= limit {
		c.close(wire.ClosePolicy, string(clew.RateLimited))
	}
}

// answerError tells the client, and the log if there is more to know.
func (c *conn) answerError(err error, about clew.ErrorContext) {
	e := clew.AsError(err)
	if e.Err != nil {
		c.g.log.Warn("command failed", "session", c.session, "type", about.CommandType, "code", e.Code, "err", e.Err)
	}
	c.push(c.errorFrame(e, about))
}
