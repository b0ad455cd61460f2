package openai

import (
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// A reader follows the chunks of one answer.
type reader struct {
	b       *call.Builder
	tools   map[int64]*tool // the newest by the provider's index
	all     []*tool
	finish  string
	refused bool
	usage   clew.Usage
	counted bool
	model   string
}

// maxEarly bounds input that comes before its tool's name.
const maxEarly = 4 << 10

// A tool is a tool call on its way. It opens with the first chunk that names
// the tool; input that comes before waits in early.
type tool struct {
	piece *call.Piece
	id    string
	early string
}

func (r *reader) chunk(c sdk.ChatCompletionChunk) error {
	if c.Model != "" {
		r.model = c.Model
	}
	r.count(c)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		if err := r.delta(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
	}
	return nil
}

// count takes the usage of a chunk. It comes with the last one, with each, or
// never. Prompt tokens include those from the cache; ours do not.
func (r *reader) count(c sdk.ChatCompletionChunk) {
	u := c.Usage
	if !c.JSON.Usage.Valid() || u.PromptTokens <= 0 && u.CompletionTokens <= 0 {
		return
	}
	reads, writes := max(u.PromptTokensDetails.CachedTokens, 0), max(u.PromptTokensDetails.CacheWriteTokens, 0)
	if reads == 0 {
		reads = extraInt(u.JSON.ExtraFields["prompt_cache_hit_tokens"]) // DeepSeek's name for it
	}
	reads = min(reads, max(u.PromptTokens, 0))
	writes = min(writes, max(u.PromptTokens, 0)-reads)
	r.counted = true
	r.usage = clew.Usage{
		TokensIn: max(u.PromptTokens, 0) - reads - writes, TokensOut: max(u.CompletionTokens, 0),
		CacheReads: reads, CacheWrites: writes,
	}
}

func (r *reader) delta(d sdk.ChatCompletionChunkChoiceDelta) error {
	// Compatible servers send thoughts under one name or the other, some the
	// same thought under both.
	thought := extraText(d.JSON.ExtraFields["reasoning_content"])
	if thought == "" {
		thought = extraText(d.JSON.ExtraFields["reasoning"])
	}
	if err := r.text(clew.PartThinking, thought); err != nil {
		return err
	}
	if err := r.text(clew.PartText, d.Content); err != nil {
		return err
	}
	if d.Refusal != "" {
		r.refused = true
		if err := r.text(clew.PartText, d.Refusal); err != nil {
			return err
		}
	}
	for _, t := range d.ToolCalls {
		if err := r.tool(t); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) text(t clew.PartType, s string) error {
	if s == "" {
		return nil
	}
	piece := r.b.Last(t)
	if piece == nil {
		var err error
		if piece, err = r.b.Open(t); err != nil {
			return err
		}
	}
	return piece.Append(s)
}

func (r *reader) tool(d sdk.ChatCompletionChunkChoiceDeltaToolCall) error {
	t, err := r.slot(d)
	if err != nil {
		return err
	}
	if d.ID != "" && t.id == "" {
		t.id = d.ID
	}
	if t.piece == nil {
		if d.Function.Name == "" {
			if t.early += d.Function.Arguments; len(t.early) > maxEarly {
				return call.Broken("the answer calls a tool without a name")
			}
			return nil
		}
		piece, err := r.b.OpenTool(t.id, d.Function.Name)
		if err != nil {
			return err
		}
		t.piece = piece
		if err := piece.Append(t.early); err != nil {
			return err
		}
		t.early = ""
	}
	return t.piece.Append(d.Function.Arguments)
}

// slot finds the call that a delta belongs to. The index tells, where there is
// one. Servers that send calls in one piece may leave it out, or send 0 with
// each: then another id, or another complete call, begins a new one.
func (r *reader) slot(d sdk.ChatCompletionChunkChoiceDeltaToolCall) (*tool, error) {
	t := r.tools[d.Index]
	other := t != nil && d.Function.Name != "" &&
		(d.ID != "" && t.id != "" && d.ID != t.id || d.ID == "" && t.piece != nil && t.piece.Whole())
	if t != nil && !other {
		return t, nil
	}
	if len(r.all) >= call.MaxTools {
		return nil, call.Broken("the answer has more than %d tool calls", call.MaxTools)
	}
	t = &tool{}
	r.tools[d.Index] = t
	r.all = append(r.all, t)
	return t, nil
}

func (r *reader) answer() (llm.Answer, error) {
	for _, t := range r.all {
		if t.piece == nil {
			return llm.Answer{}, call.Broken("the answer calls a tool without a name")
		}
	}
	if r.finish == "" {
		return llm.Answer{}, call.Broken("the provider's answer broke off")
	}
	stop, ok := stops[r.finish]
	if !ok {
		return llm.Answer{}, call.Broken("the provider's answer ended for an unknown reason: %q", r.finish)
	}
	if r.refused && stop == llm.StopEnd {
		stop = llm.StopRefusal
	}
	a, err := r.b.Done(stop)
	if err != nil {
		return llm.Answer{}, err
	}
	a.Usage, a.Model, a.Estimated = r.usage, r.model, !r.counted
	return a, nil
}

var stops = map[string]llm.StopReason{
	"stop":           llm.StopEnd,
	"eos":            llm.StopEnd,
	"end_turn":       llm.StopEnd,
	"stop_sequence":  llm.StopEnd,
	"tool_calls":     llm.StopToolUse,
	"function_call":  llm.StopToolUse,
	"length":         llm.StopMaxTokens,
	"max_tokens":     llm.StopMaxTokens,
	"content_filter": llm.StopRefusal,
}

// extraText reads a field that the SDK does not know, if it is a string.
func extraText(f respjson.Field) string {
	var s string
	if json.Unmarshal([]byte(f.Raw()), &s) != nil {
		return ""
	}
	return s
}

func extraInt(f respjson.Field) int64 {
	var n int64
	if json.Unmarshal([]byte(f.Raw()), &n) != nil {
		return 0
	}
	return max(n, 0)
}
