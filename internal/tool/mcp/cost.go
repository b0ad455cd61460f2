package mcp

import (
	"net/url"
	"strings"
)

// maxCost bounds how often parts of a schema are visited to check one value.
const maxCost = 100_000

// cost counts the parts of a schema with references followed, once for each
// place that refers: a small schema can unfold to a huge one. A loop counts
// once, as the checker stops at it or goes deeper into the value. What cannot be
// followed here costs too much.
func cost(root map[string]any) int {
	c := &counter{root: root, known: map[string]int{}}
	return c.visit(root)
}

type counter struct {
	root  map[string]any
	known map[string]int
}

func (c *counter) visit(node any) int {
	sum := 1
	switch v := node.(type) {
	case []any:
		for _, e := range v {
			sum = min(sum+c.visit(e), maxCost+1)
		}
	case map[string]any:
		for key, e := range v {
			if key != "$defs" && key != "definitions" {
				sum = min(sum+c.visit(e), maxCost+1)
			}
		}
		sum = min(sum+c.references(v), maxCost+1)
	}
	return sum
}

func (c *counter) references(schema map[string]any) int {
	if _, ok := schema["$dynamicRef"].(string); ok {
		return maxCost + 1
	}
	if _, ok := schema["$recursiveRef"].(string); ok {
		return maxCost + 1
	}
	ref, ok := schema["$ref"].(string)
	if !ok {
		return 0
	}
	if n, ok := c.known[ref]; ok {
		return n
	}
	c.known[ref] = 1
	n := maxCost + 1
	if target, ok := c.resolve(ref); ok {
		n = c.visit(target)
	}
	c.known[ref] = n
	return n
}

// resolve follows a pointer such as #/$defs/place.
func (c *counter) resolve(ref string) (any, bool) {
	if ref == "#" {
		return c.root, true
	}
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	var node any = c.root
	for part := range strings.SplitSeq(pointer, "/") {
		m, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if part, err := url.PathUnescape(part); err == nil {
			node = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		}
		if _, inner := m["$id"]; inner && node != nil && !sameMap(m, c.root) {
			return nil, false // pointers mean something else below it
		}
	}
	return node, node != nil
}

func sameMap(a, b map[string]any) bool { return len(a) == len(b) && a["$id"] == b["$id"] }
