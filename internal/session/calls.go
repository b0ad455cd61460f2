package session

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// callRequest is a request from one node to another about a session.
type callRequest struct {
	Op       string               `json:"op"` // do, create, access, state, since, overview, head, seal, wake, present, delete, show, own
	Session  clew.SessionID       `json:"session"`
	By       clew.Principal       `json:"by"`
	Type     clew.CommandType     `json:"type,omitempty"`
	ClientID clew.ClientMessageID `json:"client_message_id,omitempty"`
	Data     json.RawMessage      `json:"data,omitempty"`
	Limit    int64                `json:"limit_ms"`
	Node     string               `json:"node,omitempty"`
	Viewers  []clew.Viewer        `json:"viewers,omitempty"`
	Cursor   uint64               `json:"cursor,omitempty"`
}

// callResult is what comes back.
type callResult struct {
	Code    clew.Code          `json:"code,omitempty"`
	Message string             `json:"message,omitempty"`
	NotHere bool               `json:"not_here,omitempty"`
	Receipt Receipt            `json:"receipt,omitzero"`
	Role    clew.Role          `json:"role,omitempty"`
	State   *clew.SessionState `json:"state,omitempty"`
	View    *Overview          `json:"view,omitempty"`
	Total   int                `json:"total,omitempty"`
	Removed []core.Span        `json:"removed,omitempty"`
	Open    []clew.MessageID   `json:"open,omitempty"`
	Repeat  bool               `json:"repeat,omitempty"`
	Head    uint64             `json:"head,omitempty"`
	Change  *view.Change       `json:"change,omitempty"`
}

// errNotHere says that the node asked is not the owner; look again who is.
var errNotHere = errors.New("the session is not at the node that was asked")

type newSessionData struct {
	Title     string                    `json:"title"`
	Workspace string                    `json:"workspace"`
	Forked    *clew.ForkPoint           `json:"forked,omitempty"`
	Settings  map[string]any            `json:"settings,omitempty"`
	Imported  *clew.SessionImportedData `json:"imported,omitempty"`
	Node      string                    `json:"node,omitempty"`
	// Environment is that of the owner's terminal.
	Environment map[string]string `json:"environment,omitempty"`
}

func (h *Host) callDo(ctx context.Context, node string, id clew.SessionID, cmd clew.Command) (Receipt, error) {
	c := callRequest{Op: "do", Session: id, By: cmd.By, Type: cmd.Type, ClientID: cmd.ClientMessageID}
	if c.ClientID == "" {
		return Receipt{}, clew.Errorf(clew.Internal, "a command for another node has no name to recognise a repeat by")
	}
	data := cmd.Data
	if n, ok := data.(*decide.CreateCommand); ok {
		c.Op, data = "create", newSessionData{n.Title, n.Workspace, n.Forked, n.Settings, n.Imported, n.Node, n.Environment}
	}
	var err error
	if c.Data, err = json.Marshal(data); err != nil {
		return Receipt{}, err
	}
	a, err := h.call(ctx, node, c)
	a.Receipt.Repeat = a.Repeat
	return a.Receipt, err
}

func (h *Host) callAccess(ctx context.Context, node string, id clew.SessionID, p clew.Principal) (clew.Role, error) {
	a, err := h.call(ctx, node, callRequest{Op: "access", Session: id, By: p})
	return a.Role, err
}

func (h *Host) callState(ctx context.Context, node string, id clew.SessionID) (clew.SessionState, error) {
	a, err := h.askState(ctx, node, id)
	if err != nil {
		return clew.SessionState{}, err
	}
	return *a.State, nil
}

func (h *Host) callOverview(ctx context.Context, node string, id clew.SessionID) (Overview, error) {
	a, err := h.call(ctx, node, callRequest{Op: "overview", Session: id})
	if err == nil && a.View == nil {
		err = errNotHere
	}
	if err != nil {
		return Overview{}, err
	}
	return *a.View, nil
}

// callTail fills in what another node has of a transcript at hand.
func (h *Host) callTail(ctx context.Context, node string, t *view.Pager) error {
	a, err := h.askState(ctx, node, t.ID)
	if err != nil {
		return err
	}
	t.Tail, t.Queue, t.Total, t.Removed, t.Open = a.State.Messages, a.State.Queue, a.Total, a.Removed, a.Open
	t.Last, err = a.State.LastMessageID.Seq()
	return err
}

func (h *Host) askState(ctx context.Context, node string, id clew.SessionID) (callResult, error) {
	a, err := h.call(ctx, node, callRequest{Op: "state", Session: id})
	if err == nil && a.State == nil {
		err = errNotHere
	}
	return a, err
}

func (h *Host) callHead(ctx context.Context, node string, id clew.SessionID) (uint64, error) {
	a, err := h.call(ctx, node, callRequest{Op: "head", Session: id})
	return a.Head, err
}

func (h *Host) callSeal(ctx context.Context, node string, id clew.SessionID) error {
	_, err := h.call(ctx, node, callRequest{Op: "seal", Session: id})
	return err
}

func (h *Host) callWake(ctx context.Context, node string, id clew.SessionID) error {
	_, err := h.call(ctx, node, callRequest{Op: "wake", Session: id})
	return err
}

// callTry bounds one call, so that a node that died is not waited for longer
// than it takes to be noticed.
const callTry = 2 * time.Second

func (h *Host) call(ctx context.Context, node string, c callRequest) (callResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callTry)
	defer cancel()
	if deadline, ok := ctx.Deadline(); ok {
		c.Limit = time.Until(deadline).Milliseconds() //nolint:forbidigo // of a context, whose time is the machine's
	}
	req, err := json.Marshal(c)
	if err != nil {
		return callResult{}, err
	}
	b, err := h.cfg.Peers.Call(ctx, node, req)
	if err != nil {
		// The node may be dead; whether the command took effect there is told
		// by its client_message_id when it is sent again.
		return callResult{}, errors.Join(errNotHere, err)
	}
	var a callResult
	if err := json.Unmarshal(b, &a); err != nil {
		return a, err
	}
	switch {
	case a.NotHere:
		return a, errNotHere
	case a.Code != "":
		return a, &clew.Error{Code: a.Code, Message: a.Message}
	}
	return a, nil
}

// serveCall serves another node's call. It never passes a call on: the caller
// looks again who the owner is.
func (h *Host) serveCall(ctx context.Context, request []byte) []byte {
	var c callRequest
	var a callResult
	err := json.Unmarshal(request, &c)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(max(c.Limit, 1))*time.Millisecond)
		a, err = h.serve(ctx, c)
		cancel()
	}
	if err != nil {
		// A call that ran out of time is made again by the caller, if it has any
		// left: it knows the command by its name.
		if isTransient(err) || errors.Is(err, errStopping) || errors.Is(err, context.DeadlineExceeded) {
			a = callResult{NotHere: true}
		} else {
			e := clew.AsError(err)
			a = callResult{Code: e.Code, Message: e.Message}
		}
	}
	b, err := json.Marshal(a)
	if err != nil {
		return []byte(`{"not_here":true}`)
	}
	return b
}

func (h *Host) serve(ctx context.Context, c callRequest) (a callResult, err error) {
	s, release, err := h.acquire(ctx, c.Session, c.Op == "create")
	if err != nil {
		return a, err
	}
	defer release()
	switch c.Op {
	case "do", "create":
		cmd, err := c.command()
		if err != nil {
			return a, err
		}
		a.Receipt, err = s.do(ctx, cmd)
		a.Repeat = a.Receipt.Repeat
		return a, err
	case "access":
		err = s.read(ctx, func(s *Session) { a.Role = s.state.RoleOf(c.By) })
	case "state":
		err = s.read(ctx, func(s *Session) {
			st := s.sessionState()
			a.State, a.Total, a.Removed, a.Open = &st, s.state.Total, slices.Clone(s.state.Removed), s.state.UnsettledMessages()
		})
	case "since":
		s.stateLeft.Store(h.elapsed()) // somebody watches there
		var failed error
		err = s.read(ctx, func(s *Session) { a.Change, _, failed = s.since(c.Cursor) })
		if err == nil {
			err = failed
		}
	case "overview":
		err = s.read(ctx, func(s *Session) { o := s.overview(); a.View = &o })
	case "head":
		err = s.read(ctx, func(s *Session) { a.Head = s.head.Seq })
	case "seal":
		if err = s.sealNow(ctx); err == nil {
			err = h.cfg.Journal.Flush(ctx)
		}
	case "present":
		err = s.read(ctx, func(s *Session) { s.present(c.Node, c.Viewers) })
	case "wake":
		err = s.wake(ctx)
	case "delete", "show", "own":
		err = h.serveErasure(ctx, s, c)
	default:
		err = clew.Errorf(clew.InvalidMessage, "unknown call %q", c.Op)
	}
	return a, err
}

// command makes the command of a call again. The node that sent it has checked
// it against the catalogue.
func (c callRequest) command() (clew.Command, error) {
	cmd := clew.Command{Type: c.Type, ClientMessageID: c.ClientID, By: c.By}
	if c.Op == "create" {
		var n newSessionData
		err := json.Unmarshal(c.Data, &n)
		cmd.Data = &decide.CreateCommand{Owner: c.By.User, Title: n.Title, Workspace: n.Workspace, Forked: n.Forked, Settings: n.Settings, Imported: n.Imported, Node: n.Node, Environment: n.Environment}
		return cmd, err
	}
	info, ok := clew.CommandInfoOf(c.Type)
	if !ok {
		return cmd, clew.Errorf(clew.InvalidMessage, "unknown type %q", c.Type)
	}
	cmd.Data = info.New()
	return cmd, json.Unmarshal(c.Data, cmd.Data)
}
