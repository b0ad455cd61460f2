package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	clew "github.com/clew-run/clew"
)

// document is report.json. Its names are those of the wire.
type document struct {
	Format     int                    `json:"format"` // of this document
	SessionID  clew.SessionID         `json:"session_id"`
	RunID      string                 `json:"run_id"`
	Title      string                 `json:"title"`
	Request    string                 `json:"request"`
	Status     clew.RunResult         `json:"status"`
	StartedMS  int64                  `json:"started_ms"`
	EndedMS    int64                  `json:"ended_ms"`
	Intent     *clew.Intent           `json:"intent,omitempty"`
	Entities   clew.List[clew.Entity] `json:"entities"`
	PlanID     string                 `json:"plan_id"`
	Version    int                    `json:"version"`
	Todos      clew.List[clew.Todo]   `json:"todos"`
	Mermaid    string                 `json:"mermaid_diagram,omitempty"`
	Response   clew.Response          `json:"response"`
	Statistics clew.Statistics        `json:"statistics"`
	Decisions  clew.List[Decision]    `json:"decisions"`
	Truncated  bool                   `json:"truncated"` // some texts or lists are cut
}

// writeJSON keeps texts as they are. The characters that other forms write out
// are escaped here, so they show in an editor and a program reads them unchanged.
func writeJSON(in Input, lim limits) ([]byte, error) {
	c := &cutter{lim: lim}
	d := document{
		Format: 1, SessionID: in.SessionID, RunID: c.cut(in.RunID, lim.small),
		Title: c.cut(in.Title, lim.small), Request: c.cut(in.Request, lim.text),
		Status: in.Result, StartedMS: in.StartedMS, EndedMS: in.EndedMS,
		PlanID: c.cut(in.PlanID, lim.small), Version: in.Version,
		Mermaid: in.Mermaid, Statistics: in.Statistics,
	}
	if len(d.Mermaid) > lim.mermaid {
		d.Mermaid, c.did = "", true
	}
	if in.Intent != nil {
		d.Intent = &clew.Intent{Domain: c.cut(in.Intent.Domain, lim.small), Category: c.cut(in.Intent.Category, lim.small), Confidence: in.Intent.Confidence}
	}
	for _, e := range first(c, in.Entities, lim.items) {
		d.Entities = append(d.Entities, clew.Entity{Type: c.cut(e.Type, lim.small), Value: c.cut(e.Value, lim.small), Confidence: e.Confidence})
	}
	for _, t := range first(c, in.Todos, lim.rows) {
		d.Todos = append(d.Todos, c.todo(t))
	}
	for _, x := range first(c, in.Decisions, lim.items) {
		x.Question, x.Comment = c.cut(x.Question, lim.small), c.cut(x.Comment, lim.small)
		x.Action, x.By = c.cut(x.Action, lim.small), c.cut(x.By, lim.small)
		d.Decisions = append(d.Decisions, x)
	}
	d.Response = c.response(in.Response)
	d.Truncated = c.did
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(escapeHidden(data), '\n'), nil
}

// cutter cuts values and remembers that it did.
type cutter struct {
	lim limits
	did bool
}

func (c *cutter) cut(s string, n int) string {
	c.did = c.did || len(s) > n
	return cut(s, n)
}

func first[T any](c *cutter, list []T, n int) []T {
	c.did = c.did || len(list) > n
	return list[:min(len(list), n)]
}

func (c *cutter) todo(t clew.Todo) clew.Todo {
	t.ID, t.Tool = c.cut(t.ID, c.lim.small), c.cut(t.Tool, c.lim.small)
	t.Mode, t.Profile = c.cut(t.Mode, c.lim.small), c.cut(t.Profile, c.lim.small)
	t.Task, t.CurrentStep = c.cut(t.Task, c.lim.task), c.cut(t.CurrentStep, c.lim.task)
	var deps clew.List[string]
	for _, d := range first(c, t.DependsOn, c.lim.items) {
		deps = append(deps, c.cut(d, c.lim.small))
	}
	t.DependsOn = deps
	if t.Error != nil {
		e := *t.Error
		e.Message = c.cut(e.Message, c.lim.result)
		t.Error = &e
	}
	if s, ok := t.ResultSummary.(string); ok {
		t.ResultSummary = c.cut(s, c.lim.result)
	} else if t.ResultSummary != nil {
		// A structure that is too long, or cannot be written, becomes its text.
		data, err := json.Marshal(t.ResultSummary)
		if err != nil || len(data) > c.lim.result {
			t.ResultSummary = c.cut(plainResult(t.ResultSummary), c.lim.result)
		}
	}
	return t
}

func (c *cutter) response(r clew.Response) clew.Response {
	out := clew.Response{Format: r.Format, Text: c.cut(r.Text, c.lim.answer), Summary: c.cut(r.Summary, c.lim.text)}
	for _, a := range first(c, r.Attachments, c.lim.items) {
		out.Attachments = append(out.Attachments, clew.Attachment{
			Type: a.Type, Title: c.cut(a.Title, c.lim.small), URL: c.cut(a.URL, c.lim.small),
		})
	}
	for _, a := range first(c, r.NextActions, c.lim.items) {
		out.NextActions = append(out.NextActions, c.cut(a, c.lim.small))
	}
	return out
}

// plainResult is a todo's result as text: a string as it is, anything else as
// JSON, whose maps are sorted.
func plainResult(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("(a result that cannot be shown: %T)", v)
	}
	return b.String()
}

// readable is a todo's result for people: the fields of an object one per line.
func readable(v any) string {
	m, ok := v.(map[string]any)
	if !ok {
		return plainResult(v)
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, k+": "+strings.TrimSpace(plainResult(m[k])))
	}
	return strings.Join(lines, "\n")
}

// escapeHidden writes hidden characters as \u escapes. In JSON they stand only
// inside strings, except for the line ends of the indentation.
func escapeHidden(data []byte) []byte {
	if bytes.IndexFunc(data, hidden) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if hidden(r) {
			for _, u := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
		} else {
			out = append(out, data[:n]...)
		}
		data = data[n:]
	}
	return out
}
