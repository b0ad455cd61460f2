package feed

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
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
	case s.mark == markFail && e.failure() != "":
		lines = append(lines, paint.L(paint.S(paint.Fail, "  "+term.FirstLine(e.failure()))).Cut(width))
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

// failure is why a call failed, "" if its exit code says enough.
func (e *entry) failure() string {
	if e.Tool == nil || e.Tool.ExitCode != nil {
		return ""
	}
	return e.Tool.Error
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

func limitedParts(parts []ask.Part, width int) []paint.Line {
	var lines []paint.Line
	for _, p := range parts {
		lines = append(lines, Part(p, width)...)
	}
	return limited(lines)
}

// details is all that is known of a call: what it does, and what came of it.
func (r *Row) details(width int) []paint.Line {
	var lines []paint.Line
	e := r.first
	c := e.call
	if c == nil {
		c = &Call{}
	}
	if c.Effect != nil {
		lines = append(lines, limitedParts(ask.Effect(c.Effect), width)...)
		lines = append(lines, limitedParts(ask.Around(c.Effect), width)...)
	}
	lines = append(lines, limitedParts(ask.Input(&clew.HitlApprovalRequestData{Input: c.Input, Effect: c.Effect}), width)...)
	if out := strings.TrimRight(r.output(), "\n"); out != "" {
		lines = append(lines, limited(paint.Paragraphs(paint.Style{Ink: paint.Soft}, out, width))...)
	}
	if why := e.failure(); why != "" {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Fail}, why, width)...)
	}
	if e.Answer != nil {
		lines = append(lines, paint.L(paint.S(paint.Soft, ask.Settled(*e.Answer))).Cut(width))
	}
	for i := range lines {
		lines[i] = lines[i].With(paint.S(paint.Plain, "  "))
	}
	return lines
}
