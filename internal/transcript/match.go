package transcript

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// vars holds the values that a transcript has kept, by name.
type vars map[string]any

var placeholder = regexp.MustCompile(`\{([A-Za-z][A-Za-z0-9_]*)\}`)

// more is the key and the element that allow further ones.
const more = "..."

// match compares heard with a pattern. What the pattern keeps is added to v
// only if all of it fits. The error says where it does not.
func (v vars) match(pattern, heard any) error {
	trial := maps.Clone(v)
	if err := trial.value("", pattern, heard); err != nil {
		return err
	}
	maps.Copy(v, trial)
	return nil
}

func (v vars) value(path string, pattern, heard any) error {
	switch p := pattern.(type) {
	case *object:
		h, ok := heard.(*object)
		if !ok {
			return mismatch(path, pattern, heard)
		}
		return v.object(path, p, h)
	case []any:
		h, ok := heard.([]any)
		if !ok {
			return mismatch(path, pattern, heard)
		}
		return v.list(path, p, h)
	case string:
		return v.text(path, p, heard)
	default:
		if pattern != heard {
			return mismatch(path, pattern, heard)
		}
		return nil
	}
}

func (v vars) object(path string, p, h *object) error {
	_, open := p.fields[more]
	for _, k := range p.keys {
		if k == more {
			continue
		}
		heard, ok := h.fields[k]
		if !ok {
			return fmt.Errorf("%s.%s is missing", path, k)
		}
		if err := v.value(path+"."+k, p.fields[k], heard); err != nil {
			return err
		}
	}
	if open {
		return nil
	}
	for _, k := range h.keys {
		if _, ok := p.fields[k]; !ok {
			return fmt.Errorf("%s.%s is not in the pattern", path, k)
		}
	}
	return nil
}

func (v vars) list(path string, p, h []any) error {
	open := len(p) > 0 && p[len(p)-1] == more
	if open {
		p = p[:len(p)-1]
	}
	if len(h) < len(p) || !open && len(h) > len(p) {
		return fmt.Errorf("%s has %d elements, want %d", path, len(h), len(p))
	}
	for i := range p {
		if err := v.value(fmt.Sprintf("%s[%d]", path, i), p[i], h[i]); err != nil {
			return err
		}
	}
	return nil
}

// text matches a string pattern: as a whole it may stand for any value, in
// parts for characters of a string.
func (v vars) text(path, p string, heard any) error {
	if p == "*" {
		return nil
	}
	if m := placeholder.FindStringSubmatch(p); m != nil && m[0] == p {
		kept, ok := v[m[1]]
		if !ok {
			v[m[1]] = heard
			return nil
		}
		if writeJSON(kept) != writeJSON(heard) {
			return mismatch(path, kept, heard)
		}
		return nil
	}
	s, ok := heard.(string)
	if !ok {
		return mismatch(path, p, heard)
	}
	re, names := v.compile(p)
	m := re.FindStringSubmatch(s)
	if m == nil {
		return mismatch(path, p, heard)
	}
	for i, name := range names {
		if old, ok := v[name]; ok && old != m[i+1] {
			return mismatch(path, p, heard)
		}
		v[name] = m[i+1]
	}
	return nil
}

// compile makes a regular expression of a string pattern. names are what its
// groups keep.
func (v vars) compile(p string) (re *regexp.Regexp, names []string) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for len(p) > 0 {
		loc := placeholder.FindStringSubmatchIndex(p)
		star := strings.IndexByte(p, '*')
		switch {
		case loc != nil && (star < 0 || loc[0] < star):
			b.WriteString(regexp.QuoteMeta(p[:loc[0]]))
			name := p[loc[2]:loc[3]]
			if kept, ok := v[name]; ok {
				b.WriteString(regexp.QuoteMeta(plain(kept)))
			} else {
				b.WriteString(`(.+)`)
				names = append(names, name)
			}
			p = p[loc[1]:]
		case star >= 0:
			b.WriteString(regexp.QuoteMeta(p[:star]))
			b.WriteString(`.*`)
			p = p[star+1:]
		default:
			b.WriteString(regexp.QuoteMeta(p))
			p = ""
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String()), names
}

// plain is a kept value as it stands inside a text.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return writeJSON(v)
}

func mismatch(path string, want, got any) error {
	if path == "" {
		path = "value"
	}
	return fmt.Errorf("%s is %s, want %s", path, writeJSON(got), writeJSON(want))
}

// kindOf is a frame's type, "" if it has none.
func kindOf(frame any) string {
	if o, ok := frame.(*object); ok {
		s, _ := o.fields["type"].(string)
		return s
	}
	return ""
}
