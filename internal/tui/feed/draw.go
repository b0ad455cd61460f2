package feed

import (
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A mark stands on the thread at the beginning of a row. Its shape says the same
// as its colour.
type mark struct {
	text string
	ink  paint.Ink
}

var (
	markRun  = mark{"◐", paint.Run}
	markAsk  = mark{"◇", paint.Ask}
	markFail = mark{"✕", paint.Fail}
	markDone = mark{"●", paint.Past}
	markPast = mark{"○", paint.Past}
	markLeft = mark{"⊘", paint.Past}
	markSaid = mark{"●", paint.Run}
	thread   = mark{"│", paint.Past}
)

// gutter is the room that selection and thread take.
const gutter = 3

// Lines draws the row for this many columns. The first column is free, for the
// caller to mark the row that is chosen. The lines are kept: do not change them.
func (r *Row) Lines(width int) []paint.Line {
	s := state{width: width, version: r.version(), open: r.Open, head: r.head, place: r.place, mark: r.mark, cell: r.cell}
	if r.drawn.lines == nil || r.drawn.state != s {
		r.drawn = renderCache{s, r.draw(max(width-gutter, 10))}
	}
	return r.drawn.lines
}

func (r *Row) version() int {
	if r.first == nil {
		return 0
	}
	n := r.first.version * 1000
	if r.first.asking {
		n++
	}
	for _, e := range r.more {
		n += 1000*e.version + 2
	}
	return n
}

func (r *Row) draw(width int) []paint.Line {
	switch r.Kind {
	case User:
		return r.drawUser(width)
	case Text:
		return r.drawText(width)
	case Thinking:
		return r.onThread(thread, fold(r.Open, "thought", r.first.Text+r.first.Reasoning, width))
	case Brief:
		return r.drawBrief(width)
	case Tool:
		return r.drawCall(width)
	case Output:
		return r.onThread(thread, fold(r.Open, "output", r.first.Text, width))
	case Cell:
		return r.drawCell(width)
	case Question:
		return r.drawQuestion(width)
	case Result:
		return r.drawResult(width)
	case Failure:
		return r.onThread(markFail, paint.Paragraphs(paint.Style{Ink: paint.Fail}, r.first.Text, width))
	}
	return r.drawMarker(width)
}

// onThread puts lines on the thread, with a mark at the first.
func (r *Row) onThread(m mark, lines []paint.Line) []paint.Line {
	if len(lines) == 0 {
		lines = []paint.Line{nil}
	}
	out := make([]paint.Line, 0, len(lines)+1)
	for i, l := range lines {
		at := thread
		if i == 0 {
			at = m
		}
		out = append(out, l.With(paint.S(paint.Plain, " "), paint.S(at.ink, at.text), paint.S(paint.Plain, " ")))
	}
	return out
}

// spaced is onThread with an empty line before.
func (r *Row) spaced(m mark, lines []paint.Line) []paint.Line {
	return append(r.onThread(thread, nil), r.onThread(m, lines)...)
}

func (r *Row) drawUser(width int) []paint.Line {
	e := r.first
	name := string(e.UserID)
	if name == "" {
		name = "you"
	}
	left := paint.L(paint.B(paint.Run, name))
	if e.Delivery == clew.DeliverySteer {
		left = append(left, paint.S(paint.Soft, " · while it worked"))
	}
	if r.place != "" {
		left = append(left, paint.S(paint.Soft, " · on "+r.place))
	}
	lines := []paint.Line{paint.Between(left, paint.L(paint.S(paint.Past, clock(e.TS))), width)}
	lines = append(lines, paint.Paragraphs(paint.Style{Bold: true}, strings.TrimRight(e.Text, "\n"), width)...)
	if n := len(e.Images); n > 0 {
		lines = append(lines, paint.L(paint.S(paint.Soft, "["+term.Count(n, "image")+"]")))
	}
	return r.spaced(markSaid, lines)
}

func clock(ms int64) string { return time.UnixMilli(ms).Format("15:04") }

func (r *Row) drawText(width int) []paint.Line {
	e := r.first
	var lines []paint.Line
	if r.place != "" {
		lines = append(lines, paint.L(paint.S(paint.Soft, "On "+r.place)).Cut(width))
	}
	if e.AgentKind == clew.AgentEphemeral {
		lines = append(lines, paint.L(paint.S(paint.Soft, "Answered without the conversation")).Cut(width))
	}
	if e.Reasoning != "" {
		lines = append(lines, fold(r.Open, thoughtWord(e), e.Reasoning, width)...)
	}
	if e.Text != "" {
		lines = append(lines, paint.Markdown(e.Text, width)...)
	}
	if n := len(e.Images); n > 0 {
		lines = append(lines, paint.L(paint.S(paint.Soft, "["+term.Count(n, "image")+"]")))
	}
	m := thread
	switch {
	case e.Partial:
		m = markRun
	case r.head:
		m = markDone
	}
	return r.spaced(m, lines)
}

func thoughtWord(e *entry) string {
	if e.Partial && e.Text == "" {
		return "thinking"
	}
	return "thought"
}

// fold shows the first words of a text, or all of it.
func fold(open bool, what, text string, width int) []paint.Line {
	if !open {
		return []paint.Line{paint.L(paint.S(paint.Past, "▸ "+what+"  "), paint.S(paint.Past, term.FirstLine(text))).Cut(width)}
	}
	lines := []paint.Line{paint.L(paint.S(paint.Past, "▾ "+what))}
	for _, l := range limited(paint.Paragraphs(paint.Style{Ink: paint.Soft}, strings.TrimRight(text, "\n"), max(width-2, 4))) {
		lines = append(lines, l.With(paint.S(paint.Plain, "  ")))
	}
	return lines
}

// linesShown is how much of a long output an unfolded row shows.
const linesShown = 400

func limited(lines []paint.Line) []paint.Line {
	if extra := len(lines) - linesShown; extra > 0 {
		cut := paint.L(paint.S(paint.Soft, fmt.Sprintf("… %d more lines, the end follows …", extra)))
		half := linesShown / 2
		return append(append(lines[:half:half], cut), lines[len(lines)-half:]...)
	}
	return lines
}

// drawBrief shows what a task was told; of a step of a plan its title.
func (r *Row) drawBrief(width int) []paint.Line {
	what, text := "told", r.first.Text
	if r.first.Summary != "" {
		if what = "step"; !r.Open {
			text = r.first.Summary
		}
	}
	return r.onThread(r.mark, fold(r.Open, what, text, width))
}

func (r *Row) drawQuestion(width int) []paint.Line {
	e := r.first
	if e.asking { // the dock has all of it
		return r.spaced(markAsk, []paint.Line{paint.L(paint.S(paint.Ask, term.FirstLine(e.Text))).Cut(width)})
	}
	lines := paint.Paragraphs(paint.Style{}, strings.TrimRight(e.Text, "\n"), width)
	if e.Answer != nil {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: paint.Soft}, "→ "+ask.Settled(*e.Answer), width)...)
	}
	return r.spaced(settledMark(e), lines)
}

func (r *Row) drawResult(width int) []paint.Line {
	word := "Result"
	if r.sub() || r.first.Say == clew.SaySubtaskResult {
		word = "Subtask's result"
	}
	lines := []paint.Line{paint.L(paint.B(paint.Run, word))}
	return r.spaced(markSaid, append(lines, paint.Markdown(r.first.Text, width)...))
}

var markerWords = map[clew.Say]string{
	clew.SayCondenseContext: "context condensed", clew.SaySlidingWindowTruncation: "old messages left out of the context",
	clew.SayCheckpointSaved: "checkpoint", clew.SayUserEditTodos: "steps changed",
	clew.SayAPIReqRetryDelayed: "the model did not answer; trying again",
}

func (r *Row) drawMarker(width int) []paint.Line {
	at := mark{"┊", paint.Past}
	text := r.note
	if r.first != nil {
		if r.first.Say == clew.SayKernelStatus { // what it says of cells is its end
			return r.onThread(at, paint.Paragraphs(paint.Style{Ink: paint.Past}, r.first.Text, width))
		}
		text = markerWords[r.first.Say]
		if stopped(&r.first.Message) {
			text = "stopped"
		}
		if text == "" || r.first.Say == clew.SayCheckpointSaved && r.first.Text != "" {
			text = strings.TrimSpace(text + " " + term.FirstLine(r.first.Text))
		}
	}
	return r.onThread(at, []paint.Line{paint.L(paint.S(paint.Past, text)).Cut(width)})
}
