package paint

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// inline draws what stands in a paragraph; hard breaks make several lines.
func (d *drawing) inline(n ast.Node, style Style) []Line {
	w := writer{src: d.src, lines: []Line{nil}}
	w.children(n, style)
	return w.lines
}

type writer struct {
	src   []byte
	lines []Line
}

func (w *writer) put(style Style, text string) {
	if text = strings.ReplaceAll(text, joint, ""); text == "" {
		return
	}
	s := S(style.Ink, text)
	s.Style = style
	last := len(w.lines) - 1
	w.lines[last] = append(w.lines[last], s)
}

func (w *writer) children(n ast.Node, style Style) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style)
	}
}

func (w *writer) node(n ast.Node, style Style) {
	switch n := n.(type) {
	case *ast.Text:
		w.words(n, style)
	case *ast.String:
		w.put(style, string(n.Value))
	case *ast.CodeSpan:
		style.Ink = Run
		w.children(n, style)
	case *ast.Emphasis:
		if n.Level > 1 {
			style.Bold = true
		} else {
			style.Italic = true
		}
		w.children(n, style)
	case *east.Strikethrough:
		style.Strike = true
		w.children(n, style)
	case *ast.Link:
		w.link(n, string(n.Destination), style)
	case *ast.Image:
		w.link(n, string(n.Destination), style)
	case *ast.AutoLink:
		style.Underline = true
		w.put(style, string(n.URL(w.src)))
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			w.put(Style{Ink: Soft}, string(s.Value(w.src)))
		}
	case *east.TaskCheckBox:
		if n.IsChecked {
			w.put(style, "☑ ")
		} else {
			w.put(style, "☐ ")
		}
	default:
		w.children(n, style)
	}
}

func (w *writer) words(n *ast.Text, style Style) {
	value := n.Segment.Value(w.src)
	if !n.IsRaw() {
		value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
	}
	w.put(style, string(value))
	switch {
	case n.HardLineBreak():
		w.lines = append(w.lines, nil)
	case n.SoftLineBreak():
		w.put(style, " ")
	}
}

// link shows the words and, if they are others, where they lead.
func (w *writer) link(n ast.Node, to string, style Style) {
	before := len(w.lines[len(w.lines)-1])
	style.Underline = true
	w.children(n, style)
	last := w.lines[len(w.lines)-1]
	if before <= len(last) && last[before:].String() != to {
		w.put(Style{Ink: Soft}, " ("+to+")")
	}
}
