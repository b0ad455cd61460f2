package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// maxRetryAfter keeps a provider from parking a task for days.
const maxRetryAfter = time.Hour

// Broken is a stream that is no answer. Another try may bring one.
func Broken(format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindUnstable, Message: fmt.Sprintf(format, args...)}
}

// Refused is a call that cannot be made as it is.
func Refused(cause error, format string, args ...any) *llm.Error {
	return &llm.Error{Kind: llm.KindRequest, Message: fmt.Sprintf(format, args...), Err: cause}
}

// Failure says what the error of a call means. The cause it keeps is text only:
// the errors of the SDKs hold requests, and those hold the key.
func Failure(ctx context.Context, err error, secrets Secrets) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Message = secrets.Clean(e.Message)
		return e
	}
	if ctx.Err() != nil {
		return &llm.Error{Kind: llm.KindUnstable, Message: "the model call was stopped", Err: ctx.Err()}
	}
	if s, ok := errors.AsType[*StatusError](err); ok {
		return fromStatus(s, secrets, time.Now())
	}
	e := &llm.Error{Kind: llm.KindUnstable, Message: lost(err), Err: errors.New(secrets.clean(err.Error(), maxCause))}
	for _, known := range []error{ErrStalled, errTooMuch} {
		if errors.Is(err, known) {
			e.Err = known
		}
	}
	return e
}

// Cut reports whether a stream ended by the network's doing, or by the
// watchdog's, and not because of what was in it.
func Cut(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, ErrStalled) || errors.Is(err, io.ErrUnexpectedEOF)
}

func fromStatus(s *StatusError, secrets Secrets, now time.Time) *llm.Error {
	said := parse(s.Body)
	e := said.failure(s.Host, s.Status, secrets)
	if e.RetryAfter = retryAfter(s.Header, now); e.RetryAfter == 0 {
		e.RetryAfter = said.wait
	}
	if s.Status/100 == 3 {
		e.Kind, e.Message = llm.KindRequest, called(s.Host)+" sends the call elsewhere, which is not followed: set base_url to the final address"
	}
	if s.Status/100 == 2 && said.message == "" {
		e.Message = called(s.Host) + " answered without a stream"
	}
	return e
}

// InStream says what an error that came as part of a stream means. The status
// of its HTTP answer was 200 and says nothing.
func InStream(data []byte, secrets Secrets) *llm.Error {
	said := parse(data)
	e := said.failure("", 0, secrets)
	e.Status, e.RetryAfter = 0, said.wait
	return e
}

// statement is what a provider says about a failure, in any of the shapes in
// use: {"error":{"message","type","code"}}, {"error":"…"}, {"message":"…"},
// {"detail":"…"}, and Google's {"error":{"message","code","status","details"}},
// which may come in a list.
type statement struct {
	message string
	words   []string      // type, code, and Google's status and reasons
	status  int           // a code that is a number
	wait    time.Duration // as Google tells it
}

func parse(body []byte) statement {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return statement{} // a proxy's page tells people nothing
	}
	fields := top
	var inner map[string]json.RawMessage
	if json.Unmarshal(top["error"], &inner) == nil && inner != nil {
		fields = inner
	}
	var s statement
	for _, from := range []json.RawMessage{fields["message"], top["error"], top["message"], top["detail"]} {
		if json.Unmarshal(from, &s.message) == nil && s.message != "" {
			break
		}
	}
	for _, from := range []json.RawMessage{fields["type"], fields["code"], fields["status"]} {
		var word string
		var number float64
		switch {
		case json.Unmarshal(from, &word) == nil && word != "":
			s.words = append(s.words, word)
		case json.Unmarshal(from, &number) == nil && number >= 400 && number < 600:
			s.status = int(number)
		}
	}
	s.readDetails(fields["details"])
	return s
}

// readDetails reads what Google adds to an error: a reason, and how long to wait.
func (s *statement) readDetails(data json.RawMessage) {
	var details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"` // "34.5s"
	}
	if json.Unmarshal(data, &details) != nil {
		return
	}
	for _, d := range details {
		if d.Reason != "" {
			s.words = append(s.words, d.Reason)
		}
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			s.wait = min(max(wait, 0), maxRetryAfter)
		}
	}
}

func (s statement) failure(host string, status int, secrets Secrets) *llm.Error {
	if status/100 == 2 || status == 0 {
		status = s.status
	}
	e := &llm.Error{Kind: s.kind(status), Status: status}
	why := strings.TrimRight(secrets.Clean(s.message), ". ")
	if why == "" {
		why = http.StatusText(status)
	}
	e.Message = called(host) + " " + complaints[e.Kind]
	if why != "" {
		e.Message += ": " + why
	}
	return e
}

// complaints say what a provider's refusal comes to; its own words follow.
var complaints = map[llm.Kind]string{
	llm.KindOverloaded: "is busy",
	llm.KindUnstable:   "failed",
	llm.KindAuth:       "refused the key",
	llm.KindRequest:    "refused the call",
	llm.KindContext:    "refused the call as too long",
	llm.KindQuota:      "wants to be paid first",
}

// kind goes by the provider's own words first: many failures share a status.
func (s statement) kind(status int) llm.Kind {
	switch {
	case s.is("insufficient_quota", "billing_error", "insufficient_credits") || s.says("credit balance is too low", "insufficient credits") || status == http.StatusPaymentRequired:
		return llm.KindQuota
	case s.is("context_length_exceeded", "exceed_context_size_error", "request_too_large") || status == http.StatusRequestEntityTooLarge || s.saysTooLong(status):
		return llm.KindContext
	case s.is("overloaded_error", "rate_limit_error", "rate_limit_exceeded", "throttlingexception", "serviceunavailableexception"):
		return llm.KindOverloaded
	case s.is("authentication_error", "permission_error", "invalid_api_key", "api_key_invalid", "accessdeniedexception"):
		return llm.KindAuth
	case s.is("invalid_request_error", "not_found_error", "invalid_prompt", "validationexception") && status < 500:
		return byStatus(status, llm.KindRequest)
	}
	return byStatus(status, llm.KindUnstable)
}

func byStatus(status int, otherwise llm.Kind) llm.Kind {
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == 529:
		return llm.KindOverloaded
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.KindAuth
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500:
		return llm.KindUnstable
	case status >= 400:
		return llm.KindRequest
	}
	return otherwise
}

func (s statement) is(words ...string) bool {
	return slices.ContainsFunc(s.words, func(w string) bool { return slices.Contains(words, strings.ToLower(w)) })
}

func (s statement) says(phrases ...string) bool {
	lower := strings.ToLower(s.message)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(lower, p) })
}

func (s statement) saysTooLong(status int) bool {
	if status != 0 && (status < 400 || status == http.StatusTooManyRequests) {
		return false
	}
	return s.says("prompt is too long", "maximum context length", "exceed context limit", "context window",
		"available context size", "input is too long", "input token count")
}

// retryAfter reads how long the provider asks to wait: retry-after-ms, or
// Retry-After in seconds or as a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := number(h.Get("Retry-After-Ms")); ok {
		return bounded(ms, time.Millisecond)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := number(value); ok {
		return bounded(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}

func number(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && !math.IsNaN(f)
}

func bounded(n float64, unit time.Duration) time.Duration {
	return time.Duration(min(max(n*float64(unit), 0), float64(maxRetryAfter)))
}
