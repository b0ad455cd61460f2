package llmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds what aliases may blow a script up to.
const maxNodes = 100_000

// Parse reads a script. The error names every mistake with its line, one in a
// row.
func Parse(data []byte) (*Script, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var root yaml.Node
	if err := dec.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("line 1: the script is empty")
		}
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	p := &parser{}
	var next yaml.Node
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		p.fail(&next, "a script is one document")
	}
	script := &Script{Steps: p.steps(root.Content[0])}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return script, nil
}

// MustParse is Parse for scripts that stand in the program. It panics on a
// mistake.
func MustParse(script string) *Script {
	s, err := Parse([]byte(script))
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return s
}

// A parser turns nodes into a script. It goes on after a mistake, so that an
// author sees all of them at once.
type parser struct {
	errs  []error
	nodes int
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	const most = 20
	// Past the limit values read as nothing, which is no mistake of the author.
	if len(p.errs) < most && p.nodes <= maxNodes+1 {
		p.errs = append(p.errs, fmt.Errorf("line %d: %s", max(n.Line, 1), fmt.Sprintf(format, args...)))
	}
}

// resolve follows an alias. A script that expands too far reads as empty.
func (p *parser) resolve(n *yaml.Node) *yaml.Node {
	if p.nodes++; p.nodes > maxNodes {
		if p.nodes == maxNodes+1 {
			p.fail(n, "the script is too large")
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}
	}
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// A field reads the value of one key.
type field func(*yaml.Node)

// mapping reads a mapping with known fields only. It reports whether n is one.
func (p *parser) mapping(n *yaml.Node, what string, fields map[string]field, order ...string) bool {
	n = p.resolve(n)
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s is a mapping, not %s", what, kindOf(n))
		return false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := p.resolve(n.Content[i]), n.Content[i+1]
		read, ok := fields[key.Value]
		switch {
		case !ok || key.Kind != yaml.ScalarNode:
			p.fail(key, "unknown field %q in %s; there are: %s", key.Value, what, strings.Join(order, ", "))
		case seen[key.Value]:
			p.fail(key, "field %q stands twice in %s", key.Value, what)
		default:
			seen[key.Value] = true
			read(value)
		}
	}
	return true
}

// list calls each for the elements of a list.
func (p *parser) list(n *yaml.Node, what string, each func(*yaml.Node)) {
	n = p.resolve(n)
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "%s is a list, not %s", what, kindOf(n))
		return
	}
	for _, c := range n.Content {
		each(c)
	}
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!str":
		return "a text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	}
	return "a value of another kind"
}
