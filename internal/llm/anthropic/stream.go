package anthropic

import (
	"encoding/json"
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

func asAPIError(err error) (*sdk.Error, bool) { return errors.AsType[*sdk.Error](err) }

// A reader follows the events of one answer.
type reader struct {
	b      *call.Builder
	blocks map[int64]*call.Piece // open ones, by the provider's index
	begun  bool
	stop   string
	usage  clew.Usage
	model  string
	ended  bool
}

func (r *reader) event(e sdk.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		r.begun = true
		r.model = e.Message.Model
		u := e.Message.Usage
		r.count(u.InputTokens, u.OutputTokens, u.CacheCreationInputTokens, u.CacheReadInputTokens)
	case "content_block_start":
		return r.open(e)
	case "content_block_delta":
		return r.delta(e)
	case "content_block_stop":
		delete(r.blocks, e.Index)
	case "message_delta":
		if reason := string(e.Delta.StopReason); reason != "" {
			r.stop = reason
		}
		r.count(e.Usage.InputTokens, e.Usage.OutputTokens, e.Usage.CacheCreationInputTokens, e.Usage.CacheReadInputTokens)
	case "message_stop":
		r.ended = true
	}
	return nil // events of other types may be added by the vendor, and change nothing
}

// count takes the newest numbers. They are totals; those that an event leaves
// out are 0 and change nothing.
func (r *reader) count(in, out, writes, reads int64) {
	for _, c := range []struct {
		to *int64
		n  int64
	}{{&r.usage.TokensIn, in}, {&r.usage.TokensOut, out}, {&r.usage.CacheWrites, writes}, {&r.usage.CacheReads, reads}} {
		if c.n > 0 {
			*c.to = c.n
		}
	}
}

func (r *reader) open(e sdk.MessageStreamEventUnion) error {
	if r.blocks[e.Index] != nil {
		return call.Broken("the provider began the same part of its answer twice")
	}
	block := e.ContentBlock
	piece, err := r.piece(block)
	if err != nil {
		return err
	}
	r.blocks[e.Index] = piece
	switch block.Type {
	case "text":
		return piece.Append(block.Text)
	case "thinking":
		return errors.Join(piece.Append(block.Thinking), piece.Sign(block.Signature))
	case "redacted_thinking":
		return piece.Seal(block.Data)
	}
	return r.input(piece, block)
}

func (r *reader) piece(block sdk.ContentBlockStartEventContentBlockUnion) (*call.Piece, error) {
	switch block.Type {
	case "text":
		return r.b.Open(clew.PartText)
	case "thinking", "redacted_thinking":
		return r.b.Open(clew.PartThinking)
	case "tool_use":
		return r.b.OpenTool(block.ID, block.Name)
	}
	// Left out in silence, it would make half an answer of a whole one.
	return nil, call.Broken("the answer holds a part of an unknown kind: %s", block.Type)
}

// input takes an input that comes with the start of a call. The vendor sends an
// empty object there and the input in pieces; some compatible servers send all
// of it at once.
func (r *reader) input(piece *call.Piece, block sdk.ContentBlockStartEventContentBlockUnion) error {
	raw := block.JSON.Input.Raw()
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &fields) != nil || len(fields) == 0 {
		return nil
	}
	return piece.Append(raw)
}

func (r *reader) delta(e sdk.MessageStreamEventUnion) error {
	piece := r.blocks[e.Index]
	if piece == nil {
		return call.Broken("the provider sent a piece of a part that is not open")
	}
	want := map[string]clew.PartType{
		"text_delta": clew.PartText, "thinking_delta": clew.PartThinking,
		"signature_delta": clew.PartThinking, "input_json_delta": clew.PartToolUse,
	}
	if t, known := want[e.Delta.Type]; !known {
		return nil // citations and the like belong to things that are never asked for
	} else if t != piece.Type() {
		return call.Broken("the provider sent a %s inside a part of type %s", e.Delta.Type, piece.Type())
	}
	switch e.Delta.Type {
	case "text_delta":
		return piece.Append(e.Delta.Text)
	case "thinking_delta":
		return piece.Append(e.Delta.Thinking)
	case "signature_delta":
		return piece.Sign(e.Delta.Signature)
	}
	return piece.Append(e.Delta.PartialJSON)
}

func (r *reader) answer() (llm.Answer, error) {
	if !r.begun || len(r.blocks) > 0 {
		return llm.Answer{}, call.Broken("the provider's answer ended before its parts did")
	}
	stop, ok := stops[r.stop]
	if !ok {
		return llm.Answer{}, call.Broken("the provider's answer ended for an unknown reason: %q", r.stop)
	}
	a, err := r.b.Done(stop)
	if err != nil {
		return llm.Answer{}, err
	}
	a.Usage, a.Model = r.usage, r.model
	return a, nil
}

var stops = map[string]llm.StopReason{
	"end_turn":      llm.StopEnd,
	"stop_sequence": llm.StopEnd,
	"pause_turn":    llm.StopEnd,
	"tool_use":      llm.StopToolUse,
	"max_tokens":    llm.StopMaxTokens,
	"refusal":       llm.StopRefusal,
	// The answer was cut because history and answer together fill the window.
	"model_context_window_exceeded": llm.StopMaxTokens,
}
