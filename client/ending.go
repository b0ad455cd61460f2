package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A ClosedError says how the server closed a connection.
type ClosedError struct {
	Code   int
	Reason string
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("the server closed the connection: %d %s", e.Code, e.Reason)
}

// An ending is the end of a connection, or of an attempt, with what follows
// from it.
type ending struct {
	err    error
	normal bool // nothing went wrong, and nobody wants the connection back
	final  bool // trying again cannot help
}

func (e *ending) Error() string { return e.err.Error() }
func (e *ending) Unwrap() error { return e.err }

// closing reads how a connection ended. last is the error that the server
// reported right before, nil if there was none.
func closing(err error, last *clew.Error) error {
	var ce websocket.CloseError
	if !errors.As(err, &ce) {
		return &ending{err: err}
	}
	closed := &ClosedError{int(ce.Code), ce.Reason}
	return &ending{
		err:    closedAs(closed, last),
		normal: ce.Code == websocket.StatusNormalClosure && ce.Reason != wire.ReasonTakenOver,
		final:  !wire.Reconnect(wire.CloseCode(ce.Code), ce.Reason),
	}
}

// closedAs gives the close a code: that of its reason, else that of the error
// before it.
func closedAs(closed *ClosedError, last *clew.Error) error {
	code := clew.Code(closed.Reason)
	switch {
	case last != nil && (last.Code == code || code == ""):
		return &clew.Error{Code: last.Code, Message: last.Message, Err: closed, RetryAfterMS: last.RetryAfterMS}
	case code.Info().Code == code:
		return clew.WrapError(code, closed, "the server ended the connection")
	default:
		return clew.WrapError(clew.ConnectionFailed, closed, "the server ended the connection: %s", closed.Reason)
	}
}

// saidError gives the error that an envelope reports, nil if it is another one.
func saidError(env wire.Envelope) *clew.Error {
	if clew.EventType(env.Type) != clew.EventError {
		return nil
	}
	var d clew.ErrorData
	if json.Unmarshal(env.Data, &d) != nil {
		return nil
	}
	return d.Err()
}

// refusal reads why a handshake failed.
func refusal(resp *http.Response, err error) error {
	if resp == nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return &ending{err: clew.WrapError(clew.ConnectionFailed, err, "the server cannot be reached")}
	}
	var body []byte
	if resp.Body != nil {
		body, _ = io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what came of it is all there is
	}
	e := errorOf(resp, body)
	return &ending{err: e, final: !temporary(resp.StatusCode)}
}

// temporary reports whether the same request may succeed later.
func temporary(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
