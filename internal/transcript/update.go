package transcript

import (
	"slices"
	"strings"
)

// rewrite replaces a section's text.
func (p *player) rewrite(i int, text string) {
	p.script.archive.Files[i].Data = []byte(text)
	p.edited = true
}

// rewriteFrames makes the new text of a server section. Each heard frame is
// paired with the first old pattern of its type that is left.
func (p *player) rewriteFrames(old []string, heard []any) string {
	var patterns []any
	for _, l := range old {
		if v, err := parseJSON([]byte(l)); err == nil {
			patterns = append(patterns, v)
		}
	}
	var b strings.Builder
	for _, h := range heard {
		var pattern any
		at := slices.IndexFunc(patterns, func(v any) bool { return kindOf(v) == kindOf(h) })
		if at >= 0 {
			pattern = patterns[at]
			patterns = patterns[at+1:]
		}
		b.WriteString(writeJSON(p.generalise("", pattern, h)))
		b.WriteByte('\n')
	}
	return b.String()
}

// generalise makes a pattern of what was heard: the old pattern where it still
// fits, else the value with what varies taken out.
func (p *player) generalise(key string, old, heard any) any {
	if old != nil && p.vars.match(old, heard) == nil {
		return old
	}
	switch h := heard.(type) {
	case *object:
		o, _ := old.(*object)
		return p.generaliseObject(o, h)
	case []any:
		o, _ := old.([]any)
		list := make([]any, len(h))
		for i := range h {
			var elem any
			if i < len(o) && o[i] != more {
				elem = o[i]
			}
			list[i] = p.generalise("", elem, h[i])
		}
		return list
	default:
		return p.generaliseScalar(key, heard)
	}
}

func (p *player) generaliseObject(old, heard *object) any {
	out := newObject()
	open := false
	if old != nil {
		_, open = old.fields[more]
	}
	for _, k := range heard.keys {
		var pattern any
		if old != nil {
			var ok bool
			if pattern, ok = old.fields[k]; !ok && open {
				continue // the old pattern did not care
			}
		}
		out.set(k, p.generalise(k, pattern, heard.fields[k]))
	}
	if open {
		out.set(more, more)
	}
	return out
}

// volatile fields differ from run to run and say nothing.
var volatile = map[string]bool{
	"timestamp": true, "ts": true, "epoch": true, "retry_after_ms": true,
	"created_ms": true, "updated_ms": true, "client_id": true,
}

func (p *player) generaliseScalar(key string, heard any) any {
	if volatile[key] {
		return "*"
	}
	s, ok := heard.(string)
	if !ok {
		return heard
	}
	if strings.HasPrefix(s, "snap_") {
		return "snap_*"
	}
	for _, name := range p.names() {
		if kept, ok := p.vars[name].(string); ok && len(kept) >= 8 && strings.Contains(s, kept) {
			return strings.ReplaceAll(s, kept, "{"+name+"}")
		}
	}
	return heard
}

// names lists the kept names in a fixed order, so that an update is the same
// each time.
func (p *player) names() []string {
	names := make([]string, 0, len(p.vars))
	for n := range p.vars {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
