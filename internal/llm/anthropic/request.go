package anthropic

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
	"github.com/clew-run/clew/internal/llm/catalogue"
)

// defaultMaxTokens is for models that the catalogue does not know: the API
// wants a number.
const defaultMaxTokens = 8192

func params(ctx context.Context, req llm.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{Model: req.Model, MaxTokens: maxTokens(req)}
	think(&p, req)
	if req.Temperature != nil && param.IsOmitted(p.Thinking) {
		p.Temperature = param.NewOpt(*req.Temperature) // the API takes it or thinking, not both
	}
	if req.User != "" {
		p.Metadata.UserID = param.NewOpt(req.User)
	}
	if req.System != "" {
		p.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, t := range req.Tools {
		tool, err := toolParam(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tool)
	}
	for _, m := range req.Messages {
		blocks, err := content(ctx, req, m)
		if err != nil {
			return p, err
		}
		if len(blocks) == 0 {
			continue // the API refuses empty messages
		}
		role := sdk.MessageParamRoleUser
		if m.Role == clew.SpeakerAssistant {
			role = sdk.MessageParamRoleAssistant
		}
		p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: blocks})
	}
	cache(&p)
	return p, nil
}

func maxTokens(req llm.Request) int64 {
	if req.MaxTokens > 0 {
		return int64(req.MaxTokens)
	}
	for _, at := range []string{"anthropic", "bedrock", "vertexai"} { // no name means two models
		if info, ok := catalogue.Find(at, req.Model); ok && info.MaxOutput > 0 {
			return int64(info.MaxOutput)
		}
	}
	return defaultMaxTokens
}

// toolParam hands the schema over as raw JSON: the SDK would put its fields in
// another order each time.
func toolParam(t llm.Tool) (sdk.ToolUnionParam, error) {
	schema, err := call.Schema(t)
	if err != nil {
		return sdk.ToolUnionParam{}, err
	}
	tool := &sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		tool.Description = param.NewOpt(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: tool}, nil
}

func content(ctx context.Context, req llm.Request, m clew.ModelMessage) ([]sdk.ContentBlockParamUnion, error) {
	var blocks []sdk.ContentBlockParamUnion
	for _, part := range m.Content {
		more, err := partBlocks(ctx, req, part)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, more...)
	}
	return blocks, nil
}

func partBlocks(ctx context.Context, req llm.Request, p clew.Part) ([]sdk.ContentBlockParamUnion, error) {
	switch p.Type {
	case clew.PartText:
		if strings.TrimSpace(p.Text) == "" {
			return nil, nil // the API refuses empty text
		}
		return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(p.Text)}, nil
	case clew.PartThinking:
		return thought(p), nil
	case clew.PartImage:
		var blocks []sdk.ContentBlockParamUnion
		for _, address := range p.Images {
			image, err := imageBlock(ctx, req, address)
			if err != nil {
				return nil, err
			}
			if image == nil {
				blocks = append(blocks, sdk.NewTextBlock(call.Unreadable))
				continue
			}
			blocks = append(blocks, sdk.ContentBlockParamUnion{OfImage: image})
		}
		return blocks, nil
	case clew.PartToolUse:
		input := p.Input
		if len(input) == 0 {
			input = json.RawMessage("{}")
		}
		return []sdk.ContentBlockParamUnion{sdk.NewToolUseBlock(call.ToolCallID(p.ToolCallID), input, p.Tool)}, nil
	case clew.PartToolResult:
		block, err := result(ctx, req, p)
		return []sdk.ContentBlockParamUnion{{OfToolResult: block}}, err
	}
	return nil, call.Refused(nil, "the conversation holds a part of an unknown kind: %s", p.Type)
}

// thought sends a thought back as it came. One without proof, or with a name and
// a seal, came from another provider and would be refused.
func thought(p clew.Part) []sdk.ContentBlockParamUnion {
	switch {
	case p.Encrypted != "" && p.Signature != "":
		return nil
	case p.Encrypted != "":
		return []sdk.ContentBlockParamUnion{sdk.NewRedactedThinkingBlock(p.Encrypted)}
	case p.Signature != "":
		return []sdk.ContentBlockParamUnion{sdk.NewThinkingBlock(p.Signature, p.Text)}
	}
	return nil
}

// imageBlock gives nil for an image that cannot be read.
func imageBlock(ctx context.Context, req llm.Request, address string) (*sdk.ImageBlockParam, error) {
	image, err := call.LoadImage(ctx, req, address)
	if err != nil || !image.Readable() {
		return nil, err
	}
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
		MediaType: sdk.Base64ImageSourceMediaType(image.MediaType), Data: image.Base64,
	}}}, nil
}

func result(ctx context.Context, req llm.Request, p clew.Part) (*sdk.ToolResultBlockParam, error) {
	block := &sdk.ToolResultBlockParam{ToolUseID: call.ToolCallID(p.ToolCallID)}
	text := p.Text
	if p.IsError {
		block.IsError = param.NewOpt(true)
		if strings.TrimSpace(text) == "" {
			text = "(no output)" // the API wants a word with an error
		}
	}
	if strings.TrimSpace(text) != "" {
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: text}})
	}
	for _, address := range p.Images {
		image, err := imageBlock(ctx, req, address)
		if err != nil {
			return nil, err
		}
		if image == nil {
			block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: call.Unreadable}})
			continue
		}
		block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfImage: image})
	}
	return block, nil
}

// cache marks what the provider shall keep: tools, system prompt, and the last
// two messages of the user. The API takes four marks. The mark before the last
// is what the call before this one wrote, so this one reads it.
func cache(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = mark
	}
	if n := len(p.System); n > 0 {
		p.System[n-1].CacheControl = mark
	}
	left := 2
	for i := len(p.Messages) - 1; i >= 0 && left > 0; i-- {
		if p.Messages[i].Role != sdk.MessageParamRoleUser {
			continue
		}
		blocks := p.Messages[i].Content
		if to := blocks[len(blocks)-1].GetCacheControl(); to != nil {
			*to = mark
			left--
		}
	}
}
