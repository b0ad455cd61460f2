package llmtest

import (
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// newText parses s as a template if it looks like one.
func newText(s string) (Text, error) {
	t := Text{Raw: s}
	if !strings.Contains(s, "{{") {
		return t, nil
	}
	// The functions are only named here; each request brings its own.
	tmpl, err := template.New("text").Funcs((&Request{}).funcs(nil)).Parse(s)
	if err != nil {
		return t, fmt.Errorf("bad template: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	t.tmpl = tmpl
	return t, nil
}

// A scene is what templates see: a request and what its regexp caught.
type scene struct {
	req   *Request
	match []string
}

func (s scene) render(t Text) (string, error) {
	if t.tmpl == nil {
		return t.Raw, nil
	}
	tmpl, err := t.tmpl.Clone()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := tmpl.Funcs(s.req.funcs(s.match)).Execute(&b, nil); err != nil {
		return "", err
	}
	return b.String(), nil
}

// renderValue gives v with each Text in it rendered.
func (s scene) renderValue(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case Text:
		return s.render(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = s.renderValue(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for k := range v {
			if object[k], err = s.renderValue(v[k]); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return v, nil
}

func (r *Request) funcs(match []string) template.FuncMap {
	return template.FuncMap{
		"last_user": r.LastUser,
		"call":      func() int { return r.Call },
		"turn":      r.Turn,
		"tool_result": func(name string) (string, error) {
			p := r.toolResult(name)
			if p == nil {
				return "", fmt.Errorf("the history has no result of %q", name)
			}
			return p.Text, nil
		},
		"match": func(n int) (string, error) {
			if n < 0 || n >= len(match) {
				return "", fmt.Errorf("there is no match %d", n)
			}
			return match[n], nil
		},
	}
}

// toolResult gives the latest result of the tool or the call with that name.
func (r *Request) toolResult(name string) *clew.Part {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		content := r.Messages[i].Content
		for j := len(content) - 1; j >= 0; j-- {
			p := &content[j]
			if p.Type == clew.PartToolResult && (p.Tool == name || p.ToolCallID == name) {
				return p
			}
		}
	}
	return nil
}

// words cuts s after each run of spaces, so that the pieces make s again.
func words(s string) []string {
	var pieces []string
	start, space := 0, false
	for i, r := range s {
		isSpace := r == ' ' || r == '\n' || r == '\t'
		if space && !isSpace {
			pieces = append(pieces, s[start:i])
			start = i
		}
		space = isSpace
	}
	if start < len(s) {
		pieces = append(pieces, s[start:])
	}
	return pieces
}

// cutInto cuts s into n pieces of about the same length, fewer if s is short,
// and never inside of a rune.
func cutInto(s string, n int) []string {
	n = max(1, min(n, utf8.RuneCountInString(s)))
	var pieces []string
	for ; n > 1; n-- {
		end := max(1, len(s)/n)
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end++
		}
		pieces = append(pieces, s[:end])
		s = s[end:]
	}
	if s != "" {
		pieces = append(pieces, s)
	}
	return pieces
}

// inputPieces cuts the input of a tool call. Even a short one comes in two.
func inputPieces(s string, n int) []string {
	const size = 16
	if n == 0 {
		n = max(2, len(s)/size)
	}
	return cutInto(s, n)
}

func textPieces(s string, n int) []string {
	if n == 0 {
		return words(s)
	}
	return cutInto(s, n)
}
