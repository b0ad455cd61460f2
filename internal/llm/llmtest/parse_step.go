package llmtest

import (
	"go.yaml.in/yaml/v3"
)

func (p *parser) steps(n *yaml.Node) []Step {
	var steps []Step
	p.list(n, "a script", func(n *yaml.Node) { steps = append(steps, p.step(n)) })
	if len(steps) == 0 && len(p.errs) == 0 {
		p.fail(n, "the script has no steps")
	}
	return steps
}

func (p *parser) step(n *yaml.Node) Step {
	s := Step{Line: n.Line, Times: 1}
	ok := p.mapping(n, "a step", map[string]field{
		"name":  func(n *yaml.Node) { s.Name = p.text(n, "name") },
		"when":  func(n *yaml.Node) { s.When = p.when(n, &s) },
		"times": func(n *yaml.Node) { s.Times = int(p.number(n, "times", 0)) },
		"reply": func(n *yaml.Node) {
			p.list(n, "reply", func(n *yaml.Node) { s.Reply = append(s.Reply, p.item(n)) })
		},
	}, "name", "when", "times", "reply")
	if ok && len(s.Reply) == 0 {
		p.fail(n, "a step needs a reply")
	}
	p.order(s.Reply)
	return s
}

// when reads the conditions. The matcher of times stands among them or beside
// them, as the author likes.
func (p *parser) when(n *yaml.Node, s *Step) When {
	var w When
	p.mapping(n, "when", map[string]field{
		"last_user":   func(n *yaml.Node) { w.LastUser = p.textMatch(n, "last_user") },
		"system":      func(n *yaml.Node) { w.System = p.textMatch(n, "system") },
		"model":       func(n *yaml.Node) { w.Model = p.textMatch(n, "model") },
		"tool_result": func(n *yaml.Node) { w.ToolResult = p.resultMatch(n) },
		"has_tool":    func(n *yaml.Node) { w.HasTool = p.names(n, "has_tool") },
		"call":        func(n *yaml.Node) { w.Call = int(p.number(n, "call", 1)) },
		"turn":        func(n *yaml.Node) { w.Turn = int(p.number(n, "turn", 1)) },
		"times":       func(n *yaml.Node) { s.Times = int(p.number(n, "times", 0)) },
	}, "last_user", "system", "model", "tool_result", "has_tool", "call", "turn", "times")
	return w
}

// names reads one name or a list of them.
func (p *parser) names(n *yaml.Node, what string) []string {
	if p.resolve(n).Kind != yaml.SequenceNode {
		return []string{p.text(n, what)}
	}
	var names []string
	p.list(n, what, func(n *yaml.Node) { names = append(names, p.text(n, what)) })
	return names
}

// textMatch reads a condition on a text. A bare text means contains.
func (p *parser) textMatch(n *yaml.Node, what string) *TextMatch {
	var m TextMatch
	if p.resolve(n).Kind == yaml.ScalarNode {
		m.Contains = p.text(n, what)
		return &m
	}
	p.mapping(n, what, m.fields(p), "contains", "equals", "regexp")
	return &m
}

func (m *TextMatch) fields(p *parser) map[string]field {
	return map[string]field{
		"contains": func(n *yaml.Node) { m.Contains = p.text(n, "contains") },
		"equals":   func(n *yaml.Node) { s := p.text(n, "equals"); m.Equals = &s },
		"regexp":   func(n *yaml.Node) { m.Regexp = p.regexp(n, "regexp") },
	}
}

// resultMatch reads a condition on a tool result. A bare text is a tool's name.
func (p *parser) resultMatch(n *yaml.Node) *ResultMatch {
	var text TextMatch
	m := ResultMatch{Text: &text}
	if p.resolve(n).Kind == yaml.ScalarNode {
		m.Tool = p.text(n, "tool_result")
		return &m
	}
	fields := text.fields(p)
	fields["tool"] = func(n *yaml.Node) { m.Tool = p.text(n, "tool") }
	fields["id"] = func(n *yaml.Node) { m.ID = p.text(n, "id") }
	fields["is_error"] = func(n *yaml.Node) { b := p.boolean(n, "is_error"); m.IsError = &b }
	p.mapping(n, "tool_result", fields, "tool", "id", "contains", "equals", "regexp", "is_error")
	return &m
}
