package report

import (
	"fmt"
	"strings"

	clew "github.com/clew-run/clew"
)

// columnsFor is how much of each result the PDF shows: paper is for the overview,
// and a run of hundreds of todos should not fill hundreds of pages.
func columnsFor(todos int) int { return min(max(60_000/todos, 80), 600) }

// barHeight is the height of a todo in the chart, in mm.
const barHeight = 8.5

func (p *pdf) todos(rows []row) {
	widths := []float64{60, 27, 25, 56}
	small := face{size: 9.5, color: ink}
	head := face{size: 9, color: mute, style: style{bold: true}}
	p.row([]cell{
		{spans: []span{{text: "Todo"}}, face: head}, {spans: []span{{text: "Status"}}, face: head},
		{spans: []span{{text: "Duration"}}, face: head, right: true}, {spans: []span{{text: "Result"}}, face: head},
	}, pageLeft, widths)
	for _, t := range rows {
		about := t.ID
		if t.Tool != "" {
			about += " · " + t.Tool
		}
		if t.DependsOn != "" {
			about += " · after " + t.DependsOn
		}
		status := []span{{text: statusName(t.Status)}}
		if t.Retries > 0 {
			status = append(status, span{br: true}, span{text: retries(t.Retries)})
		}
		took := t.Duration
		if took == "" {
			took = "–"
		}
		colored := small
		colored.color = statusColor(t.Status)
		p.row([]cell{
			{spans: []span{{text: t.Task, style: style{bold: true}}, {br: true}, {text: about, tone: toneMute}}, face: small},
			{spans: status, face: colored},
			{spans: []span{{text: took}}, face: small, right: true},
			{spans: pdfOutcome(t, columnsFor(len(rows))), face: small},
		}, pageLeft, widths)
	}
}

func pdfOutcome(t row, columns int) []span {
	out := lines(short(t.Result, columns))
	for _, x := range []struct{ text, tone string }{{t.Error, toneRed}, {t.Earlier, toneMute}} {
		if x.text == "" {
			continue
		}
		if t.Result != "" {
			out = append(out, span{br: true})
		}
		for _, s := range lines(short(x.text, columns)) {
			s.tone = x.tone
			out = append(out, s)
		}
	}
	return out
}

// lines makes spans of a text that keep its line ends.
func lines(s string) []span {
	var out []span
	for l := range strings.SplitSeq(s, "\n") {
		if len(out) > 0 {
			out = append(out, span{br: true})
		}
		out = append(out, span{text: l})
	}
	return out
}

func statusColor(s clew.TodoStatus) rgb {
	switch class(s) {
	case "done", "work":
		return teal
	case "fail":
		return red
	}
	return mute
}

func (p *pdf) decisions(list []decision) {
	if len(list) == 0 {
		return
	}
	p.section("Decisions by people")
	small := face{size: 9.5, color: ink}
	muted := face{size: 9.5, color: mute}
	for _, d := range list {
		what := []span{{text: d.Action, style: style{bold: true}}}
		if d.By != "" {
			what = append(what, span{text: " by " + d.By})
		}
		about := lines(d.Question)
		if d.Comment != "" {
			about = append(about, span{br: true}, span{text: "“" + d.Comment + "”", style: style{italic: true}})
		}
		p.row([]cell{{spans: what, face: small}, {spans: about, face: small}, {spans: []span{{text: d.At}}, face: muted, right: true}},
			pageLeft, []float64{44, 80, 44})
	}
}

// facts sets names and values in three columns.
func (p *pdf) facts(facts []fact) {
	const columns, h = 3, 12.0
	w := (pageWidth + 4) / columns
	for i, f := range facts {
		if i%columns == 0 {
			p.need(h)
		}
		x, top := pageLeft+float64(i%columns)*w, p.y
		p.y = top + 1
		p.text(x, w*9, f.Name, face{size: 8.5, color: mute})
		p.y = top + 5
		p.text(x, w*9, short(f.Value, 30), face{size: 10, color: ink})
		p.hairline(x, w-4, top+11)
		p.y = top
		if i%columns == columns-1 || i == len(facts)-1 {
			p.y += h
		}
	}
}

// mark is the small sign of a status around a point.
func (p *pdf) mark(s clew.TodoStatus, x, y float64) {
	c := statusColor(s)
	p.fill(c)
	p.draw(c)
	p.doc.SetLineWidth(0.5)
	switch class(s) {
	case "done":
		p.doc.Circle(x, y, 1.2, "F")
	case "fail":
		p.doc.Line(x-1, y-1, x+1, y+1)
		p.doc.Line(x-1, y+1, x+1, y-1)
	case "skip":
		p.doc.Line(x-1.3, y, x-0.3, y)
		p.doc.Line(x+0.3, y, x+1.3, y)
	default:
		p.doc.SetLineWidth(0.35)
		p.doc.Circle(x, y, 1.05, "D")
	}
}

func barColor(s clew.TodoStatus) rgb {
	switch class(s) {
	case "done":
		return teal
	case "fail":
		return red
	case "work":
		return rgb{0x7a, 0xb3, 0xae}
	case "skip":
		return grey
	}
	return hair
}

func (p *pdf) chart(c chart) {
	small := face{size: 9, color: ink}
	muted := face{size: 8.5, color: mute}
	at := pageLeft
	for _, n := range c.Counts {
		w := pageWidth * float64(n.N) / float64(c.Total)
		p.fill(barColor(n.Status))
		p.doc.Rect(at, p.y, w, 2, "F")
		at += w
	}
	p.y += 4
	for i, n := range c.Counts {
		x := pageLeft + float64(i)*pageWidth/5
		p.mark(n.Status, x+1.5, p.y+2.2)
		top := p.y
		p.text(x+5, pageWidth, fmt.Sprintf("%d %s", n.N, statusName(n.Status)), small)
		p.y = top
	}
	p.y += 8
	for i, b := range c.Bars {
		if i == 0 || p.y+barHeight > pageBottom {
			p.need(20)
			p.axis(c, min(len(c.Bars)-i, int((pageBottom-p.y-6)/barHeight)), muted)
		}
		p.bar(b, small, muted)
	}
	if c.More > 0 {
		p.text(pageLeft, pageWidth, fmt.Sprintf("and %s more in the table", thousands(int64(c.More))), muted)
	}
}

// axis draws the grid for so many bars below it.
func (p *pdf) axis(c chart, bars int, f face) {
	bottom := p.y + 6 + float64(bars)*barHeight
	for _, g := range c.Gaps {
		p.fill(card)
		p.doc.Rect(pageLeft+g.From*pageWidth, p.y+5, (g.To-g.From)*pageWidth, bottom-p.y-5, "F")
		p.textAnchored(pageLeft+(g.From+g.To)/2*pageWidth, 0.5, "… "+g.Label, f)
	}
	for _, t := range c.Ticks {
		x := pageLeft + t.At*pageWidth
		p.draw(hair)
		p.doc.SetLineWidth(0.2)
		p.doc.Line(x, p.y+5, x, bottom)
		share := 0.5
		if t.At < 0.04 {
			share = 0
		} else if t.At > 0.96 {
			share = 1
		}
		p.textAnchored(x, share, t.Label, f)
	}
	p.y += 6
}

func (p *pdf) bar(b bar, f, muted face) {
	top := p.y
	p.mark(b.Status, pageLeft+1.5, top+2.2)
	note := b.Duration
	if b.Retries > 0 {
		note = retries(b.Retries) + " · " + note
	}
	p.textRight(pageLeft+pageWidth, note, muted)
	p.text(pageLeft+5, 1e4, short(b.ID+"  "+b.Task, 64), f)
	p.fill(hair)
	p.doc.Rect(pageLeft, top+5.7, pageWidth, 0.4, "F")
	p.fill(barColor(b.Status))
	w := max((b.To-b.From)*pageWidth, 1)
	p.doc.RoundedRect(min(pageLeft+b.From*pageWidth, pageLeft+pageWidth-1), top+5, w, 1.8, 0.5, "1234", "F")
	p.y = top + barHeight
}
