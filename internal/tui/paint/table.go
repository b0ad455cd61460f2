package paint

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// table draws rows with their columns below each other. Where there is no room
// for all, the widest column gives way.
func (d *drawing) table(n *east.Table, width int) {
	var rows [][]Line
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := Style{}
		if _, head := row.(*east.TableHeader); head {
			style.Bold = true
		}
		rows = append(rows, d.cells(row, style))
	}
	widths := columns(rows, width)
	for i, cells := range rows {
		var line Line
		for c, cell := range cells {
			if c > 0 {
				line = append(line, S(Past, " │ "))
			}
			cell = cell.Cut(widths[c])
			line = append(line, cell...)
			line = append(line, Span{Text: strings.Repeat(" ", widths[c]-cell.Width())})
		}
		d.lines = append(d.lines, line.Cut(width))
		if i == 0 {
			d.lines = append(d.lines, rule(widths).Cut(width))
		}
	}
}

func (d *drawing) cells(row ast.Node, style Style) []Line {
	var cells []Line
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		cells = append(cells, d.inline(c, style)[0])
	}
	return cells
}

func columns(rows [][]Line, width int) []int {
	var widths []int
	for _, cells := range rows {
		for c, cell := range cells {
			if c == len(widths) {
				widths = append(widths, 1)
			}
			widths[c] = max(widths[c], cell.Width())
		}
	}
	total := 3 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := 0
		for c, w := range widths {
			if w > widths[widest] {
				widest = c
			}
		}
		if widths[widest] <= 4 {
			break
		}
		widths[widest]--
	}
	return widths
}

func rule(widths []int) Line {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	return L(S(Past, strings.Join(parts, "─┼─")))
}
