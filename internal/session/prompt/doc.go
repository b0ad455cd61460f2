// Package prompt has what a model is told beside somebody's words: what happened
// meanwhile, which windows are open, what can be shown again. It is pure; the state
// of a session holds its values, and they are replaced, never changed in place.
package prompt

import (
	"strings"
	"unicode/utf8"
)

// escaped makes text of others safe inside a tag: whatever it says, it cannot close
// the tag and speak for somebody else.
func escaped(s string) string { return escape.Replace(strings.ToValidUTF8(s, string(utf8.RuneError))) }

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", " ", "\n", " ")

// escapedLines is escaped for what stands between tags: lines and quotes stay.
func escapedLines(s string) string {
	return escapeLines.Replace(strings.ToValidUTF8(s, string(utf8.RuneError)))
}

var escapeLines = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ")

// Join puts the parts in front of somebody's words, in their order; "" if there is
// none.
func Join(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "\n")
}
