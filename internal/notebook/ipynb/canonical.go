package ipynb

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// canonical gives a JSON text in the one form that the rest of the package works on: no
// space, keys sorted and each only once, in strings only what must be escaped, numbers as
// they were. It is never longer than the text.
func canonical(text []byte, l Limits, depth int) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8 text")
	}
	c := canon{in: text, out: make([]byte, 0, len(text)), limits: l}
	if err := c.value(depth); err != nil {
		return nil, err
	}
	if c.space(); c.at < len(c.in) {
		return nil, c.bad("something follows the end")
	}
	return c.out, nil
}

// canon copies in to out, value by value.
type canon struct {
	in, out []byte
	at      int
	limits  Limits
	// open has the members of all objects under way, the innermost's last.
	open []member
	// scratch is what sort needs, kept because objects in each other need it each.
	scratch []byte
}

// A member is a key, and where it and its value stand in out.
type member struct {
	key        []byte // what it says; a part of out, where it can be
	start, end int
}

func (c *canon) bad(format string, args ...any) error {
	line := 1 + bytes.Count(c.in[:min(c.at, len(c.in))], []byte("\n"))
	return fmt.Errorf("it is not JSON: line %d: %s", line, fmt.Sprintf(format, args...))
}

func (c *canon) space() {
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// next gives the byte that comes next after space, 0 at the end.
func (c *canon) next() byte {
	c.space()
	if c.at == len(c.in) {
		return 0
	}
	return c.in[c.at]
}

func (c *canon) value(depth int) error {
	switch b := c.next(); {
	case b == '{' || b == '[':
		if depth++; depth > c.limits.Depth {
			return over("objects and lists are more than %d deep", c.limits.Depth)
		}
		if b == '[' {
			return c.list(depth)
		}
		return c.object(depth)
	case b == '"':
		return c.text()
	case b == '-' || b >= '0' && b <= '9':
		return c.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(c.in[c.at:], []byte(word)) {
			c.out = append(c.out, word...)
			c.at += len(word)
			return nil
		}
	}
	return c.unexpected()
}

func (c *canon) unexpected() error {
	rest := c.in[c.at:]
	switch {
	case len(rest) == 0:
		return c.bad("it ends too early")
	case bytes.HasPrefix(rest, []byte("NaN")), bytes.HasPrefix(rest, []byte("Infinity")):
		return c.bad("NaN and Infinity are not JSON numbers")
	}
	r, _ := utf8.DecodeRune(rest)
	return c.bad("unexpected %q", r)
}

// begin copies the byte that begins a list or object.
func (c *canon) begin() {
	c.out = append(c.out, c.in[c.at])
	c.at++
}

// take copies one byte that must come next.
func (c *canon) take(b byte) error {
	if c.next() != b {
		return c.unexpected()
	}
	c.out = append(c.out, b)
	c.at++
	return nil
}

// more is between two values of a list or object: false at its end.
func (c *canon) more(end byte) (bool, error) {
	if c.next() == end {
		return false, c.take(end)
	}
	return true, c.take(',')
}

func (c *canon) list(depth int) error {
	c.begin()
	if c.next() == ']' {
		return c.take(']')
	}
	for {
		if err := c.value(depth); err != nil {
			return err
		}
		if more, err := c.more(']'); err != nil || !more {
			return err
		}
	}
}

func (c *canon) object(depth int) error {
	first := len(c.open)
	defer func() { c.open = c.open[:first] }()
	c.begin()
	if c.next() == '}' {
		return c.take('}')
	}
	for {
		if err := c.member(depth); err != nil {
			return err
		}
		if more, err := c.more('}'); err != nil {
			return err
		} else if !more {
			return c.sort(c.open[first:])
		}
	}
}

func (c *canon) member(depth int) error {
	if len(c.open) == c.limits.Parts {
		return over("an object has more than %d keys", c.limits.Parts)
	}
	if c.next() != '"' {
		return c.unexpected()
	}
	start := len(c.out)
	if err := c.text(); err != nil {
		return err
	}
	key := unquote(c.out[start:])
	if err := c.take(':'); err != nil {
		return err
	}
	// The place is taken before the value, whose own members come after it.
	at := len(c.open)
	c.open = append(c.open, member{key: key, start: start})
	err := c.value(depth)
	c.open[at].end = len(c.out)
	return err
}

// sort brings the members at the end of out in order.
func (c *canon) sort(members []member) error {
	from := members[0].start
	byKey := func(a, b member) int { return bytes.Compare(a.key, b.key) }
	sorted := slices.IsSortedFunc(members, byKey)
	if !sorted {
		slices.SortFunc(members, byKey)
	}
	for i := range members[1:] {
		if bytes.Equal(members[i].key, members[i+1].key) {
			return c.bad("the key %.40q appears twice", members[i].key)
		}
	}
	if sorted {
		return nil
	}
	c.scratch = append(c.scratch[:0], c.out[from:]...)
	c.out = c.out[:from]
	for i, m := range members {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, c.scratch[m.start-from:m.end-from]...)
	}
	c.out = append(c.out, '}')
	return nil
}

// number copies a number as it is, if JSON allows it.
func (c *canon) number() error {
	start := c.at
	c.skip('-')
	ok := c.skip('0') || c.digits()
	if ok && c.skip('.') {
		ok = c.digits()
	}
	if ok && (c.skip('e') || c.skip('E')) {
		_ = c.skip('+') || c.skip('-')
		ok = c.digits()
	}
	if !ok {
		return c.unexpected()
	}
	c.out = append(c.out, c.in[start:c.at]...)
	return nil
}

func (c *canon) skip(b byte) bool {
	if c.at < len(c.in) && c.in[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *canon) digits() bool {
	start := c.at
	for c.at < len(c.in) && c.in[c.at] >= '0' && c.in[c.at] <= '9' {
		c.at++
	}
	return c.at > start
}

// text copies a string, with the escapes that it needs.
func (c *canon) text() error {
	c.out = append(c.out, '"')
	c.at++
	for {
		start := c.at
		for c.at < len(c.in) && c.in[c.at] != '"' && c.in[c.at] != '\\' && c.in[c.at] >= ' ' {
			c.at++
		}
		c.out = append(c.out, c.in[start:c.at]...)
		switch b := c.peek(); {
		case c.at == len(c.in):
			return c.bad("a string has no end")
		case b == '"':
			c.at++
			c.out = append(c.out, '"')
			return nil
		case b == '\\':
			r, err := c.escape()
			if err != nil {
				return err
			}
			c.out = appendRune(c.out, r)
		default:
			return c.bad("the control character %q stands in a string", b)
		}
	}
}

func (c *canon) peek() byte {
	if c.at == len(c.in) {
		return 0
	}
	return c.in[c.at]
}

// escape gives the character of an escape, U+FFFD for half of a pair of surrogates.
func (c *canon) escape() (rune, error) {
	c.at++
	b := c.peek()
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), b); i >= 0 {
		c.at++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, ok := c.unit()
	if !ok {
		return 0, c.bad("a wrong escape in a string")
	}
	c.at += 5
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if c.peek() != '\\' {
		return utf8.RuneError, nil
	}
	c.at++
	low, ok := c.unit()
	pair := utf16.DecodeRune(r, low)
	if !ok || pair == utf8.RuneError {
		c.at-- // an escape of its own
		return utf8.RuneError, nil
	}
	c.at += 5
	return pair, nil
}

// unit reads uXXXX without moving on.
func (c *canon) unit() (rune, bool) {
	if c.peek() != 'u' || c.at+5 > len(c.in) {
		return 0, false
	}
	var r rune
	for _, b := range c.in[c.at+1 : c.at+5] {
		switch {
		case b >= '0' && b <= '9':
			b -= '0'
		case b >= 'a' && b <= 'f':
			b -= 'a' - 10
		case b >= 'A' && b <= 'F':
			b -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(b)
	}
	return r, true
}
