package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/clew-run/clew"
)

// A shape is what decoding checks of a data struct beyond its Go types: which
// fields must be there, which values they may have. It is worked out once per
// command type, from the struct's tags:
//
//	json:"name"            required, and not empty if it is a string
//	json:"name,omitempty"  optional
//	clew:"empty"           required but may be empty
//	clew:"enum=a|b"        only these values
//
// Types with a Values method are enums by themselves.
type shape struct {
	fields []field
	nested bool // has structs inside, whose field names are checked too
	check  bool // has a Check method of its own
}

type field struct {
	name     string
	index    []int
	required bool
	nullable bool // null is a value
	test     test
}

// A test says what is wrong with a value and where inside it; problem is "" if
// nothing is. Places are put together only on failure: the good case is the
// hot one.
type test func(v reflect.Value) (place, problem string)

// A checker has rules that tags cannot say.
type checker interface{ Check() error }

type enum interface{ Values() []string }

var shapes = func() map[clew.CommandType]*shape {
	m := make(map[clew.CommandType]*shape, len(clew.Commands))
	for _, c := range clew.Commands {
		m[c.Type] = shapeOf(reflect.TypeOf(c.Data))
	}
	return m
}()

func shapeOf(t reflect.Type) *shape {
	s := &shape{check: reflect.PointerTo(t).Implements(reflect.TypeFor[checker]())}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || !f.IsExported() {
			continue
		}
		s.nested = s.nested || holdsStruct(f.Type)
		required := !strings.Contains(options, "omit") // omitempty or omitzero
		s.fields = append(s.fields, field{
			name:     name,
			index:    f.Index,
			required: required,
			nullable: f.Type.Kind() == reflect.Interface,
			test:     testOf(f.Type, f.Tag.Get("clew"), required),
		})
	}
	return s
}

func holdsStruct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsStruct(t.Elem())
	}
	return false
}

func (s *shape) find(name []byte) int {
	for i := range s.fields {
		if s.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// test runs the tests of all fields of the struct v.
func (s *shape) test(v reflect.Value) (place, problem string) {
	for i := range s.fields {
		f := &s.fields[i]
		if f.test == nil {
			continue
		}
		if inner, problem := f.test(v.FieldByIndex(f.index)); problem != "" {
			return "." + f.name + inner, problem
		}
	}
	return "", ""
}

// testOf gives the test of a field's value, nil if any value will do.
func testOf(t reflect.Type, tag string, required bool) test {
	if t.Kind() != reflect.String {
		return testInside(t)
	}
	if list, ok := strings.CutPrefix(tag, "enum="); ok {
		return oneOf(strings.Split(list, "|"), required)
	}
	if e, ok := reflect.Zero(t).Interface().(enum); ok {
		return oneOf(e.Values(), required)
	}
	spelling := spellings[t]
	mayBeEmpty := !required || tag == "empty"
	if spelling == nil && mayBeEmpty {
		return nil
	}
	return func(v reflect.Value) (string, string) {
		switch s := v.String(); {
		case s == "" && mayBeEmpty:
		case s == "":
			return "", " is empty"
		case spelling != nil && !spelling(s):
			return "", fmt.Sprintf(": %.64q is not a valid id", s)
		}
		return "", ""
	}
}

// testInside gives the test of the structs and strings that a value holds.
func testInside(t reflect.Type) test {
	switch t.Kind() {
	case reflect.Struct:
		inner := sync.OnceValue(func() *shape { return shapeOf(t) }) // when it is met: a type may hold itself
		return func(v reflect.Value) (string, string) { return inner().test(v) }
	case reflect.Pointer:
		inner := testInside(t.Elem())
		if inner == nil {
			return nil
		}
		return func(v reflect.Value) (string, string) {
			if v.IsNil() {
				return "", ""
			}
			return inner(v.Elem())
		}
	case reflect.Slice:
		return testEach(testOf(t.Elem(), "", true))
	}
	return nil
}

func testEach(inner test) test {
	if inner == nil {
		return nil
	}
	return func(v reflect.Value) (string, string) {
		for i := range v.Len() {
			if place, problem := inner(v.Index(i)); problem != "" {
				return fmt.Sprintf("[%d]%s", i, place), problem
			}
		}
		return "", ""
	}
}

func oneOf(values []string, required bool) test {
	return func(v reflect.Value) (string, string) {
		s := v.String()
		switch {
		case slices.Contains(values, s), s == "" && !required:
			return "", ""
		case s == "":
			return "", " is empty"
		}
		return "", fmt.Sprintf(": %.64q is not one of %s", s, strings.Join(values, ", "))
	}
}

var spellings = map[reflect.Type]func(string) bool{
	reflect.TypeFor[clew.RequestID](): clew.ValidID,
	reflect.TypeFor[clew.TaskID]():    clew.ValidID,
	reflect.TypeFor[clew.MonitorID](): clew.ValidID,
	reflect.TypeFor[clew.SessionID](): clew.ValidID,
	reflect.TypeFor[clew.MessageID](): func(s string) bool {
		_, err := clew.MessageID(s).Seq()
		return err == nil
	},
}

// wrong refuses a value. A choice that no question offers is a wrong answer, whatever
// the question is: the sender's question stays open, and the code says so.
func wrong(t clew.CommandType, place, problem string) *clew.Error {
	err := bad("data%s%s", place, problem)
	if info, _ := clew.CommandInfoOf(t); answers(info.Data) && (place == ".action" || place == ".ask_response") {
		err.Code = clew.HitlInvalidResponse
	}
	return err
}

func answers(data any) bool {
	switch data.(type) {
	case clew.HitlPlanResponseData, clew.HitlApprovalResponseData, clew.AskResponseData:
		return true
	}
	return false
}

func bad(format string, args ...any) *clew.Error {
	return clew.Errorf(clew.InvalidMessage, format, args...)
}
