package tui

import (
	"context"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// flushEvery is how often the screen hears of what the server said: no faster
// than eyes can follow.
const flushEvery = 40 * time.Millisecond

// heldMost is how much is held for the screen before the connection waits.
const heldMost = 5000

// A batch is what happened on a connection since the last one.
type batch struct {
	link  *link
	envs  []wire.Envelope
	state client.State
	why   error
	ended bool // nothing will come any more
}

// A link is a connection to one session, for as long as it is on the screen. Two
// goroutines serve it: one reads, one hands over. close ends both.
type link struct {
	session clew.SessionID
	client  *client.Client
	send    func(batch)
	wake    chan struct{} // something is there
	cancel  context.CancelFunc
	all     sync.WaitGroup

	mu    sync.Mutex // guards all below
	room  *sync.Cond
	envs  []wire.Envelope
	state client.State
	why   error
	ended bool
}

// retry goes on for as long as somebody looks.
var retry = client.Retry{MaxRetries: 1 << 30, InitialDelay: time.Second, MaxDelay: 10 * time.Second, Multiplier: 2}

// openLink connects to a session; ctx bounds the dialing only.
func openLink(ctx context.Context, o Options, session clew.SessionID, send func(batch)) (*link, error) {
	l := &link{session: session, send: send, wake: make(chan struct{}, 1)}
	l.room = sync.NewCond(&l.mu)
	c, err := client.Dial(ctx, client.Options{
		URL: o.Server, Token: o.Token, Session: session, HTTPClient: o.HTTP, View: clew.ViewState, Retry: retry, OnState: l.onState,
	})
	if err != nil {
		return nil, err
	}
	l.client = c
	return l, nil
}

// start lets the screen hear of the session.
func (l *link) start(ctx context.Context) {
	ctx, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l.all.Go(func() { l.read(ctx) })
	l.all.Go(func() { l.hand(ctx) })
}

// close ends the connection and waits until nothing of it is running.
func (l *link) close() {
	l.cancel()
	l.client.Close()
	l.mu.Lock()
	l.ended = true
	l.room.Broadcast()
	l.mu.Unlock()
	l.all.Wait()
}

func (l *link) onState(s client.State, why error) {
	l.mu.Lock()
	l.state, l.why = s, why
	l.mu.Unlock()
	l.nudge()
}

func (l *link) nudge() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (l *link) read(ctx context.Context) {
	for env, err := range l.client.Follow(ctx) {
		if err != nil {
			break // the state says why
		}
		l.mu.Lock()
		for len(l.envs) >= heldMost && !l.ended {
			l.room.Wait()
		}
		l.envs = append(l.envs, env)
		l.mu.Unlock()
		l.nudge()
	}
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.nudge()
}

func (l *link) hand(ctx context.Context) {
	for {
		select {
		case <-l.wake:
		case <-ctx.Done():
			return
		}
		l.send(l.take())
		select {
		case <-time.After(flushEvery):
		case <-ctx.Done():
			return
		}
	}
}

func (l *link) take() batch {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := batch{link: l, envs: l.envs, state: l.state, why: l.why, ended: l.ended}
	l.envs = nil
	l.room.Broadcast()
	return b
}
