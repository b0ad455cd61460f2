package llmtest

import (
	"fmt"
	"net/http"
	"strings"
)

// created is the time that every answer says it was made at, so that answers do
// not differ from run to run.
const created = 1_750_000_000

// openaiError is an error as the vendor writes it.
func openaiError(status int, f Failure) any {
	kind := "invalid_request_error"
	var code any
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case status >= 500:
		kind = "server_error"
	}
	if f.Type != "" {
		code = f.Type
	}
	return object{"error": object{"message": f.Message, "type": kind, "param": nil, "code": code}}
}

// An openaiVoice gathers an answer and, if it streams, tells it as it comes.
type openaiVoice struct {
	sink  *sink
	req   *Request
	reply *reply
	kind  ItemKind
	calls []*openaiCall
	begun bool

	text, thinking strings.Builder
}

type openaiCall struct {
	id, name  string
	arguments strings.Builder
}

func (v *openaiVoice) envelope(kind string) object {
	return object{
		"id":     fmt.Sprintf("chatcmpl-%s-%d", v.req.Conversation, v.req.Call),
		"object": kind, "created": created, "model": v.req.Model,
	}
}

func (v *openaiVoice) chunk(delta object, finish any) {
	if !v.req.Stream {
		return
	}
	c := v.envelope("chat.completion.chunk")
	c["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": nil}}
	if v.req.includeUsage {
		c["usage"] = nil
	}
	v.sink.event("", c)
}

func (v *openaiVoice) start() {
	if !v.begun {
		v.begun = true
		v.chunk(object{"role": "assistant", "content": ""}, nil)
	}
}

func (v *openaiVoice) open(b beat) {
	v.start()
	v.kind = b.Kind
	if b.Kind != ItemTool {
		return
	}
	v.calls = append(v.calls, &openaiCall{id: b.id, name: b.Tool.Name})
	v.chunk(object{"tool_calls": []object{{
		"index": len(v.calls) - 1, "id": b.id, "type": "function",
		"function": object{"name": b.Tool.Name, "arguments": ""},
	}}}, nil)
}

func (v *openaiVoice) piece(text string) {
	switch v.kind {
	case ItemThinking:
		v.thinking.WriteString(text)
		v.chunk(object{"reasoning_content": text}, nil)
	case ItemTool:
		last := len(v.calls) - 1
		v.calls[last].arguments.WriteString(text)
		v.chunk(object{"tool_calls": []object{{"index": last, "function": object{"arguments": text}}}}, nil)
	default:
		v.text.WriteString(text)
		v.chunk(object{"content": text}, nil)
	}
}

// ping sends a comment, which is what servers of this kind keep connections
// alive with.
func (v *openaiVoice) ping() {
	v.start()
	if v.req.Stream {
		v.sink.raw(": ping\n\n")
	}
}

func (v *openaiVoice) fail(f Failure) {
	e := openaiError(http.StatusInternalServerError, f)
	if v.req.Stream {
		v.sink.event("", e)
		return
	}
	v.sink.document(http.StatusInternalServerError, e)
}

// usage counts what the cache gave and took among the prompt, as the vendor does.
func (v *openaiVoice) usage() object {
	u := v.reply.usage
	prompt := u.Input + u.CacheRead + u.CacheWrite
	return object{
		"prompt_tokens": prompt, "completion_tokens": u.Output, "total_tokens": prompt + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
	}
}

func (v *openaiVoice) finish() {
	v.start()
	stop := stopNames[OpenAI][v.reply.stop]
	if !v.req.Stream {
		answer := v.envelope("chat.completion")
		answer["choices"] = []object{{"index": 0, "message": v.message(), "finish_reason": stop, "logprobs": nil}}
		answer["usage"] = v.usage()
		v.sink.document(http.StatusOK, answer)
		return
	}
	v.chunk(object{}, stop)
	if v.req.includeUsage {
		c := v.envelope("chat.completion.chunk")
		c["choices"] = []object{}
		c["usage"] = v.usage()
		v.sink.event("", c)
	}
	v.sink.raw("data: [DONE]\n\n")
}

func (v *openaiVoice) message() object {
	m := object{"role": "assistant", "content": nil, "refusal": nil}
	if v.text.Len() > 0 || len(v.calls) == 0 {
		m["content"] = v.text.String()
	}
	if v.thinking.Len() > 0 {
		m["reasoning_content"] = v.thinking.String()
	}
	var calls []object
	for _, c := range v.calls {
		calls = append(calls, object{
			"id": c.id, "type": "function",
			"function": object{"name": c.name, "arguments": c.arguments.String()},
		})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	return m
}
