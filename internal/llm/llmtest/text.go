package llmtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// A piece gives one part of a text for a request.
type piece func(scene) (string, error)

// newText reads s as a template if it looks like one. Templates are read with
// Go's parser but not executed by text/template, which calls methods by their
// names: the demo links this package, and the linker would have to keep every
// exported method of the program.
func newText(s string) (Text, error) {
	t := Text{Raw: s}
	if !strings.Contains(s, "{{") {
		return t, nil
	}
	trees, err := parse.Parse("text", s, "", "", functionNames)
	if err != nil {
		return t, fmt.Errorf("bad template: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	if len(trees) != 1 {
		return t, errors.New("bad template: it defines another one")
	}
	for _, node := range trees["text"].Root.Nodes {
		p, err := newPiece(node)
		if err != nil {
			return t, fmt.Errorf("bad template: %w", err)
		}
		t.pieces = append(t.pieces, p)
	}
	return t, nil
}

func newPiece(node parse.Node) (piece, error) {
	switch n := node.(type) {
	case *parse.TextNode:
		return func(scene) (string, error) { return string(n.Text), nil }, nil
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 && len(n.Pipe.Cmds) == 1 {
			if p := newCall(n.Pipe.Cmds[0].Args); p != nil {
				return p, nil
			}
		}
	}
	return nil, fmt.Errorf("%s is not a function with its argument", node)
}

// functionNames are what the parser accepts as functions.
var functionNames = map[string]any{"last_user": true, "call": true, "turn": true, "tool_result": true, "match": true}

// newCall is a function with its argument, nil if there is no such function.
func newCall(words []parse.Node) piece {
	name := words[0].String()
	if text, ok := words[0].(*parse.StringNode); ok && len(words) == 1 { // {{"{{"}}, which is how braces are written
		return func(scene) (string, error) { return text.Text, nil }
	}
	if len(words) == 1 {
		return plainCall(name)
	}
	switch arg := words[1].(type) {
	case *parse.StringNode:
		if name == "tool_result" && len(words) == 2 {
			return func(s scene) (string, error) { return s.toolResult(arg.Text) }
		}
	case *parse.NumberNode:
		if name == "match" && len(words) == 2 && arg.IsInt {
			return func(s scene) (string, error) { return s.group(arg.Int64) }
		}
	}
	return nil
}

func plainCall(name string) piece {
	switch name {
	case "last_user":
		return func(s scene) (string, error) { return s.req.LastUser(), nil }
	case "call":
		return func(s scene) (string, error) { return strconv.Itoa(s.req.Call), nil }
	case "turn":
		return func(s scene) (string, error) { return strconv.Itoa(s.req.Turn()), nil }
	}
	return nil
}

// A scene is what templates see: a request and what its regexp caught.
type scene struct {
	req   *Request
	match []string
}

func (s scene) toolResult(name string) (string, error) {
	p := s.req.toolResult(name)
	if p == nil {
		return "", fmt.Errorf("the history has no result of %q", name)
	}
	return p.Text, nil
}

func (s scene) group(n int64) (string, error) {
	if n < 0 || n >= int64(len(s.match)) {
		return "", fmt.Errorf("there is no match %d", n)
	}
	return s.match[n], nil
}

func (s scene) render(t Text) (string, error) {
	if t.pieces == nil {
		return t.Raw, nil
	}
	var b strings.Builder
	for _, p := range t.pieces {
		text, err := p(s)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
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
