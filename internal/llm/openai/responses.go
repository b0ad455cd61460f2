package openai

import (
	"context"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// respond makes a call through the Responses API.
func respond(ctx context.Context, req llm.Request, to server, b *call.Builder, o []option.RequestOption, secrets call.Secrets) (llm.Answer, error) {
	params, err := responsesParams(ctx, req, to)
	if err != nil {
		return llm.Answer{}, err
	}
	service := responses.NewResponseService(o...) // alone, as for chat
	stream := service.NewStreaming(ctx, params)
	if err := stream.Err(); err != nil {
		return llm.Answer{}, err
	}
	defer func() { _ = stream.Close() }()
	r := responseReader{b: b, host: to.host, items: map[int64]*item{}}
	for stream.Next() {
		e := stream.Current()
		switch e.Type {
		case "error":
			return llm.Answer{}, call.InStream([]byte(e.RawJSON()), secrets)
		case "response.failed":
			return llm.Answer{}, call.InStream([]byte(e.Response.RawJSON()), secrets)
		}
		if err := r.event(e); err != nil {
			return llm.Answer{}, err
		}
		if r.status != "" { // what comes after the end cannot spoil it
			return r.answer()
		}
	}
	if err := stream.Err(); err != nil {
		return llm.Answer{}, streamError(err, secrets)
	}
	return llm.Answer{}, call.Broken("the provider's answer broke off")
}
