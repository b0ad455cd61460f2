package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// DecodeCommand reads a client's frame. It is strict: an unknown type or
// field, a missing one, a value of the wrong kind or outside its set is
// refused with INVALID_MESSAGE and a message that names the place. The command
// has no By yet.
//
// message_id and timestamp may be absent, session_id too; one that is given
// must be session. The frame's size is the caller's to check, before it is in
// memory: see Limits. If the envelope was readable and only its data was not, the
// command comes back with Type and ClientMessageID beside the error, so that
// the answer can say what it is about.
func DecodeCommand(frame []byte, session clew.SessionID) (clew.Command, error) {
	h, err := readHead(frame)
	if err != nil {
		return clew.Command{}, err
	}
	cmd := clew.Command{Type: clew.CommandType(h.typ), ClientMessageID: clew.ClientMessageID(h.messageID)}
	if _, known := clew.CommandInfoOf(cmd.Type); !known {
		cmd.Type = "" // not to be repeated as if it were one
		return cmd, bad("type %.64q is unknown", h.typ)
	}
	if h.hasSession && h.session != string(session) {
		return cmd, bad("session_id %.140q is not this session", h.session)
	}
	cmd.Data, err = DecodeData(cmd.Type, h.data)
	return cmd, err
}

// DecodeData reads a command's data, nil or null being the same as {}. The
// caller has checked that it is not too deep.
func DecodeData(t clew.CommandType, data []byte) (any, error) {
	info, ok := clew.CommandInfoOf(t)
	if !ok {
		return nil, bad("type %.64q is unknown", t)
	}
	if len(data) == 0 || string(data) == "null" {
		data = []byte("{}")
	}
	s := shapes[t]
	v := info.New()
	decodeErr := s.unmarshal(data, v)
	if syntax := (*json.SyntaxError)(nil); errors.As(decodeErr, &syntax) {
		return nil, bad("data is not JSON")
	}
	// Names first: a misspelt field is the better explanation.
	if err := s.checkNames(t, data); err != nil {
		return nil, err
	}
	if decodeErr != nil {
		return nil, explain(decodeErr, t)
	}
	if place, problem := s.test(reflect.ValueOf(v).Elem()); problem != "" {
		return nil, wrong(t, place, problem)
	}
	if s.check {
		if err := v.(checker).Check(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// head is a frame without its data decoded.
type head struct {
	typ        string
	session    string
	hasSession bool
	messageID  string
	data       []byte
}

func readHead(frame []byte) (head, error) {
	switch {
	case !utf8.Valid(frame):
		return head{}, bad("frame is not UTF-8")
	case !depthOK(frame, MaxDepth):
		return head{}, bad("frame is nested deeper than %d", MaxDepth)
	}
	var room [8]member
	list, ok := members(frame, room[:0])
	if !ok {
		return head{}, bad("frame is not a JSON object")
	}
	var h head
	for i, m := range list {
		if seenBefore(list[:i], m.name) {
			return head{}, bad("%.64s is given twice", m.name)
		}
		if err := h.set(m); err != nil {
			return head{}, err
		}
	}
	if h.typ == "" {
		return head{}, bad("type is missing")
	}
	return h, nil
}

func (h *head) set(m member) (err error) {
	null := string(m.value) == "null"
	switch string(m.name) {
	case "type":
		h.typ, err = text("type", m.value)
	case "session_id":
		h.hasSession = !null
		if !null {
			h.session, err = text("session_id", m.value)
		}
	case "message_id":
		if null {
			return nil
		}
		if h.messageID, err = text("message_id", m.value); err == nil {
			err = checkMessageID(h.messageID)
		}
	case "timestamp": // informative only
		if !null {
			_, err = text("timestamp", m.value)
		}
	case "data":
		if !null && m.value[0] != '{' {
			return bad("data must be an object")
		}
		h.data = m.value
	default:
		return bad("%.64s is not a field of an envelope", m.name)
	}
	return err
}

func seenBefore(list []member, name []byte) bool {
	for _, m := range list {
		if bytes.Equal(m.name, name) {
			return true
		}
	}
	return false
}

// text reads a JSON string. Most have no escapes and need no decoder.
func text(place string, raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", bad("%s must be a string", place)
	}
	if plainString(raw) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", bad("%s must be a string", place)
	}
	return s, nil
}

// plainString reports whether raw, which starts with a quote, is a JSON string
// without escapes.
func plainString(raw []byte) bool {
	for _, c := range raw[1 : len(raw)-1] {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return raw[len(raw)-1] == '"'
}

func checkMessageID(s string) error {
	if utf8.RuneCountInString(s) > MaxMessageID {
		return bad("message_id is longer than %d characters", MaxMessageID)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return bad("message_id has a character that cannot be printed")
		}
	}
	return nil
}

// checkNames compares the names in data with the shape: each must be known and
// come once, and the required ones must be there.
func (s *shape) checkNames(t clew.CommandType, data []byte) error {
	var room [16]member
	list, ok := members(data, room[:0])
	if !ok {
		return bad("data must be an object")
	}
	for i, m := range list {
		f := s.find(m.name)
		if f < 0 {
			return bad("data.%.64s is not a field of %s", m.name, t)
		}
		if seenBefore(list[:i], m.name) {
			return bad("data.%s is given twice", m.name)
		}
	}
	for i := range s.fields {
		if f := &s.fields[i]; f.required && !f.in(list) {
			return bad("data.%s is missing", f.name)
		}
	}
	return nil
}

func (f *field) in(list []member) bool {
	for _, m := range list {
		if string(m.name) == f.name {
			return f.nullable || string(m.value) != "null"
		}
	}
	return false
}

func (s *shape) unmarshal(data []byte, v any) error {
	if !s.nested {
		return json.Unmarshal(data, v)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if len(data) > int(dec.InputOffset()) { // something after the object
		return json.Unmarshal(data, new(any))
	}
	return nil
}

// explain turns a decoder's error into words that name the place.
func explain(err error, t clew.CommandType) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return bad("data.%s must be %s, not %s", fieldPath(kind.Field), kindName(kind.Type), kind.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return bad("data: %.64s is not a field of %s", name, t)
	}
	return clew.WrapError(clew.InvalidMessage, err, "data of %s is not readable", t)
}

// fieldPath drops the names of embedded Go structs, which are not on the wire.
func fieldPath(path string) string {
	parts := strings.Split(path, ".")
	kept := parts[:0]
	for _, p := range parts {
		if p != "" && !unicode.IsUpper(rune(p[0])) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ".")
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Pointer:
		return kindName(t.Elem())
	}
	return t.Kind().String()
}
