package llmtest

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clew-run/clew/internal/llm"
)

// kinds lists the items in the order in which messages name them.
var kinds = []string{
	"thinking", "text", "tool", "delay", "slow", "wait", "usage", "stop", "ping",
	"status", "error", "cut", "malformed", "stall",
}

// extras lists the fields that may stand beside an item's own.
var extras = map[ItemKind][]string{
	ItemThinking: {"pieces"},
	ItemText:     {"pieces"},
	ItemTool:     {"pieces"},
	ItemStatus:   {"retry_after", "type", "message", "body"},
}

func (p *parser) item(n *yaml.Node) Item {
	it := Item{Line: n.Line}
	fields := p.itemFields(&it)
	var found, beside []string
	for name, read := range fields {
		fields[name] = func(n *yaml.Node) {
			if slices.Contains(kinds, name) {
				found = append(found, name)
			} else {
				beside = append(beside, name)
			}
			read(n)
		}
	}
	if !p.mapping(n, "an item of a reply", fields, append(slices.Clone(kinds), "pieces", "retry_after", "type", "message", "body")...) {
		return it
	}
	if len(found) != 1 {
		p.fail(n, "an item of a reply has exactly one of: %s", strings.Join(kinds, ", "))
		return it
	}
	it.Kind = ItemKind(found[0])
	for _, name := range beside {
		if !slices.Contains(extras[it.Kind], name) {
			p.fail(n, "field %q does not go with %q", name, it.Kind)
		}
	}
	return it
}

func (p *parser) itemFields(it *Item) map[string]field {
	return map[string]field{
		"thinking":  func(n *yaml.Node) { it.Text = p.template(n, "thinking") },
		"text":      func(n *yaml.Node) { it.Text = p.template(n, "text") },
		"tool":      func(n *yaml.Node) { it.Tool = p.tool(n) },
		"delay":     func(n *yaml.Node) { it.Delay = p.duration(n, "delay") },
		"slow":      func(n *yaml.Node) { it.Delay = p.slow(n) },
		"wait":      func(n *yaml.Node) { it.Text = Text{Raw: p.text(n, "wait")} },
		"usage":     func(n *yaml.Node) { it.Usage = p.usage(n) },
		"stop":      func(n *yaml.Node) { it.Stop = p.stop(n) },
		"ping":      func(n *yaml.Node) { p.flag(n, "ping") },
		"status":    func(n *yaml.Node) { it.Status.Code = p.status(n) },
		"error":     func(n *yaml.Node) { it.Error = p.failure(n) },
		"cut":       func(n *yaml.Node) { p.flag(n, "cut") },
		"malformed": func(n *yaml.Node) { it.Text = Text{Raw: p.text(n, "malformed")} },
		"stall":     func(n *yaml.Node) { p.flag(n, "stall") },

		"pieces":      func(n *yaml.Node) { it.Pieces = int(p.number(n, "pieces", 1)) },
		"retry_after": func(n *yaml.Node) { it.Status.RetryAfter = p.duration(n, "retry_after") },
		"type":        func(n *yaml.Node) { it.Status.Failure.Type = p.text(n, "type") },
		"message":     func(n *yaml.Node) { it.Status.Failure.Message = p.text(n, "message") },
		"body":        func(n *yaml.Node) { s := p.text(n, "body"); it.Status.Body = &s },
	}
}

func (p *parser) tool(n *yaml.Node) Tool {
	t := Tool{Input: map[string]any{}}
	given := 0
	ok := p.mapping(n, "tool", map[string]field{
		"name": func(n *yaml.Node) { t.Name = p.text(n, "name") },
		"id":   func(n *yaml.Node) { t.ID = p.template(n, "id") },
		"input": func(n *yaml.Node) {
			given++
			t.Input = p.value(n, "input")
			if _, object := t.Input.(map[string]any); !object {
				p.fail(n, "input is a mapping, not %s", kindOf(p.resolve(n)))
			}
		},
		"raw": func(n *yaml.Node) { given++; s := p.text(n, "raw"); t.Raw = &s },
	}, "name", "id", "input", "raw")
	if ok && t.Name == "" {
		p.fail(n, "a tool needs a name")
	}
	if given > 1 {
		p.fail(n, "a tool has input or raw, not both")
	}
	return t
}

func (p *parser) usage(n *yaml.Node) Usage {
	var u Usage
	count := func(to *int64, what string) field {
		return func(n *yaml.Node) { *to = p.number(n, what, 0) }
	}
	p.mapping(n, "usage", map[string]field{
		"input":       count(&u.Input, "input"),
		"output":      count(&u.Output, "output"),
		"cache_read":  count(&u.CacheRead, "cache_read"),
		"cache_write": count(&u.CacheWrite, "cache_write"),
	}, "input", "output", "cache_read", "cache_write")
	return u
}

func (p *parser) failure(n *yaml.Node) Failure {
	var f Failure
	p.mapping(n, "error", map[string]field{
		"type":    func(n *yaml.Node) { f.Type = p.text(n, "type") },
		"message": func(n *yaml.Node) { f.Message = p.text(n, "message") },
	}, "type", "message")
	return f
}

// slow reads the wait before each piece. per_token is the vendors' word for it.
func (p *parser) slow(n *yaml.Node) (d time.Duration) {
	p.mapping(n, "slow", map[string]field{
		"per_token": func(n *yaml.Node) { d = p.duration(n, "per_token") },
	}, "per_token")
	return d
}

func (p *parser) stop(n *yaml.Node) llm.StopReason {
	reason := llm.StopReason(p.text(n, "stop"))
	switch reason {
	case llm.StopEnd, llm.StopToolUse, llm.StopMaxTokens, llm.StopRefusal:
	default:
		p.fail(n, "stop is one of: end, tool_use, max_tokens, refusal")
	}
	return reason
}

func (p *parser) status(n *yaml.Node) int {
	code := int(p.number(n, "status", 400))
	if code > 599 {
		p.fail(n, "status is an HTTP error, 400 to 599")
	}
	return code
}

// order checks that a reply can be played: a status comes before anything is
// streamed, and nothing comes after what ends the answer.
func (p *parser) order(items []Item) {
	streamed := false
	for i, it := range items {
		at := &yaml.Node{Line: it.Line}
		switch it.Kind {
		case ItemStatus, ItemError, ItemCut, ItemStall:
			if it.Kind == ItemStatus && streamed {
				p.fail(at, "status comes too late: a part of the answer is sent already")
			}
			if i < len(items)-1 {
				p.fail(at, "nothing can come after %q", it.Kind)
			}
		case ItemThinking, ItemText, ItemTool, ItemPing, ItemMalformed:
			streamed = true
		}
	}
}
