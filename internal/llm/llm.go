// Package llm is what the agent knows of model providers: one small interface,
// the errors that matter to a caller, and what models cost. The providers are
// its sub-packages.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/clew-run/clew"
)

// A Provider makes model calls. Implementations are safe for concurrent use.
type Provider interface {
	// Stream makes one call. It hands each piece to on as it arrives and returns
	// the whole answer. An error of on ends the call and is returned as it is;
	// every other error is an *Error. Stream does not retry: its caller does,
	// and shows it.
	Stream(ctx context.Context, req Request, on func(Delta) error) (Answer, error)
}

// A Request is one model call.
type Request struct {
	Model    string
	System   string
	Messages []clew.ModelMessage // none hidden, tool results right after their calls
	Tools    []Tool
	// MaxTokens bounds the answer; 0 leaves it to the model's limit.
	MaxTokens int
	// Thinking asks for thoughts: "" or off, low, medium, high.
	Thinking    string
	Temperature *float64
	// Image loads an image by its blob address. Data URLs never reach it.
	Image func(ctx context.Context, address string) (mediaType string, data []byte, err error)
	// User tells a provider's abuse detection callers apart; never a name.
	User string
}

// A Tool is a tool as a model sees it.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the input, an object
}

// A DeltaKind says what a Delta is a piece of.
type DeltaKind int

// The kinds of deltas.
const (
	DeltaText DeltaKind = iota
	DeltaThinking
	DeltaToolStart // ToolCallID and Tool are known
	DeltaToolInput // a piece of the call's input, as JSON text
)

// A Delta is one piece of an answer.
type Delta struct {
	Kind       DeltaKind
	Text       string
	ToolCallID string
	Tool       string
}

// A StopReason says why an answer ended.
type StopReason string

// The stop reasons.
const (
	StopEnd       StopReason = "end"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
)

// An Answer is what a call came to.
type Answer struct {
	// Parts holds thinking, text and tool calls in the order they came. The
	// input of each tool call is a JSON object.
	Parts []clew.Part
	// Usage counts each token once: TokensIn leaves out what was written to or
	// read from the provider's cache. CostUSD is filled in by the caller, from
	// the catalogue.
	Usage clew.Usage
	// Estimated says that the provider sent no usage and Usage is a guess.
	Estimated bool
	Stop      StopReason
	Model     string // the model that answered, as the provider names it
}

// A Kind says what a caller can do about a failed call.
type Kind string

// The kinds of failures.
const (
	KindOverloaded Kind = "overloaded"     // 429, 503, 529: wait and try again
	KindUnstable   Kind = "unstable"       // 5xx, a cut connection, a stall, a broken stream: try again
	KindAuth       Kind = "auth"           // the key is missing or refused
	KindRequest    Kind = "request"        // the call itself is refused; another try is of no use
	KindContext    Kind = "context_length" // the history is too long for the model
	KindQuota      Kind = "quota"          // no money left at the provider
)

// An Error is a failed call. Its text is safe for people: it holds no secret
// and no address with credentials.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 if there was no answer
	RetryAfter time.Duration // what the provider asked for, 0 if nothing
	Message    string
	Err        error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Status)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same call may succeed a little later.
func (e *Error) Temporary() bool { return e.Kind == KindOverloaded || e.Kind == KindUnstable }

// AsError gives the *Error in err; anything else is unstable.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: KindUnstable, Message: "the model call failed", Err: err}
}
