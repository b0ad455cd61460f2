package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clew-run/clew"
)

// A field is one value that a server asks for.
type field struct {
	name     string
	required bool
	schema   fieldSchema
	check    *jsonschema.Schema
}

// fieldSchema is what a field's schema may say: no nesting.
type fieldSchema struct {
	Type        string       `json:"type"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Format      string       `json:"format"`
	Default     any          `json:"default"`
	Enum        []any        `json:"enum"`
	EnumNames   []string     `json:"enumNames"`
	OneOf       []titled     `json:"oneOf"`
	AnyOf       []titled     `json:"anyOf"`
	Items       *fieldSchema `json:"items"`
}

type titled struct {
	Const any    `json:"const"`
	Title string `json:"title"`
}

// readFields reads a flat schema: what is required first, then by name.
func readFields(schema any) ([]field, error) {
	b, err := json.Marshal(schema)
	if err != nil || len(b) > maxSchema {
		return nil, errors.New("the question is too large")
	}
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(b, &doc); err != nil || len(doc.Properties) > maxFields {
		return nil, errors.New("the question has too many fields")
	}
	var fields []field
	for _, name := range slices.Sorted(maps.Keys(doc.Properties)) {
		f := field{name: name, required: slices.Contains(doc.Required, name)}
		if err := f.read(doc.Properties[name]); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(rank(a), rank(b)) })
	return fields, nil
}

func rank(f field) int {
	if f.required {
		return 0
	}
	return 1
}

func (f *field) read(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &f.schema); err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	f.check, err = compileSchema(doc)
	return err
}

// options lists the values to choose from, if they are given.
func (s *fieldSchema) options() []clew.InputOption {
	var list []clew.InputOption
	for i, v := range s.Enum {
		label := fmt.Sprint(v)
		if i < len(s.EnumNames) {
			label = s.EnumNames[i]
		}
		list = append(list, clew.InputOption{Value: v, Label: line(label, maxSummary)})
	}
	for _, t := range append(slices.Clone(s.OneOf), s.AnyOf...) {
		list = append(list, clew.InputOption{Value: t.Const, Label: line(cmp.Or(t.Title, fmt.Sprint(t.Const)), maxSummary)})
	}
	return list
}

func (f *field) question(intro string) clew.HitlInputRequestData {
	s := f.schema
	label := line(cmp.Or(s.Title, f.name), maxSummary)
	if text := line(s.Description, maxErrorText); text != "" {
		label += ": " + text
	}
	q := clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: line(f.name, maxSummary), Question: intro + "\n" + label,
		InputType: clew.InputText, Required: f.required, DefaultValue: s.Default,
	}
	switch {
	case s.Type == "array" && s.Items != nil:
		var labels []string
		for _, o := range s.Items.options() {
			labels = append(labels, line(fmt.Sprint(o.Value), maxSummary))
		}
		q.Question += "\nOne or more of these, with commas between: " + strings.Join(labels, ", ")
	case len(s.options()) > 0:
		q.InputType, q.Options = clew.InputChoice, s.options()
	case s.Type == "number" || s.Type == "integer":
		q.InputType = clew.InputNumber
	case s.Type == "boolean":
		q.InputType = clew.InputBoolean
	case s.Format == "date":
		q.InputType = clew.InputDate
	}
	return q
}

// value turns an answer into what the server asked for, nil if it was left
// empty and may be.
func (f *field) value(answer any) (any, error) {
	if answer == nil || answer == "" {
		if !f.required {
			return nil, nil
		}
		if answer == nil {
			return nil, errors.New("an answer is needed")
		}
	}
	value, err := f.convert(answer)
	if err != nil {
		return nil, err
	}
	if err := f.check.Validate(value); err != nil {
		return nil, errors.New(wrong(err))
	}
	return value, nil
}

func (f *field) convert(answer any) (any, error) {
	switch f.schema.Type {
	case "boolean":
		return boolean(answer)
	case "number", "integer":
		return number(answer)
	case "array":
		if text, ok := answer.(string); ok {
			list := []any{}
			for part := range strings.SplitSeq(text, ",") {
				list = append(list, strings.TrimSpace(part))
			}
			return list, nil
		}
	}
	return answer, nil
}

func number(answer any) (any, error) {
	switch v := answer.(type) {
	case float64:
		return v, nil
	case int:
		return float64(v), nil
	case json.Number:
		return v.Float64()
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return nil, errors.New("answer with a number")
		}
		return n, nil
	}
	return nil, errors.New("answer with a number")
}
