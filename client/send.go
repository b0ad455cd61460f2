package client

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A call is a command whose answer somebody waits for. All but answer is under
// the client's mu.
type call struct {
	frame  []byte
	sentOn *websocket.Conn    // where it was said last
	answer chan wire.Envelope // holds one
}

// A command is what a client sends. The server sets the time itself.
type command struct {
	Type      clew.CommandType     `json:"type"`
	SessionID clew.SessionID       `json:"session_id"`
	MessageID clew.ClientMessageID `json:"message_id,omitempty"`
	Data      any                  `json:"data,omitempty"`
}

// Send sends a command and waits for no answer. It returns the id that the
// command went under; with SendAs it can be said again under the same id, and
// the server then recognises the repeat. An error means that it may or may not
// have arrived, except for code INVALID_MESSAGE, with which it was not sent.
func (c *Client) Send(ctx context.Context, typ clew.CommandType, data any) (clew.ClientMessageID, error) {
	id := c.opts.NewID()
	return id, c.SendAs(ctx, id, typ, data)
}

// SendAs is Send with an id of the caller's choice.
func (c *Client) SendAs(ctx context.Context, id clew.ClientMessageID, typ clew.CommandType, data any) error {
	frame, err := c.encode(id, typ, data)
	if err != nil {
		return err
	}
	c.mu.Lock()
	ws := c.ws
	c.remember(typ, data)
	c.mu.Unlock()
	if ws == nil {
		return clew.Errorf(clew.ConnectionFailed, "not connected")
	}
	return c.write(ctx, ws, frame)
}

// Do sends a command and waits for the answer that names it: message_accepted,
// message_queued, or what the command asks for; in the view of the state the
// state_changed that has its effect. If the server refuses it, the
// error is the server's. When the connection breaks meanwhile the command is
// said again under the same id, so it takes effect once. Do needs a Follow
// that goes on taking envelopes, or Options.NoFollow. A command whose success
// shows in a record that does not name it, such as rename_session, has no such
// answer: use Send, or API.Command, which returns a receipt for each.
func (c *Client) Do(ctx context.Context, typ clew.CommandType, data any) (wire.Envelope, error) {
	id := c.opts.NewID()
	frame, err := c.encode(id, typ, data)
	if err != nil {
		return wire.Envelope{}, err
	}
	k := &call{frame: frame, answer: make(chan wire.Envelope, 1)}
	c.mu.Lock()
	c.calls[id] = k
	c.remember(typ, data)
	ws := c.ws
	k.sentOn = ws
	c.mu.Unlock()
	defer c.forget(id)
	if ws != nil {
		_ = c.write(ctx, ws, frame) // if it fails the connection breaks, and sayAgain follows
	}
	select {
	case env := <-k.answer:
		if e := saidError(env); e != nil {
			return env, e
		}
		return env, nil
	case <-ctx.Done():
		return wire.Envelope{}, ctx.Err()
	case <-c.done:
		if err := c.Err(); err != nil {
			return wire.Envelope{}, err
		}
		return wire.Envelope{}, clew.Errorf(clew.ConnectionFailed, "the client is closed")
	}
}

func (c *Client) forget(id clew.ClientMessageID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// remember keeps a subscription, which a new connection must be told again. It
// goes without an id then: as a repeat it would have no effect. c.mu is held.
func (c *Client) remember(typ clew.CommandType, data any) {
	if typ != clew.CommandSubscribeMonitor {
		return
	}
	c.filtered.Store(true)
	frame, err := c.encode("", typ, data)
	if err != nil || slices.ContainsFunc(c.monitors, func(f []byte) bool { return bytes.Equal(f, frame) }) {
		return
	}
	c.monitors = append(c.monitors, frame)
	c.monitorsOn = c.ws
}

// encode makes a command's frame after a look into the catalogue, so that a
// slip is found here and not by the server.
func (c *Client) encode(id clew.ClientMessageID, typ clew.CommandType, data any) ([]byte, error) {
	if err := fits(typ, data); err != nil {
		return nil, err
	}
	b, err := json.Marshal(command{typ, c.opts.Session, id, data})
	if err != nil {
		return nil, clew.WrapError(clew.InvalidMessage, err, "%s cannot be encoded", typ)
	}
	return b, nil
}

// fits checks that data is the catalogue's struct for typ, or of no struct
// type at all: JSON from elsewhere is left to the server.
func fits(typ clew.CommandType, data any) error {
	info, ok := clew.CommandInfoOf(typ)
	if !ok {
		return clew.Errorf(clew.InvalidMessage, "unknown command type %q", typ)
	}
	t := reflect.TypeOf(data)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && t.Kind() == reflect.Struct && t != reflect.TypeOf(info.Data) {
		return clew.Errorf(clew.InvalidMessage, "%s takes %T, not %T", typ, info.Data, data)
	}
	return nil
}

func (c *Client) pong() []byte {
	b, err := json.Marshal(command{Type: clew.CommandPong, SessionID: c.opts.Session})
	if err != nil {
		panic(err) // two strings always encode
	}
	return b
}

func (c *Client) write(ctx context.Context, ws *websocket.Conn, frame []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if err := ws.Write(ctx, websocket.MessageText, frame); err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "the command could not be sent")
	}
	return nil
}

// sayAgain tells a new connection what the old one knew: the monitors to show
// and the commands that are still without an answer. It comes after the
// replay, which may have brought answers.
func (c *Client) sayAgain(ws *websocket.Conn) error {
	c.mu.Lock()
	var frames [][]byte
	if c.monitorsOn != ws {
		c.monitorsOn = ws
		frames = append(frames, c.monitors...)
	}
	for _, k := range c.calls {
		if k.sentOn != ws {
			k.sentOn = ws
			frames = append(frames, k.frame)
		}
	}
	c.mu.Unlock()
	for _, f := range frames {
		if err := c.write(c.hard, ws, f); err != nil {
			return err
		}
	}
	return nil
}

// answeredIn finds the command's id in the data of an answer.
func answeredIn(data json.RawMessage) clew.ClientMessageID {
	var d struct {
		ClientMessageID clew.ClientMessageID `json:"client_message_id"`
		Context         clew.ErrorContext    `json:"context"`
	}
	if json.Unmarshal(data, &d) != nil {
		return "" // not about a command
	}
	if d.ClientMessageID != "" {
		return d.ClientMessageID
	}
	return d.Context.ClientMessageID
}

// settle hands an answer to the Do that waits for it.
func (c *Client) settle(env wire.Envelope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) == 0 {
		return
	}
	for _, id := range answers(env) {
		if k, ok := c.calls[id]; ok {
			k.answer <- env
			delete(c.calls, id)
		}
	}
}

// answers names the commands that an envelope answers.
func answers(env wire.Envelope) []clew.ClientMessageID {
	switch {
	case env.ClientMessageID != "":
		return []clew.ClientMessageID{env.ClientMessageID}
	case clew.EventType(env.Type) != clew.EventStateChanged:
		return []clew.ClientMessageID{answeredIn(env.Data)}
	}
	var d struct {
		Commands []clew.ClientMessageID `json:"commands"`
	}
	if json.Unmarshal(env.Data, &d) != nil {
		return nil // position finds fault with it
	}
	return d.Commands
}
