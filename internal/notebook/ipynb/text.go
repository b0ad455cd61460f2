package ipynb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file walks canonical JSON, which is known to be right: nothing here can fail.

// appendRune writes one character of a string as Python does without ensure_ascii.
func appendRune(out []byte, r rune) []byte {
	if i := strings.IndexRune("\"\\\b\f\n\r\t", r); i >= 0 {
		return append(out, '\\', `"\bfnrt`[i])
	}
	if r < ' ' {
		return append(out, '\\', 'u', '0', '0', '0'+byte(r>>4), "0123456789abcdef"[r&15])
	}
	return utf8.AppendRune(out, r)
}

// quote writes a string. What is not UTF-8 becomes U+FFFD.
func quote(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		out = appendRune(out, r)
	}
	return append(out, '"')
}

// unquote gives what a string says: a part of it, if it has no escapes.
func unquote(quoted []byte) []byte {
	said := quoted[1 : len(quoted)-1]
	at := bytes.IndexByte(said, '\\')
	if at < 0 {
		return said
	}
	plain := make([]byte, 0, len(said))
	for ; at >= 0; at = bytes.IndexByte(said, '\\') {
		plain = append(plain, said[:at]...)
		var r byte
		r, said = unescape(said[at+1:])
		plain = append(plain, r)
	}
	return append(plain, said...)
}

// unescape reads one escape that appendRune wrote, without its backslash.
func unescape(s []byte) (byte, []byte) {
	if s[0] != 'u' {
		return "\"\\\b\f\n\r\t"[strings.IndexByte(`"\bfnrt`, s[0])], s[1:]
	}
	return (s[3]-'0')<<4 | byte(strings.IndexByte("0123456789abcdef", s[4])), s[5:]
}

// length says how long the value is that s begins with.
func length(s []byte) int {
	switch s[0] {
	case '"':
		for i := 1; ; i++ {
			i += bytes.IndexAny(s[i:], `"\`)
			if s[i] == '"' {
				return i + 1
			}
			i++
		}
	case '{', '[':
		return nested(s)
	}
	if i := bytes.IndexAny(s, ",]}"); i >= 0 {
		return i
	}
	return len(s)
}

func nested(s []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch s[i] {
		case '"':
			i += length(s[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// elements goes over the values of a list.
func elements(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for rest := list[1:]; rest[0] != ']'; {
			n := length(rest)
			if !yield(rest[:n:n]) {
				return
			}
			if rest = rest[n:]; rest[0] == ',' {
				rest = rest[1:]
			}
		}
	}
}

// members goes over the keys and values of an object.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for rest := object[1:]; rest[0] != '}'; {
			n := length(rest)
			key := string(unquote(rest[:n]))
			rest = rest[n+1:]
			n = length(rest)
			if !yield(key, rest[:n:n]) {
				return
			}
			if rest = rest[n:]; rest[0] == ',' {
				rest = rest[1:]
			}
		}
	}
}

// fields gives the values of the named keys that an object has.
func fields(object []byte, names ...string) map[string][]byte {
	found := make(map[string][]byte, len(names))
	for key, value := range members(object) {
		for _, name := range names {
			if key == name {
				found[key] = value
			}
		}
	}
	return found
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isList(value []byte) bool   { return len(value) > 0 && value[0] == '[' }
func isText(value []byte) bool   { return len(value) > 0 && value[0] == '"' }

// appendObject writes an object of canonical values.
func appendObject(out []byte, object map[string]json.RawMessage) []byte {
	out = append(out, '{')
	for i, key := range slices.Sorted(maps.Keys(object)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(quote(out, key), ':')
		out = append(out, object[key]...)
	}
	return append(out, '}')
}

// shown gives a value as messages for people quote it.
func shown(value []byte) string {
	switch {
	case value == nil:
		return "missing"
	case isText(value):
		return fmt.Sprintf("%.80q", unquote(value))
	}
	return fmt.Sprintf("%.40q", value)
}

// isTexts says whether a value is a list of strings only.
func isTexts(value []byte) bool {
	if !isList(value) {
		return false
	}
	for v := range elements(value) {
		if !isText(v) {
			return false
		}
	}
	return true
}

// joined gives a text that is a string or a list of strings.
func joined(value []byte) (string, bool) {
	if isText(value) {
		return string(unquote(value)), true
	}
	if !isTexts(value) {
		return "", false
	}
	var text strings.Builder
	text.Grow(len(value))
	for v := range elements(value) {
		text.Write(unquote(v))
	}
	return strings.Clone(text.String()), true
}

// splitLines gives the lines of a text with their ends, where Python's splitlines ends them.
func splitLines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, skip := 0, false
		for i, r := range text {
			if skip {
				skip = false
				continue
			}
			switch r {
			default:
				continue
			case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			}
			end := i + utf8.RuneLen(r)
			if r == '\r' && strings.HasPrefix(text[end:], "\n") {
				end, skip = end+1, true
			}
			if !yield(text[start:end]) {
				return
			}
			start = end
		}
		if start < len(text) {
			yield(text[start:])
		}
	}
}
