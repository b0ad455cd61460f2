package main

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/clew-run/clew"
)

// A model is the catalogue's types, taken apart by reflection, in the order in
// which they are first met.
type model struct {
	defs  []*def
	index map[reflect.Type]*def
}

// A def is a named type: a struct with fields, or an enum with values.
type def struct {
	name   string
	doc    string
	fields []field
	values []string
	union  []clew.EventType // of Question alone
	closed bool             // no other fields are allowed
}

type field struct {
	name     string
	kind     kind
	optional bool
}

// A kind is the type of a value.
type kind struct {
	base   string // string, integer, number, boolean, any, list, map, ref
	elem   *kind  // of list and map
	ref    *def
	values []string // of a string that may be one of these only
	null   bool
	form   string // pattern of a string
}

func newModel() *model {
	m := &model{index: map[reflect.Type]*def{}}
	for _, e := range clew.Events {
		m.def(reflect.TypeOf(e.Data)).doc = e.Doc
	}
	for _, c := range clew.Commands {
		d := m.def(reflect.TypeOf(c.Data))
		d.doc, d.closed = c.Doc, true
	}
	for _, f := range clew.Frames {
		m.def(reflect.TypeOf(f.Data)).doc = f.Doc
	}
	return m
}

// of gives the def of a catalogue entry's data.
func (m *model) of(data any) *def { return m.index[reflect.TypeOf(data)] }

func (m *model) def(t reflect.Type) *def {
	if d, ok := m.index[t]; ok {
		return d
	}
	d := &def{name: t.Name()}
	m.index[t] = d
	m.defs = append(m.defs, d)
	switch {
	case t == reflect.TypeFor[clew.Question]():
		d.union = clew.QuestionTypes
		d.doc = "An open question: the data of the event that asked it, with the event's type."
	case t.Kind() == reflect.Struct:
		d.fields = m.fields(t)
	default:
		d.values = enumValues(t)
	}
	return d
}

func (m *model) fields(t reflect.Type) []field {
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue // an embedded struct, whose fields follow
		}
		k := m.kind(f.Type)
		optional := strings.Contains(options, "omit")
		tag := f.Tag.Get("clew")
		if list, ok := strings.CutPrefix(tag, "enum="); ok {
			k = kind{base: "string", values: strings.Split(list, "|")}
		}
		k.null = !optional && (tag == "nullable" || f.Type.Kind() == reflect.Pointer)
		list = append(list, field{name: name, kind: k, optional: optional})
	}
	return list
}

func (m *model) kind(t reflect.Type) kind {
	if enumValues(t) != nil {
		return kind{base: "ref", ref: m.def(t)}
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return kind{base: "any"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.kind(t.Elem())
	case reflect.String:
		return kind{base: "string", form: forms[t]}
	case reflect.Bool:
		return kind{base: "boolean"}
	case reflect.Int, reflect.Int64:
		return kind{base: "integer"}
	case reflect.Float64:
		return kind{base: "number"}
	case reflect.Slice:
		elem := m.kind(t.Elem())
		return kind{base: "list", elem: &elem}
	case reflect.Map:
		elem := m.kind(t.Elem())
		return kind{base: "map", elem: &elem}
	case reflect.Struct:
		return kind{base: "ref", ref: m.def(t)}
	case reflect.Interface:
		return kind{base: "any"}
	}
	panic("no place on the wire for " + t.String())
}

var forms = map[reflect.Type]string{
	reflect.TypeFor[clew.MessageID](): `^msg_[0-9]{12,20}$`,
	reflect.TypeFor[clew.SessionID](): `^[A-Za-z0-9_-]{1,128}$`,
}

// enumValues gives the values of a string type whose values are all known.
func enumValues(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[clew.Code]():
		var list []string
		for _, c := range clew.Codes {
			list = append(list, string(c.Code))
		}
		return list
	case reflect.TypeFor[clew.CommandType]():
		var list []string
		for _, c := range clew.Commands {
			list = append(list, string(c.Type))
		}
		return list
	case reflect.TypeFor[clew.EventType]():
		var list []string
		for _, e := range clew.Events {
			list = append(list, string(e.Type))
		}
		return list
	case reflect.TypeFor[clew.Role]():
		return []string{"", string(clew.RoleViewer), string(clew.RoleApprover), string(clew.RoleOwner), string(clew.RoleAdmin)}
	}
	if e, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok && t.Kind() == reflect.String {
		return e.Values()
	}
	return nil
}
