package term

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// hiddenElements hold nothing that a reader sees.
var hiddenElements = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true,
	atom.Object: true, atom.Select: true, atom.Textarea: true,
}

// inlineElements do not end a line.
var inlineElements = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.I: true, atom.Em: true, atom.Strong: true, atom.Span: true, atom.Code: true, atom.Sub: true,
	atom.Sup: true, atom.Small: true, atom.U: true, atom.S: true, atom.Mark: true, atom.Abbr: true, atom.Kbd: true, atom.Q: true,
	atom.Time: true, atom.Cite: true, atom.Var: true, atom.Samp: true, atom.Font: true, atom.Label: true, atom.Img: true, atom.Wbr: true,
}

// HTMLText reduces a page to its text. It reads tokens and builds no tree, so
// deep nesting costs nothing.
func HTMLText(page []byte) string {
	w := htmlWriter{}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end, or what cannot be read
			return w.String()
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken:
			w.start(z.Token())
		case html.EndTagToken:
			w.end(z.Token().DataAtom)
		case html.SelfClosingTagToken:
			w.breakFor(z.Token().DataAtom)
		}
	}
}

type htmlWriter struct {
	b      strings.Builder
	hidden atom.Atom // the element that hides what is in it
	depth  int       // how many of it are open
	pre    int
	href   string
}

// String gives the text without runs of empty lines.
func (w *htmlWriter) String() string {
	text := strings.ToValidUTF8(w.b.String(), "\uFFFD")
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if line != "" || (len(kept) > 0 && kept[len(kept)-1] != "") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

func (w *htmlWriter) text(s string) {
	if w.hidden != 0 {
		return
	}
	if w.pre > 0 {
		w.b.WriteString(s)
		return
	}
	words := strings.Join(strings.Fields(s), " ")
	if words == "" || startsWithSpace(s) {
		w.space()
	}
	w.b.WriteString(words)
	if words != "" && endsWithSpace(s) {
		w.space()
	}
}

func startsWithSpace(s string) bool { return s != strings.TrimLeft(s, " \t\r\n") }
func endsWithSpace(s string) bool   { return s != strings.TrimRight(s, " \t\r\n") }

func (w *htmlWriter) space() {
	if s := w.b.String(); s != "" && !endsWithSpace(s[len(s)-1:]) {
		w.b.WriteByte(' ')
	}
}

func (w *htmlWriter) start(t html.Token) {
	if w.hidden != 0 {
		if t.DataAtom == w.hidden {
			w.depth++
		}
		return
	}
	if hiddenElements[t.DataAtom] {
		w.hidden, w.depth = t.DataAtom, 1
		return
	}
	w.breakFor(t.DataAtom)
	switch t.DataAtom {
	case atom.Pre:
		w.pre++
	case atom.Li:
		w.b.WriteString("- ")
	case atom.A:
		w.href = ""
		for _, a := range t.Attr {
			if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "javascript:") {
				w.href = strings.TrimSpace(a.Val)
			}
		}
	}
}

func (w *htmlWriter) end(a atom.Atom) {
	if w.hidden != 0 {
		if a == w.hidden {
			w.depth--
		}
		if w.depth == 0 {
			w.hidden = 0
		}
		return
	}
	switch {
	case a == atom.A && w.href != "":
		w.b.WriteString(" (" + w.href + ")")
		w.href = ""
	case a == atom.Pre && w.pre > 0:
		w.pre--
	}
	w.breakFor(a)
}

// breakFor ends the line at the edge of a block.
func (w *htmlWriter) breakFor(a atom.Atom) {
	if w.hidden == 0 && !inlineElements[a] {
		w.b.WriteByte('\n')
	}
}
