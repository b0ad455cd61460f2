package main

import (
	"bytes"
	"fmt"
	"html"
)

// style has both themes; the reader's choice decides. No fonts are fetched.
const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: var(--ink); }
.title { font-size: 18px; font-weight: 600; }
.small, .small tspan { font-size: 12px; fill: var(--soft); }
.label { font-size: 12px; }
.who { fill: var(--soft); }
.path { stroke: var(--ink); stroke-width: 2.5; fill: none; }
.gone { stroke: var(--faint); stroke-width: 2.5; stroke-dasharray: 2 5; fill: none; stroke-linecap: round; }
.thin { stroke: var(--line); stroke-width: 1; fill: none; }
.user { fill: var(--user); stroke: var(--paper); stroke-width: 2; }
.agent { fill: var(--paper); stroke: var(--user); stroke-width: 2.5; }
.checkpoint { fill: var(--file); stroke: var(--paper); stroke-width: 2; }
.return { fill: var(--back); stroke: var(--paper); stroke-width: 2; }
.fork { fill: var(--fork); stroke: var(--paper); stroke-width: 2; }
.arc { stroke: var(--back); stroke-width: 2; fill: none; }
.branch { stroke: var(--fork); stroke-width: 2.5; fill: none; }
.backtext { fill: var(--back); font-weight: 600; }
.forktext { fill: var(--fork); font-weight: 600; }
.box { fill: var(--card); stroke: var(--line); }
.chip { fill: var(--paper); stroke: var(--file); }
.hidden { opacity: .5; }
.paper { fill: var(--paper); }
svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --faint: #9aa4af; --line: #d1d9e0; --card: #f6f8fa;
  --user: #0969da; --file: #8250df; --back: #bc4c00; --fork: #1a7f37; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --faint: #656c76; --line: #3d444d; --card: #151b23;
    --user: #4493f8; --file: #ab7df8; --back: #f0883e; --fork: #3fb950; }
}
`

// A canvas is an SVG that grows.
type canvas struct {
	width, height int
	body          bytes.Buffer
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.body, format+"\n", args...) }

func (c *canvas) text(class string, x, y int, anchor, text string) {
	c.add(`<text class="%s" x="%d" y="%d" text-anchor="%s">%s</text>`, class, x, y, anchor, html.EscapeString(text))
}

// line draws a line; one that is gone is dashed.
func (c *canvas) line(class string, x1, y1, x2, y2 int) {
	c.add(`<path class="%s" d="M%d %dL%d %d"/>`, class, x1, y1, x2, y2)
}

// bytes gives the whole picture. Its title is what a reader without eyes gets.
func (c *canvas) bytes(title, about string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="t d">`+"\n",
		c.width, c.height, c.width, c.height)
	fmt.Fprintf(&b, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n", html.EscapeString(title), html.EscapeString(about), style)
	fmt.Fprintf(&b, `<rect class="paper" width="%d" height="%d" rx="8"/>`+"\n", c.width, c.height)
	b.Write(c.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// node draws the sign of a kind.
func (c *canvas) node(k kind, x, y int) {
	switch k {
	case kindUser:
		c.add(`<circle class="user" cx="%d" cy="%d" r="9"/>`, x, y)
	case kindAgent:
		c.add(`<circle class="agent" cx="%d" cy="%d" r="7"/>`, x, y)
	case kindCheckpoint:
		c.add(`<rect class="checkpoint" x="%d" y="%d" width="14" height="14" rx="2" transform="rotate(45 %d %d)"/>`, x-7, y-7, x, y)
	case kindReturn:
		c.add(`<path class="return" d="M%d %dl14 -10v20z"/>`, x-8, y)
	case kindFork:
		c.add(`<rect class="fork" x="%d" y="%d" width="16" height="16" rx="4"/>`, x-8, y-8)
	}
}

// chip is a text in a box around the middle x.
func (c *canvas) chip(x, y int, text string) {
	w := 69*len([]rune(text))/10 + 14
	c.add(`<rect class="chip" x="%d" y="%d" width="%d" height="22" rx="11"/>`, x-w/2, y, w)
	c.text("label", x, y+15, "middle", text)
}

// card shows what people see, and what the file holds.
func (c *canvas) card(x, y, w int, title string, s scene) {
	c.add(`<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="8"/>`, x, y, w, cardHeight(s))
	c.text("small", x+16, y+24, "start", title)
	row := y + 48
	for _, l := range s.seen {
		who := "agent"
		if l.user {
			who = "you"
		}
		c.text("who", x+16, row, "start", who)
		c.text("", x+66, row, "start", l.text)
		row += 20
	}
	c.line("thin", x+16, row-8, x+w-16, row-8)
	c.text("who", x+16, row+12, "start", "list.txt")
	c.text("", x+66, row+12, "start", s.file)
}

func cardHeight(s scene) int { return 48 + 20*len(s.seen) + 26 }
