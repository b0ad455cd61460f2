package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// when says when something was, the day too if it was another one.
func when(ms int64, now time.Time) string {
	t := time.UnixMilli(ms)
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// plural counts things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (r *rewind) drawPreview(width, height int) []paint.Line {
	if r.width != width {
		r.lines, r.width = previewLines(r.preview.answer, r.preview.files, width-3), width
	}
	lines := title("Go back to before “" + r.preview.place.Text + "”?")
	lines[1] = lines[1].Cut(width)
	room := height - len(lines)
	r.offset = max(0, min(r.offset, len(r.lines)-room))
	for _, l := range r.lines[r.offset:min(r.offset+room, len(r.lines))] {
		lines = append(lines, l.With(paint.S(paint.Plain, "   ")))
	}
	return lines
}

// previewLines say what would change: the counts first, then what cannot be
// undone, then the files.
func previewLines(p *clew.RewindPreviewAnswer, files bool, width int) []paint.Line {
	var lines []paint.Line
	say := func(ink paint.Ink, text string) {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: ink}, text, width)...)
	}
	say(paint.Plain, plural(p.Count, "message goes", "messages go"))
	switch {
	case p.FilesProblem != "":
		say(paint.Fail, "files stay as they are: "+p.FilesProblem)
	case !files:
		say(paint.Soft, "files stay as they are")
	default:
		say(paint.Plain, plural(p.FilesCount, "file changes", "files change"))
	}
	if n := len(p.Todos); n > 0 {
		say(paint.Plain, plural(n, "todo changes", "todos change"))
	}
	if n := len(p.Reopened); n > 0 {
		say(paint.Plain, plural(n, "question will be open again", "questions will be open again"))
	}
	if n := len(p.Withdrawn); n > 0 {
		say(paint.Plain, plural(n, "open question goes", "open questions go"))
	}
	if len(p.Forgotten) > 0 {
		say(paint.Ask, "no longer allowed without asking, not even after an undo:")
		for _, r := range p.Forgotten {
			say(paint.Soft, "✕ "+strings.TrimSpace(r.Tool+" "+r.Pattern))
		}
	}
	if p.Running {
		say(paint.Ask, "agents at work are stopped")
	}
	if p.IrreversibleCount > 0 {
		lines = append(lines, nil)
		say(paint.Ask, plural(p.IrreversibleCount, "step cannot be undone", "steps cannot be undone"))
		for _, s := range p.Irreversible {
			say(paint.Soft, "✕ "+s.Summary+": "+s.Reason)
		}
	}
	for _, f := range p.Files {
		lines = append(lines, nil, paint.L(paint.B(paint.Plain, f.Paths.Relative), paint.S(paint.Soft, "  "+f.Status)).Cut(width))
		switch {
		case f.Binary:
			say(paint.Past, "not a text")
		case f.Unified != "":
			lines = append(lines, paint.Diff(f.Unified, width)...)
		}
	}
	return lines
}
