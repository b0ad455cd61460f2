package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A schema is a JSON Schema, as far as ours go.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        any               `json:"type"` // a word, or a list of them
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Const       any               `json:"const"`
	Enum        []any             `json:"enum"`
	Items       *schema           `json:"items"`
	AnyOf       []schema          `json:"anyOf"`
	OneOf       []schema          `json:"oneOf"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Additional  any               `json:"additionalProperties"` // false, true or a schema
	Default     any               `json:"default"`
	Minimum     any               `json:"minimum"`
	Maximum     any               `json:"maximum"`
	MaxLength   any               `json:"maxLength"`
}

// name is what a reference refers to.
func (s schema) name() string { return s.Ref[strings.LastIndex(s.Ref, "/")+1:] }

// words is a type for people, in Markdown. Types with a name are links to the page types.
func (s schema) words(types string) string {
	join := func(all []schema) string {
		var w []string
		for _, x := range all {
			w = append(w, x.words(types))
		}
		return strings.Join(w, " or ")
	}
	switch {
	case s.Ref != "":
		return fmt.Sprintf("[%s](%s#%s)", s.name(), types, strings.ToLower(s.name()))
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case len(s.Enum) > 0:
		return values(s.Enum)
	case len(s.AnyOf) > 0:
		return join(s.AnyOf)
	case len(s.OneOf) > 0:
		return join(s.OneOf)
	case s.Items != nil:
		return "list of " + s.Items.words(types)
	case s.Type == nil:
		return "anything"
	}
	if list, ok := s.Type.([]any); ok {
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", " or ")
	}
	return fmt.Sprint(s.Type)
}

func values(all []any) string {
	var w []string
	for _, x := range all {
		w = append(w, fmt.Sprintf("`%v`", x))
	}
	return strings.Join(w, ", ")
}

// fields is a table of what an object has. Optional fields have a question mark.
func (s schema) fields(types string) string {
	if len(s.Properties) == 0 {
		return "No fields.\n"
	}
	var needed, optional []string
	meaning := false
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		meaning = meaning || p.Description != ""
		if slices.Contains(s.Required, name) {
			needed = append(needed, fmt.Sprintf("| `%s` | %s | %s |\n", name, cell(p.words(types)), cell(p.Description)))
		} else {
			optional = append(optional, fmt.Sprintf("| `%s?` | %s | %s |\n", name, cell(p.words(types)), cell(p.Description)))
		}
	}
	head := "| Field | Type | Meaning |\n|---|---|---|\n"
	rows := strings.Join(append(needed, optional...), "")
	if !meaning { // a column of nothing
		return "| Field | Type |\n|---|---|\n" + strings.ReplaceAll(rows, " |  |\n", " |\n")
	}
	return head + rows
}

// limits are what a value must keep to, for people.
func (s schema) limits() string {
	var w []string
	for _, x := range []struct {
		name  string
		value any
	}{{"at least", s.Minimum}, {"at most", s.Maximum}, {"default", s.Default}} {
		if x.value != nil {
			w = append(w, fmt.Sprintf("%s %v", x.name, x.value))
		}
	}
	if s.MaxLength != nil {
		w = append(w, fmt.Sprintf("at most %v characters", s.MaxLength))
	}
	return strings.Join(w, ", ")
}

func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

// typesPage lists types by name.
func typesPage(title, intro string, all map[string]schema) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", title, intro)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		if s.Description != "" {
			fmt.Fprintf(&b, "%s\n\n", s.Description)
		}
		if len(s.Properties) > 0 || s.Type == "object" && s.Additional == nil {
			b.WriteString(s.fields(""))
			continue
		}
		words := s.words("")
		if m, ok := s.Additional.(map[string]any); ok && len(m) > 0 {
			words = "an object with values by name"
		}
		b.WriteString(words + "\n")
	}
	return b.String()
}
