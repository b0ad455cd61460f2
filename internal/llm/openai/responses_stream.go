package openai

import (
	"github.com/openai/openai-go/v3/responses"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// A responseReader follows the events of one answer.
type responseReader struct {
	b       *call.Builder
	host    string
	items   map[int64]*item // by the provider's index
	refused bool
	usage   clew.Usage
	counted bool
	model   string
	status  string // of the whole answer, "" until it ended
	reason  string // why it is incomplete
}

// An item is a part of the answer on its way.
type item struct {
	piece   *call.Piece
	begun   bool // a piece of it came
	done    bool
	section int64 // of a summary
}

func (i *item) append(s string) error {
	i.begun = i.begun || s != ""
	return i.piece.Append(s)
}

func (r *responseReader) event(e responses.ResponseStreamEventUnion) error {
	switch e.Type {
	case "response.output_item.added":
		_, err := r.open(e)
		return err
	case "response.output_text.delta", "response.refusal.delta":
		r.refused = r.refused || e.Type == "response.refusal.delta"
		return r.delta(e, clew.PartText)
	case "response.reasoning_summary_text.delta":
		return r.delta(e, clew.PartThinking)
	case "response.reasoning_text.delta": // of open models
		return r.delta(e, clew.PartThinking)
	case "response.function_call_arguments.delta":
		return r.delta(e, clew.PartToolUse)
	case "response.output_item.done":
		return r.done(e)
	case "response.completed", "response.incomplete":
		r.end(e)
	}
	return nil // events of other types change nothing
}

// open begins an item.
func (r *responseReader) open(e responses.ResponseStreamEventUnion) (*item, error) {
	if r.items[e.OutputIndex] != nil {
		return nil, call.Broken("the provider began the same part of its answer twice")
	}
	var piece *call.Piece
	var err error
	switch e.Item.Type {
	case "message":
		piece, err = r.b.Open(clew.PartText)
	case "reasoning":
		piece, err = r.b.Open(clew.PartThinking)
	case "function_call":
		piece, err = r.b.OpenTool(e.Item.CallID, e.Item.Name)
	default: // left out in silence, it would make half an answer of a whole one
		err = call.Broken("the answer holds a part of an unknown kind: %s", e.Item.Type)
	}
	if err != nil {
		return nil, err
	}
	i := &item{piece: piece}
	r.items[e.OutputIndex] = i
	return i, nil
}

func (r *responseReader) delta(e responses.ResponseStreamEventUnion, of clew.PartType) error {
	i := r.items[e.OutputIndex]
	if i == nil || i.done {
		return call.Broken("the provider sent a piece of a part that is not open")
	}
	if i.piece.Type() != of {
		return call.Broken("the provider sent a piece of type %s inside a part of type %s", of, i.piece.Type())
	}
	if of == clew.PartThinking && e.SummaryIndex != i.section {
		i.section = e.SummaryIndex
		if i.begun {
			if err := i.append("\n\n"); err != nil {
				return err
			}
		}
	}
	return i.append(e.Delta)
}

// done ends an item. It comes whole once more: servers that stream no pieces send
// it only here. The seal of a thought comes with it.
func (r *responseReader) done(e responses.ResponseStreamEventUnion) error {
	i := r.items[e.OutputIndex]
	if i == nil {
		var err error
		if i, err = r.open(e); err != nil {
			return err
		}
	}
	if i.done {
		return call.Broken("the provider ended the same part of its answer twice")
	}
	i.done = true
	if !i.begun {
		if err := r.fill(i, e.Item); err != nil {
			return err
		}
	}
	switch {
	case i.piece.Type() == clew.PartThinking && e.Item.EncryptedContent != "":
		if err := i.piece.Sign(signature(r.host, e.Item.ID)); err != nil {
			return err
		}
		return i.piece.Seal(e.Item.EncryptedContent)
	case i.piece.Type() == clew.PartText && i.begun && e.Item.Phase != "":
		return i.piece.Sign(signature(r.host, string(e.Item.Phase)))
	}
	return nil
}

func (r *responseReader) fill(i *item, from responses.ResponseOutputItemUnion) error {
	switch i.piece.Type() {
	case clew.PartToolUse:
		return i.append(from.Arguments.OfString)
	case clew.PartThinking:
		var texts []string
		for _, s := range from.Summary {
			texts = append(texts, s.Text)
		}
		return i.append(join(texts))
	}
	for _, c := range from.Content {
		r.refused = r.refused || c.Refusal != ""
		if err := i.append(c.Text + c.Refusal); err != nil {
			return err
		}
	}
	return nil
}

// end takes what is said of the whole answer. Input tokens include those of the
// cache; ours do not.
func (r *responseReader) end(e responses.ResponseStreamEventUnion) {
	r.status, r.reason, r.model = e.Type, e.Response.IncompleteDetails.Reason, e.Response.Model
	u := e.Response.Usage
	if !e.Response.JSON.Usage.Valid() || u.InputTokens <= 0 && u.OutputTokens <= 0 {
		return
	}
	in := max(u.InputTokens, 0)
	reads := min(max(u.InputTokensDetails.CachedTokens, 0), in)
	writes := min(max(u.InputTokensDetails.CacheWriteTokens, 0), in-reads)
	r.counted = true
	r.usage = clew.Usage{TokensIn: in - reads - writes, TokensOut: max(u.OutputTokens, 0), CacheReads: reads, CacheWrites: writes}
}

func (r *responseReader) answer() (llm.Answer, error) {
	stop := llm.StopEnd
	switch {
	case r.status == "response.incomplete" && r.reason == "max_output_tokens":
		stop = llm.StopMaxTokens
	case r.status == "response.incomplete" && r.reason == "content_filter":
		stop = llm.StopRefusal
	case r.status == "response.incomplete":
		return llm.Answer{}, call.Broken("the provider's answer ended for an unknown reason: %q", r.reason)
	case r.refused:
		stop = llm.StopRefusal
	}
	a, err := r.b.Done(stop)
	if err != nil {
		return llm.Answer{}, err
	}
	a.Usage, a.Model, a.Estimated = r.usage, r.model, !r.counted
	return a, nil
}
