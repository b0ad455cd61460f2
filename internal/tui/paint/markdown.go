package paint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/clew-run/clew/internal/term"
)

var parser = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()

// Markdown draws a text as lines of at most width columns. Raw HTML is shown as
// it was written, and links show where they lead.
func Markdown(source string, width int) []Line {
	src := []byte(mendKorean(term.Clean(source)))
	d := drawing{src: src}
	d.blocks(parser.Parse(text.NewReader(src)), max(width, 8))
	for len(d.lines) > 0 && len(d.lines[len(d.lines)-1]) == 0 {
		d.lines = d.lines[:len(d.lines)-1]
	}
	return d.lines
}

// joint is a space that is put behind emphasis and taken out again.
const joint = "\u205f"

var boldBeforeParticle = regexp.MustCompile(`(\*\*[^\s*][^*\n]*[\p{P}\p{S}]\*\*)(\p{Hangul})`)

// mendKorean lets **세션(session)**을 be bold: Markdown wants a space behind marks
// that follow a bracket, and Korean puts its particles there.
func mendKorean(s string) string {
	return boldBeforeParticle.ReplaceAllString(strings.ReplaceAll(s, joint, " "), "${1}"+joint+"${2}")
}

type drawing struct {
	src   []byte
	lines []Line
}

// blocks draws the children of a block, with an empty line between them.
func (d *drawing) blocks(parent ast.Node, width int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && !tight(parent) {
			d.lines = append(d.lines, nil)
		}
		d.block(n, width)
	}
}

// tight reports whether the children of n stand close together.
func tight(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.List:
		return n.IsTight
	case *ast.ListItem:
		list, ok := n.Parent().(*ast.List)
		return ok && list.IsTight
	}
	return false
}

func (d *drawing) block(n ast.Node, width int) {
	switch n := n.(type) {
	case *ast.Heading:
		style := Style{Bold: true}
		if n.Level > 2 {
			style.Ink = Soft
		}
		d.wrap(d.inline(n, style), width)
	case *ast.Paragraph, *ast.TextBlock:
		d.wrap(d.inline(n, Style{}), width)
	case *ast.Blockquote:
		d.inside(n, width, L(S(Past, "▎ ")), L(S(Past, "▎ ")))
	case *ast.List:
		d.list(n, width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		d.code(n, width)
	case *ast.HTMLBlock:
		d.raw(n, width)
	case *ast.ThematicBreak:
		d.lines = append(d.lines, L(S(Past, strings.Repeat("─", width))))
	case *east.Table:
		d.table(n, width)
	default:
		d.blocks(n, width)
	}
}

func (d *drawing) wrap(lines []Line, width int) {
	for _, l := range lines {
		d.lines = append(d.lines, l.Wrap(width)...)
	}
}

// inside draws a block with a prefix: first on its first line, rest on others.
func (d *drawing) inside(n ast.Node, width int, first, rest Line) {
	inner := drawing{src: d.src}
	inner.blocks(n, max(width-first.Width(), 4))
	if len(inner.lines) == 0 {
		inner.lines = []Line{nil}
	}
	for i, l := range inner.lines {
		front := rest
		if i == 0 {
			front = first
		}
		d.lines = append(d.lines, l.With(front...))
	}
}

func (d *drawing) list(n *ast.List, width int) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && !n.IsTight {
			d.lines = append(d.lines, nil)
		}
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		d.inside(item, width, L(S(Soft, mark)), L(S(Plain, strings.Repeat(" ", len([]rune(mark))))))
	}
}

func (d *drawing) code(n ast.Node, width int) {
	for _, s := range strings.Split(strings.TrimRight(d.text(n), "\n"), "\n") {
		for _, part := range term.Wrap(s, max(width-2, 1)) {
			d.lines = append(d.lines, L(S(Past, "┆ "), S(Soft, part)))
		}
	}
}

func (d *drawing) raw(n ast.Node, width int) {
	d.lines = append(d.lines, Paragraphs(Style{Ink: Soft}, strings.TrimRight(d.text(n), "\n"), width)...)
}

func (d *drawing) text(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(d.src))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(d.src))
	}
	return strings.ReplaceAll(b.String(), joint, "")
}
