package clew

import (
	"errors"
	"fmt"
)

// A Code names a kind of failure on the wire. Number gives the numeric twin.
type Code string

// The error codes. Ranges by number: 1000 connection, 2000 authentication,
// 3000 session, 4000 execution, 5000 questions, 6000 storage.
const (
	ConnectionFailed  Code = "CONNECTION_FAILED"
	ConnectionTimeout Code = "CONNECTION_TIMEOUT"
	InvalidMessage    Code = "INVALID_MESSAGE"
	RateLimited       Code = "RATE_LIMITED"
	MessageTooLarge   Code = "MESSAGE_TOO_LARGE"

	AuthRequired Code = "AUTH_REQUIRED"
	AuthFailed   Code = "AUTH_FAILED"
	TokenExpired Code = "TOKEN_EXPIRED"
	Forbidden    Code = "FORBIDDEN"

	SessionNotFound     Code = "SESSION_NOT_FOUND"
	SessionExpired      Code = "SESSION_EXPIRED"
	SessionInvalidState Code = "SESSION_INVALID_STATE"
	MessageNotFound     Code = "MESSAGE_NOT_FOUND"
	TaskNotFound        Code = "TASK_NOT_FOUND"
	CursorLost          Code = "CURSOR_LOST"
	SessionDamaged      Code = "SESSION_DAMAGED"
	SessionTooNew       Code = "SESSION_TOO_NEW"
	SessionExists       Code = "SESSION_EXISTS"

	ExecutionFailed     Code = "EXECUTION_FAILED"
	TodoFailedCode      Code = "TODO_FAILED"
	ToolTimeout         Code = "TOOL_TIMEOUT"
	ToolExecutionFailed Code = "TOOL_EXECUTION_FAILED"
	QueueFull           Code = "QUEUE_FULL"
	AgentLimit          Code = "AGENT_LIMIT"
	BudgetExceeded      Code = "BUDGET_EXCEEDED"
	ProviderError       Code = "PROVIDER_ERROR"

	HitlTimeout         Code = "HITL_TIMEOUT"
	HitlInvalidResponse Code = "HITL_INVALID_RESPONSE"
	HitlRequestExpired  Code = "HITL_REQUEST_EXPIRED"

	StorageFailed    Code = "STORAGE_FAILED"
	CheckpointFailed Code = "CHECKPOINT_FAILED"
	SettingsInvalid  Code = "SETTINGS_INVALID"
	Unavailable      Code = "UNAVAILABLE"
	Internal         Code = "INTERNAL"
)

// A CodeInfo says what a code stands for. The table in PROTOCOL.md is made
// from Codes.
type CodeInfo struct {
	Code        Code
	Number      int
	Recoverable bool   // trying again, or acting as Action says, can help
	Action      string // suggested_action on the wire
	Doc         string
}

// Codes lists every error code in order of number.
var Codes = []CodeInfo{
	{ConnectionFailed, 1001, true, "reconnect", "the connection could not be set up"},
	{ConnectionTimeout, 1002, true, "reconnect", "nothing was heard in time"},
	{InvalidMessage, 1003, false, "fix_request", "not JSON, no or unknown type, or a field that does not fit"},
	{RateLimited, 1004, true, "wait", "too many messages; retry_after_ms says when to continue"},
	{MessageTooLarge, 1005, false, "fix_request", "a frame or body over the size limit"},
	{AuthRequired, 2001, true, "authenticate", "no credentials were given"},
	{AuthFailed, 2002, false, "authenticate", "the credentials are wrong, revoked or of another server"},
	{TokenExpired, 2003, true, "authenticate", "the token's time is over"},
	{Forbidden, 2004, false, "none", "the caller's rights do not cover this"},
	{SessionNotFound, 3001, false, "new_session", "no such session, or not one of the caller's"},
	{SessionExpired, 3002, false, "new_session", "the session's retention time is over"},
	{SessionInvalidState, 3003, false, "none", "the command does not fit the session's state"},
	{MessageNotFound, 3004, false, "none", "no such message in the session"},
	{TaskNotFound, 3005, false, "none", "no such task in the session"},
	{CursorLost, 3006, true, "resync", "the cursor is of another epoch or beyond the journal"},
	{SessionDamaged, 3007, false, "contact_operator", "the stored session failed verification and is not opened"},
	{SessionTooNew, 3008, true, "upgrade_server", "a newer server wrote the session; this one can show what it knows of it, and changes nothing"},
	{SessionExists, 3009, false, "new_session", "there is a session of this id already"},
	{ExecutionFailed, 4001, false, "none", "a run failed"},
	{TodoFailedCode, 4002, true, "retry", "a todo failed"},
	{ToolTimeout, 4003, true, "retry", "a tool took too long"},
	{ToolExecutionFailed, 4004, true, "retry", "a tool failed"},
	{QueueFull, 4005, true, "wait", "no room in the queue"},
	{AgentLimit, 4006, true, "wait", "as many agents or monitors as allowed"},
	{BudgetExceeded, 4007, true, "wait", "a budget is used up"},
	{ProviderError, 4008, true, "retry", "the model provider failed"},
	{HitlTimeout, 5001, false, "none", "a question's deadline passed"},
	{HitlInvalidResponse, 5002, true, "fix_request", "the answer does not fit the question"},
	{HitlRequestExpired, 5003, false, "none", "the question is settled already"},
	{StorageFailed, 6001, true, "retry", "the store did not take the record"},
	{CheckpointFailed, 6002, true, "retry", "a checkpoint could not be made or restored"},
	{SettingsInvalid, 6003, false, "fix_request", "a setting does not fit its schema"},
	{Unavailable, 6004, true, "retry", "no node can serve the session right now"},
	{Internal, 6999, false, "contact_operator", "a fault inside the server"},
}

var codeIndex = func() map[Code]CodeInfo {
	m := make(map[Code]CodeInfo, len(Codes))
	for _, c := range Codes {
		m[c.Code] = c
	}
	return m
}()

// Info looks the code up in Codes; an unknown code is described as Internal.
func (c Code) Info() CodeInfo {
	if info, ok := codeIndex[c]; ok {
		return info
	}
	return codeIndex[Internal]
}

// Number gives the code's number on the wire.
func (c Code) Number() int { return c.Info().Number }

// Error is clew's one error type at boundaries. Code and Message go to the
// wire and are safe for people; Err is the cause and goes to the log only.
type Error struct {
	Code    Code
	Message string
	Err     error

	// RetryAfterMS is set with RateLimited.
	RetryAfterMS int64
	// HasAdvice says that Message tells what to do about it, so that a client
	// needs no advice of its own.
	HasAdvice bool
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is match by code alone, so callers compare with
// &Error{Code: …} or use CodeOf.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == "" && t.Err == nil
}

// Errorf makes an Error whose message is safe to show to people.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Advised marks an error whose message tells what to do about it.
func (e *Error) Advised() *Error {
	e.HasAdvice = true
	return e
}

// WrapError keeps a cause for the log beside a message that is safe to show.
func WrapError(code Code, err error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// AsError finds the *Error in err's chain, or wraps err as Internal, so that
// an edge always has a code and a safe message.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "internal error", Err: err}
}

// CodeOf gives err's code, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}
