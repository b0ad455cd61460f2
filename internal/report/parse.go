package report

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	maxDepth    = 8 // of lists and quotes in each other
	maxLines    = 4000
	maxBrackets = 1000 // of a paragraph
	maxColumns  = 12   // of a table
	maxCells    = 5000 // of all tables: short rows are filled up, which multiplies
)

var markdown = goldmark.New(goldmark.WithExtensions(
	extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList,
))

// parse reads Markdown into blocks. Raw HTML stays as text, images become links,
// and links that are not safe become text.
func parse(s string) (blocks []block) {
	// A text that the parser stumbles over is still worth reading.
	defer func() {
		if recover() != nil {
			blocks = plain(s)
		}
	}()
	src := []byte(flatten(s))
	r := &reader{src: src, cells: maxCells}
	doc := markdown.Parser().Parse(text.NewReader(src))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && (r.top == 0 || h.Level < r.top) {
			r.top = h.Level
		}
	}
	return r.blocks(doc, 0)
}

// flatten takes what is beyond any use out of a text before the parser sees it.
// The parser's time grows with the square of nesting and of brackets in a
// paragraph, and its memory with lines times columns of a table.
func flatten(s string) string {
	lines := strings.Split(s, "\n")
	brackets := 0
	for i, l := range lines {
		rest := strings.TrimLeft(l, " \t>-+*")
		if lead := l[:len(l)-len(rest)]; len(lead) > 64 || strings.Count(lead, ">") > maxDepth {
			l = rest
		}
		if strings.Trim(l, " \t>|:-") == "" && strings.Count(l, "|") > maxColumns+1 {
			l = "…" // the line that would make it a table
		}
		if strings.TrimSpace(l) == "" {
			brackets = 0
		}
		if n := strings.Count(l, "["); brackets+n > maxBrackets {
			l = strings.ReplaceAll(l, "[", `\[`)
		} else {
			brackets += n
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

type reader struct {
	src   []byte
	cells int
	top   int // the highest heading of the text, which becomes level 3
}

func (r *reader) blocks(parent ast.Node, depth int) []block {
	var out []block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if b := r.block(n, depth); b != nil {
			out = append(out, b)
		}
	}
	return out
}

func (r *reader) block(n ast.Node, depth int) block {
	switch n := n.(type) {
	case *ast.Heading:
		return heading{min(max(n.Level-r.top, 0)+3, 6), r.spans(n)}
	case *ast.ThematicBreak:
		return rule{}
	case *ast.FencedCodeBlock:
		return code{language(string(n.Language(r.src))), r.lines(n)}
	case *ast.CodeBlock:
		return code{"", r.lines(n)}
	case *ast.HTMLBlock:
		text := r.lines(n)
		if n.HasClosure() {
			text = strings.TrimLeft(text+"\n"+string(n.ClosureLine.Value(r.src)), "\n")
		}
		return code{"html", strings.TrimRight(text, "\n")}
	case *east.Table:
		return r.table(n)
	case *ast.Blockquote:
		if depth < maxDepth {
			return quote{r.blocks(n, depth+1)}
		}
	case *ast.List:
		if depth < maxDepth {
			return r.list(n, depth+1)
		}
	case *ast.Paragraph, *ast.TextBlock:
		if s := r.spans(n); len(s) > 0 {
			return para{s}
		}
		return nil
	case *ast.LinkReferenceDefinition:
		return nil
	}
	return para{[]span{{text: "…"}}}
}

func (r *reader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(r.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

// language keeps the name of a language and nothing that could end a fence line.
func language(s string) string {
	ok := func(c rune) bool {
		return c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("+#-.", c))
	}
	if len(s) > 20 || strings.IndexFunc(s, func(c rune) bool { return !ok(c) }) >= 0 {
		return ""
	}
	return s
}

func (r *reader) list(n *ast.List, depth int) block {
	l := list{ordered: n.IsOrdered(), start: n.Start}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		l.items = append(l.items, r.blocks(item, depth))
	}
	return l
}

func (r *reader) table(n *east.Table) block {
	var t table
	for line := n.FirstChild(); line != nil; line = line.NextSibling() {
		var cells [][]span
		for c := line.FirstChild(); c != nil && len(cells) < maxColumns; c = c.NextSibling() {
			if r.cells--; r.cells < 0 {
				return t
			}
			cells = append(cells, r.spans(c))
			if cell, ok := c.(*east.TableCell); ok && t.head == nil {
				t.right = append(t.right, cell.Alignment == east.AlignRight)
			}
		}
		if t.head == nil {
			t.head = cells
		} else {
			t.rows = append(t.rows, cells)
		}
	}
	return t
}

// spans reads what stands inside a block.
func (r *reader) spans(n ast.Node) []span {
	return mend(r.inline(nil, n, span{}))
}

func (r *reader) inline(out []span, parent ast.Node, in span) []span {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		out = r.one(out, n, in)
	}
	return out
}

func (r *reader) one(out []span, n ast.Node, in span) []span {
	switch n := n.(type) {
	case *ast.Text:
		out = put(out, in, resolve(n.Segment.Value(r.src)))
		if n.HardLineBreak() {
			return append(out, span{br: true})
		}
		if n.SoftLineBreak() {
			return put(out, in, " ")
		}
		return out
	case *ast.String:
		return put(out, in, string(n.Value))
	case *ast.CodeSpan:
		in.style.code = true
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				out = put(out, in, string(t.Segment.Value(r.src)))
			}
		}
		return out
	case *ast.Emphasis:
		in.style.bold = in.style.bold || n.Level == 2
		in.style.italic = in.style.italic || n.Level == 1
		return r.inline(out, n, in)
	case *east.Strikethrough:
		in.style.strike = true
		return r.inline(out, n, in)
	case *east.TaskCheckBox:
		if n.IsChecked {
			return put(out, in, "[x] ")
		}
		return put(out, in, "[ ] ")
	case *ast.AutoLink:
		return r.autolink(out, n, in)
	case *ast.Link:
		return r.link(out, n, n.Destination, in)
	case *ast.Image:
		// A picture from elsewhere tells its server who reads the report.
		out = put(out, in, "[image: ")
		out = r.link(out, n, n.Destination, in)
		return put(out, in, "]")
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			out = put(out, in, string(seg.Value(r.src)))
		}
		return out
	}
	return r.inline(out, n, in)
}

func (r *reader) autolink(out []span, n *ast.AutoLink, in span) []span {
	target := string(n.URL(r.src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(target), "mailto:") {
		target = "mailto:" + target
	}
	in.link = safeLink(target)
	return put(out, in, string(n.Label(r.src)))
}

// link shows where a link would have led if it may not lead there.
func (r *reader) link(out []span, n ast.Node, dest []byte, in span) []span {
	target := resolve(dest)
	outer := in
	if in.link == "" {
		in.link = safeLink(target)
	}
	out = r.inline(out, n, in)
	if in.link == "" && target != "" {
		outer.style.code = true
		out = put(out, outer, " "+cut(target, 200))
	}
	return out
}

// put adds text in a style. Entities may have brought hidden characters, so it
// is cleaned once more.
func put(out []span, in span, s string) []span {
	s = strings.NewReplacer("\n", " ", "\t", " ").Replace(clean(s))
	if s == "" {
		return out
	}
	if last := len(out) - 1; last >= 0 && !out[last].br && out[last].style == in.style && out[last].link == in.link {
		out[last].text += s
		return out
	}
	in.text = s
	return append(out, in)
}

func resolve(b []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b))))
}

// mend makes bold what Markdown leaves as asterisks in Korean, Chinese and
// Japanese: there a closing ** may stand between a bracket and a letter, because
// particles follow without a space.
func mend(in []span) []span {
	var out []span
	for _, s := range in {
		before, rest, ok := strings.Cut(s.text, "**")
		bold, after, ok2 := strings.Cut(rest, "**")
		if !ok || !ok2 || s.style.code || s.style.bold || bold == "" || bold != strings.TrimSpace(bold) || !startsWide(after) {
			out = append(out, s)
			continue
		}
		parts := []span{s, s, s}
		parts[0].text, parts[1].text, parts[2].text = before, bold, after
		parts[1].style.bold = true
		if before != "" {
			out = append(out, parts[0])
		}
		out = append(out, parts[1])
		out = append(out, mend(parts[2:])...)
	}
	return out
}

func startsWide(s string) bool {
	for _, r := range s {
		return width(r) == 2
	}
	return false
}
