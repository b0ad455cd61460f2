package feed

import (
	"strings"

	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// Part shows a part of a question or a call: all of it, whatever its length.
func Part(p ask.Part, width int) []paint.Line {
	switch p.Kind {
	case ask.Summary:
		return exactly(paint.Style{Bold: true}, p.Text, width)
	case ask.Command:
		return behind(paint.S(paint.Soft, "$ "), exactly(paint.Style{Bold: true}, p.Text, max(width-2, 4)))
	case ask.Change:
		return paint.WholeDiff(p.Text, width)
	case ask.Lines:
		lines := exactly(paint.Style{Ink: paint.Soft}, p.Name+":", width)
		for _, l := range exactly(paint.Style{Ink: paint.Soft}, p.Text, max(width-2, 4)) {
			lines = append(lines, l.With(paint.S(paint.Past, "│ ")))
		}
		return lines
	case ask.Field:
		name := p.Name
		if name != "" {
			name += ": "
		}
		return exactly(paint.Style{Ink: paint.Soft}, name+p.Text, width)
	case ask.Place:
		return paint.L(paint.S(paint.Past, p.Name+" "), paint.S(paint.Soft, term.ExactLine(p.Text))).Wrap(width)
	case ask.Variable: // it is the server's setting, and there may be many
		return nil
	case ask.Warning:
		return paint.Paragraphs(paint.Style{Ink: paint.Ask}, p.Text, width)
	case ask.Step:
		lines := behind(paint.S(paint.Past, "○ "), paint.Paragraphs(paint.Style{}, p.Text, max(width-2, 4)))
		if p.Name == "" {
			return lines
		}
		return append(lines, behind(paint.S(paint.Plain, "  "), paint.Paragraphs(paint.Style{Ink: paint.Past}, p.Name, max(width-2, 4)))...)
	case ask.Option:
		return behind(paint.B(paint.Ask, p.Name+"  "), paint.Paragraphs(paint.Style{}, p.Text, max(width-3, 4)))
	}
	return paint.Paragraphs(paint.Style{Ink: paint.Soft}, term.Exact(p.Text), width)
}

// behind puts a mark before the first line and sets the others in as far.
func behind(mark paint.Span, lines []paint.Line) []paint.Line {
	for i := range lines {
		lines[i] = lines[i].With(mark)
		mark.Text = strings.Repeat(" ", term.Width(mark.Text))
	}
	return lines
}

// exactly wraps a text that a person is asked about: at columns, since between
// words a space would be lost. A line that goes on below is marked there, so that
// it does not look like two.
func exactly(style paint.Style, text string, width int) []paint.Line {
	var lines []paint.Line
	for _, s := range strings.Split(term.Exact(text), "\n") {
		head, rest := term.Split(s, max(width, 4))
		lines = append(lines, paint.Line{{Text: head, Style: style}})
		for rest != "" {
			head, rest = term.Split(rest, max(width-2, 2))
			lines = append(lines, paint.Line{paint.S(paint.Past, paint.GoesOn), {Text: head, Style: style}})
		}
	}
	return lines
}
