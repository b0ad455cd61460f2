package story

import (
	"context"
	"errors"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A person watches a session, says what starts it and answers its questions.
// What it sends has fixed names, so that sending it again after a crash has no
// second effect.
type person struct {
	*stage
	says   clew.UserMessageData // what starts the task
	value  string               // the answer to a question of the model
	keep   *clew.Remember       // what each yes has remembered, nil for nothing
	onAsk  func(q clew.Question) bool
	asked  map[clew.RequestID]bool // answered by this person
	begun  bool
	synced bool
	open   []clew.Question
	live   []string // the envelopes of records, as they came
}

var errDied = errors.New("the server died")

// play goes on with the session until its root task is complete. errDied says
// that the server died before.
func (p *person) play(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := p.Srv.Exited()
	go func() {
		select {
		case <-gone:
			cancel(errDied)
		case <-ctx.Done():
		}
	}()
	err := p.follow(ctx)
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), errDied) {
		return errDied
	}
	select {
	case <-gone: // a request failed before the end was noticed
		return errDied
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case <-p.grace(ctx, gone):
	}
	if errors.Is(context.Cause(ctx), errDied) {
		return errDied
	}
	return err
}

// grace is closed when a request that failed cannot have failed because the
// server was dying.
func (p *person) grace(ctx context.Context, gone <-chan struct{}) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if _, err := p.API().GetSession(ctx, sessionID); err == nil || clew.CodeOf(err) == clew.SessionNotFound {
				return
			}
			select {
			case <-gone:
				return
			default:
			}
		}
	}()
	return done
}

func (p *person) follow(ctx context.Context) error {
	if err := p.Create(ctx); err != nil {
		return err
	}
	c, err := client.Dial(ctx, client.Options{URL: p.Srv.URL(), Token: p.Token(), Session: sessionID, ResumeFrom: client.FromStart})
	if err != nil {
		return err
	}
	defer c.Close()
	p.synced, p.begun, p.open, p.asked, p.live = false, false, nil, map[clew.RequestID]bool{}, nil
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return err
		}
		done, err := p.hear(ctx, c, env)
		if err != nil || done {
			return err
		}
	}
	return errors.New("the stream ended")
}

// hear takes one envelope and does what it calls for. It reports whether the
// root task is complete.
func (p *person) hear(ctx context.Context, c *client.Client, env wire.Envelope) (done bool, err error) {
	if env.Type == string(clew.EventSyncComplete) {
		p.synced = true
		if !p.begun {
			return false, p.Command(ctx, "begin", clew.CommandUserMessage, p.says)
		}
		return false, p.answerAll(ctx, c)
	}
	if env.Seq() == 0 {
		return false, nil
	}
	p.live = append(p.live, env.MessageID+" "+env.Type)
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return false, err
	}
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		p.begun = p.begun || d.Message.ClientMessageID == "begin"
	case *clew.HitlApprovalRequestData, *clew.HitlInputRequestData:
		p.open = append(p.open, clew.Question{Type: ev.Type, Data: d})
	case *clew.HitlResolvedData:
		for i, q := range p.open {
			if q.RequestID() == d.RequestID {
				p.open = append(p.open[:i:i], p.open[i+1:]...)
				break
			}
		}
	case *clew.TaskCompletedData:
		return d.ParentTaskID == "", nil
	}
	if p.synced {
		return false, p.answerAll(ctx, c)
	}
	return false, nil
}

// answerAll answers what is open: a yes over the socket, a value over REST.
func (p *person) answerAll(ctx context.Context, c *client.Client) error {
	for _, q := range p.open {
		id := q.RequestID()
		if p.asked[id] {
			continue
		}
		if p.onAsk != nil && !p.onAsk(q) {
			return nil // it is left open
		}
		p.asked[id] = true
		var err error
		switch q.Data.(type) {
		case *clew.HitlInputRequestData:
			err = p.Command(ctx, "value-"+string(id), clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: id, Value: p.value})
		default:
			err = c.SendAs(ctx, clew.ClientMessageID("yes-"+string(id)), clew.CommandHitlApprovalResponse,
				clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove, Remember: p.keep})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
