package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// An object is a JSON object that remembers the order of its fields, so that
// an updated transcript reads like the frame that was sent.
type object struct {
	keys   []string
	fields map[string]any
}

func newObject() *object { return &object{fields: map[string]any{}} }

func (o *object) set(key string, v any) {
	if _, ok := o.fields[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.fields[key] = v
}

// parseJSON reads one value: *object, []any, string, json.Number, bool or nil.
func parseJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func parseValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return parseObject(d)
	case json.Delim('['):
		return parseList(d)
	default:
		return t, nil
	}
}

func parseObject(d *json.Decoder) (any, error) {
	o := newObject()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		o.set(key.(string), v) // the decoder gives nothing but strings here
	}
	_, err := d.Token()
	return o, err
}

func parseList(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

// writeJSON is parseJSON's counterpart: one line, fields in their order.
func writeJSON(v any) string {
	var b bytes.Buffer
	writeValue(&b, v)
	return b.String()
}

func writeValue(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case *object:
		b.WriteByte('{')
		for i, k := range v.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			writeScalar(b, k)
			b.WriteByte(':')
			writeValue(b, v.fields[k])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeValue(b, e)
		}
		b.WriteByte(']')
	default:
		writeScalar(b, v)
	}
}

// writeScalar leaves < > & as they are: transcripts are for people.
func writeScalar(b *bytes.Buffer, v any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings, numbers and booleans always encode
	}
	b.Truncate(b.Len() - 1) // the encoder's line end
}
