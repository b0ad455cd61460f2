package feed

import (
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// Effect shows what a call does: all of it, exactly, whatever its length.
func Effect(e *clew.Effect, width int) []paint.Line {
	if e == nil {
		return nil
	}
	var lines []paint.Line
	if e.Command != "" {
		for i, l := range exactly(paint.Style{Bold: true}, e.Command, max(width-2, 4)) {
			front := "  "
			if i == 0 {
				front = "$ "
			}
			lines = append(lines, l.With(paint.S(paint.Soft, front)))
		}
	}
	for _, f := range []struct{ name, value string }{
		{"in", e.Directory}, {"address", e.URL}, {"tool server", e.Server}, {"files", strings.Join(e.Paths, ", ")},
	} {
		if f.value != "" && (f.name != "files" || e.Diff == "") {
			fact := paint.L(paint.S(paint.Past, f.name+" "), paint.S(paint.Soft, term.ExactLine(f.value)))
			lines = append(lines, fact.Wrap(width)...)
		}
	}
	if e.Diff != "" {
		lines = append(lines, paint.WholeDiff(e.Diff, width)...)
	}
	return lines
}

// Input shows what a tool is called with, as far as its effect does not show it.
func Input(input json.RawMessage, e *clew.Effect, width int) []paint.Line {
	var lines []paint.Line
	for _, f := range client.AskedInput(&clew.HitlApprovalRequestData{Input: input, Effect: e}) {
		text, name := f.Text, term.ExactLine(f.Name)
		switch {
		case f.Lines: // the bar tells the text from other fields, whatever it says
			lines = append(lines, exactly(paint.Style{Ink: paint.Soft}, name+":", width)...)
			for _, l := range exactly(paint.Style{Ink: paint.Soft}, text, max(width-2, 4)) {
				lines = append(lines, l.With(paint.S(paint.Past, "│ ")))
			}
			continue
		case name != "":
			text = name + ": " + text
		}
		lines = append(lines, exactly(paint.Style{Ink: paint.Soft}, text, width)...)
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
