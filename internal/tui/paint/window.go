package paint

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/term"
)

// Window draws what a window shows, as far as text can. Buttons have numbers.
func Window(c *clew.WindowContent, width int) []Line {
	if c == nil {
		return Paragraphs(Style{Ink: Past}, "It is empty.", width)
	}
	switch c.Kind {
	case clew.WindowText:
		return Paragraphs(Style{}, c.Text, width)
	case clew.WindowTable:
		return tableContent(c, width)
	case clew.WindowComponents:
		d := components{width: width}
		if c.Root != nil {
			d.draw(c.Root, width)
		}
		return d.lines
	case clew.WindowImage:
		return Paragraphs(Style{Ink: Soft}, imageWords(c.Alt, fmt.Sprintf(" (%s, %s)", c.MediaType, term.Size(c.Bytes)))+" The web UI shows it.", width)
	case clew.WindowHTML:
		note := Paragraphs(Style{Ink: Past}, "The text of a page; the web UI shows it whole.", width)
		return append(append(note, nil), Paragraphs(Style{}, term.HTMLText([]byte(c.Text)), width)...)
	case clew.WindowApp, clew.WindowMCPApp:
		return Paragraphs(Style{Ink: Soft}, appWords(c), width)
	case clew.WindowMarkdown:
	}
	return Markdown(c.Text, width)
}

// appWords says what an app is: a terminal does not run its page.
func appWords(c *clew.WindowContent) string {
	text := "app: open in the browser"
	if c.Server != "" {
		text += fmt.Sprintf(" (a page of the tool server %s)", term.CleanLine(c.Server))
	}
	if c.Alt != "" {
		text += ". It shows: " + strings.TrimRight(term.CleanLine(c.Alt), ".") + "."
	}
	return text
}

func imageWords(alt, more string) string {
	if alt == "" {
		return "An image" + more + "."
	}
	return "An image" + more + ": " + strings.TrimRight(alt, ".") + "."
}

func tableContent(c *clew.WindowContent, width int) []Line {
	lines := dataTable(c.Columns, c.Rows, width)
	switch hidden := c.Total - len(c.Rows); {
	case hidden > 0 && c.Blob != "":
		return moreRows(lines, fmt.Sprintf("… and %s: the web UI shows them all.", term.Count(hidden, "more row")), width)
	case hidden > 0:
		return moreRows(lines, fmt.Sprintf("The last ones of %s.", term.Count(c.Total, "row")), width)
	}
	return lines
}

func moreRows(lines []Line, text string, width int) []Line {
	return append(append(lines, nil), Paragraphs(Style{Ink: Past}, text, width)...)
}

// dataTable draws rows below the titles of their columns.
func dataTable(heads []clew.TableColumn, data [][]any, width int) []Line {
	rows := make([][]Line, 0, len(data)+1)
	var head []Line
	for _, c := range heads {
		name := c.Title
		if name == "" {
			name = c.Name
		}
		head = append(head, L(B(Plain, name)))
	}
	rows = append(rows, head)
	for _, values := range data {
		row := make([]Line, len(heads))
		for i := range min(len(values), len(heads)) {
			row[i] = L(S(Plain, cellText(values[i])))
		}
		rows = append(rows, row)
	}
	widths := columns(rows, width)
	var lines []Line
	for i, row := range rows {
		var line Line
		for c, cell := range row {
			if c > 0 {
				line = append(line, S(Past, " │ "))
			}
			line = append(line, aligned(cell.Cut(widths[c]), heads[c], widths[c])...)
		}
		lines = append(lines, line.Cut(width))
		if i == 0 {
			lines = append(lines, rule(widths).Cut(width))
		}
	}
	return lines
}

func aligned(cell Line, c clew.TableColumn, width int) Line {
	room := max(width-cell.Width(), 0)
	left := 0
	switch {
	case c.Align == "right" || c.Align == "" && c.Numeric:
		left = room
	case c.Align == "center":
		left = room / 2
	}
	out := append(Line{{Text: strings.Repeat(" ", left)}}, cell...)
	return append(out, Span{Text: strings.Repeat(" ", room-left)})
}

// cellText is a value as people read it.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// components draws a tree from its beginning to its end.
type components struct {
	width   int
	lines   []Line
	buttons int
}

func (d *components) add(lines ...Line) { d.lines = append(d.lines, lines...) }

func (d *components) draw(c *clew.Component, width int) {
	switch c.Type {
	case clew.ComponentMarkdown:
		d.add(Markdown(c.Text, width)...)
	case clew.ComponentTable:
		d.add(dataTable(c.Columns, c.Rows, width)...)
	case clew.ComponentStack:
		for i := range c.Children {
			d.draw(&c.Children[i], width)
		}
	case clew.ComponentRow:
		d.row(c, width)
	case clew.ComponentText, clew.ComponentButton, clew.ComponentInput, clew.ComponentSelect, clew.ComponentCheckbox, clew.ComponentImage, clew.ComponentProgress:
		d.add(d.leaf(c, width)...)
	}
}

// row puts children that are short beside each other, and others below.
func (d *components) row(c *clew.Component, width int) {
	var line Line
	end := func() {
		if len(line) > 0 {
			d.add(line)
		}
		line = nil
	}
	for i := range c.Children {
		child := &c.Children[i]
		if len(child.Children) > 0 || child.Type == clew.ComponentTable || child.Type == clew.ComponentMarkdown {
			end()
			d.draw(child, width)
			continue
		}
		drawn := d.leaf(child, width)
		if len(drawn) != 1 || line.Width()+3+drawn[0].Width() > width {
			end()
		}
		if len(drawn) != 1 {
			d.add(drawn...)
			continue
		}
		if len(line) > 0 {
			line = append(line, Span{Text: "   "})
		}
		line = append(line, drawn[0]...)
	}
	end()
}

var tones = map[string]Ink{"info": Run, "success": Run, "warning": Ask, "danger": Fail, "neutral": Soft}

// leaf draws a component without children.
func (d *components) leaf(c *clew.Component, width int) []Line {
	ink := tones[c.Tone]
	switch c.Type {
	case clew.ComponentButton:
		d.buttons++
		return L(S(Past, fmt.Sprintf("%d ", d.buttons)), B(ink, "["+c.Label+"]")).Wrap(width)
	case clew.ComponentInput:
		value := cellText(c.Value)
		if value == "" && c.Placeholder != "" {
			value = "(" + c.Placeholder + ")"
		}
		return L(S(Soft, labelOf(c)+": "), S(Plain, value+"▁")).Wrap(width)
	case clew.ComponentSelect:
		return L(S(Soft, labelOf(c)+": "), S(Plain, optionsText(c))).Wrap(width)
	case clew.ComponentCheckbox:
		mark := "☐ "
		if c.Value == true {
			mark = "☑ "
		}
		return L(S(Plain, mark+labelOf(c))).Wrap(width)
	case clew.ComponentProgress:
		return []Line{progressLine(c, width)}
	case clew.ComponentImage:
		return Paragraphs(Style{Ink: Soft}, imageWords(c.Alt, ""), width)
	case clew.ComponentText, clew.ComponentMarkdown, clew.ComponentTable, clew.ComponentRow, clew.ComponentStack:
	}
	return Paragraphs(Style{Ink: ink}, c.Text, width)
}

func labelOf(c *clew.Component) string {
	if c.Label == "" {
		return c.Name
	}
	return c.Label
}

// optionsText lists what can be chosen, with a mark at what is.
func optionsText(c *clew.Component) string {
	var list []string
	for _, o := range c.Options {
		text, mark := o.Label, "○ "
		if text == "" {
			text = o.Value
		}
		if c.Value == any(o.Value) {
			mark = "● "
		}
		list = append(list, mark+text)
	}
	return strings.Join(list, "  ")
}

const progressWidth = 20

func progressLine(c *clew.Component, width int) Line {
	most := c.Max
	if most <= 0 {
		most = 100
	}
	value, _ := c.Value.(float64)
	part := min(max(value/most, 0), 1)
	full := int(part * progressWidth)
	line := L(S(Run, strings.Repeat("━", full)), S(Past, strings.Repeat("─", progressWidth-full)), S(Plain, fmt.Sprintf(" %.0f %%", 100*part)))
	if c.Label != "" {
		line = append(line, S(Soft, "  "+c.Label))
	}
	return line.Cut(width)
}
