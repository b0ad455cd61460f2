package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// check finds what the vendor would refuse.
func (in *geminiRequest) check() *refusal {
	if len(in.Contents) == 0 {
		return badRequest("* GenerateContentRequest.contents: contents is not specified")
	}
	if t := in.Config.Thinking; t.Budget != nil && t.Level != "" {
		return badRequest("thinking_budget and thinking_level cannot stand together")
	}
	if n := in.Config.MaxTokens; n != nil && *n < 1 {
		return badRequest("max_output_tokens must be positive")
	}
	for i, t := range in.Tools {
		for j, f := range t.Functions {
			path := fmt.Sprintf("GenerateContentRequest.tools[%d].function_declarations[%d]", i, j)
			if len(f.JSONSchema) > 0 && len(f.Parameters) > 0 {
				return badRequest("%s: parameters and parameters_json_schema cannot stand together", path)
			}
			if no := checkTool(path, f.Name, f.schema()); no != nil {
				return no
			}
		}
	}
	return in.checkContents()
}

func (in *geminiRequest) checkContents() *refusal {
	var calls ledger
	for i, c := range in.Contents {
		path := fmt.Sprintf("GenerateContentRequest.contents[%d]", i)
		if c.Role != "user" && c.Role != "model" {
			return badRequest("%s.role: please use a valid role: user, model", path)
		}
		if len(c.Parts) == 0 {
			return badRequest("%s.parts: must not be empty", path)
		}
		for j, p := range c.Parts {
			if no := p.check(fmt.Sprintf("%s.parts[%d]", path, j), c.Role, &calls); no != nil {
				return no
			}
		}
		if c.Role == "user" {
			if no := calls.settled(path); no != nil {
				return no
			}
		}
	}
	if in.Contents[len(in.Contents)-1].Role != "user" {
		return badRequest("GenerateContentRequest.contents: the last message must have the role user")
	}
	return calls.settled("GenerateContentRequest.contents")
}

func (p geminiPart) check(path, role string, calls *ledger) *refusal {
	switch answer := role == "model"; {
	case p.Call != nil && answer:
		if p.Call.Name == "" || !isObject(p.Call.Args) {
			return badRequest("%s.function_call: needs a name, and args that are an object", path)
		}
		if p.Signature != "" && p.Signature != unsealed && p.Signature != seal(p.Call.ID, p.Call.Name) {
			return badRequest("%s: the thought signature is not valid", path)
		}
		return calls.call(path, p.Call.ID)
	case p.Response != nil && !answer:
		if p.Response.Name == "" {
			return badRequest("%s.function_response.name: cannot be empty", path)
		}
		return calls.result(path, p.Response.ID)
	case p.Inline != nil && !answer:
		if !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, p.Inline.MediaType) {
			return badRequest("Unsupported MIME type: %s", p.Inline.MediaType)
		}
		return nil
	case p.Text != nil:
		if *p.Text == "" && p.Signature == "" {
			return badRequest("%s.data: must not be empty", path)
		}
		if p.Signature != "" && p.Signature != seal("text", "") {
			return badRequest("%s: the thought signature is not valid", path)
		}
		return nil
	}
	return badRequest("%s.data: required oneof field 'data' must have one initialized field", path)
}

// unsealed stands for the thought of a call that another model made.
const unsealed = "skip_thought_signature_validator"

// geminiArgs are args as they stand in an answer. The vendor never sends broken ones:
// it ends the answer instead.
func geminiArgs(text string) (json.RawMessage, bool) {
	if text == "" {
		text = "{}"
	}
	return json.RawMessage(text), isObject(json.RawMessage(text))
}
