package files

import (
	"bytes"
	"fmt"
	"strings"

	"znkr.io/diff/textdiff"
)

const (
	maxDiff      = 64 << 10 // bytes shown
	maxDiffInput = 4 << 20  // bytes compared
)

// diff shows how the file would change. Its first line has the hashes of both
// contents: an approval of the effect covers all of them, also where the rest
// is too long to be shown; cut says that it is.
func (c *change) diff() (text string, cut bool) {
	if c.before.exists && c.before.sum == c.sum {
		return "", false
	}
	from, to := "/dev/null", "b/"+c.at.real
	was := strings.Repeat("0", 32)
	if c.before.exists {
		from, was = "a/"+c.at.real, fmt.Sprintf("%x", c.before.sum[:16])
	}
	head := fmt.Sprintf("index %s..%x\n--- %s\n+++ %s\n", was, c.sum[:16], show(from), show(to))
	hunks, left := c.hunks()
	text, cut = capped(head + hunks)
	return text, cut || left
}

// hunks are the changed lines; left says that they are left out.
func (c *change) hunks() (text string, left bool) {
	switch {
	case c.before.exists && c.before.data == nil, len(c.before.data)+len(c.after) > maxDiffInput:
		return "(too large to be compared)\n", true
	case isBinary(c.before.data) || isBinary(c.after):
		return "(binary content)\n", true
	}
	return textdiff.Unified(string(c.before.data), string(c.after)), false
}

func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), sniffed)], 0) >= 0 }

// capped cuts a diff at the end of a line, or of a character where one line
// fills it all.
func capped(d string) (text string, cut bool) {
	d = strings.ToValidUTF8(d, "\uFFFD")
	if len(d) <= maxDiff {
		return d, false
	}
	const room = 80                                   // for the note
	head := strings.ToValidUTF8(d[:maxDiff-room], "") // a part of a character at its end goes
	if i := strings.LastIndexByte(head, '\n'); i > maxDiff/2 {
		head = head[:i]
	}
	return head + fmt.Sprintf("\n(cut: %d of %d bytes shown)\n", len(head), len(d)), true
}
