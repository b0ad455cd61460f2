package llmtest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// match reports whether w holds for r, with what the step's regexp caught. If it
// does not hold, why says so.
func (w *When) match(r *Request) (caught []string, why string) {
	for _, c := range []struct {
		what string
		cond *TextMatch
		text string
	}{
		{"last_user", w.LastUser, r.LastUser()},
		{"system", w.System, r.System},
		{"model", w.Model, r.Model},
	} {
		m, why := c.cond.match(c.text)
		if why != "" {
			return nil, c.what + " " + why
		}
		if caught == nil {
			caught = m
		}
	}
	m, why := w.ToolResult.match(r.Results())
	if why != "" {
		return nil, why
	}
	if caught == nil {
		caught = m
	}
	return caught, w.matchPlace(r)
}

func (w *When) matchPlace(r *Request) (why string) {
	for _, name := range w.HasTool {
		if !r.hasTool(name) {
			return fmt.Sprintf("the request has no tool %q", name)
		}
	}
	if w.Call != 0 && w.Call != r.Call {
		return fmt.Sprintf("it wants call %d", w.Call)
	}
	if w.Turn != 0 && w.Turn != r.Turn() {
		return fmt.Sprintf("it wants turn %d", w.Turn)
	}
	return ""
}

func (m *TextMatch) match(s string) (caught []string, why string) {
	if m == nil {
		return nil, ""
	}
	if !strings.Contains(s, m.Contains) {
		return nil, fmt.Sprintf("does not contain %q", m.Contains)
	}
	if m.Equals != nil && *m.Equals != s {
		return nil, fmt.Sprintf("is not %q", *m.Equals)
	}
	if m.Regexp == nil {
		return nil, ""
	}
	if caught = m.Regexp.FindStringSubmatch(s); caught == nil {
		return nil, fmt.Sprintf("does not match %q", m.Regexp)
	}
	return caught, ""
}

// match looks for one result that meets all of m.
func (m *ResultMatch) match(results []clew.Part) (caught []string, why string) {
	if m == nil {
		return nil, ""
	}
	why = "there is no tool result"
	for _, p := range results {
		if caught, why = m.matchOne(p); why == "" {
			return caught, ""
		}
	}
	return nil, why
}

func (m *ResultMatch) matchOne(p clew.Part) (caught []string, why string) {
	if m.Tool != "" && m.Tool != p.Tool {
		return nil, fmt.Sprintf("there is no result of %q", m.Tool)
	}
	if m.ID != "" && m.ID != p.ToolCallID {
		return nil, fmt.Sprintf("there is no result of call %q", m.ID)
	}
	if m.IsError != nil && *m.IsError != p.IsError {
		return nil, fmt.Sprintf("is_error of the result of %q is %t", p.Tool, p.IsError)
	}
	if caught, why = m.Text.match(p.Text); why != "" {
		return nil, fmt.Sprintf("the result of %q %s", p.Tool, why)
	}
	return caught, ""
}

// describe says in a few words what a request is about.
func (r *Request) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "call %d, turn %d of conversation %s, model %q, last user text %q", r.Call, r.Turn(), r.Conversation, r.Model, shorten(r.LastUser()))
	for _, p := range r.Results() {
		state := "ok"
		if p.IsError {
			state = "error"
		}
		fmt.Fprintf(&b, ", result of %s (%s, %s) %q", p.Tool, p.ToolCallID, state, shorten(p.Text))
	}
	return b.String()
}

func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
