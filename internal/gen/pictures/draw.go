package main

import "strings"

// The pictures' measures.
const (
	width  = 960
	left   = 64
	step   = 78
	wide   = 98  // a step where there is room
	lineAt = 176 // the journal
	chipAt = lineAt + 46
	cardAt = lineAt + 128
)

// place gives where a mark stands.
func place(i int) int { return left + i*step }

// after gives a place behind the last mark up to a record.
func after(marks []mark, seq uint64, gap int) int {
	for i, m := range marks {
		if m.seq > seq {
			return place(i-1) + gap
		}
	}
	return place(len(marks)-1) + gap
}

// Labels of people are above the line and those of agents below it, so what
// comes from above arrives close behind a mark, and what goes down leaves late.
const (
	arrives = 28
	leaves  = 50
)

// drawScene draws a session: its journal from left to right, and below it what
// people saw of it before and see now.
func drawScene(before, s scene, title string) []byte {
	c := &canvas{width: width, height: cardAt + cardHeight(s) + 56}
	c.text("title", 24, 38, "start", title)
	c.text("small", 24, 60, "start", "The journal, from left to right. Nothing in it is ever taken out.")
	c.strip(s.marks, lineAt)
	c.spans(s.marks)
	c.arcs(s.marks)
	c.card(left-40, cardAt, 420, "What people and models saw before", before)
	c.card(left+452, cardAt, 420, "What they see now", s)
	c.legend(cardAt+cardHeight(s)+32, []kind{kindUser, kindAgent, kindCheckpoint, kindReturn})
	return c.bytes(title, "Before: "+aboutScene(before)+" Now: "+aboutScene(s))
}

// strip draws the marks on their line.
func (c *canvas) strip(marks []mark, y int) {
	for i := range marks[1:] {
		c.line(lineClass(marks[i], marks[i+1]), place(i), y, place(i+1), y)
	}
	for i, m := range marks {
		c.mark(m, place(i), y)
	}
}

func lineClass(a, b mark) string {
	if a.hidden || b.hidden || b.kind == kindReturn {
		return "gone"
	}
	return "path"
}

func (c *canvas) mark(m mark, x, y int) {
	if m.hidden {
		c.add(`<circle class="paper" cx="%d" cy="%d" r="11"/>`, x, y) // the line does not shine through
		c.add(`<g class="hidden">`)
		defer c.add(`</g>`)
	}
	switch m.kind {
	case kindUser:
		c.text("", x, y-22, "middle", m.text)
	case kindAgent:
		c.text("", x, y+30, "middle", m.text)
	case kindCheckpoint:
		c.line("thin", x, y+10, x, y+46)
		c.chip(x, y+46, m.text)
	case kindFork:
		c.text("forktext", x, y-22, "middle", m.text)
	case kindReturn:
	}
	c.node(m.kind, x, y)
}

// spans says which marks are hidden, below them.
func (c *canvas) spans(marks []mark) {
	for i := 0; i < len(marks); i++ {
		from := i
		for i < len(marks) && marks[i].hidden {
			i++
		}
		if i == from {
			continue
		}
		x1, x2, y := place(from)-24, place(i-1)+24, chipAt+36
		c.add(`<path class="thin" d="M%d %dv8H%dv-8"/>`, x1, y, x2)
		c.text("small", (x1+x2)/2, y+26, "middle", "kept, and hidden")
	}
}

// arcs draws where the returns that count go.
func (c *canvas) arcs(marks []mark) {
	for i, m := range marks {
		if m.kind != kindReturn || m.hidden {
			continue
		}
		from, to, top := place(i), after(marks, m.back, arrives), lineAt-76
		c.add(`<path class="arc" d="M%d %dV%dQ%d %d %d %dH%dQ%d %d %d %dV%d"/>`,
			from, lineAt-14, top+16, from, top, from-16, top, to+16, to, top, to, top+16, lineAt-14)
		c.add(`<path class="return" d="M%d %dl-7 -12h14z"/>`, to, lineAt-3)
		c.text("backtext", (from+to)/2, top-8, "middle", m.text)
	}
}

var legends = map[kind]string{
	kindUser: "a person says something", kindAgent: "the agent answers", kindCheckpoint: "a checkpoint of the files",
	kindReturn: "a record that goes back", kindFork: "a fork's first record",
}

func (c *canvas) legend(y int, kinds []kind) {
	for i, k := range kinds {
		x := left - 28 + i*(width-2*(left-28))/len(kinds)
		c.node(k, x, y-4)
		c.text("small", x+18, y, "start", legends[k])
	}
}

// drawFork draws two sessions with one past.
func drawFork(parent, fork scene) []byte {
	const title = "A fork"
	below := lineAt + 150
	cards := below + 96
	c := &canvas{width: width, height: cards + cardHeight(parent) + 56}
	c.text("title", 24, 38, "start", title)
	c.text("small", 24, 60, "start", "Both sessions have the same records up to where they part; those are not copied. Then each goes its own way.")
	var visible []mark
	for _, m := range parent.marks {
		if !m.hidden && m.kind != kindReturn {
			visible = append(visible, m)
		}
	}
	c.strip(visible, lineAt)
	shared := 0
	for _, m := range fork.marks {
		if m.shared {
			shared++
		}
	}
	own := fork.marks[shared:]
	x := after(visible, fork.marks[shared-1].seq, leaves)
	c.add(`<path class="branch" d="M%d %dV%dQ%d %d %d %dH%d"/>`, x, lineAt, below-16, x, below, x+16, below, place(shared)+(len(own)-1)*wide)
	for i, m := range own {
		c.mark(m, place(shared)+i*wide, below)
	}
	c.add(`<path class="thin" d="M%d %dv-8H%dv8"/>`, place(0)-24, lineAt-50, x)
	c.text("small", (place(0)-24+x)/2, lineAt-66, "middle", "shared")
	c.card(left-40, cards, 420, "The session", parent)
	c.card(left+452, cards, 420, "The fork, with files of its own", fork)
	c.legend(cards+cardHeight(parent)+32, []kind{kindUser, kindAgent, kindCheckpoint, kindFork})
	return c.bytes(title, "The session: "+aboutScene(parent)+" The fork: "+aboutScene(fork))
}

// aboutScene says in words what a picture shows.
func aboutScene(s scene) string {
	var said []string
	for _, l := range s.seen {
		said = append(said, "“"+l.text+"”")
	}
	return "People see " + strings.Join(said, ", ") + "; list.txt holds " + s.file + "."
}
