package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/zmtp"
	"github.com/clew-run/clew/internal/term"
)

// ErrNotSent says that nothing of a request has left, so that it may be sent
// again. After any other error of Execute it is in doubt whether the kernel has it.
var ErrNotSent = zmtp.ErrNotSent

// An Execute is code to run.
type Execute struct {
	MsgID           string // the caller's; replies and output have it as ParentID
	Code            string
	Silent          bool
	StoreHistory    bool
	AllowStdin      bool
	StopOnError     bool
	UserExpressions map[string]string
	Subshell        string // the id of a subshell, "" for the main shell
}

// Execute sends code to run and does not wait for it. What follows comes over
// Messages, last execute_reply and the status idle, in either order.
func (c *Client) Execute(ctx context.Context, e Execute) error {
	if e.MsgID == "" || len(e.MsgID) > maxName {
		return clew.Errorf(clew.InvalidMessage, "code is sent with an id of at most %d bytes", maxName)
	}
	expressions := e.UserExpressions
	if expressions == nil {
		expressions = map[string]string{}
	}
	return c.send(ctx, Shell, header{MsgID: e.MsgID, Type: "execute_request", Subshell: e.Subshell}, nil, map[string]any{
		"code": e.Code, "silent": e.Silent, "store_history": e.StoreHistory,
		"user_expressions": expressions, "allow_stdin": e.AllowStdin, "stop_on_error": e.StopOnError,
	})
}

// Reply answers an input_request. Of that only MsgID is needed, so that another
// process than the one which was asked can answer. value is not kept.
func (c *Client) Reply(ctx context.Context, to Message, value []byte) error {
	parent := &header{MsgID: to.MsgID, Session: c.id, Type: "input_request", Version: Protocol}
	return c.send(ctx, Stdin, header{MsgID: c.nextID(), Type: "input_reply"}, parent, map[string]string{"status": "ok", "value": string(value)})
}

// Interrupt asks the kernel to interrupt what runs. It returns when the kernel
// has heard it.
func (c *Client) Interrupt(ctx context.Context) error {
	return c.request(ctx, Control, "interrupt_request", struct{}{}, nil)
}

// Shutdown asks the kernel to end. It returns when the kernel has agreed, and Done
// is closed when it has ended.
func (c *Client) Shutdown(ctx context.Context, restart bool) error {
	return c.request(ctx, Control, "shutdown_request", map[string]bool{"restart": restart}, nil)
}

// request sends a request of this Client's own and reads its reply into out,
// which may be nil.
func (c *Client) request(ctx context.Context, channel Channel, kind string, content, out any) error {
	id := c.nextID()
	reply := make(chan Message, 1)
	c.mu.Lock()
	c.requests[id] = reply
	c.mu.Unlock()
	defer func() { c.waiter(id); c.unexpect(id) }()
	if err := c.send(ctx, channel, header{MsgID: id, Type: kind}, nil, content); err != nil {
		return err
	}
	select {
	case m := <-reply:
		return m.result(kind, out)
	case <-ctx.Done():
		return clew.WrapError(clew.ConnectionTimeout, ctx.Err(), "the kernel did not answer %s", kind)
	case <-c.silent[channel]:
	}
	select { // the reply may be the last that was read
	case m := <-reply:
		return m.result(kind, out)
	default:
		return c.Err()
	}
}

// result reads a reply.
func (m Message) result(kind string, out any) error {
	if m.Problem != "" {
		return clew.Errorf(clew.InvalidMessage, "the kernel's answer to %s cannot be used: %s", kind, m.Problem)
	}
	var r struct {
		Status string `json:"status"`
		EName  string `json:"ename"`
		EValue string `json:"evalue"`
	}
	if err := json.Unmarshal(m.Content, &r); err != nil {
		return clew.WrapError(clew.InvalidMessage, err, "the kernel's answer to %s cannot be used", kind)
	}
	if r.Status != "ok" && r.Status != "" { // some kernels leave it out
		return clew.Errorf(clew.ExecutionFailed, "the kernel refused %s: %s", kind, brief(fmt.Sprintf("%s %s", r.EName, r.EValue)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(m.Content, out); err != nil {
		return clew.WrapError(clew.InvalidMessage, err, "the kernel's answer to %s cannot be used", kind)
	}
	return nil
}

// brief makes a kernel's words safe for a line.
func brief(s string) string {
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return term.CleanLine(s)
}

// send writes a message. An error after which the request is in doubt ends the
// Client, as half a message stands on the socket.
func (c *Client) send(ctx context.Context, channel Channel, h header, parent *header, content any) error {
	if err := c.Err(); err != nil {
		return errors.Join(ErrNotSent, err)
	}
	h.Session, h.Username, h.Version = c.id, "clew", Protocol
	h.Date = time.Now().UTC().Format(time.RFC3339Nano)
	frames, err := c.signer.encode(h, parent, content)
	if err != nil {
		return errors.Join(ErrNotSent, err)
	}
	if channel == Shell {
		c.expect(h.MsgID)
	}
	if err = c.channels[channel].Send(ctx, frames...); err == nil {
		return nil
	}
	c.unexpect(h.MsgID)
	if !errors.Is(err, ErrNotSent) {
		c.end(gone(channel, err))
	}
	return err
}

func (c *Client) nextID() string { return c.id + "-" + newID() }
