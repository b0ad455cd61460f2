package report

import (
	"fmt"
	"strings"
)

var body = face{size: 10.5, color: ink}

// blocks sets an answer between x and x+w.
func (p *pdf) blocks(list []block, x, w float64) {
	for i, b := range list {
		if i > 0 {
			p.y += 2
		}
		p.block(b, x, w)
	}
}

func (p *pdf) block(b block, x, w float64) {
	switch b := b.(type) {
	case heading:
		p.y += 2
		p.need(16)
		f := face{size: max(14.5-float64(b.level), 10.5), color: ink, style: style{bold: true}}
		p.flow(x, w, b.text, f)
	case para:
		p.flow(x, w, b.text, body)
	case code:
		p.code(b, x, w)
	case quote:
		p.beside(x, func() { p.blocks(b.body, x+4, w-4) })
	case list:
		p.list(b, x, w)
	case table:
		p.table(b, x, w)
	case rule:
		p.need(4)
		p.hairline(x, w, p.y+2)
		p.y += 4
	}
}

func (p *pdf) hairline(x, w, y float64) {
	p.draw(hair)
	p.doc.SetLineWidth(0.2)
	p.doc.Line(x, y, x+w, y)
}

// beside draws a line at the left of what f sets, over all its pages.
func (p *pdf) beside(x float64, f func()) {
	page, top := p.doc.PageNo(), p.y
	f()
	last, bottom := p.doc.PageNo(), p.y
	for n := page; n <= last; n++ {
		from, to := pageTop, pageBottom
		if n == page {
			from = top
		}
		if n == last {
			to = bottom
		}
		p.doc.SetPage(n)
		p.draw(hair)
		p.doc.SetLineWidth(0.5)
		p.doc.Line(x+0.5, from, x+0.5, to)
	}
}

func (p *pdf) code(c code, x, w float64) {
	f := face{size: 9, color: ink}
	h := f.leading()
	mono := style{code: true}
	first := true
	for l := range strings.SplitSeq(c.text, "\n") {
		l = strings.ReplaceAll(l, "\t", "    ")
		rest := strings.TrimLeft(l, " ")
		lead := float64(len(l)-len(rest)) * 1.75
		lines := p.wrap(p.tokens([]span{{text: rest, style: mono}}, f), max(w-6-lead, 20))
		if len(lines) == 0 {
			lines = [][]token{nil}
		}
		for _, t := range lines {
			p.need(h + 1)
			p.fill(card)
			top := p.y
			if first {
				top -= 0.6
				first = false
			}
			p.doc.Rect(x, top, w, p.y+h+0.6-top, "F")
			p.line(t, x+3+min(lead, w/2), h)
			p.y += h
		}
	}
	p.y++
}

func (p *pdf) list(l list, x, w float64) {
	h := body.leading()
	for i, item := range l.items {
		if i > 0 {
			p.y += 0.8
		}
		p.need(h)
		indent := 5.0
		if l.ordered {
			n := fmt.Sprintf("%d.", min(max(l.start, 0), 1e6)+i)
			indent = max(6, float64(len(n))*2.2)
			p.textRight(x+indent-1.5, n, body)
		} else {
			p.fill(ink)
			p.doc.Circle(x+1.6, p.y+h*0.5, 0.55, "F")
		}
		if len(item) == 0 {
			p.y += h
		}
		p.blocks(item, x+indent, max(w-indent, 20))
	}
}

// A cell is what stands in one column of one row.
type cell struct {
	spans []span
	face  face
	right bool
}

func (p *pdf) table(t table, x, w float64) {
	n := len(t.head)
	if n == 0 {
		return
	}
	widths := make([]float64, n)
	for i := range widths {
		widths[i] = w / float64(n)
	}
	small := face{size: 9.5, color: ink}
	bold := face{size: 9, color: mute, style: style{bold: true}}
	cells := func(row [][]span, f face) []cell {
		var out []cell
		for i, s := range row[:min(n, len(row))] {
			out = append(out, cell{s, f, i < len(t.right) && t.right[i]})
		}
		return out
	}
	p.row(cells(t.head, bold), x, widths)
	for _, r := range t.rows {
		p.row(cells(r, small), x, widths)
	}
}

// row sets cells side by side and draws a line below. A row goes to the next
// page whole if it is short, else it is divided.
func (p *pdf) row(cells []cell, x float64, widths []float64) {
	const pad = 1.6
	lines := make([][][]token, len(cells))
	most, h := 0, 0.0
	for i, c := range cells {
		lines[i] = p.wrap(p.tokens(c.spans, c.face), widths[i]-3)
		most = max(most, len(lines[i]))
		h = max(h, c.face.leading())
	}
	total := 0.0
	for _, w := range widths {
		total += w
	}
	if height := float64(most)*h + 2*pad; height < 80 {
		p.need(height)
	}
	p.y += pad
	for n := range most {
		p.need(h)
		at := x
		for i := range cells {
			if n < len(lines[i]) {
				p.cellLine(lines[i][n], at, widths[i]-3, h, cells[i].right)
			}
			at += widths[i]
		}
		p.y += h
	}
	p.y += pad
	p.hairline(x, total, p.y)
}

func (p *pdf) cellLine(tokens []token, x, w, h float64, right bool) {
	if right {
		x += w - p.width(tokens) - 2
	}
	p.line(tokens, x, h)
}
