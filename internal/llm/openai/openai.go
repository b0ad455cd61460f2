// Package openai makes model calls through OpenAI's two APIs. Chat Completions
// is what most other servers speak too, as OpenRouter, Ollama, vLLM and llama.cpp
// do. Responses is the newer one of OpenAI and Azure, in which a model's reasoning
// lasts from one call to the next.
package openai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

const vendorURL = "https://api.openai.com/v1/"

// Options say where and as whom to call.
type Options = call.Options

// A Provider makes calls. It is safe for concurrent use.
type Provider struct {
	options   Options
	client    *http.Client
	responses bool // the wire is Responses
}

// New makes a provider that speaks Chat Completions. Only the options count:
// nothing is read from the environment, unlike the SDK's own clients do.
func New(o Options) *Provider {
	return &Provider{options: o, client: call.Client(o.HTTP, o.Stall)}
}

// NewResponses makes a provider that speaks Responses.
func NewResponses(o Options) *Provider {
	p := New(o)
	p.responses = true
	return p
}

// A server is whom a call goes to.
type server struct {
	base   string // URL in the form the SDK wants
	host   string
	native bool // OpenAI itself, or its models at Azure
}

// Stream makes one call.
func (p *Provider) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	to, err := address(p.options.BaseURL)
	if err != nil {
		return llm.Answer{}, err
	}
	key, err := call.Key(ctx, p.options.Key, to.base == vendorURL || p.options.KeyHeader != "")
	secrets := call.KnownSecrets(key, p.options.Headers)
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, secrets)
	}
	run := chat
	if p.responses {
		run = respond
	}
	builder := call.NewBuilder(req, on)
	answer, err := run(ctx, req, to, builder, p.requestOptions(to.base, key), secrets)
	if stopped := builder.Stopped(); stopped != nil {
		return llm.Answer{}, stopped
	}
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, secrets)
	}
	if answer.Estimated {
		answer.Usage.TokensIn = int64(llm.EstimateTokens(req.Messages, req.System, req.Tools))
		answer.Usage.TokensOut = int64(builder.Size()+3) / 4
	}
	return answer, nil
}

func chat(ctx context.Context, req llm.Request, to server, b *call.Builder, o []option.RequestOption, secrets call.Secrets) (llm.Answer, error) {
	params, err := params(ctx, req, to.native)
	if err != nil {
		return llm.Answer{}, err
	}
	// The service alone, not the SDK's client: the client would look for keys,
	// addresses and headers in the environment.
	service := sdk.NewChatCompletionService(o...)
	stream := service.NewStreaming(ctx, params)
	if err := stream.Err(); err != nil {
		return llm.Answer{}, err
	}
	defer func() { _ = stream.Close() }()
	r := reader{b: b, tools: map[int64]*tool{}}
	for stream.Next() {
		if err := r.chunk(stream.Current()); err != nil {
			return llm.Answer{}, err
		}
	}
	if err := stream.Err(); err != nil && !r.whole(ctx, err) {
		return llm.Answer{}, streamError(err, secrets)
	}
	return r.answer()
}

// whole reports whether the answer was complete before the stream broke: some
// servers hang up, or fall silent, after the last chunk that matters.
func (r *reader) whole(ctx context.Context, err error) bool {
	if r.finish == "" || ctx.Err() != nil {
		return false
	}
	_, sent := errors.AsType[*ssestream.StreamError](err)
	return !sent && call.Cut(err)
}

// streamError tells an error that the provider sent in a chunk from a stream
// that just broke.
func streamError(err error, secrets call.Secrets) error {
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok {
		return call.InStream(e.Event.Data, secrets)
	}
	return err
}

func (p *Provider) requestOptions(base, key string) []option.RequestOption {
	o := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(p.client),
		option.WithMaxRetries(0), // the caller retries, and shows it
		option.WithHeader("Accept", "text/event-stream"),
	}
	// Nobody needs to know the machine.
	for _, name := range []string{"OS", "Arch", "Runtime", "Runtime-Version"} {
		o = append(o, option.WithHeaderDel("X-Stainless-"+name))
	}
	for name, value := range p.options.Headers {
		o = append(o, option.WithHeader(name, value))
	}
	switch {
	case key == "":
	case p.options.KeyHeader != "":
		o = append(o, option.WithHeader(p.options.KeyHeader, key))
	default:
		o = append(o, option.WithAPIKey(key))
	}
	return o
}

// address reads a base URL. People write it with and without the path of a call,
// and Azure's without any path, as its pages show it.
func address(base string) (server, error) {
	if base == "" {
		base = vendorURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return server{}, call.Refused(nil, "base_url is no http or https address")
	}
	host := strings.ToLower(u.Hostname())
	path := strings.TrimSuffix(u.Path, "/")
	for _, of := range []string{"/chat/completions", "/responses"} {
		path = strings.TrimSuffix(path, of)
	}
	if azure := strings.HasSuffix(host, ".azure.com"); azure && (path == "" || path == "/openai") {
		path = "/openai/v1"
	}
	u.Path = path + "/"
	native := host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
	return server{base: u.String(), host: u.Host, native: native}, nil
}
