package llmtest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/clew-run/clew/internal/llm"
)

// A responsesVoice gathers the items of an answer and, if it streams, tells them
// as they come, in the order of events that the vendor has.
type responsesVoice struct {
	sink   *sink
	req    *Request
	reply  *reply
	items  []object
	text   strings.Builder // of the open item
	kind   ItemKind        // of the open item, empty if none is
	begun  bool
	number int // of the next event
}

func (v *responsesVoice) event(name string, data object) {
	if !v.req.Stream {
		return
	}
	data["type"], data["sequence_number"] = name, v.number
	v.number++
	v.sink.event(name, data)
}

// part is an event about the open item.
func (v *responsesVoice) part(name string, data object) {
	data["item_id"], data["output_index"] = v.last()["id"], len(v.items)-1
	v.event(name, data)
}

func (v *responsesVoice) last() object { return v.items[len(v.items)-1] }

func (v *responsesVoice) response(status string, reason, usage any) object {
	output := v.items
	if status == "in_progress" || output == nil {
		output = []object{}
	}
	r := object{
		"id": fmt.Sprintf("resp_%s_%d", v.req.Conversation, v.req.Call), "object": "response", "created_at": created,
		"status": status, "model": v.req.Model, "output": output, "usage": usage, "error": nil, "incomplete_details": nil,
		"store": false, "parallel_tool_calls": true, "tools": []object{}, "metadata": object{},
	}
	if reason != nil {
		r["incomplete_details"] = object{"reason": reason}
	}
	return r
}

func (v *responsesVoice) start() {
	if v.begun {
		return
	}
	v.begun = true
	v.event("response.created", object{"response": v.response("in_progress", nil, nil)})
	v.event("response.in_progress", object{"response": v.response("in_progress", nil, nil)})
}

func (v *responsesVoice) open(b beat) {
	v.start()
	v.closeItem()
	v.kind = b.Kind
	id := func(prefix string) string {
		return fmt.Sprintf("%s_%s_%d_%d", prefix, v.req.Conversation, v.req.Call, len(v.items))
	}
	var item object
	switch b.Kind {
	case ItemThinking:
		item = object{"id": id("rs"), "type": "reasoning", "summary": []object{}, "encrypted_content": nil}
	case ItemTool:
		item = object{"id": id("fc"), "type": "function_call", "status": "in_progress", "call_id": b.id, "name": b.Tool.Name, "arguments": ""}
	default:
		item = object{"id": id("msg"), "type": "message", "status": "in_progress", "role": "assistant", "content": []object{}}
	}
	v.event("response.output_item.added", object{"output_index": len(v.items), "item": item})
	v.items = append(v.items, item)
	switch b.Kind {
	case ItemThinking:
		v.part("response.reasoning_summary_part.added", object{"summary_index": 0, "part": summaryText("")})
	case ItemText:
		v.part("response.content_part.added", object{"content_index": 0, "part": outputText("")})
	}
}

func summaryText(text string) object { return object{"type": "summary_text", "text": text} }

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []object{}, "logprobs": []object{}}
}

func (v *responsesVoice) piece(text string) {
	v.text.WriteString(text)
	switch v.kind {
	case ItemThinking:
		v.part("response.reasoning_summary_text.delta", object{"summary_index": 0, "delta": text})
	case ItemTool:
		v.part("response.function_call_arguments.delta", object{"delta": text})
	default:
		v.part("response.output_text.delta", object{"content_index": 0, "delta": text, "logprobs": []object{}})
	}
}

// closeItem ends the open item. It waits for the next one or the end, so that a
// fault after a text finds it open.
func (v *responsesVoice) closeItem() {
	if v.kind == "" {
		return
	}
	text, item := v.text.String(), v.last()
	switch v.kind {
	case ItemThinking:
		v.part("response.reasoning_summary_text.done", object{"summary_index": 0, "text": text})
		v.part("response.reasoning_summary_part.done", object{"summary_index": 0, "part": summaryText(text)})
		item["summary"] = []object{summaryText(text)}
		if v.req.sealed {
			item["encrypted_content"] = seal(item["id"].(string), text)
		}
	case ItemTool:
		v.part("response.function_call_arguments.done", object{"name": item["name"], "arguments": text})
		item["arguments"], item["status"] = text, "completed"
	default:
		v.part("response.output_text.done", object{"content_index": 0, "text": text, "logprobs": []object{}})
		v.part("response.content_part.done", object{"content_index": 0, "part": outputText(text)})
		item["content"], item["status"] = []object{outputText(text)}, "completed"
	}
	v.event("response.output_item.done", object{"output_index": len(v.items) - 1, "item": item})
	v.kind = ""
	v.text.Reset()
}

// seal stands for a thought that only the vendor can read. A request that hands
// back another one, or one under another id, is refused.
func seal(id, thought string) string { return "enc_" + sign(id+"\x00"+thought) }

func (v *responsesVoice) ping() {
	v.start()
	if v.req.Stream {
		v.sink.raw(": ping\n\n")
	}
}

func (v *responsesVoice) fail(f Failure) {
	if !v.req.Stream {
		v.sink.document(http.StatusInternalServerError, openaiError(http.StatusInternalServerError, f))
		return
	}
	code := f.Type
	if code == "" {
		code = "server_error"
	}
	v.event("error", object{"code": code, "message": f.Message, "param": nil})
}

// usage counts what the cache gave and took among the input, as the vendor does.
func (v *responsesVoice) usage() object {
	u := v.reply.usage
	in := u.Input + u.CacheRead + u.CacheWrite
	return object{
		"input_tokens": in, "output_tokens": u.Output, "total_tokens": in + u.Output,
		"input_tokens_details":  object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"output_tokens_details": object{"reasoning_tokens": 0},
	}
}

func (v *responsesVoice) finish() {
	v.start()
	v.closeItem()
	status, reason := "completed", any(nil)
	switch v.reply.stop {
	case llm.StopMaxTokens:
		status, reason = "incomplete", "max_output_tokens"
	case llm.StopRefusal:
		status, reason = "incomplete", "content_filter"
	}
	answer := v.response(status, reason, v.usage())
	if !v.req.Stream {
		v.sink.document(http.StatusOK, answer)
		return
	}
	v.event("response."+status, object{"response": answer})
}

// led tells for each call whether it came right after a thought.
func (r *reply) led() map[string]bool {
	led, thought := map[string]bool{}, false
	for _, b := range r.beats {
		switch b.Kind {
		case ItemThinking:
			thought = true
		case ItemTool:
			led[b.id], thought = thought, false
		case ItemText:
			thought = false
		}
	}
	return led
}
