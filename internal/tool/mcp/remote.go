package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// maxSummary bounds the line that shows a call to people.
const maxSummary = 300

// A remote is a tool of a server. It always speaks of the tool as it is now:
// who holds one across a change sees the change.
type remote struct {
	m      *Manager
	server string
	tool   string // the server's own name
	name   string // for models
	page   bool   // a page of the server asks for it

	mu   sync.Mutex
	last *definition // for when the server is gone
}

// Spec implements tool.Tool. What a server says about the effects of its tools
// is a stranger's word: every tool counts as one that must not run twice.
func (r *remote) Spec() tool.Spec {
	d, _ := r.now()
	return tool.Spec{
		Name: r.name, Description: d.description, Schema: d.schema,
		Class: clew.ClassOnce, Group: tool.GroupMCP, Server: r.server,
	}
}

// now gives the tool as it is, or as it was last with an error.
func (r *remote) now() (*definition, error) {
	s := r.m.server(r.server)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s == nil {
		return r.last, unavailable(r.server, "it is switched off or no longer in the settings")
	}
	if _, err := s.live(); err != nil {
		return r.last, err
	}
	d := s.find(r.tool)
	if d == nil {
		return r.last, unavailable(r.server, "it no longer has this tool")
	}
	r.last = d
	return d, nil
}

// Prepare implements tool.Tool.
func (r *remote) Prepare(ctx context.Context, call tool.Call) (*tool.Action, error) {
	if s := r.m.server(r.server); s != nil {
		if err := s.freshen(ctx); err != nil {
			return nil, err
		}
	}
	d, err := r.now()
	if err != nil {
		return nil, err
	}
	input, err := checkInput(d.input, call.Input)
	if err != nil {
		return nil, err
	}
	conf := r.m.opts.Servers()[r.server]
	a := &tool.Action{
		Effect: clew.Effect{
			Summary: line(fmt.Sprintf("%s: %s %s", r.server, d.shown, input), maxSummary),
			Server:  r.server,
			URL:     address(conf.URL),
		},
		Ask: clew.AskUseMcpServer,
		Run: func(ctx context.Context, out tool.Output) (tool.Result, error) {
			return r.run(ctx, out, d, call, input)
		},
	}
	return a, a.Digest(tool.Spec{Name: r.name, Schema: d.schema, Server: r.server}, call)
}

// checkInput gives the input back as the server gets it: written anew from what was
// read, so that a server cannot find more in it than was checked and shown, such as
// the first of two fields of one name.
func checkInput(schema *jsonschema.Schema, input json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err != nil {
		return nil, &tool.InputError{Message: "the input is not JSON"}
	}
	if err := schema.Validate(value); err != nil {
		return nil, &tool.InputError{Message: "the input does not fit the tool's schema: " + wrong(err)}
	}
	return json.Marshal(value)
}

// wrong says what a schema did not like, without our address for it.
func wrong(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return line(err.Error(), maxErrorText)
	}
	for len(v.Causes) == 1 {
		v = v.Causes[0]
	}
	_, text, found := bytes.Cut([]byte(v.Error()), []byte("\n"))
	if !found {
		text = []byte(v.Error())
	}
	return line(string(text), maxErrorText)
}

// freshen reads the tools again if that was long ago: a server may have changed
// them without a word.
func (s *server) freshen(ctx context.Context) error {
	l, err := s.live()
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := time.Since(s.listed) > s.m.time.fresh
	s.mu.Unlock()
	if !old {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.m.time.connect)
	defer cancel()
	if err := s.list(ctx, l); err != nil {
		return unavailable(s.name, "its tools could not be read: "+line(l.redact.apply(err.Error()), maxErrorText))
	}
	return nil
}
