package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/feed"
)

// network joins hosts in memory. Notices go through a queue for each watcher,
// as they do on the engine.
type network struct {
	mu   sync.Mutex
	ends map[string]*end
	// lose says whether the next notice is lost, mute whether the answer to the
	// next call is.
	lose, mute func() bool
	// onCall runs before a call is answered.
	onCall func(node string, request []byte)
}

func newNetwork() *network { return &network{ends: map[string]*end{}} }

// end is one node's end of the network; it implements session.Peers.
type end struct {
	net      *network
	name     string
	answer   func(context.Context, []byte) []byte
	watchers map[*mailbox]bool
}

type mailbox struct {
	id      clew.SessionID
	fn      func([]byte)
	mu      sync.Mutex
	notices [][]byte
	bell    chan struct{}
	stop    chan struct{}
	done    chan struct{}
}

func (n *network) join(name string) *end {
	n.mu.Lock()
	defer n.mu.Unlock()
	e := &end{net: n, name: name, watchers: map[*mailbox]bool{}}
	n.ends[name] = e
	return e
}

// cut takes a node off the network.
func (n *network) cut(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.ends, name)
}

func (e *end) Self() string { return e.name }

func (e *end) Alive(node string) bool {
	e.net.mu.Lock()
	defer e.net.mu.Unlock()
	return e.net.ends[node] != nil
}

func (e *end) Serve(ctx context.Context, answer func(context.Context, []byte) []byte) error {
	e.net.mu.Lock()
	e.answer = answer
	e.net.mu.Unlock()
	<-ctx.Done()
	e.net.mu.Lock()
	e.answer = nil
	e.net.mu.Unlock()
	return nil
}

var errNoNode = errors.New("no such node")

func (e *end) Call(ctx context.Context, node string, request []byte) ([]byte, error) {
	e.net.mu.Lock()
	other := e.net.ends[node]
	var answer func(context.Context, []byte) []byte
	if other != nil && e.net.ends[e.name] == e {
		answer = other.answer
	}
	mute := e.net.mute != nil && e.net.mute()
	onCall := e.net.onCall
	e.net.mu.Unlock()
	if answer == nil {
		return nil, errNoNode
	}
	if onCall != nil {
		onCall(node, request)
	}
	got := make(chan []byte, 1)
	go func() { got <- answer(context.Background(), request) }()
	select {
	case b := <-got:
		if mute {
			return nil, errors.New("the answer was lost")
		}
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *end) Publish(id clew.SessionID, notice []byte) {
	e.net.mu.Lock()
	defer e.net.mu.Unlock()
	if e.net.ends[e.name] != e {
		return
	}
	for _, other := range e.net.ends {
		for w := range other.watchers {
			if w.id == id && (e.net.lose == nil || !e.net.lose()) {
				w.put(notice)
			}
		}
	}
}

func (e *end) Watch(id clew.SessionID, fn func([]byte)) (func(), error) {
	w := &mailbox{id: id, fn: fn, bell: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go w.deliver()
	e.net.mu.Lock()
	defer e.net.mu.Unlock()
	e.watchers[w] = true
	return func() {
		e.net.mu.Lock()
		delete(e.watchers, w)
		e.net.mu.Unlock()
		close(w.stop)
	}, nil
}

func (w *mailbox) put(notice []byte) {
	w.mu.Lock()
	w.notices = append(w.notices, notice)
	w.mu.Unlock()
	select {
	case w.bell <- struct{}{}:
	default:
	}
}

func (w *mailbox) deliver() {
	for {
		select {
		case <-w.bell:
		case <-w.stop:
			return
		}
		w.mu.Lock()
		notices := w.notices
		w.notices = nil
		w.mu.Unlock()
		for _, n := range notices {
			w.fn(n)
		}
	}
}

// follower keeps up with a session the way a connection does: from the feed,
// from the journal for what the feed no longer has, and through a new watch
// when the session moves. It stops at the record that renames the session to
// "over".
type follower struct {
	h    *session.Host
	id   clew.SessionID
	seen []uint64
	last uint64
}

func (f *follower) run(ctx context.Context) error {
	for {
		w, err := f.h.Watch(ctx, f.id)
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		over, err := f.attached(ctx, w)
		w.Close()
		if over || err != nil {
			return err
		}
	}
}

func (f *follower) attached(ctx context.Context, w *session.Watch) (over bool, err error) {
	pos, seq := w.Feed().End()
	for r, err := range w.Read(ctx, f.last+1, seq) {
		if err != nil {
			return false, err
		}
		if f.take(r.Seq, r.Envelope()) {
			return true, nil
		}
	}
	buf := make([]*feed.Item, 8)
	for {
		n, _, wait, err := w.Feed().Next(pos, buf)
		switch {
		case errors.Is(err, feed.ErrClosed), errors.Is(err, feed.ErrBehind):
			return false, nil
		case err != nil:
			return false, err
		case n == 0:
			select {
			case <-wait:
			case <-ctx.Done():
				return false, fmt.Errorf("after record %d: %w", f.last, ctx.Err())
			}
		}
		for _, it := range buf[:n] {
			if it.Seq > 0 && f.take(it.Seq, it.Envelope) {
				return true, nil
			}
		}
		pos += uint64(n)
	}
}

func (f *follower) take(seq uint64, envelope []byte) (over bool) {
	if seq <= f.last && len(f.seen) > 0 { // the feed may begin before the position
		return false
	}
	f.last = seq
	f.seen = append(f.seen, seq)
	return string(envelope[len(envelope)-len(`{"title":"over"}}`):]) == `{"title":"over"}}`
}

// check holds what was seen against the journal: all of it, once, in order.
func (f *follower) check(t testing.TB, records []clew.Record) {
	t.Helper()
	if len(f.seen) != len(records) {
		t.Errorf("saw %d of %d records", len(f.seen), len(records))
		return
	}
	for i, r := range records {
		if f.seen[i] != r.Seq {
			t.Errorf("record %d was seen as number %d", f.seen[i], i)
			return
		}
	}
}

func over() clew.Command {
	return clew.Command{Type: clew.CommandRenameSession, By: ann, Data: &clew.RenameSessionData{Title: "over"}}
}
