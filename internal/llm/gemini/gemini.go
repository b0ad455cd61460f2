// Package gemini makes model calls through the Gemini API of Google. It speaks the
// wire by itself: Google's own client makes the linker keep every method of the
// program, see deploy/link_test.go.
package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

const vendorURL = "https://generativelanguage.googleapis.com/v1beta"

// Options say where and as whom to call.
type Options = call.Options

// A Provider makes calls. It is safe for concurrent use.
type Provider struct {
	options Options
	client  *http.Client
}

// New makes a provider. Only the options count: nothing is read from the
// environment.
func New(o Options) *Provider {
	return &Provider{options: o, client: call.Client(o.HTTP, o.Stall)}
}

// Stream makes one call.
func (p *Provider) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	base, err := address(p.options.BaseURL)
	if err != nil {
		return llm.Answer{}, err
	}
	key, err := call.Key(ctx, p.options.Key, base.String() == vendorURL)
	secrets := call.KnownSecrets(key, p.options.Headers)
	if err != nil {
		return llm.Answer{}, call.Failure(ctx, err, secrets)
	}
	builder := call.NewBuilder(req, on)
	answer, err := p.run(ctx, req, base, key, builder, secrets)
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

func (p *Provider) run(ctx context.Context, req llm.Request, base *url.URL, key string, b *call.Builder, secrets call.Secrets) (llm.Answer, error) {
	hr, err := p.request(ctx, req, base, key)
	if err != nil {
		return llm.Answer{}, err
	}
	res, err := p.client.Do(hr)
	if err != nil {
		return llm.Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	r := reader{b: b, host: base.Host}
	events := eventScanner(res.Body)
	for events.next() {
		if err := r.chunk(events.data, secrets); err != nil {
			return llm.Answer{}, err
		}
	}
	switch err := events.err; {
	case err == nil && r.finish == "" && bytes.IndexAny(events.rest, "{[") == 0:
		// An error in the middle of an answer comes as bare JSON, not as an event.
		return llm.Answer{}, call.InStream(events.rest, secrets)
	case err != nil && (r.finish == "" || ctx.Err() != nil || !call.Cut(err)):
		return llm.Answer{}, err
	}
	return r.answer()
}

func (p *Provider) request(ctx context.Context, req llm.Request, base *url.URL, key string) (*http.Request, error) {
	params, err := params(ctx, req, base.Host)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // as it is written; models read code
	if err := encoder.Encode(params); err != nil {
		return nil, call.Refused(err, "the conversation could not be written as JSON")
	}
	model := strings.TrimPrefix(req.Model, "models/")
	to := base.JoinPath("models", url.PathEscape(model)+":streamGenerateContent")
	to.RawQuery = "alt=sse"
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), &body)
	if err != nil {
		return nil, call.Refused(nil, "base_url and model give no address")
	}
	hr.Header.Set("Content-Type", "application/json")
	hr.Header.Set("Accept", "text/event-stream")
	hr.Header.Set("User-Agent", "clew")
	for name, value := range p.options.Headers {
		hr.Header.Set(name, value)
	}
	header := p.options.KeyHeader
	if header == "" {
		header = "X-Goog-Api-Key"
	}
	if key != "" {
		hr.Header.Set(header, key) // not in the address, which proxies write down
	}
	return hr, nil
}

var version = regexp.MustCompile(`/v\d+(?:alpha|beta)?\d*$`)

// address reads a base URL. People write it with and without the version.
func address(base string) (*url.URL, error) {
	if base == "" {
		base = vendorURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, call.Refused(nil, "base_url is no http or https address")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/models")
	if !version.MatchString(u.Path) {
		u.Path += "/v1beta"
	}
	return u, nil
}
