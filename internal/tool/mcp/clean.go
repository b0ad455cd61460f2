package mcp

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// escapes finds what a terminal would obey.
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?`)

// clean takes out of a stranger's text what people do not see and programs obey:
// control characters but for newline and tab, terminal sequences, marks that
// turn the direction of writing, tags and other invisible letters.
func clean(text string) string {
	if strings.ContainsRune(text, '\x1b') {
		text = escapes.ReplaceAllString(text, "")
	}
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f: // controls
		return true
	case r == 0x061c, r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true // direction, zero width
	case r == 0x00ad, r == 0x034f, r == 0x115f, r == 0x1160, r == 0x180e, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true // drawn as nothing
	case r == 0x2028, r == 0x2029, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff // tags and further variation selectors
}

// line makes a text fit for one line.
func line(text string, limit int) string {
	return cut(strings.Join(strings.Fields(clean(text)), " "), limit)
}

// cut shortens a text to at most limit bytes, never inside a character.
func cut(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// maxTail is how much of what a process printed is kept and shown.
const maxTail = 2 << 10

// A tail keeps the last that a process printed. It is safe for concurrent use.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// keep is more than is shown, so that a secret is known even where it is cut.
const keep = 4 * maxTail

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(len(p)-keep, 0):]...)
	if over := len(t.buf) - keep; over > 0 || len(p) > keep {
		t.buf, t.cut = append([]byte(nil), t.buf[max(over, 0):]...), true
	}
	return len(p), nil
}

// text gives the last lines, without secrets and fit to be shown.
func (t *tail) text(r *redactor) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.buf)
	if t.cut && r != nil && r.longest > 0 {
		// The first bytes may be the rest of a secret.
		text = text[min(r.longest-1, len(text)):]
	}
	text = strings.TrimSpace(clean(r.apply(text)))
	if over := len(text) - maxTail; over > 0 {
		text = strings.ToValidUTF8(text[over:], "")
		if _, after, ok := strings.Cut(text, "\n"); ok {
			text = after
		}
	}
	return text
}
