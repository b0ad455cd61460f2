package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// object is a JSON object on its way out.
type object = map[string]any

// anthropicError is an error as the vendor writes it, with a status or in a
// stream.
func anthropicError(status int, f Failure) any {
	if f.Type == "" {
		f.Type = anthropicErrorType(status)
	}
	return object{"type": "error", "error": object{"type": f.Type, "message": f.Message}, "request_id": "req_scripted"}
}

func anthropicErrorType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// An anthropicVoice gathers the blocks of an answer and, if it streams, tells
// them as they come.
type anthropicVoice struct {
	sink   *sink
	req    *Request
	reply  *reply
	blocks []object
	text   strings.Builder // of the open block
	kind   ItemKind        // of the open block, empty if none is
	begun  bool
}

func (v *anthropicVoice) event(name string, data object) {
	if v.req.Stream {
		data["type"] = name
		v.sink.event(name, data)
	}
}

func (v *anthropicVoice) start() {
	if v.begun {
		return
	}
	v.begun = true
	v.event("message_start", object{"message": v.message(nil, 1)})
}

func (v *anthropicVoice) message(stop any, output int64) object {
	content := v.blocks
	if content == nil {
		content = []object{}
	}
	return object{
		"id": fmt.Sprintf("msg_%s_%d", v.req.Conversation, v.req.Call), "type": "message", "role": "assistant",
		"model": v.req.Model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": v.usage(output),
	}
}

func (v *anthropicVoice) usage(output int64) object {
	u := v.reply.usage
	return object{
		"input_tokens": u.Input, "output_tokens": output,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
	}
}

func (v *anthropicVoice) open(b beat) {
	v.start()
	v.closeBlock()
	v.kind = b.Kind
	var block object
	switch b.Kind {
	case ItemThinking:
		block = object{"type": "thinking", "thinking": "", "signature": ""}
	case ItemTool:
		block = object{"type": "tool_use", "id": b.id, "name": b.Tool.Name, "input": object{}}
	default:
		block = object{"type": "text", "text": ""}
	}
	v.event("content_block_start", object{"index": len(v.blocks), "content_block": block})
	v.blocks = append(v.blocks, block)
}

func (v *anthropicVoice) piece(text string) {
	v.text.WriteString(text)
	switch v.kind {
	case ItemThinking:
		v.delta(object{"type": "thinking_delta", "thinking": text})
	case ItemTool:
		v.delta(object{"type": "input_json_delta", "partial_json": text})
	default:
		v.delta(object{"type": "text_delta", "text": text})
	}
}

func (v *anthropicVoice) delta(d object) {
	v.event("content_block_delta", object{"index": len(v.blocks) - 1, "delta": d})
}

// closeBlock ends the open block. It waits for the next one or the end, so that
// a fault after a text finds it open.
func (v *anthropicVoice) closeBlock() {
	if v.kind == "" {
		return
	}
	text, last := v.text.String(), v.blocks[len(v.blocks)-1]
	switch v.kind {
	case ItemThinking:
		v.delta(object{"type": "signature_delta", "signature": sign(text)})
		last["thinking"], last["signature"] = text, sign(text)
	case ItemTool:
		last["input"] = rawInput(text)
	default:
		last["text"] = text
	}
	v.event("content_block_stop", object{"index": len(v.blocks) - 1})
	v.kind = ""
	v.text.Reset()
}

// rawInput is an input as it stands in a whole answer. A broken one goes as a
// text there, since it would break all of the answer otherwise.
func rawInput(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

func (v *anthropicVoice) ping() {
	v.start()
	v.event("ping", object{})
}

func (v *anthropicVoice) fail(f Failure) {
	if !v.req.Stream {
		v.sink.document(http.StatusInternalServerError, anthropicError(http.StatusInternalServerError, f))
		return
	}
	if f.Type == "" {
		f.Type = "overloaded_error"
	}
	v.sink.event("error", anthropicError(0, f))
}

func (v *anthropicVoice) finish() {
	v.start()
	v.closeBlock()
	stop := stopNames[Anthropic][v.reply.stop]
	if !v.req.Stream {
		v.sink.document(http.StatusOK, v.message(stop, v.reply.usage.Output))
		return
	}
	v.event("message_delta", object{
		"delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": v.usage(v.reply.usage.Output),
	})
	v.event("message_stop", object{})
}
