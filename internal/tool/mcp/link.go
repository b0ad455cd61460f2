package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits on what a server may say about itself.
const (
	maxTools      = 2048
	maxListBytes  = 8 << 20
	maxSchema     = 64 << 10
	maxText       = 4 << 10 // a description, or a server's message in a question
	maxErrorText  = 1 << 10
	legacyVersion = "2025-11-25"
)

// errGone is why a call is cut when its connection ends.
var errGone = errors.New("the connection to the tool server ended")

// A link is one connection to a server. The server's goroutine owns it.
type link struct {
	session *sdk.ClientSession
	proc    *process // nil over HTTP
	http    *http.Transport
	redact  *redactor
	grace   time.Duration
	relist  chan struct{} // the server says that its tools changed
	ended   chan error    // the connection ended by itself
	gone    chan struct{} // closed when all of it is over; then lost is set
	lost    error
}

// connect starts or reaches the server and reads its tools. The error is safe
// to show.
func (s *server) connect(parent context.Context, failures int) (*link, error) {
	ctx, cancel := context.WithTimeout(parent, s.m.time.connect)
	defer cancel()
	l := &link{
		grace: s.m.time.grace, relist: make(chan struct{}, 1),
		ended: make(chan error, 1), gone: make(chan struct{}),
	}
	transport, err := s.transport(ctx, l)
	if err != nil {
		return nil, err
	}
	kept := &keeper{Transport: transport}
	l.session, err = s.client(l).Connect(ctx, kept, versionFor(failures))
	if err != nil {
		kept.close()
		return nil, l.close(explain(ctx, err, s.m.time.connect), func() {})
	}
	go func() { l.ended <- l.session.Wait() }()
	if err := s.list(ctx, l); err != nil {
		return nil, l.close(explain(ctx, err, s.m.time.connect), func() {})
	}
	return l, nil
}

// versionFor asks for the older handshake at every second attempt: there are
// servers that do not survive the newer one.
func versionFor(failures int) *sdk.ClientSessionOptions {
	if failures%2 == 1 {
		return &sdk.ClientSessionOptions{ProtocolVersion: legacyVersion}
	}
	return nil
}

func explain(ctx context.Context, err error, limit time.Duration) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it did not answer within %v", limit)
	}
	return err
}

// client makes the SDK's client. Sampling and roots are not offered.
func (s *server) client(l *link) *sdk.Client {
	version := s.m.opts.Version
	if version == "" {
		version = "dev"
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "clew", Version: version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		}, Extensions: map[string]any{viewExtension: map[string]any{"mimeTypes": []string{viewType}}}},
		ElicitationHandler: s.elicit,
		// Questions in the answer to a call are put by the call itself: the SDK
		// would do it in goroutines where a malformed one ends the program.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case l.relist <- struct{}{}:
			default: // it is going to be read anyway
			}
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			s.progress(req.Params)
		},
	})
	c.AddReceivingMiddleware(sturdy)
	c.AddSendingMiddleware(sturdy)
	return c
}

// sturdy keeps a message that the SDK stumbles over, such as a question without
// parameters, from ending the whole program.
func sturdy(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the message cannot be understood"}
			}
		}()
		return next(ctx, method, req)
	}
}

// list reads the server's tools, within limits.
func (s *server) list(ctx context.Context, l *link) error {
	var tools []*definition
	seen, bytes := map[string]bool{}, 0
	params := &sdk.ListToolsParams{}
	for page := 0; page < maxTools && len(tools) < maxTools && bytes < maxListBytes; page++ {
		res, err := l.session.ListTools(ctx, params)
		if err != nil {
			return err
		}
		for _, t := range res.Tools {
			if t == nil || seen[t.Name] || len(tools) == maxTools || bytes > maxListBytes {
				continue
			}
			seen[t.Name] = true
			d := define(l.redact.tool(t))
			bytes += d.size
			tools = append(tools, d)
		}
		if res.NextCursor == "" {
			break
		}
		params = &sdk.ListToolsParams{Cursor: res.NextCursor}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools, s.listed = tools, time.Now()
	return nil
}

// close ends the connection and everything that belongs to it. It gives the
// cause back in words that are safe to show.
func (l *link) close(cause error, cut func()) error {
	cut()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if l.session != nil {
			_ = l.session.Close()
		}
	}()
	tail := ""
	if l.proc != nil {
		l.proc.stop(l.grace)
		tail = l.proc.tail.text(l.redact)
	}
	<-closed
	if l.http != nil {
		l.http.CloseIdleConnections()
	}
	return l.say(cause, tail)
}

// say puts a failure into words: what the process said last is mostly the
// better half.
func (l *link) say(cause error, tail string) error {
	parts := []string{}
	if l.proc != nil {
		if state := l.proc.state(); state != "" {
			parts = append(parts, state)
		}
	}
	if cause != nil {
		parts = append(parts, cause.Error())
	}
	if len(parts) == 0 {
		parts = append(parts, "it closed the connection")
	}
	if tail != "" {
		parts = append(parts, "it said: "+tail)
	}
	return errors.New(cut(clean(l.redact.apply(strings.Join(parts, "; "))), maxErrorText+maxTail))
}

// A keeper remembers the connection that a transport made, so that it can be
// closed if the handshake fails half-way.
type keeper struct {
	sdk.Transport
	conn sdk.Connection
}

// Connect implements the SDK's Transport.
func (k *keeper) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := k.Transport.Connect(ctx)
	k.conn = conn
	return conn, err
}

func (k *keeper) close() {
	if k.conn != nil {
		_ = k.conn.Close()
	}
}
