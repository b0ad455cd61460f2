package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/sentence"
)

// A problem is the one form in which errors leave the API.
type problem struct {
	status int
	cause  error       // for the log
	Body   problemBody `json:"error"`
	// Current is what there is in place of what the caller has seen, if that is
	// why it failed.
	Current any `json:"current,omitempty"`
}

type problemBody struct {
	Code            clew.Code `json:"code" doc:"What went wrong, as on the WebSocket"`
	Number          int       `json:"number" doc:"The code's number"`
	Message         string    `json:"message" doc:"For people"`
	Recoverable     bool      `json:"recoverable" doc:"Whether trying again, or acting as suggested, can help"`
	SuggestedAction string    `json:"suggested_action"`
	RetryAfterMS    int64     `json:"retry_after_ms,omitempty" doc:"When to try again"`
	HasAdvice       bool      `json:"has_advice,omitempty" doc:"The message itself tells what to do about it"`
}

// Error gives the message; huma wants it.
func (p *problem) Error() string { return p.Body.Message }

// GetStatus gives the HTTP status; huma wants it.
func (p *problem) GetStatus() int { return p.status }

// Unwrap gives the cause.
func (p *problem) Unwrap() error { return p.cause }

func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	e := clew.AsError(err)
	switch {
	case e.Code != clew.Internal:
	case errors.Is(err, context.DeadlineExceeded):
		e = clew.WrapError(clew.Unavailable, err, "the request took too long")
	case errors.Is(err, context.Canceled): // the server stops, or nobody is there to hear it
		e = clew.WrapError(clew.Unavailable, err, "the request was cut short")
	}
	return newProblem(statusOf(e.Code), e)
}

func newProblem(status int, e *clew.Error) *problem {
	info := e.Code.Info()
	return &problem{status: status, cause: e.Err, Body: problemBody{
		Code: e.Code, Number: info.Number, Message: sentence.Of(e.Message), Recoverable: info.Recoverable,
		SuggestedAction: info.Action, RetryAfterMS: e.RetryAfterMS, HasAdvice: e.HasAdvice,
	}}
}

// noSuch is for what has no code of its own on the WebSocket.
func noSuch(what string) *problem {
	return newProblem(http.StatusNotFound, clew.Errorf(clew.InvalidMessage, "no such %s", what))
}

// statusOf gives the HTTP status that fits a code.
func statusOf(c clew.Code) int {
	switch c {
	case clew.AuthRequired, clew.AuthFailed, clew.TokenExpired:
		return http.StatusUnauthorized
	case clew.Forbidden:
		return http.StatusForbidden
	case clew.SessionNotFound, clew.SessionExpired, clew.MessageNotFound, clew.TaskNotFound:
		return http.StatusNotFound
	case clew.SessionInvalidState, clew.SessionTooNew, clew.SessionExists, clew.CursorLost, clew.HitlRequestExpired, clew.HitlTimeout:
		return http.StatusConflict
	case clew.MessageTooLarge:
		return http.StatusRequestEntityTooLarge
	case clew.InvalidMessage, clew.HitlInvalidResponse, clew.SettingsInvalid:
		return http.StatusUnprocessableEntity
	case clew.RateLimited, clew.QueueFull, clew.AgentLimit, clew.BudgetExceeded:
		return http.StatusTooManyRequests
	case clew.Unavailable, clew.StorageFailed, clew.ProviderError, clew.ConnectionFailed, clew.ConnectionTimeout:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func writeError(w http.ResponseWriter, r *http.Request, err error) {
	writeProblem(w, r, problemOf(err))
}

func writeProblem(w http.ResponseWriter, r *http.Request, p *problem) {
	noteOf(r.Context()).problem = p
	for name, value := range p.headers() {
		w.Header().Set(name, value)
	}
	writeJSON(w, p.status, p)
}

// headers says in HTTP's words what the body says.
func (p *problem) headers() map[string]string {
	h := map[string]string{}
	if p.status == http.StatusUnauthorized {
		h["WWW-Authenticate"] = "Bearer"
		h["Connection"] = "close" // nobody is kept whom we do not know
	}
	if p.Body.RetryAfterMS > 0 {
		h["Retry-After"] = strconv.FormatInt((p.Body.RetryAfterMS+999)/1000, 10)
	}
	return h
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // fails only if the client is gone
}

// huma makes its errors through these two variables; there is no other way to
// give them our form. Nothing else in the program uses huma.
func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return humaProblem(status, msg, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		p := humaProblem(status, msg, errs)
		noteOf(ctx.Context()).problem = p
		for name, value := range p.headers() {
			ctx.SetHeader(name, value)
		}
		return p
	}
}

// humaProblem translates an error of a handler, or one that huma found itself.
func humaProblem(status int, msg string, errs []error) *problem {
	if len(errs) > 0 && status == http.StatusInternalServerError {
		return problemOf(errs[0])
	}
	code := clew.InvalidMessage
	switch {
	case status == http.StatusRequestEntityTooLarge:
		code = clew.MessageTooLarge
	case status == http.StatusRequestTimeout:
		code = clew.ConnectionTimeout
	case status >= http.StatusInternalServerError:
		code = clew.Internal
	case status == http.StatusBadRequest: // no JSON, or of the wrong form
		status = http.StatusUnprocessableEntity
	}
	var detail *huma.ErrorDetail
	if len(errs) > 0 && errors.As(errs[0], &detail) { // without the value, which may be a secret
		msg = fmt.Sprintf("%s: %s (%s)", msg, detail.Message, detail.Location)
	}
	return newProblem(status, clew.Errorf(code, "%s", msg))
}
