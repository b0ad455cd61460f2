package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/tool"
)

var errTimeout = errors.New("the call took too long")

// A call is one call under way. Its clock stands still while a person is asked.
type call struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	out    tool.Output
	token  string
	limit  time.Duration
	clock  *time.Timer

	asking sync.Mutex // one question at a time
	asked  int
}

type callKey struct{}

func (r *remote) run(ctx context.Context, out tool.Output, d *definition, tc tool.Call, input json.RawMessage) (tool.Result, error) {
	present, err := r.now()
	if err != nil {
		return tool.Result{}, err
	}
	if present.hash != d.hash && !planted.Bug("changed tool called") {
		return tool.Result{}, clew.Errorf(clew.ToolExecutionFailed,
			"the tool changed after the call was prepared; nothing was run, call it again")
	}
	s := r.m.server(r.server)
	if s == nil {
		return tool.Result{}, unavailable(r.server, "it was stopped")
	}
	c := newCall(ctx, out, tc.ID, s.limit())
	defer c.end()
	l, err := s.begin(c)
	if err != nil {
		return tool.Result{}, err
	}
	defer s.finish(c)
	params := &sdk.CallToolParams{Name: d.name, Arguments: input}
	params.SetProgressToken(c.token)
	res, err := s.converse(context.WithValue(c.ctx, callKey{}, c), l, params)
	if err != nil {
		return tool.Result{}, c.failure(s, l, err)
	}
	result := l.result(res)
	if r.page {
		result.Answer = l.told(res, &result)
		return result, nil
	}
	l.showIn(c.ctx, d, input, res, &result)
	return result, nil
}

// maxRounds is how often a server may answer a call with questions.
const maxRounds = 10

// converse calls a tool. A server that needs to know something first answers
// with questions, and is called again with what the person said.
func (s *server) converse(ctx context.Context, l *link, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	for range maxRounds {
		res, err := l.session.CallTool(ctx, params)
		if err != nil || !res.NeedsInput() {
			return res, err
		}
		next := *params
		next.InputResponses, next.RequestState = sdk.InputResponseMap{}, res.RequestState
		for id, request := range res.InputRequests {
			p, ok := request.(*sdk.ElicitParams)
			if !ok || p == nil {
				return nil, errors.New("it asks for something that is not offered")
			}
			answer, err := s.elicit(ctx, &sdk.ElicitRequest{Session: l.session, Params: p})
			if err != nil {
				return nil, err
			}
			next.InputResponses[id] = answer
		}
		params = &next
	}
	return nil, errors.New("it asks again and again")
}

func newCall(ctx context.Context, out tool.Output, id string, limit time.Duration) *call {
	c := &call{out: out, limit: limit, token: "call-" + short(id, fmt.Sprint(time.Now().UnixNano()))}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.clock = time.AfterFunc(limit, func() { c.cancel(errTimeout) })
	return c
}

func (c *call) end() {
	c.clock.Stop()
	c.cancel(nil)
}

// limit is how long a call may take, as the settings say now.
func (s *server) limit() time.Duration {
	if sec := s.m.opts.Servers()[s.name].TimeoutSec; sec > 0 {
		return time.Duration(sec) * time.Second
	}
	return s.m.time.call
}

// begin counts a call in, so that it ends when the connection does.
func (s *server) begin(c *call) (*link, error) {
	l, err := s.live()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != l {
		return nil, unavailable(s.name, "the connection ended")
	}
	s.calls[c] = true
	return l, nil
}

func (s *server) finish(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, c)
}

// failure puts the end of a call without a result into words. What the server
// did until then nobody knows.
func (c *call) failure(s *server, l *link, err error) error {
	cause := context.Cause(c.ctx)
	var wire *jsonrpc.Error
	switch {
	case errors.Is(cause, errTimeout):
		return clew.Errorf(clew.ToolTimeout,
			"tool server %s did not answer within %v; it is not known what the call did", s.name, c.limit)
	case cause != nil && !errors.Is(cause, errGone):
		return cause
	case errors.As(err, &wire):
		return clew.Errorf(clew.ToolExecutionFailed, "tool server %s refused the call: %s",
			s.name, line(l.redact.apply(wire.Message), maxErrorText))
	}
	return clew.Errorf(clew.ToolExecutionFailed, "tool server %s failed during the call; it is not known what the call did: %s",
		s.name, s.whyLost(l, err))
}

// whyLost waits a moment for the end of a broken connection: the process's last
// words tell more than the broken pipe.
func (s *server) whyLost(l *link, err error) string {
	t := time.NewTimer(2*l.grace + time.Second)
	defer t.Stop()
	if broken(err) {
		select {
		case <-l.gone:
			return l.lost.Error()
		case <-t.C:
		}
	}
	return line(l.redact.apply(err.Error()), maxErrorText)
}

// broken reports whether an error of a call is the end of the connection.
func broken(err error) bool {
	for _, end := range []error{sdk.ErrConnectionClosed, context.Canceled, io.EOF, io.ErrUnexpectedEOF, os.ErrClosed, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// progress passes on how far a call is.
func (s *server) progress(p *sdk.ProgressNotificationParams) {
	s.mu.Lock()
	var found *call
	for c := range s.calls {
		if p != nil && p.ProgressToken == c.token {
			found = c
		}
	}
	l := s.link
	s.mu.Unlock()
	if found == nil || l == nil {
		return
	}
	status := clew.ProgressStatus{Text: line(l.redact.apply(p.Message), maxSummary)}
	if p.Total > 0 && p.Progress >= 0 {
		percent := int(min(p.Progress/p.Total, 1) * 100)
		status.Percentage = &percent
	}
	found.out.Progress(status)
}

// address is a URL as people may see it: without credentials and parameters.
func address(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || raw == "" {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return clean(u.String())
}
