package openai

import (
	"context"
	"strings"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// responsesParams gives a call that leaves nothing behind at the provider: the
// history goes along each time, with the reasoning under seal.
func responsesParams(ctx context.Context, req llm.Request, to server) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{Model: req.Model, Store: param.NewOpt(false)}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(req.MaxTokens))
	}
	if thinks(req) {
		p.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(req.Thinking), Summary: shared.ReasoningSummaryAuto}
	}
	if reasons(req) {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	if req.Temperature != nil {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.User != "" {
		if to.native {
			p.SafetyIdentifier = param.NewOpt(req.User)
		} else {
			p.User = param.NewOpt(req.User)
		}
	}
	for _, t := range req.Tools {
		tool, err := functionParam(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: tool})
	}
	items, err := inputItems(ctx, req, to)
	p.Input.OfInputItemList = items
	return p, err
}

func thinks(req llm.Request) bool {
	return req.Thinking == "low" || req.Thinking == "medium" || req.Thinking == "high"
}

// reasons reports whether the model has reasoning to hand over. One that has none
// refuses the call if asked for it. A deployment at Azure has any name, so there
// the profile's thinking tells.
func reasons(req llm.Request) bool {
	return thinks(req) || reasoners.MatchString(req.Model) && !strings.Contains(req.Model, "-chat")
}

// functionParam describes a tool. Without a word the API would take its schema as
// strict, in which every field is required.
func functionParam(t llm.Tool) (*responses.FunctionToolParam, error) {
	schema, err := call.Schema(t)
	if err != nil {
		return nil, err
	}
	f := &responses.FunctionToolParam{Name: t.Name, Strict: param.NewOpt(false)}
	f.SetExtraFields(map[string]any{"parameters": schema}) // raw, so that its order stays
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	return f, nil
}

func inputItems(ctx context.Context, req llm.Request, to server) (responses.ResponseInputParam, error) {
	all := responses.ResponseInputParam{}
	for _, m := range req.Messages {
		if m.Role == clew.SpeakerAssistant {
			all = append(all, answerItems(m, to.host, reasons(req))...)
			continue
		}
		told, err := read(ctx, req, m)
		if err != nil {
			return nil, err
		}
		all = append(all, told.items()...)
	}
	return all, nil
}

// answerItems gives a model's message in the order it came. A thought at the end
// is left out: the API refuses one without the text or the call that it led to.
func answerItems(m clew.ModelMessage, host string, thoughts bool) []responses.ResponseInputItemUnionParam {
	var all []responses.ResponseInputItemUnionParam
	whole := 0 // without the thoughts at the end
	for _, p := range m.Content {
		switch p.Type {
		case clew.PartText:
			if strings.TrimSpace(p.Text) == "" {
				continue
			}
			message := responses.ResponseInputItemParamOfMessage(p.Text, responses.EasyInputMessageRoleAssistant)
			if phase, ok := signed(p, host); ok && thoughts { // whether it was the answer or a word on the way to it
				message.OfMessage.Phase = responses.EasyInputMessagePhase(phase)
			}
			all = append(all, message)
			whole = len(all)
		case clew.PartThinking:
			if id, ok := signed(p, host); ok && thoughts && p.Encrypted != "" {
				all = append(all, reasoningItem(id, p))
			}
		case clew.PartToolUse:
			input := string(p.Input)
			if input == "" {
				input = "{}"
			}
			all = append(all, responses.ResponseInputItemParamOfFunctionCall(input, call.ToolCallID(p.ToolCallID), p.Tool))
			whole = len(all)
		}
	}
	return all[:whole]
}

// signature is what a part is signed with that goes back to the same host only:
// the id of a sealed thought, or the phase of a text. No other provider's thoughts
// have both a signature and a seal.
func signature(host, what string) string { return host + "/" + what }

// signed gives what a part of this host is signed with.
func signed(p clew.Part, host string) (string, bool) {
	return strings.CutPrefix(p.Signature, host+"/")
}

func reasoningItem(id string, p clew.Part) responses.ResponseInputItemUnionParam {
	summary := []responses.ResponseReasoningItemSummaryParam{}
	if p.Text != "" {
		summary = append(summary, responses.ResponseReasoningItemSummaryParam{Text: p.Text})
	}
	item := responses.ResponseInputItemParamOfReasoning(id, summary)
	item.OfReasoning.EncryptedContent = param.NewOpt(p.Encrypted)
	return item
}

func (t told) items() []responses.ResponseInputItemUnionParam {
	var all []responses.ResponseInputItemUnionParam
	for _, r := range t.results {
		output := responses.ResponseInputItemParamOfFunctionCallOutput(r.text)
		output.OfFunctionCallOutput.CallID = param.NewOpt(r.id)
		all = append(all, output)
	}
	if len(t.rest) == 0 {
		return all
	}
	var list responses.ResponseInputMessageContentListParam
	for _, c := range t.rest {
		if c.url == "" {
			list = append(list, responses.ResponseInputContentParamOfInputText(c.text))
			continue
		}
		image := responses.ResponseInputContentParamOfInputImage(responses.ResponseInputImageDetailAuto)
		image.OfInputImage.ImageURL = param.NewOpt(c.url)
		list = append(list, image)
	}
	return append(all, responses.ResponseInputItemParamOfMessage(list, responses.EasyInputMessageRoleUser))
}
