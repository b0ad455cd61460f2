package report

import (
	"net/url"
	"strings"
)

// A block is a piece of the answer. The set is closed on purpose: what a model
// wrote is read into these once, and the writers know nothing else, so no form
// can show markup that is not here.
type block interface{ isBlock() }

type (
	heading struct {
		level int // 3 to 6: above are the headings of the report
		text  []span
	}
	para  struct{ text []span }
	code  struct{ lang, text string }
	quote struct{ body []block }
	list  struct {
		ordered bool
		start   int
		items   [][]block
	}
	rule  struct{}
	table struct {
		head  [][]span
		right []bool // by column: numbers stand at the right
		rows  [][][]span
	}
)

func (heading) isBlock() {}
func (para) isBlock()    {}
func (code) isBlock()    {}
func (quote) isBlock()   {}
func (list) isBlock()    {}
func (rule) isBlock()    {}
func (table) isBlock()   {}

// A span is a stretch of text in one style. Its text has no line ends.
type span struct {
	text  string
	style style
	link  string // empty, or safe to follow
	tone  string // empty, toneMute or toneRed; the answer of a model has none
	br    bool   // a line ends here; the span has nothing else
}

// The tones of our own texts.
const (
	toneMute = "mute"
	toneRed  = "red"
)

type style struct{ bold, italic, strike, code bool }

// plain makes paragraphs of a text without markup.
func plain(s string) []block {
	var blocks []block
	for part := range strings.SplitSeq(s, "\n\n") {
		var text []span
		for l := range strings.SplitSeq(strings.Trim(part, "\n"), "\n") {
			if len(text) > 0 {
				text = append(text, span{br: true})
			}
			text = append(text, span{text: keepIndent(l)})
		}
		if len(text) > 1 || text[0].text != "" {
			blocks = append(blocks, para{text})
		}
	}
	return blocks
}

// keepIndent makes the spaces that lead a line hard, so that every form keeps
// them and none takes them for markup.
func keepIndent(l string) string {
	l = strings.ReplaceAll(l, "\t", "    ")
	rest := strings.TrimLeft(l, " ")
	return strings.Repeat("\u00a0", len(l)-len(rest)) + rest
}

// safeLink is the target of a link that a report may have, else empty.
func safeLink(target string) string {
	target = strings.TrimSpace(target)
	if strings.IndexFunc(target, func(r rune) bool { return r <= ' ' || hidden(r) }) >= 0 || len(target) > 2048 {
		return ""
	}
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	switch {
	case u.Scheme == "mailto" && u.Opaque != "":
		return u.String()
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return u.String()
	}
	return ""
}

// fileURL is where an attachment lies: a link, or a path on the server that
// serves the report.
func fileURL(target string) string {
	if u, err := url.Parse(target); err == nil && u.Scheme == "" && u.Host == "" && u.User == nil &&
		strings.HasPrefix(u.Path, "/") && !strings.HasPrefix(u.Path, "//") && !strings.Contains(u.Path, `\`) {
		return u.String()
	}
	return safeLink(target)
}
