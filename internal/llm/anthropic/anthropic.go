// Package anthropic makes model calls through Anthropic's Messages API, or a
// server that speaks it, and to Anthropic's models at Amazon and Google Cloud.
package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

const vendorURL = "https://api.anthropic.com/"

// Options say where and as whom to call.
type Options = call.Options

// A Provider makes calls. It is safe for concurrent use.
type Provider struct {
	options Options
	client  *http.Client
	find    func(context.Context, Options) (target, error)
}

// A target is whom a call goes to, and as whom.
type target struct {
	base    string // URL in the form the SDK wants
	secrets call.Secrets
	options []option.RequestOption // those that the target needs beside the usual ones
}

// New makes a provider. Only the options count: nothing is read from the
// environment, unlike the SDK's own clients do.
func New(o Options) *Provider {
	return &Provider{options: o, client: call.Client(o.HTTP, o.Stall), find: findMessages}
}

// findMessages finds the vendor's own API, or a server that speaks it.
func findMessages(ctx context.Context, o Options) (target, error) {
	base, err := address(o.BaseURL)
	if err != nil {
		return target{}, err
	}
	key, err := call.Key(ctx, o.Key, base == vendorURL)
	t := target{base: base, secrets: call.KnownSecrets(key, o.Headers)}
	switch {
	case key == "":
	case o.KeyHeader != "":
		t.options = append(t.options, option.WithHeader(o.KeyHeader, key))
	default:
		t.options = append(t.options, option.WithAPIKey(key))
	}
	return t, err
}

// Stream makes one call.
func (p *Provider) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	to, err := p.find(ctx, p.options)
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, to.secrets)
	}
	secrets := to.secrets
	params, err := params(ctx, req)
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, secrets)
	}
	builder := call.NewBuilder(req, on)
	answer, err := p.run(ctx, params, builder, p.requestOptions(to), secrets)
	if stopped := builder.Stopped(); stopped != nil {
		return llm.Answer{}, stopped
	}
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, secrets)
	}
	return answer, nil
}

func (p *Provider) run(ctx context.Context, params sdk.MessageNewParams, b *call.Builder, o []option.RequestOption, secrets call.Secrets) (llm.Answer, error) {
	// The service alone, not the SDK's client: the client would look for keys,
	// addresses and headers in the environment and in files.
	service := sdk.NewMessageService(o...)
	stream := service.NewStreaming(ctx, params)
	if err := stream.Err(); err != nil {
		return llm.Answer{}, err
	}
	defer func() { _ = stream.Close() }()
	r := reader{b: b, blocks: map[int64]*call.Piece{}}
	for stream.Next() {
		if err := r.event(stream.Current()); err != nil {
			return llm.Answer{}, err
		}
		if r.ended {
			return r.answer()
		}
	}
	return llm.Answer{}, streamError(stream.Err(), secrets)
}

// streamError tells an error that the provider sent as an event from a stream
// that just broke.
func streamError(err error, secrets call.Secrets) error {
	if e, ok := asAPIError(err); ok {
		return call.InStream([]byte(e.RawJSON()), secrets)
	}
	if err == nil {
		return call.Broken("the provider's answer broke off")
	}
	return err
}

func (p *Provider) requestOptions(to target) []option.RequestOption {
	o := []option.RequestOption{
		option.WithHTTPClient(p.client),
		option.WithMaxRetries(0), // the caller retries, and shows it
		// The SDK's spans can carry whole conversations.
		option.WithoutOpenTelemetry(), option.WithOpenTelemetryPropagation(false),
		option.WithHeader("Accept", "text/event-stream"),
	}
	// Nobody needs to know the machine.
	for _, name := range []string{"OS", "Arch", "Runtime", "Runtime-Version"} {
		o = append(o, option.WithHeaderDel("X-Stainless-"+name))
	}
	for name, value := range p.options.Headers {
		o = append(o, option.WithHeader(name, value))
	}
	return append(append(o, to.options...), option.WithBaseURL(to.base)) // after what Bedrock's option says of it
}

// address gives the base URL in the form the SDK wants. People write it with
// and without the version.
func address(base string) (string, error) {
	if base == "" {
		return vendorURL, nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", call.Refused(nil, "base_url is no http or https address")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") + "/"
	return u.String(), nil
}
