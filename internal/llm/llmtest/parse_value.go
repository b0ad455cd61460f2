package llmtest

import (
	"encoding/base64"
	"math"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// text reads a text. Numbers and the like are taken as they are written, and
// !!binary is decoded, for bytes that no text can hold.
func (p *parser) text(n *yaml.Node, what string) string {
	n = p.resolve(n)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fail(n, "%s is a text, not %s", what, kindOf(n))
		return ""
	}
	if n.Tag != "!!binary" {
		return n.Value
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
	if err != nil {
		p.fail(n, "%s is not valid base64", what)
	}
	return string(data)
}

func (p *parser) template(n *yaml.Node, what string) Text {
	t, err := newText(p.text(n, what))
	if err != nil {
		p.fail(n, "%s: %v", what, err)
	}
	return t
}

func (p *parser) regexp(n *yaml.Node, what string) *regexp.Regexp {
	re, err := regexp.Compile(p.text(n, what))
	if err != nil {
		p.fail(n, "%s: %v", what, err)
		return nil
	}
	return re
}

func (p *parser) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(p.text(n, what))
	if err != nil || d < 0 {
		p.fail(n, "%s is a time such as 50ms or 2s", what)
		return 0
	}
	return d
}

func (p *parser) number(n *yaml.Node, what string, least int64) int64 {
	n = p.resolve(n)
	var v int64
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&v) != nil || v < least || v > math.MaxInt32 {
		p.fail(n, "%s is a whole number from %d on", what, least)
		return least
	}
	return v
}

func (p *parser) boolean(n *yaml.Node, what string) bool {
	n = p.resolve(n)
	var v bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&v) != nil {
		p.fail(n, "%s is true or false", what)
	}
	return v
}

// flag reads the value of an item that is only ever true.
func (p *parser) flag(n *yaml.Node, what string) {
	if !p.boolean(n, what) {
		p.fail(n, "%s is true or left out", what)
	}
}

// value reads any YAML as JSON, with a Text for each string. A date stays the
// text that it is in the script.
func (p *parser) value(n *yaml.Node, what string) any {
	n = p.resolve(n)
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, p.value(c, what))
		}
		return list
	case yaml.MappingNode:
		return p.object(n, what)
	}
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return p.boolean(n, what)
	case "!!int", "!!float":
		return p.jsonNumber(n, what)
	}
	return p.template(n, what)
}

func (p *parser) object(n *yaml.Node, what string) map[string]any {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := p.resolve(n.Content[i])
		if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
			p.fail(key, "the keys of %s are texts", what)
			continue
		}
		if _, twice := object[key.Value]; twice {
			p.fail(key, "key %q stands twice in %s", key.Value, what)
		}
		object[key.Value] = p.value(n.Content[i+1], what)
	}
	return object
}

func (p *parser) jsonNumber(n *yaml.Node, what string) any {
	var i int64
	if n.Tag == "!!int" && n.Decode(&i) == nil {
		return i
	}
	var f float64
	if n.Decode(&f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		p.fail(n, "%s holds a number that JSON has no form for", what)
	}
	return f
}
