package feed

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/clew-run/clew"
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
func Input(v any, e *clew.Effect, width int) []paint.Line {
	given, ok := v.(map[string]any)
	if !ok || e != nil && e.Diff != "" && !cutShort(e.Diff) {
		return nil
	}
	if e != nil && e.Command != "" && given["command"] == e.Command {
		given = maps.Clone(given)
		delete(given, "command")
	}
	if len(given) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(given) != nil {
		return nil
	}
	return exactly(paint.Style{Ink: paint.Soft}, strings.TrimRight(b.String(), "\n"), width)
}

// cutShort reports that a diff does not show all of a change: a note in its last
// line says so.
func cutShort(diff string) bool {
	diff = strings.TrimRight(diff, "\n")
	return strings.HasPrefix(diff[strings.LastIndexByte(diff, '\n')+1:], "(")
}

// exactly wraps a text that a person is asked about. A line that goes on below is
// marked there, so that it does not look like two.
func exactly(style paint.Style, text string, width int) []paint.Line {
	var lines []paint.Line
	for _, s := range strings.Split(term.Exact(text), "\n") {
		for i, l := range paint.Paragraphs(style, s, max(width-2, 4)) {
			if i > 0 {
				l = l.With(paint.S(paint.Past, paint.GoesOn))
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// givenInput is what a call was made with, by its details or by its message.
func givenInput(v any, text string) any {
	if v != nil {
		return v
	}
	var given struct {
		Input any `json:"input"`
	}
	if json.Unmarshal([]byte(text), &given) != nil {
		return nil
	}
	return given.Input
}
