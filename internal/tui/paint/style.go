// Package paint draws styled lines for a terminal.
//
// A Line is a list of spans, a span a text and a style. Styles name what a colour
// means and not the colour: teal works, amber needs you, red failed, grey is
// over. A Theme turns lines into what a terminal understands, and is the only
// place where escape sequences are made.
package paint

import (
	"strings"

	"github.com/clew-run/clew/internal/term"
)

// An Ink is a colour by its meaning.
type Ink uint8

// The inks.
const (
	Plain Ink = iota
	Soft      // secondary text
	Run       // teal: works
	Ask       // amber: needs you
	Fail      // red: failed
	Past      // grey: is over
	Add
	Del
	inks
)

// A Style says how a span looks. The zero value is plain text.
type Style struct {
	Ink                                      Ink
	Bold, Italic, Underline, Strike, Reverse bool
}

// A Span is a text in one style.
type Span struct {
	Text string
	Style
}

// A Line is what stands beside each other on one row.
type Line []Span

// S makes a span. Its text is cleaned and stays on one line.
func S(ink Ink, text string) Span { return Span{term.CleanLine(text), Style{Ink: ink}} }

// B is S in bold.
func B(ink Ink, text string) Span { return Span{term.CleanLine(text), Style{Ink: ink, Bold: true}} }

// L makes a line.
func L(spans ...Span) Line { return spans }

// Width is how many columns the line takes.
func (l Line) Width() (n int) {
	for _, s := range l {
		n += term.Width(s.Text)
	}
	return n
}

// String is the text alone.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cut gives the part that fits into width columns, with … at its end if
// something is missing.
func (l Line) Cut(width int) Line {
	if l.Width() <= width {
		return l
	}
	if width < 1 {
		return nil
	}
	out, left := make(Line, 0, len(l)), width-1
	for _, s := range l {
		w := term.Width(s.Text)
		if w > left {
			s.Text, _ = term.Split(s.Text, left)
			return append(out, Span{s.Text + "…", s.Style})
		}
		out, left = append(out, s), left-w
	}
	return out
}

// Between puts a left and a right part into width columns. The left one is cut
// first.
func Between(left, right Line, width int) Line {
	room := width - right.Width()
	if right.Width() > 0 {
		room--
	}
	if room < 8 && left.Width() > room {
		return left.Cut(width)
	}
	left = left.Cut(room)
	gap := width - left.Width() - right.Width()
	out := append(Line{}, left...)
	out = append(out, Span{Text: strings.Repeat(" ", max(gap, 0))})
	return append(out, right...)
}

// With puts spans in front.
func (l Line) With(front ...Span) Line { return append(append(Line{}, front...), l...) }

// Wrap breaks a line into lines of at most width columns, between words where
// there are any.
func (l Line) Wrap(width int) []Line {
	width = max(width, 2)
	if l.Width() <= width {
		return []Line{l}
	}
	var lines []Line
	for l.Width() > width {
		head, rest := l.split(width)
		lines, l = append(lines, head), rest
	}
	return append(lines, l)
}

// split takes the words off that fit into width columns.
func (l Line) split(width int) (head, rest Line) {
	text := l.String()
	fits, more := term.Split(text, width)
	at := len(fits)
	if !strings.HasPrefix(more, " ") {
		if i := strings.LastIndexByte(fits, ' '); i > 0 && strings.TrimSpace(fits[:i]) != "" {
			at = i
		}
	}
	head, rest = l.cutAt(at)
	if strings.HasPrefix(rest.String(), " ") {
		_, rest = rest.cutAt(1)
	}
	return head, rest
}

// cutAt cuts before the byte at.
func (l Line) cutAt(at int) (head, rest Line) {
	for i, s := range l {
		if at >= len(s.Text) {
			at -= len(s.Text)
			head = append(head, s)
			continue
		}
		if at > 0 {
			head = append(head, Span{s.Text[:at], s.Style})
		}
		rest = append(rest, Span{s.Text[at:], s.Style})
		return head, append(rest, l[i+1:]...)
	}
	return head, nil
}

// Paragraphs wraps a text of several lines in one style.
func Paragraphs(style Style, text string, width int) []Line {
	var lines []Line
	for _, s := range term.Wrap(term.Clean(text), width) {
		lines = append(lines, Line{{s, style}})
	}
	return lines
}
