package openai

import (
	"context"
	"regexp"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// reasoners are OpenAI's models that refuse max_tokens wherever they are, also
// behind a proxy with an address of its own.
var reasoners = regexp.MustCompile(`^(?:openai/)?(?:o\d|gpt-(?:[5-9]|\d{2}))`)

func params(ctx context.Context, req llm.Request, native bool) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{
		Model:         req.Model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	limit(&p, req, native)
	switch req.Thinking {
	case "low", "medium", "high":
		p.ReasoningEffort = shared.ReasoningEffort(req.Thinking)
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tool)
	}
	messages, err := messages(ctx, req, native)
	p.Messages = messages
	return p, err
}

// limit names the bound of the answer and the user in the words of the server.
// OpenAI gave both new names and refuses the old one for its reasoning models;
// compatible servers know only the old ones, and several ignore the new name in
// silence, which would leave the answer without a bound.
func limit(p *sdk.ChatCompletionNewParams, req llm.Request, native bool) {
	if req.MaxTokens > 0 {
		if native || reasoners.MatchString(req.Model) {
			p.MaxCompletionTokens = param.NewOpt(int64(req.MaxTokens))
		} else {
			p.MaxTokens = param.NewOpt(int64(req.MaxTokens))
		}
	}
	if req.User != "" {
		if native {
			p.SafetyIdentifier = param.NewOpt(req.User)
		} else {
			p.User = param.NewOpt(req.User)
		}
	}
}

func toolParam(t llm.Tool) (sdk.ChatCompletionToolUnionParam, error) {
	schema, err := call.Schema(t)
	if err != nil {
		return sdk.ChatCompletionToolUnionParam{}, err
	}
	f := shared.FunctionDefinitionParam{Name: t.Name}
	f.SetExtraFields(map[string]any{"parameters": schema}) // raw, so that its order stays
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	return sdk.ChatCompletionFunctionTool(f), nil
}

func messages(ctx context.Context, req llm.Request, native bool) ([]sdk.ChatCompletionMessageParamUnion, error) {
	var all []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		all = append(all, sdk.SystemMessage(req.System))
	}
	loop := loopStart(req.Messages)
	for i, m := range req.Messages {
		if m.Role == clew.SpeakerAssistant {
			if a := assistant(m, !native && i > loop); a != nil {
				all = append(all, sdk.ChatCompletionMessageParamUnion{OfAssistant: a})
			}
			continue
		}
		more, err := user(ctx, req, m)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// loopStart finds the last message in which the user said something. What
// follows is one piece of work of the model, with its tools.
func loopStart(messages []clew.ModelMessage) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != clew.SpeakerUser {
			continue
		}
		for _, p := range messages[i].Content {
			if p.Type == clew.PartText || p.Type == clew.PartImage {
				return i
			}
		}
	}
	return -1
}

// assistant gives a model's message. Thoughts go back only if asked: several
// open models want theirs while they work with tools, OpenAI takes none.
func assistant(m clew.ModelMessage, thoughts bool) *sdk.ChatCompletionAssistantMessageParam {
	a := &sdk.ChatCompletionAssistantMessageParam{}
	var texts, thought []string
	for _, p := range m.Content {
		switch p.Type {
		case clew.PartText:
			texts = append(texts, p.Text)
		case clew.PartThinking:
			if p.Signature == "" && p.Encrypted == "" { // else another provider's
				thought = append(thought, p.Text)
			}
		case clew.PartToolUse:
			a.ToolCalls = append(a.ToolCalls, toolCall(p))
		}
	}
	if text := join(texts); text != "" {
		a.Content.OfString = param.NewOpt(text)
	} else if len(a.ToolCalls) == 0 {
		return nil // an empty message is refused
	}
	if text := join(thought); thoughts && text != "" {
		a.SetExtraFields(map[string]any{"reasoning_content": text})
	}
	return a
}

func toolCall(p clew.Part) sdk.ChatCompletionMessageToolCallUnionParam {
	input := string(p.Input)
	if input == "" {
		input = "{}"
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID:       call.ToolCallID(p.ToolCallID),
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: p.Tool, Arguments: input},
	}}
}

// user gives what a message of the user becomes: a message for each result of a
// tool, right after the calls, then one with the rest.
func user(ctx context.Context, req llm.Request, m clew.ModelMessage) ([]sdk.ChatCompletionMessageParamUnion, error) {
	told, err := read(ctx, req, m)
	if err != nil {
		return nil, err
	}
	var all []sdk.ChatCompletionMessageParamUnion
	for _, r := range told.results {
		all = append(all, sdk.ToolMessage(r.text, r.id))
	}
	switch {
	case len(told.rest) == 0:
		return all, nil
	case !told.images: // as a string: some servers know nothing else
		return append(all, sdk.UserMessage(join(told.texts()))), nil
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, c := range told.rest {
		if c.url != "" {
			parts = append(parts, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: c.url}))
		} else {
			parts = append(parts, sdk.TextContentPart(c.text))
		}
	}
	return append(all, sdk.UserMessage(parts)), nil
}

func join(texts []string) string {
	kept := texts[:0:0]
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}
