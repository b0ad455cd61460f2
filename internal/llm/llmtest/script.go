package llmtest

import (
	"fmt"
	"regexp"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// A Script is a list of steps. It holds no state and may be played by several
// servers at once.
type Script struct {
	Steps []Step
}

// A Step answers the requests that its When matches.
type Step struct {
	Name  string // for messages; may be empty
	Line  int    // where it stands in the script
	When  When
	Times int // how often a conversation may use it, 0 for any number
	Reply []Item
}

func (s *Step) String() string {
	if s.Name != "" {
		return fmt.Sprintf("%q (line %d)", s.Name, s.Line)
	}
	return fmt.Sprintf("at line %d", s.Line)
}

// When holds conditions on a request. Those that are set must all hold.
type When struct {
	LastUser   *TextMatch
	System     *TextMatch
	Model      *TextMatch
	ToolResult *ResultMatch
	HasTool    []string
	Call       int // 1 for the first request of the conversation
	Turn       int // 1 as long as the history holds no answer, 2 with one, …
}

// A TextMatch is a condition on a text. What is set must hold.
type TextMatch struct {
	Contains string
	Equals   *string
	Regexp   *regexp.Regexp
}

// A ResultMatch is a condition on a tool result since the last answer.
type ResultMatch struct {
	Tool    string
	ID      string
	Text    *TextMatch
	IsError *bool
}

// An Item is one thing that a reply does. Exactly one kind is set.
type Item struct {
	Line   int
	Kind   ItemKind
	Text   Text          // text, thinking, malformed; wait: the gate
	Pieces int           // text, thinking, tool: number of pieces, 0 for the default
	Tool   Tool          // tool
	Delay  time.Duration // delay; slow: the wait before each piece from here on
	Usage  Usage         // usage
	Stop   llm.StopReason
	Status Status  // status
	Error  Failure // error
}

// An ItemKind is the key that an item has in the script.
type ItemKind string

// The kinds of items.
const (
	ItemThinking  ItemKind = "thinking"
	ItemText      ItemKind = "text"
	ItemTool      ItemKind = "tool"
	ItemDelay     ItemKind = "delay"
	ItemSlow      ItemKind = "slow"
	ItemWait      ItemKind = "wait"
	ItemUsage     ItemKind = "usage"
	ItemStop      ItemKind = "stop"
	ItemPing      ItemKind = "ping"
	ItemStatus    ItemKind = "status"
	ItemError     ItemKind = "error"
	ItemCut       ItemKind = "cut"
	ItemMalformed ItemKind = "malformed"
	ItemStall     ItemKind = "stall"
)

// A Text is a text that may hold a template.
type Text struct {
	Raw    string
	pieces []piece // nil if Raw is to be taken as it is
}

// A Tool is a tool call.
type Tool struct {
	Name string
	ID   Text // made up if empty
	// Input is a JSON value whose strings are Texts. Raw, if set, is sent in its
	// place as it is, so that a script can break an input or leave it unfinished.
	Input any
	Raw   *string
}

// Usage is what the answer says it took. Input counts only what was neither
// read from nor written to the cache, on both wires.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
}

// A Status answers with an HTTP error in place of a stream.
type Status struct {
	Code       int
	RetryAfter time.Duration
	Failure    Failure
	Body       *string // sent as it is, in place of the vendor's form
}

// A Failure is an error in the vendor's form.
type Failure struct {
	Type    string // the vendor's name of the error, made up if empty
	Message string

	wait time.Duration // Google tells it in the error
}
