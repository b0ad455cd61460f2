package faults

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// A mirror holds a session's state as a client does that is told of every change,
// through the client's own library.
type mirror struct {
	w  *world
	id clew.SessionID

	mu    sync.Mutex
	state client.Replica
}

func (m *mirror) live(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; turn++ {
		m.follow(ctx, m.w.nodes[turn%len(m.w.nodes)])
		pause(ctx, 50*time.Millisecond)
	}
}

func (m *mirror) follow(ctx context.Context, n *node) {
	token, err := n.Token()
	proc.Must(m.w.t, err)
	m.mu.Lock()
	opts := client.Options{
		URL: n.URL(), HTTPClient: n.http, Token: token, Session: m.id, View: clew.ViewState, ClientID: "mirror", Idle: 4 * time.Second,
		ResumeFrom: string(m.state.Cursor), Epoch: m.state.Connection.Epoch, Retry: client.Retry{MaxRetries: -1},
	}
	m.mu.Unlock()
	once, cancel := context.WithTimeout(ctx, 3*time.Second)
	c, err := client.Dial(once, opts)
	cancel()
	if err != nil {
		return
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return
		}
		m.mu.Lock()
		_, err = m.state.Take(env)
		m.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// text is the state to be compared with another.
func (m *mirror) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return stateText(m.state.Entities)
}

// stateText leaves out who watches, and messages that only one who was there long
// ago still holds.
func stateText(e clew.Entities) string {
	e.Viewers = nil
	e.Messages = e.Messages[max(0, len(e.Messages)-50):]
	b, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(string(b), ": []", ": null") // a list that was emptied, and one that never was
}

// fresh is the state that somebody gets who comes now.
func (w *world) fresh(n *node, id clew.SessionID) (string, error) {
	state, err := w.state(n, id)
	if err != nil {
		return "", err
	}
	return stateText(state.Entities), nil
}

func (w *world) state(n *node, id clew.SessionID) (*client.Replica, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	token, err := n.Token()
	if err != nil {
		return nil, err
	}
	c, err := client.Dial(ctx, client.Options{URL: n.URL(), HTTPClient: n.http, Token: token, Session: id, View: clew.ViewState, ClientID: "fresh"})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var state client.Replica
	for env, err := range c.Follow(ctx) {
		if err == nil {
			_, err = state.Take(env)
		}
		if err != nil {
			return nil, err
		}
		if clew.EventType(env.Type) == clew.EventSyncComplete {
			break
		}
	}
	return &state, nil
}
