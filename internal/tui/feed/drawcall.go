package feed

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// liveLines is how much of a growing output a folded call shows.
const liveLines = 3

func (r *Row) drawCall(width int) []paint.Line {
	e, s := r.first, r.standing()
	arrow := "▸ "
	if r.Open {
		arrow = "▾ "
	}
	ink := paint.Soft
	if s.mark == markRun || s.mark == markAsk || s.mark == markFail {
		ink = paint.Plain
	}
	left := paint.L(paint.S(paint.Past, arrow), paint.B(ink, e.toolName()), paint.S(ink, "  "+e.target()))
	right := paint.L(paint.S(s.mark.ink, strings.TrimSpace(s.word+took(e))))
	lines := []paint.Line{paint.Between(left, right.Cut(width/2), width)}
	switch {
	case r.Open:
		lines = append(lines, r.details(max(width-2, 8))...)
	case e.Tool != nil && e.Tool.Error != "" && s.mark == markFail && r.exit() == "":
		lines = append(lines, paint.L(paint.S(paint.Fail, "  "+firstLine(e.Tool.Error))).Cut(width))
	case s.mark == markRun:
		lines = append(lines, r.live(width)...)
	}
	return r.onThread(s.mark, lines)
}

func took(e *entry) string {
	if e.Tool == nil || e.Tool.DurationMS < 1000 {
		return ""
	}
	return fmt.Sprintf(" %.1f s", float64(e.Tool.DurationMS)/1000)
}

// live is the end of what a call prints while it runs.
func (r *Row) live(width int) []paint.Line {
	if len(r.more) == 0 {
		return nil
	}
	text := strings.TrimRight(r.output(), "\n")
	all := strings.Split(lastOf(text, 4000), "\n")
	var lines []paint.Line
	for _, s := range all[max(0, len(all)-liveLines):] {
		lines = append(lines, paint.L(paint.S(paint.Past, "  "+s)).Cut(width))
	}
	return lines
}

// details is all that is known of a call: what it does, and what came of it.
func (r *Row) details(width int) []paint.Line {
	var lines []paint.Line
	e := r.first
	c := e.call
	if c == nil {
		c = &Call{}
	}
	lines = append(lines, Effect(c.Effect, width)...)
	if c.Effect == nil || c.Effect.Command == "" && c.Effect.Diff == "" {
		lines = append(lines, input(c.Input, e.Text, width)...)
	}
	if out := strings.TrimRight(r.output(), "\n"); out != "" {
		lines = append(lines, limited(paint.Paragraphs(paint.Style{Ink: paint.Soft}, out, width))...)
	}
	if e.Tool != nil && e.Tool.Error != "" && r.exit() == "" {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, e.Tool.Error, width)...)
	}
	if e.Answer != nil {
		lines = append(lines, paint.L(paint.S(paint.Soft, settled(e.Answer))).Cut(width))
	}
	for i := range lines {
		lines[i] = lines[i].With(paint.S(paint.Plain, "  "))
	}
	return lines
}

// Effect shows what a call does, exactly.
func Effect(e *clew.Effect, width int) []paint.Line {
	if e == nil {
		return nil
	}
	var lines []paint.Line
	if e.Command != "" {
		for i, l := range paint.Paragraphs(paint.Style{Bold: true}, e.Command, max(width-2, 4)) {
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
			lines = append(lines, paint.L(paint.S(paint.Past, f.name+" "), paint.S(paint.Soft, f.value)).Cut(width))
		}
	}
	if e.Diff != "" {
		lines = append(lines, limited(paint.Diff(e.Diff, width))...)
	}
	return lines
}

// input shows what a tool was called with, where its effect does not say it.
func input(v any, text string, width int) []paint.Line {
	if v == nil {
		var given struct {
			Input any `json:"input"`
		}
		if json.Unmarshal([]byte(text), &given) != nil {
			return nil
		}
		v = given.Input
	}
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return nil
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil
	}
	return limited(paint.Paragraphs(paint.Style{Ink: paint.Past}, string(b), width))
}
