package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clew-run/clew"
)

// Limits on what a server may ask.
const (
	maxFields    = 20
	maxQuestions = 40 // of one call
	maxTries     = 3  // for one field
)

// What a server hears about its question.
const (
	actionAccept  = "accept"
	actionDecline = "decline"
	actionCancel  = "cancel"
)

// elicit puts a server's question to the person whose call it belongs to.
func (s *server) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	c := s.askingCall(ctx)
	if c == nil || req.Params == nil {
		s.m.opts.Log.Warn("question of a tool server belongs to no single call", "server", s.name)
		return &sdk.ElicitResult{Action: actionCancel}, nil
	}
	c.asking.Lock()
	defer c.asking.Unlock()
	c.clock.Stop()
	defer c.clock.Reset(c.limit)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	q := &questions{call: c, intro: s.name + " asks: " + s.say(req.Params.Message)}
	if req.Params.Mode == "url" || req.Params.URL != "" {
		return q.url(ctx, req.Params.URL), nil
	}
	return q.form(ctx, req.Params.RequestedSchema), nil
}

// askingCall finds the call that a question belongs to. Newer servers ask in
// the answer to the call. Older ones just ask: then it is the only call under
// way, or nobody's. A question must not reach the wrong person.
func (s *server) askingCall(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) != 1 {
		return nil
	}
	for c := range s.calls {
		return c
	}
	return nil
}

// say makes a server's text fit to be shown.
func (s *server) say(text string) string {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		text = l.redact.apply(text)
	}
	return cut(clean(text), maxText)
}

// questions asks what one elicitation wants to know.
type questions struct {
	call  *call
	intro string
}

// form asks for each field of a flat schema in turn.
func (q *questions) form(ctx context.Context, schema any) *sdk.ElicitResult {
	fields, err := readFields(schema)
	if err != nil {
		return &sdk.ElicitResult{Action: actionDecline}
	}
	if len(fields) == 0 {
		return q.confirm(ctx, q.intro)
	}
	content := map[string]any{}
	for _, f := range fields {
		value, action := q.field(ctx, f)
		if action != actionAccept {
			return &sdk.ElicitResult{Action: action}
		}
		if value != nil {
			content[f.name] = value
		}
	}
	return &sdk.ElicitResult{Action: actionAccept, Content: content}
}

// field asks until the answer fits. A value of nil leaves the field out.
func (q *questions) field(ctx context.Context, f field) (value any, action string) {
	data := f.question(q.intro)
	text := data.Question
	for range maxTries {
		answer, action := q.ask(ctx, data)
		if action == actionAccept && answer.Action == clew.ResolvedSkip {
			if f.required {
				return nil, actionDecline
			}
			return nil, actionAccept
		}
		if action != actionAccept {
			return nil, action
		}
		value, err := f.value(answer.Value)
		if err == nil {
			return value, actionAccept
		}
		data.Question = text + "\nThe last answer does not fit: " + line(err.Error(), maxErrorText)
	}
	return nil, actionCancel
}

// url shows an address. It is never opened here.
func (q *questions) url(ctx context.Context, raw string) *sdk.ElicitResult {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || clean(raw) != raw || len(raw) > maxText {
		return &sdk.ElicitResult{Action: actionDecline}
	}
	text := fmt.Sprintf("%s\nIt wants you to visit %s (host: %s). Open it yourself if you trust it; answer yes when you are done.",
		q.intro, raw, u.Hostname())
	return q.confirm(ctx, text)
}

// confirm asks for a yes or a no.
func (q *questions) confirm(ctx context.Context, text string) *sdk.ElicitResult {
	answer, action := q.ask(ctx, clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "confirm", Question: text, InputType: clew.InputBoolean, Required: true,
	})
	if action == actionAccept {
		yes, err := boolean(answer.Value)
		if answer.Action != clew.ResolvedApprove && (err != nil || !yes) {
			action = actionDecline
		}
	}
	if action != actionAccept {
		return &sdk.ElicitResult{Action: action}
	}
	return &sdk.ElicitResult{Action: actionAccept, Content: map[string]any{}}
}

// ask puts one question. The action is accept if there is an answer to look at.
func (q *questions) ask(ctx context.Context, data clew.HitlInputRequestData) (clew.HitlResolvedData, string) {
	if q.call.asked++; q.call.asked > maxQuestions {
		return clew.HitlResolvedData{}, actionCancel
	}
	answer, err := q.call.out.Ask(ctx, data)
	if err != nil {
		return answer, actionCancel
	}
	switch answer.Action {
	case clew.ResolvedReject:
		return answer, actionDecline
	case clew.ResolvedCancelled:
		return answer, actionCancel
	}
	if answer.ByTimeout && answer.Value == nil {
		return answer, actionCancel
	}
	return answer, actionAccept
}

func boolean(v any) (bool, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes", "y":
			return true, nil
		case "false", "no", "n":
			return false, nil
		}
	}
	return false, fmt.Errorf("answer yes or no")
}
