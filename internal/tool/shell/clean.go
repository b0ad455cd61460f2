package shell

import (
	"bytes"
	"unicode/utf8"
)

// Limits on what an escape sequence may swallow: a program that opens one and
// never ends it hides no more than this.
const (
	maxControl = 64   // bytes of a CSI or of an escape's intermediates
	maxString  = 4096 // bytes of an OSC, DCS, SOS, PM or APC
)

type cleanState uint8

const (
	inText cleanState = iota
	inEscape
	inControl   // after ESC [
	inString    // after ESC ], P, X, ^ or _
	inStringEsc // an ESC inside a string: its end, if a backslash follows
)

// A cleaner turns what a program writes to a terminal into plain text: escape
// sequences and control characters are taken out, as are the characters that
// turn the direction of text; bytes that are not UTF-8 become U+FFFD. What is
// left besides text is \n, \t, \r and \b. It keeps its place between chunks,
// so the result does not depend on how the input is cut.
type cleaner struct {
	state cleanState
	n     int // bytes in the sequence so far
	held  [utf8.UTFMax]byte
	nheld int // bytes of a character that is not complete yet
}

// Append adds the text of p to dst.
func (c *cleaner) Append(dst, p []byte) []byte {
	for c.nheld > 0 && len(p) > 0 {
		c.held[c.nheld] = p[0]
		c.nheld++
		p = p[1:]
		if utf8.FullRune(c.held[:c.nheld]) {
			held := c.held
			n := c.nheld
			c.nheld = 0
			dst = c.runes(dst, held[:n])
		}
	}
	return c.runes(dst, p)
}

// Flush adds what is left of a character that never became complete.
func (c *cleaner) Flush(dst []byte) []byte {
	n := c.nheld
	c.nheld = 0
	for range n {
		dst = c.rune(dst, utf8.RuneError)
	}
	return dst
}

func (c *cleaner) runes(dst, p []byte) []byte {
	for len(p) > 0 {
		if c.state == inText {
			if n := plain(p); n > 0 {
				dst = append(dst, p[:n]...)
				p = p[n:]
				continue
			}
		}
		if !utf8.FullRune(p) {
			c.nheld = copy(c.held[:], p)
			return dst
		}
		r, n := utf8.DecodeRune(p)
		p = p[n:]
		dst = c.rune(dst, r)
	}
	return dst
}

// plain counts the leading bytes that are printable ASCII or a line's end: by
// far the most common case.
func plain(p []byte) int {
	for i, b := range p {
		if (b < ' ' && b != '\n') || b >= 0x7f {
			return i
		}
	}
	return len(p)
}

func (c *cleaner) rune(dst []byte, r rune) []byte {
	switch c.state {
	case inEscape:
		return c.escape(dst, r)
	case inControl:
		return c.control(dst, r)
	case inString, inStringEsc:
		return c.str(dst, r)
	default:
		return c.text(dst, r)
	}
}

func (c *cleaner) text(dst []byte, r rune) []byte {
	switch {
	case r == 0x1b:
		c.enter(inEscape)
	case r == 0x9b:
		c.enter(inControl)
	case r == 0x90, r == 0x98, r == 0x9d, r == 0x9e, r == 0x9f:
		c.enter(inString)
	case r == '\n', r == '\t', r == '\r', r == '\b':
		return append(dst, byte(r))
	case r < ' ', r >= 0x7f && r < 0xa0, turnsDirection(r):
	default:
		return utf8.AppendRune(dst, r)
	}
	return dst
}

func (c *cleaner) enter(s cleanState) { c.state, c.n = s, 0 }

func (c *cleaner) escape(dst []byte, r rune) []byte {
	c.n++
	switch {
	case r == '[':
		c.enter(inControl)
	case r == ']', r == 'P', r == 'X', r == '^', r == '_':
		c.enter(inString)
	case r == 0x1b:
		c.enter(inEscape)
	case r >= ' ' && r <= '/' && c.n < maxControl: // intermediates, as in ESC ( B
	case r >= '0' && r <= '~':
		c.enter(inText)
	default:
		c.enter(inText)
		return c.text(dst, r)
	}
	return dst
}

func (c *cleaner) control(dst []byte, r rune) []byte {
	c.n++
	switch {
	case r >= ' ' && r <= '?' && c.n < maxControl:
	case r >= '@' && r <= '~':
		c.enter(inText)
	default:
		c.enter(inText)
		return c.text(dst, r)
	}
	return dst
}

func (c *cleaner) str(dst []byte, r rune) []byte {
	c.n++
	ended := c.state == inStringEsc
	switch {
	case r == 0x07, r == 0x9c, ended && r == '\\':
		c.enter(inText)
	case ended:
		c.enter(inEscape)
		return c.escape(dst, r)
	case r == '\n', c.n > maxString:
		c.enter(inText)
		return c.text(dst, r)
	case r == 0x1b:
		c.state = inStringEsc
	}
	return dst
}

// turnsDirection names the characters that make text look like other text.
func turnsDirection(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// maxLine is how much of a line is held back to see whether it is written
// again.
const maxLine = 16 << 10

// A folder collapses lines that a program writes over and over: of a line with
// carriage returns the last version stays.
type folder struct {
	line  []byte
	again bool // a carriage return came: the next character starts anew
	emit  func([]byte)
}

// Write takes clean text.
func (f *folder) Write(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexAny(p, "\n\r\b")
		if i < 0 {
			i = len(p)
		}
		f.add(p[:i])
		if p = p[i:]; len(p) == 0 {
			return
		}
		f.mark(p[0])
		p = p[1:]
	}
}

func (f *folder) add(p []byte) {
	if len(p) == 0 {
		return
	}
	if f.again {
		f.line, f.again = f.line[:0], false
	}
	f.line = append(f.line, p...)
	if len(f.line) > maxLine {
		f.emit(f.line)
		f.line = f.line[:0]
	}
}

func (f *folder) mark(b byte) {
	switch b {
	case '\r':
		f.again = true
	case '\b':
		_, n := utf8.DecodeLastRune(f.line)
		f.line = f.line[:len(f.line)-n]
	default:
		f.line = append(f.line, '\n')
		f.Flush()
	}
}

// Flush gives out the line as it stands.
func (f *folder) Flush() {
	if len(f.line) > 0 {
		f.emit(f.line)
	}
	f.line, f.again = f.line[:0], false
}

// Clean makes plain text of a program's terminal output.
func Clean(p []byte) string {
	var c cleaner
	var out bytes.Buffer
	f := folder{emit: func(b []byte) { out.Write(b) }}
	f.Write(c.Append(nil, p))
	f.Write(c.Flush(nil))
	f.Flush()
	return out.String()
}
