package paint

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func drawn(c *clew.WindowContent, width int) string {
	var lines []string
	for _, l := range Window(c, width) {
		lines = append(lines, strings.TrimRight(l.String(), " "))
	}
	return strings.Join(lines, "\n")
}

// Each kind of window as text.
func TestWindow(t *testing.T) {
	form := &clew.Component{Type: clew.ComponentStack, Children: []clew.Component{
		{Type: clew.ComponentText, Text: "Which one?\x1b[2J", Tone: "warning"},
		{Type: clew.ComponentMarkdown, Text: "**bold**"},
		{Type: clew.ComponentInput, Name: "who", Label: "Who", Placeholder: "a name"},
		{Type: clew.ComponentInput, Name: "n", Value: 3.0},
		{Type: clew.ComponentSelect, Name: "s", Label: "Size", Value: "m", Options: []clew.ComponentOption{{Value: "s", Label: "small"}, {Value: "m"}}},
		{Type: clew.ComponentTable, Columns: []clew.TableColumn{{Name: "a"}}, Rows: [][]any{{"x"}}},
		{Type: clew.ComponentProgress, Value: 1.0, Max: 4, Label: "copied"},
		{Type: clew.ComponentImage, Alt: "a chart."},
		{Type: clew.ComponentRow, Children: []clew.Component{
			{Type: clew.ComponentCheckbox, Name: "all", Label: "All", Value: true}, {Type: clew.ComponentCheckbox, Name: "none"},
			{Type: clew.ComponentButton, Label: "Save", Action: "save"}, {Type: clew.ComponentButton, Label: "Forget", Action: "forget", Tone: "danger"},
		}},
	}}
	table := []clew.TableColumn{{Name: "n", Title: "Name"}, {Name: "c", Numeric: true}, {Name: "m", Align: "center"}}
	rows := [][]any{{"one", 1.5, "a"}, {"three", 12000.0, true}, {nil}}
	for name, c := range map[string]struct {
		content *clew.WindowContent
		want    string
	}{
		"nothing":  {nil, "It is empty."},
		"text":     {&clew.WindowContent{Kind: clew.WindowText, Text: "# a\n\x1b[31mb"}, "# a\n␛[31mb"},
		"markdown": {&clew.WindowContent{Kind: clew.WindowMarkdown, Text: "# a"}, "a"},
		"table":    {&clew.WindowContent{Kind: clew.WindowTable, Columns: table, Rows: rows}, "Name  │     c │  m\n──────┼───────┼─────\none   │   1.5 │  a\nthree │ 12000 │ true\n      │       │"},
		"a part":   {&clew.WindowContent{Kind: clew.WindowTable, Columns: table[:1], Rows: rows[:1], Total: 900, Blob: "x"}, "Name\n────\none\n\n… and 899 more rows: the web UI shows them all."},
		"the last": {&clew.WindowContent{Kind: clew.WindowTable, Columns: table[:1], Rows: rows[:1], Total: 9}, "Name\n────\none\n\nThe last ones of 9 rows."},
		"app":      {&clew.WindowContent{Kind: clew.WindowApp, Alt: "a calculator"}, "app: open in the browser. It shows: a calculator."},
		"mcp_app":  {&clew.WindowContent{Kind: clew.WindowMCPApp, Server: "weather"}, "app: open in the browser (a page of the tool server weather)"},
		"image":    {&clew.WindowContent{Kind: clew.WindowImage, MediaType: "image/png", Bytes: 2000, Alt: "a chart"}, "An image (image/png, 2 kB): a chart. The web UI shows it."},
		"html":     {&clew.WindowContent{Kind: clew.WindowHTML, Text: "<h1>Hi</h1><script>x()</script><p>you"}, "The text of a page; the web UI shows it whole.\n\nHi\n\nyou"},
		"form": {&clew.WindowContent{Kind: clew.WindowComponents, Root: form}, `Which one?␛[2J
bold
Who: (a name)▁
n: 3▁
Size: ○ small  ● m
a
─
x
━━━━━─────────────── 25 %  copied
An image: a chart.
☑ All   ☐ none   1 [Save]   2 [Forget]`},
	} {
		if got := drawn(c.content, 80); got != c.want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, c.want)
		}
		for _, width := range []int{10, 25} {
			for _, l := range Window(c.content, width) {
				if l.Width() > width {
					t.Errorf("%s at %d columns has %q", name, width, l)
				}
			}
		}
	}
}
