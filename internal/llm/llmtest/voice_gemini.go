package llmtest

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/clew-run/clew/internal/llm"
)

// A geminiVoice gathers the parts of an answer and, if it streams, tells them as they
// come. A call comes in one piece, and the finish with the last chunk.
type geminiVoice struct {
	sink  *sink
	req   *Request
	reply *reply
	parts []object
	text  strings.Builder // of the open part
	now   *beat           // nil if none is
	bad   bool            // a call is no JSON
	led   bool            // a thought came and no call has its seal so far
}

func (v *geminiVoice) chunk(parts []object, finish string) {
	if !v.req.Stream {
		return
	}
	v.sink.event("", v.answer(parts, finish))
}

func (v *geminiVoice) answer(parts []object, finish string) object {
	if parts == nil {
		parts = []object{}
	}
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{
		"candidates": []object{candidate}, "usageMetadata": v.usage(finish != ""), "modelVersion": v.req.Model,
		"responseId": fmt.Sprintf("%s_%d", v.req.Conversation, v.req.Call),
	}
}

// usage counts what the cache gave and took among the prompt, as the vendor does.
func (v *geminiVoice) usage(whole bool) object {
	u := v.reply.usage
	in := u.Input + u.CacheRead + u.CacheWrite
	counts := object{"promptTokenCount": in, "totalTokenCount": in}
	if u.CacheRead > 0 {
		counts["cachedContentTokenCount"] = u.CacheRead
	}
	if whole {
		counts["candidatesTokenCount"], counts["totalTokenCount"] = u.Output, in+u.Output
	}
	return counts
}

func (v *geminiVoice) add(part object) {
	v.parts = append(v.parts, part)
	v.chunk([]object{part}, "")
}

func (v *geminiVoice) open(b beat) {
	v.closePart()
	v.now = &b
}

func (v *geminiVoice) piece(text string) {
	v.text.WriteString(text)
	switch {
	case text == "":
	case v.now.Kind == ItemThinking:
		v.chunk([]object{{"text": text, "thought": true}}, "")
	case v.now.Kind == ItemText:
		v.chunk([]object{{"text": text}}, "")
	}
}

func (v *geminiVoice) closePart() {
	if v.now == nil {
		return
	}
	b, text := v.now, v.text.String()
	v.now = nil
	v.text.Reset()
	switch b.Kind {
	case ItemThinking:
		v.led = true
		v.parts = append(v.parts, object{"text": text, "thought": true})
	case ItemTool:
		args, fine := geminiArgs(text)
		if !fine {
			v.bad = true
			return
		}
		part := object{"functionCall": object{"id": b.id, "name": b.Tool.Name, "args": args}}
		if v.led {
			part["thoughtSignature"] = seal(b.id, b.Tool.Name)
			v.led = false
		}
		v.add(part)
	default:
		v.parts = append(v.parts, object{"text": text})
	}
}

// ping is nothing: the vendor sends none.
func (v *geminiVoice) ping() {}

func (v *geminiVoice) fail(f Failure) {
	if !v.req.Stream {
		v.sink.document(http.StatusInternalServerError, googleError(http.StatusInternalServerError, f))
		return
	}
	v.sink.event("", googleError(http.StatusServiceUnavailable, f))
}

func (v *geminiVoice) finish() {
	v.closePart()
	finish := map[llm.StopReason]string{llm.StopMaxTokens: "MAX_TOKENS", llm.StopRefusal: "SAFETY"}[v.reply.stop]
	switch {
	case v.bad:
		finish = "MALFORMED_FUNCTION_CALL"
	case finish == "":
		finish = "STOP"
	}
	var last []object
	if v.led { // the thought led to no call; its seal comes alone
		last = []object{{"text": "", "thoughtSignature": seal("text", "")}}
	}
	if !v.req.Stream {
		v.sink.document(http.StatusOK, v.answer(append(v.parts, last...), finish))
		return
	}
	v.chunk(last, finish)
}

// googleError is an error as Google writes it.
func googleError(status int, f Failure) any {
	if f.Type == "" {
		f.Type = googleStatus(status)
	}
	e := object{"code": status, "message": f.Message, "status": f.Type}
	if f.wait > 0 {
		e["details"] = []object{{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%gs", math.Ceil(f.wait.Seconds()))}}
	}
	return object{"error": e}
}

func googleStatus(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable, 529:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}
