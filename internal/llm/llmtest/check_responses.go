package llmtest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// check finds what the vendor would refuse.
func (in *responsesRequest) check() *refusal {
	switch {
	case in.Model == "":
		return badRequest("you must provide a model parameter")
	case len(in.Input) == 0:
		return badRequest("input: the list is too short")
	case in.MaxOutputTokens != nil && *in.MaxOutputTokens < 16:
		return badRequest("max_output_tokens: must be at least 16")
	case in.PreviousResponse != "":
		return badRequest("previous_response_id: the response %q is not found", in.PreviousResponse)
	}
	for i, t := range in.Tools {
		path := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" {
			return badRequest("%s.type: must be function", path)
		}
		if no := checkTool(path, t.Name, t.Parameters); no != nil {
			return no
		}
	}
	return in.checkItems()
}

func (in *responsesRequest) checkItems() *refusal {
	var calls ledger
	var before responsesItem
	for n, i := range in.Input {
		path := fmt.Sprintf("input[%d]", n)
		if before.kind() == "reasoning" && !i.answers() {
			return badRequest("%s: the reasoning %q is without the item that must follow it", path, before.ID)
		}
		if no := i.check(path, &calls); no != nil {
			return no
		}
		before = i
	}
	if no := calls.settled("input"); no != nil {
		return no
	}
	if before.answers() {
		return badRequest("input: the last item must not be the assistant's")
	}
	return nil
}

// answers reports whether the item is of an answer.
func (i responsesItem) answers() bool {
	kind := i.kind()
	return kind == "reasoning" || kind == "function_call" || kind == "message" && i.Role == "assistant"
}

func (i responsesItem) check(path string, calls *ledger) *refusal {
	switch i.kind() {
	case "message":
		if no := calls.settled(path); no != nil && i.Role != "assistant" {
			return no
		}
		return i.checkContent(path)
	case "function_call":
		if i.Name == "" {
			return badRequest("%s.name: must not be empty", path)
		}
		if !isObject(json.RawMessage(i.Arguments)) {
			return badRequest("%s.arguments: must be a JSON object", path)
		}
		return calls.call(path, i.CallID)
	case "function_call_output":
		for _, b := range i.Output {
			if !slices.Contains([]string{"text", "input_text", "input_image"}, b.Type) {
				return badRequest("%s.output: a block of type %q cannot stand here", path, b.Type)
			}
		}
		return calls.result(path, i.CallID)
	case "reasoning":
		return i.checkThought(path)
	}
	return badRequest("%s.type: %q is unknown", path, i.Type)
}

// checkThought wants a thought as it was. Nothing is stored here, so its content
// must come along.
func (i responsesItem) checkThought(path string) *refusal {
	switch {
	case i.Encrypted == "":
		return badRequest("%s: the item with id %q is not found: items are not kept, send encrypted_content", path, i.ID)
	case i.Encrypted != seal(i.ID, i.summary()):
		return badRequest("%s: the encrypted content of item %q could not be verified", path, i.ID)
	}
	return nil
}

func (i responsesItem) checkContent(path string) *refusal {
	if !slices.Contains([]string{"system", "developer", "user", "assistant"}, i.Role) {
		return badRequest("%s.role: %q is unknown", path, i.Role)
	}
	if len(i.Content) == 0 {
		return badRequest("%s.content: must not be empty", path)
	}
	answer := i.Role == "assistant"
	for _, b := range i.Content {
		switch {
		case b.Type == "text" && b.Text != "":
		case b.Type == "input_text" && b.Text != "" && !answer:
		case b.Type == "input_image" && b.ImageURL != "" && i.Role == "user":
		case b.Type == "output_text" && b.Text != "" && answer:
		case b.Type == "refusal" && b.Refusal != "" && answer:
		default:
			return badRequest("%s.content: an empty block, or one of type %q that cannot stand here", path, b.Type)
		}
	}
	return nil
}

// checkLed refuses a history that lost the thought before a call: the model would
// work on without knowing why it made it. The conversation remembers which calls
// had one.
func (c *conversation) checkLed(r *Request) *refusal {
	for id, led := range r.led {
		if c.led[id] && !led {
			return badRequest("input: the function call %q is without the reasoning that must come before it", id)
		}
	}
	return nil
}
