// Package fetch is the tool that reads from the web. It reaches hosts on an
// allow list and no others, by whatever name, redirect or address they come.
package fetch

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

//go:embed fetch.md
var description string

const schema = `{
  "type": "object",
  "properties": {
    "url": {"type": "string", "description": "an http or https address"},
    "method": {"type": "string", "enum": ["GET", "HEAD"], "description": "GET if left out"},
    "max_bytes": {"type": "integer", "minimum": 1, "maximum": 2097152, "description": "cut the content here: 524288 if left out"}
  },
  "required": ["url"],
  "additionalProperties": false
}`

const (
	defaultBytes   = 512 << 10
	maxBytes       = 2 << 20
	maxURL         = 8 << 10
	maxRedirects   = 5
	defaultTimeout = 30 * time.Second
)

// Options is what the tool needs from outside.
type Options struct {
	// Allow gives the allow list that holds for a session: fetch_allow of its
	// settings. It is asked again when a call runs.
	Allow func(clew.SessionID) []string
	// Timeout bounds a whole call, redirects included: 30 s if 0.
	Timeout time.Duration
	// Lookup resolves names; nil is the system's resolver.
	Lookup Lookup
}

// A Tool is the fetch tool.
type Tool struct {
	allow   func(clew.SessionID) []string
	timeout time.Duration
	lookup  Lookup
	dialer  func(control) dialFunc // replaced in tests, which reach loopback only
}

// New makes the tool.
func New(o Options) *Tool {
	t := &Tool{allow: o.Allow, timeout: o.Timeout, lookup: o.Lookup, dialer: systemDialer}
	if t.timeout <= 0 {
		t.timeout = defaultTimeout
	}
	if t.lookup == nil {
		t.lookup = systemLookup
	}
	return t
}

// Spec describes the tool.
func (t *Tool) Spec() tool.Spec {
	return tool.Spec{
		Name: "fetch", Description: description, Schema: json.RawMessage(schema),
		Class: clew.ClassReadOnly, Group: tool.GroupFetch, Parallel: true,
	}
}

type request struct {
	URL      string `json:"url"`
	Method   string `json:"method"`
	MaxBytes int    `json:"max_bytes"`
}

// Prepare checks the address. It resolves nothing and sends nothing.
func (t *Tool) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	req, err := decode(call.Input)
	if err != nil {
		return nil, err
	}
	u, err := parseURL(req.URL)
	if err != nil {
		return nil, &tool.InputError{Message: err.Error()}
	}
	action := &tool.Action{
		Ask:    clew.AskTool,
		Effect: clew.Effect{Summary: req.Method + " " + u.String(), URL: u.String(), Network: true},
	}
	if err := parseList(t.allow(call.SessionID)).permits(u); err != nil {
		action.Refused = err.Error()
	}
	action.Run = func(ctx context.Context, _ tool.Output) (tool.Result, error) {
		return t.run(ctx, call.SessionID, req, u)
	}
	return action, nil
}

func decode(input json.RawMessage) (request, error) {
	req := request{}
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(&req); err != nil {
		return req, &tool.InputError{Message: "the input does not fit the schema: " + err.Error()}
	}
	if req.Method == "" {
		req.Method = http.MethodGet
	}
	if req.MaxBytes == 0 {
		req.MaxBytes = defaultBytes
	}
	switch {
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return req, &tool.InputError{Message: "method is GET or HEAD"}
	case req.MaxBytes < 0 || req.MaxBytes > maxBytes:
		return req, &tool.InputError{Message: fmt.Sprintf("max_bytes is between 1 and %d", maxBytes)}
	case len(req.URL) > maxURL:
		return req, &tool.InputError{Message: "the url is too long"}
	}
	return req, nil
}

func (t *Tool) run(ctx context.Context, session clew.SessionID, req request, u *url.URL) (tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	list := parseList(t.allow(session))
	if err := list.permits(u); err != nil {
		return tool.Result{}, err
	}
	r, err := http.NewRequestWithContext(ctx, req.Method, u.String(), nil)
	if err != nil {
		return tool.Result{}, err
	}
	r.Header.Set("User-Agent", "clew-fetch")
	r.Header.Set("Accept", "text/*, application/json, application/xml;q=0.9")
	client := t.client(list)
	defer client.CloseIdleConnections()
	resp, err := client.Do(r)
	if err != nil {
		return tool.Result{}, t.explain(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := read(resp, req)
	return result, t.explain(ctx, err)
}

// explain takes the address and the layers of wrapping out of an error, and
// says plainly that the time was up.
func (t *Tool) explain(ctx context.Context, err error) error {
	var wrapped *url.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no complete answer within %s", t.timeout)
	case errors.As(err, &wrapped):
		return wrapped.Err
	}
	return err
}

// client makes a client for one call: nothing of it, no connection and no
// cookie, is there for the next.
func (t *Tool) client(list allowList) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would resolve names for us, unchecked
			DialContext:            t.dial(list),
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: 64 << 10,
			TLSHandshakeTimeout:    t.timeout,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			next.Header.Del("Referer")
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
				return errors.New("a redirect leads from https to http")
			}
			u, err := parseURL(next.URL.String())
			if err == nil {
				err = list.permits(u)
			}
			if err != nil {
				return fmt.Errorf("a redirect is refused: %w", err)
			}
			next.URL, next.Host = u, ""
			return nil
		},
	}
}
