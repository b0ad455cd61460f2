package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// maxValue bounds one value, as JSON.
const maxValue = 256 << 10

var errTooLong = fmt.Errorf("must not be longer than %d bytes", maxValue)

// decodeStrict reads a value that someone is about to set: everything has to be
// right, unknown fields included.
func (k *Key) decodeStrict(raw json.RawMessage) (any, error) {
	if len(raw) > maxValue && !k.Passthrough {
		return nil, errTooLong
	}
	if k.field < 0 {
		return raw, nil
	}
	target := reflect.New(k.goType())
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(target.Interface()); err != nil {
		return nil, k.explain(raw)
	}
	value := target.Elem()
	if err := k.eachEntry(value, func(name string, entry any) error {
		return in(name, k.checkEntry(name, entry))
	}); err != nil {
		return nil, err
	}
	return k.finish(value)
}

// decodeLenient reads a value that is stored already. An entry of a map or list
// that is not right is left out and reported, the others stay.
func (k *Key) decodeLenient(raw json.RawMessage, report func(part, message string)) (any, error) {
	if len(raw) > maxValue {
		return nil, errTooLong
	}
	t := k.goType()
	value := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Map:
		var parts map[string]json.RawMessage
		if json.Unmarshal(raw, &parts) != nil {
			return nil, errors.New("must be " + describe(t))
		}
		value.Set(reflect.MakeMap(t))
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if entry, ok := k.decodeEntry(name, parts[name], report); ok {
				value.SetMapIndex(reflect.ValueOf(name), entry)
			}
		}
	case reflect.Slice:
		var parts []json.RawMessage
		if json.Unmarshal(raw, &parts) != nil {
			return nil, errors.New("must be " + describe(t))
		}
		value.Set(reflect.MakeSlice(t, 0, len(parts)))
		for i, part := range parts {
			if entry, ok := k.decodeEntry(strconv.Itoa(i), part, report); ok {
				value.Set(reflect.Append(value, entry))
			}
		}
	default:
		if json.Unmarshal(raw, value.Addr().Interface()) != nil {
			return nil, errors.New("must be " + describe(t))
		}
	}
	return k.finish(value)
}

func (k *Key) decodeEntry(name string, raw json.RawMessage, report func(part, message string)) (reflect.Value, bool) {
	t := k.goType().Elem()
	entry := reflect.New(t).Elem()
	if isNull(raw) || json.Unmarshal(raw, entry.Addr().Interface()) != nil {
		report(name, "must be "+describe(t))
		return entry, false
	}
	if err := k.checkEntry(name, entry.Interface()); err != nil {
		report(name, err.Error())
		return entry, false
	}
	if t.Kind() == reflect.Struct {
		k.reportSecrets(name, raw, report)
	}
	return entry, true
}

// reportSecrets tells of fields inside an entry that no type has room for but
// that look like secrets: they have no effect, and should not lie there.
func (k *Key) reportSecrets(name string, raw json.RawMessage, report func(part, message string)) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return
	}
	known := jsonNames(k.goType().Elem())
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !known[field] && looksSecret(field) {
			report(name+"."+field, "is a secret and not kept in settings: use `clew secret set`")
		}
	}
}

func (k *Key) finish(value reflect.Value) (any, error) {
	if (value.Kind() == reflect.Map || value.Kind() == reflect.Slice) && value.IsNil() {
		return nil, errors.New("must be " + describe(k.goType()))
	}
	v := value.Interface()
	if k.check != nil {
		if err := k.check(v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (k *Key) checkEntry(name string, entry any) error {
	if k.entry == nil {
		return nil
	}
	return k.entry(name, entry)
}

func (k *Key) eachEntry(value reflect.Value, visit func(name string, entry any) error) error {
	switch value.Kind() {
	case reflect.Map:
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) })
		for _, name := range keys {
			if err := visit(name.String(), value.MapIndex(name).Interface()); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			if err := visit(strconv.Itoa(i), value.Index(i).Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

// explain says why a strict reading failed, without repeating the value as the
// decoder's own error would.
func (k *Key) explain(raw json.RawMessage) error {
	var decoded any
	if json.Unmarshal(raw, &decoded) == nil && k.goType().Kind() == reflect.Map && k.goType().Elem().Kind() == reflect.Struct {
		if outer, ok := decoded.(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(outer)) {
				if err := explainEntry(k.goType().Elem(), outer[name]); err != nil {
					return in(name, err)
				}
			}
		}
	}
	return errors.New("must be " + describe(k.goType()))
}

func explainEntry(t reflect.Type, entry any) error {
	fields, ok := entry.(map[string]any)
	if !ok {
		return errors.New("must be an object")
	}
	known := jsonNames(t)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if known[field] {
			continue
		}
		if looksSecret(field) {
			return errSecretInside(field)
		}
		return fmt.Errorf("has an unknown field %.60q", field)
	}
	return nil
}

func (k *Key) goType() reflect.Type { return reflect.TypeFor[Values]().Field(k.field).Type }

// describe names a type for people.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list, each entry " + describe(t.Elem())
	case reflect.Map:
		return "an object, each field " + describe(t.Elem())
	}
	return "an object with the fields that the reference page lists"
}

func jsonNames(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range t.NumField() {
		name, _, _ := bytes.Cut([]byte(t.Field(i).Tag.Get("json")), []byte(","))
		names[string(name)] = true
	}
	return names
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

// set puts a decoded value of the key into v.
func (k *Key) set(v *Values, value any) {
	reflect.ValueOf(v).Elem().Field(k.field).Set(reflect.ValueOf(value))
}

// value takes the key's value out of v.
func (k *Key) value(v *Values) any {
	return reflect.ValueOf(v).Elem().Field(k.field).Interface()
}
