package report

import (
	"strings"
	"unicode"
)

// A face is how text looks.
type face struct {
	style style
	size  float64 // in points
	color rgb
}

// leading is the height of a line, in mm.
func (f face) leading() float64 { return f.size * 0.3528 * 1.42 }

// A token is text that is not broken unless it is longer than a line.
type token struct {
	text   string
	family string
	face   face
	link   string
	w      float64
	space  int  // so many spaces stand before it
	glue   bool // it belongs to the token before it
	br     bool // a line starts here
}

func (p *pdf) font(t token) {
	s := ""
	if t.family == familyText {
		if t.face.style.bold {
			s += "B"
		}
		if t.face.style.italic {
			s += "I"
		}
	}
	p.doc.SetFont(t.family, s, t.face.size)
}

func (p *pdf) measure(t *token) {
	p.font(*t)
	t.w = p.doc.GetStringWidth(t.text)
}

// tokens cuts spans into words. Chinese and Japanese break between any two
// characters; Korean, as we set it, at spaces.
func (p *pdf) tokens(spans []span, base face) []token {
	var out []token
	space, glue, br := 0, false, false
	for _, s := range spans {
		if s.br {
			br, space, glue = true, 0, false
			continue
		}
		f := base
		f.style = merge(base.style, s.style)
		if s.style.code {
			f.size *= 0.92
		}
		switch {
		case s.link != "":
			f.color = teal
		case s.tone == toneMute:
			f.color = mute
		case s.tone == toneRed:
			f.color = red
		}
		parts, boxed := p.fonts.split(s.text, s.style.code)
		p.boxed = p.boxed || boxed
		for _, part := range parts {
			for _, w := range words(part.text) {
				if w == " " {
					glue = false
					if space == 0 || s.style.code {
						space++ // in code each space counts
					}
					continue
				}
				t := token{text: w, family: part.family, face: f, link: s.link, space: space, glue: glue, br: br}
				p.measure(&t)
				out = append(out, t)
				space, glue, br = 0, !ideograph(lastRune(w)), false
			}
		}
	}
	return out
}

func merge(a, b style) style {
	return style{a.bold || b.bold, a.italic || b.italic, a.strike || b.strike, b.code}
}

// words splits at spaces, which it keeps as " ", and around ideographs.
func words(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		switch {
		case r == ' ':
			if i > start {
				out = append(out, s[start:i])
			}
			out = append(out, " ")
			start = i + 1
		case ideograph(r):
			if i > start {
				out = append(out, s[start:i])
			}
			start = i
			end := i + len(string(r))
			out = append(out, s[start:end])
			start = end
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func ideograph(r rune) bool {
	return r > 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

// wrap breaks tokens into lines of a width.
func (p *pdf) wrap(tokens []token, width float64) [][]token {
	var lines [][]token
	var now []token
	used := 0.0
	end := func() {
		lines, now, used = append(lines, now), nil, 0
	}
	for len(tokens) > 0 {
		n := 1
		for n < len(tokens) && tokens[n].glue && !tokens[n].br {
			n++
		}
		group := tokens[:n]
		tokens = tokens[n:]
		w := 0.0
		for _, t := range group {
			w += t.w
		}
		lead := p.blank(group[0])
		if group[0].br || len(now) > 0 && used+lead+w > width {
			end()
			lead = 0
		}
		if w <= width {
			now, used = append(now, group...), used+lead+w
			continue
		}
		for _, t := range p.chop(group) {
			if used+t.w > width && len(now) > 0 {
				end()
			}
			now, used = append(now, t), used+t.w
		}
	}
	if len(now) > 0 {
		end()
	}
	return lines
}

// chop breaks words that are longer than a line into characters.
func (p *pdf) chop(group []token) []token {
	var out []token
	for _, t := range group {
		for i, r := range t.text {
			c := t
			c.text = string(r)
			if i > 0 {
				c.space = 0
			}
			p.measure(&c)
			out = append(out, c)
		}
	}
	return out
}

// blank is the room before a token within a line.
func (p *pdf) blank(t token) float64 {
	if t.space == 0 {
		return 0
	}
	p.font(t)
	return p.doc.GetStringWidth(" ") * float64(t.space)
}

// width is how long a line is.
func (p *pdf) width(tokens []token) float64 {
	w := 0.0
	for i, t := range tokens {
		if i > 0 {
			w += p.blank(t)
		}
		w += t.w
	}
	return w
}

// line draws one line at the current place and does not move it.
func (p *pdf) line(tokens []token, x float64, h float64) {
	base := p.y + h*0.74
	for i, t := range tokens {
		if i > 0 {
			x += p.blank(t)
		}
		p.font(t)
		p.doc.SetTextColor(t.face.color.r, t.face.color.g, t.face.color.b)
		p.glyphs(t, x, base)
		if t.face.style.strike {
			p.draw(t.face.color)
			p.doc.SetLineWidth(0.2)
			p.doc.Line(x, base-h*0.2, x+t.w, base-h*0.2)
		}
		if t.link != "" {
			p.doc.LinkString(x, p.y, t.w, h, t.link)
		}
		x += t.w
	}
}

// glyphs draws a token. The operator's font has one weight, so its bold is drawn
// with an outline.
func (p *pdf) glyphs(t token, x, base float64) {
	outlined := t.family == familyOwn && t.face.style.bold
	if outlined {
		p.draw(t.face.color)
		p.doc.SetLineWidth(t.face.size * 0.01)
		p.doc.SetTextRenderingMode(2)
	}
	p.doc.Text(x, base, t.text)
	if outlined {
		p.doc.SetTextRenderingMode(0)
	}
}

// flow sets spans as a paragraph.
func (p *pdf) flow(x, width float64, spans []span, f face) {
	h := f.leading()
	for _, l := range p.wrap(p.tokens(spans, f), width) {
		p.need(h)
		p.line(l, x, h)
		p.y += h
	}
}

// text sets one plain text as a paragraph.
func (p *pdf) text(x, width float64, s string, f face) {
	p.flow(x, width, []span{{text: strings.ReplaceAll(s, "\n", " ")}}, f)
}

// textRight sets a short text that ends at x, on one line, and moves nothing.
func (p *pdf) textRight(x float64, s string, f face) {
	p.textAnchored(x, 1, s, f)
}

// textAnchored puts a share of the text's width to the left of x.
func (p *pdf) textAnchored(x, share float64, s string, f face) {
	tokens := p.tokens([]span{{text: s}}, f)
	p.line(tokens, x-p.width(tokens)*share, f.leading())
}
