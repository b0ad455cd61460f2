package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFrame bounds one message of a server.
const maxFrame = 16 << 20

// transport makes what the settings name: a process, or an address.
func (s *server) transport(ctx context.Context, l *link) (sdk.Transport, error) {
	switch {
	case s.conf.Command != "" && s.conf.URL != "":
		return nil, errors.New("the settings have both a command and a url")
	case s.conf.Command != "":
		return s.stdio(ctx, l)
	case s.conf.URL != "":
		return s.http(ctx, l)
	}
	return nil, errors.New("the settings have neither a command nor a url")
}

func (s *server) stdio(ctx context.Context, l *link) (sdk.Transport, error) {
	env, redact, err := s.m.resolve(ctx, s.conf.Env)
	if err != nil {
		return nil, err
	}
	l.redact = redact
	l.proc, err = startProcess(s.conf, env)
	if err != nil {
		return nil, errors.New(clean(redact.apply("it could not be started: " + err.Error())))
	}
	s.mu.Lock()
	s.logs = append(s.logs[max(len(s.logs)-1, 0):], func() string { return l.proc.tail.text(redact) })
	s.mu.Unlock()
	return &sdk.IOTransport{
		Reader:        io.NopCloser(newFrames(l.proc.stdout, maxFrame, l.proc.tail)),
		Writer:        l.proc,
		MaxLineLength: maxFrame + 1,
	}, nil
}

func (s *server) http(ctx context.Context, l *link) (sdk.Transport, error) {
	u, err := url.Parse(s.conf.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the url is not an http or https address")
	}
	headers, redact, err := s.m.resolve(ctx, s.conf.Headers)
	if err != nil {
		return nil, err
	}
	l.redact = redact
	l.http = &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 90 * time.Second,
	}
	return &sdk.StreamableClientTransport{
		Endpoint:     s.conf.URL,
		MaxEventSize: maxFrame,
		MaxRetries:   2,
		HTTPClient: &http.Client{
			Transport: &door{next: l.http, host: u.Host, headers: headers},
			CheckRedirect: func(req *http.Request, via []*http.Request) error {
				if req.URL.Host != u.Host || req.URL.Scheme != u.Scheme || len(via) > 3 {
					return errors.New("it redirects to another address")
				}
				return nil
			},
		},
	}, nil
}

// A door adds the headers of the settings to requests to the server's own
// address, and bounds what comes back.
type door struct {
	next    http.RoundTripper
	host    string
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (d *door) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != d.host {
		return nil, errors.New("not the address of the tool server")
	}
	req = req.Clone(req.Context())
	for k, v := range d.headers {
		req.Header.Set(k, v)
	}
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // those are bounded per event
		resp.Body = &bounded{ReadCloser: resp.Body, left: maxFrame}
	}
	return resp, nil
}

// bounded is a body that fails when it is too long.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d bytes", maxFrame)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
