package session

import (
	"context"
	"errors"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
)

// request is one thing asked of a session's goroutine: a command, or a look.
type request struct {
	ctx  context.Context
	cmd  clew.Command
	look func(*Session) // runs in the goroutine instead of a command
	done chan outcome   // buffered
}

type outcome struct {
	receipt Receipt
	err     error
	refused bool          // the session itself said no, and nothing is on record
	result  decide.Result // of an agent's intent
}

// do carries out a command: it hands it to the session, or, if there is more to
// it than that, sees to the rest as well.
func (s *Session) do(ctx context.Context, cmd clew.Command) (Receipt, error) {
	if err := s.writable(); err != nil && !looksOnly(cmd.Data) {
		return Receipt{}, err
	}
	if isHistoryCommand(cmd.Data) {
		return s.runHistoryCommand(ctx, cmd)
	}
	return s.submit(ctx, cmd)
}

// writable is nil if commands can change the session here. One that was loaded
// while no records were taken is about to leave once they are again.
func (s *Session) writable() error {
	err := s.host.cfg.Storage.Writable()
	switch {
	case s.readOnly == nil:
		return err
	case err == nil && errors.Is(s.readOnly, ErrReadOnly):
		return errGone
	}
	return s.readOnly
}

// submit hands the session a command and waits for its outcome.
func (s *Session) submit(ctx context.Context, cmd clew.Command) (Receipt, error) {
	req := request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)}
	out, err := s.ask(ctx, req)
	if err != nil {
		return Receipt{}, err
	}
	return out.receipt, out.err
}

// post hands the session a command without waiting for its outcome, which the
// channel gets. It comes before everything that is asked of the session later.
// False if the session has no room for it now.
func (s *Session) post(ctx context.Context, cmd clew.Command) (<-chan outcome, bool) {
	req := request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)}
	select {
	case s.inbox <- req:
		return req.done, true
	default:
		return nil, false
	}
}

// read runs fn in the session's goroutine. Once look has returned, fn does not
// run: a caller that gave up waiting has its variables to itself.
func (s *Session) read(ctx context.Context, fn func(*Session)) error {
	var mu sync.Mutex
	over := false
	_, err := s.ask(ctx, request{ctx: ctx, done: make(chan outcome, 1), look: func(s *Session) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			fn(s)
		}
	}})
	mu.Lock()
	defer mu.Unlock()
	over = true
	return err
}

func (s *Session) ask(ctx context.Context, req request) (outcome, error) {
	select {
	case s.inbox <- req:
	case <-s.done:
		return outcome{}, errGone
	case <-ctx.Done():
		return outcome{}, timedOut(ctx)
	}
	select {
	case out := <-req.done:
		return out, nil
	case <-s.done:
		select { // it may have been answered on the way out
		case out := <-req.done:
			return out, nil
		default:
			return outcome{}, errGone
		}
	case <-ctx.Done():
		return outcome{}, timedOut(ctx)
	}
}

// insist is for what has to be recorded: while no records are taken, it waits.
func (s *Session) insist(ctx context.Context, cmd clew.Command) (outcome, error) {
	for {
		changed := s.host.cfg.Storage.Changed()
		out, err := s.ask(ctx, request{ctx: ctx, cmd: cmd, done: make(chan outcome, 1)})
		if err == nil {
			err = out.err
		}
		if !errors.Is(err, ErrReadOnly) || !out.refused {
			return out, err
		}
		select {
		case <-changed:
		case <-s.done:
			return outcome{}, errGone
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		}
	}
}

func timedOut(ctx context.Context) error {
	return clew.WrapError(clew.Unavailable, ctx.Err(), "the session did not answer in time; the command may still take effect")
}
