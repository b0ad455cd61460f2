package tui

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/tui/paint"
)

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

// previewLines say what would change, and at last the files.
func previewLines(p *clew.RewindPreviewAnswer, files bool, width int) []paint.Line {
	var lines []paint.Line
	say := func(ink paint.Ink, text string) {
		lines = append(lines, paint.Paragraphs(paint.Style{Ink: ink}, text, width)...)
	}
	for _, g := range ask.Preview(p, files) {
		ink := paint.Plain
		if g.Warning {
			ink = paint.Ask
		}
		say(ink, g.Text)
		for _, item := range g.Items {
			say(paint.Soft, "· "+item)
		}
		if n := g.Total - len(g.Items); n > 0 {
			say(paint.Soft, fmt.Sprintf("… and %d more", n))
		}
	}
	return append(lines, fileLines(p.Files, width)...)
}

// fileLines show how files change, each with an empty line in front.
func fileLines(files []clew.CheckpointFile, width int) (lines []paint.Line) {
	for _, f := range files {
		lines = append(lines, nil, paint.L(paint.B(paint.Plain, f.Paths.Relative), paint.S(paint.Soft, "  "+f.Status)).Cut(width))
		switch {
		case f.Binary:
			lines = append(lines, paint.L(paint.S(paint.Past, "not a text")))
		case f.Unified != "":
			lines = append(lines, paint.Diff(f.Unified, width)...)
		}
	}
	return lines
}
