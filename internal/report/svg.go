package report

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	clew "github.com/clew-run/clew"
)

//go:embed chart.css
var chartCSS string

const (
	svgRow  = 34 // a label and its bar
	svgWide = 72 // columns of a label that fit on a desk
	svgPad  = 18 // around a chart that stands alone
	svgSlim = 24 // and on a phone
)

// writeSVG draws the chart. Places across are shares of the width and text has a
// fixed size, so one drawing is sharp on a phone and on a desk. Inline, the page
// around it has the style.
func writeSVG(c chart, inline bool) []byte {
	legend := 18 + (len(c.Counts)+1)/2*17
	s := &svgWriter{top: legend + 36}
	s.height = s.top + svgRow*len(c.Bars)
	if len(c.Bars) == 0 {
		s.height = legend
	}
	if c.More > 0 {
		s.height += 20
	}
	if !inline {
		s.height += 2 * svgPad
	}
	if inline {
		s.f(`<svg class="cc" width="100%%" height="%d" role="img" aria-labelledby="cc-t cc-d">`, s.height)
	} else {
		s.f(`<svg xmlns="http://www.w3.org/2000/svg" class="cc" width="960" height="%d" role="img" aria-labelledby="cc-t cc-d">`, s.height)
	}
	s.f(`<title id="cc-t">Timeline of the todos</title><desc id="cc-d">%s</desc>`, html.EscapeString(describe(c)))
	if !inline {
		s.f("<style>%s</style>\n"+`<rect class="cc-paper" width="100%%" height="100%%"/>`+"\n"+`<svg x="2%%" y="%d" width="96%%">`, chartCSS, svgPad)
	}
	s.counts(c)
	s.axis(c)
	for i, b := range c.Bars {
		s.bar(b, s.top+svgRow*i)
	}
	if c.More > 0 {
		s.f(`<text class="cc-mute" x="0" y="%d">and %s more in the table</text>`, s.top+svgRow*len(c.Bars)+14, thousands(int64(c.More)))
	}
	if !inline {
		s.f("</svg>")
	}
	s.f("</svg>\n")
	return []byte(s.b.String())
}

type svgWriter struct {
	b      strings.Builder
	top    int // where the bars begin
	height int
}

func (s *svgWriter) f(format string, args ...any) {
	fmt.Fprintf(&s.b, format, args...)
}

// describe is the chart in words, for those who hear it.
func describe(c chart) string {
	var parts []string
	for _, n := range c.Counts {
		parts = append(parts, fmt.Sprintf("%d %s", n.N, statusName(n.Status)))
	}
	text := fmt.Sprintf("%d todos: %s.", c.Total, strings.Join(parts, ", "))
	if c.Span != "" {
		text += " From the first start to the last end: " + c.Span + "."
	}
	return text + " The table of todos has the same facts."
}

// class names a status in the style sheet; an unknown one looks like pending.
func class(s clew.TodoStatus) string {
	switch s {
	case clew.TodoCompleted:
		return "done"
	case clew.TodoFailed:
		return "fail"
	case clew.TodoSkipped:
		return "skip"
	case clew.TodoInProgress:
		return "work"
	}
	return "wait"
}

func (s *svgWriter) counts(c chart) {
	at := 0.0
	for _, n := range c.Counts {
		w := float64(n.N) / float64(c.Total)
		s.f(`<rect class="cc-%s" x="%s" y="1" width="%s" height="8"/>`, class(n.Status), pct(at), pct(w))
		at += w
	}
	for i, n := range c.Counts {
		x, y := pct(float64(i%2)/2), 26+i/2*17
		s.f(`<svg x="%s" y="%d" height="16">`, x, y-12)
		s.mark(n.Status)
		s.f(`<text x="18" y="12">%d %s</text></svg>`, n.N, statusName(n.Status))
	}
	s.f("\n")
}

// mark is a small sign whose shape says the same as its colour.
func (s *svgWriter) mark(status clew.TodoStatus) {
	switch class(status) {
	case "done":
		s.f(`<circle class="cc-done" cx="6" cy="8" r="4.5"/>`)
	case "fail":
		s.f(`<path class="cc-cross" d="M2 4l8 8M10 4l-8 8"/>`)
	case "skip":
		s.f(`<path class="cc-dash" d="M1.5 8h9"/>`)
	case "work":
		s.f(`<circle class="cc-ring" cx="6" cy="8" r="4"/><path class="cc-half" d="M6 3.5a4.5 4.5 0 0 1 0 9z"/>`)
	default:
		s.f(`<circle class="cc-ring cc-pale" cx="6" cy="8" r="4"/>`)
	}
}

func (s *svgWriter) axis(c chart) {
	if len(c.Bars) == 0 {
		return
	}
	bottom := s.top + svgRow*len(c.Bars)
	for _, g := range c.Gaps {
		s.f(`<rect class="cc-gap" x="%s" y="%d" width="%s" height="%d"/>`, pct(g.From), s.top-10, pct(g.To-g.From), bottom-s.top+10)
		s.f(`<text class="cc-mute" x="%s" y="%d" text-anchor="middle">⋯ %s</text>`, pct((g.From+g.To)/2), s.top-16, html.EscapeString(g.Label))
	}
	for _, t := range c.Ticks {
		anchor := "middle"
		if t.At < 0.04 {
			anchor = "start"
		} else if t.At > 0.93 {
			anchor = "end"
		}
		s.f(`<line class="cc-grid" x1="%[1]s" x2="%[1]s" y1="%[2]d" y2="%[3]d"/>`, pct(t.At), s.top-10, bottom)
		s.f(`<text class="cc-mute" x="%s" y="%d" text-anchor="%s">%s</text>`, pct(t.At), s.top-16, anchor, html.EscapeString(t.Label))
	}
	s.f("\n")
}

func (s *svgWriter) bar(b bar, y int) {
	c := class(b.Status)
	label, note := b.ID+"  "+b.Task, b.Duration
	if b.Retries > 0 {
		note = retries(b.Retries) + " · " + note
	}
	s.f(`<g><title>%s</title>`, html.EscapeString(fmt.Sprintf("%s %s: %s, %s", b.ID, b.Task, statusName(b.Status), note)))
	s.f(`<svg y="%d" width="70%%" height="18">`, y-2)
	s.mark(b.Status)
	s.f(`<text class="cc-wide" x="18" y="12">%s</text>`, html.EscapeString(short(label, svgWide)))
	s.f(`<text class="cc-slim" x="18" y="12">%s</text></svg>`, html.EscapeString(short(label, svgSlim)))
	s.f(`<text class="cc-mute" x="100%%" y="%d" text-anchor="end">%s</text>`, y+10, html.EscapeString(note))
	s.f(`<rect class="cc-rail" y="%d" width="100%%" height="2"/>`, y+21)
	// A todo of a moment still has to be seen: a knot of fixed size at its start.
	x := pct(min(b.From, 0.995))
	if b.To-b.From < 0.012 {
		s.f(`<rect class="cc-%s" x="%s" y="%d" width="4" height="8" rx="2"/>`, c, x, y+18)
	} else {
		s.f(`<rect class="cc-%s" x="%s" y="%d" width="%s" height="8" rx="2"/>`, c, pct(b.From), y+18, pct(b.To-b.From))
	}
	s.f("</g>\n")
}

func retries(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return fmt.Sprintf("%d retries", n)
}

// pct writes a share with few digits, so that files do not differ by rounding.
func pct(f float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.2f", f*100), "0")
	return strings.TrimSuffix(s, ".") + "%"
}
