package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/clew-run/clew"
)

const maxLabel = 60 // characters of a todo's text in the drawing

// classes gives each status colours with their own text colour, so that they
// read on a light and on a dark page.
var classes = []struct {
	status clew.TodoStatus
	style  string
}{
	{clew.TodoPending, "fill:#eceff1,stroke:#607d8b,color:#1c2529"},
	{clew.TodoInProgress, "fill:#1565c0,stroke:#64b5f6,color:#ffffff"},
	{clew.TodoCompleted, "fill:#2e7d32,stroke:#81c784,color:#ffffff"},
	{clew.TodoFailed, "fill:#c62828,stroke:#ef9a9a,color:#ffffff"},
	{clew.TodoSkipped, "fill:#757575,stroke:#bdbdbd,color:#ffffff,stroke-dasharray:4 3"},
}

// Mermaid draws the todos as a graph, edges from what is waited for to what
// waits. Nodes are called n1, n2 … by place: an id may be a word of Mermaid's
// language. Labels hold no character that means something there, see label.
func Mermaid(todos []clew.Todo) string {
	var b strings.Builder
	b.WriteString("graph LR\n")
	for i := range todos {
		fmt.Fprintf(&b, "    n%d[\"%s\"]\n", i+1, label(todos[i], i))
	}
	at := index(todos)
	for i := range todos {
		for _, id := range todos[i].DependsOn {
			if j, known := at[id]; known {
				fmt.Fprintf(&b, "    n%d --> n%d\n", j+1, i+1)
			}
		}
	}
	for _, c := range classes {
		if nodes := nodesOf(todos, c.status); nodes != "" {
			fmt.Fprintf(&b, "    classDef %s %s\n    class %s %s\n", c.status, c.style, nodes, c.status)
		}
	}
	return b.String()
}

func nodesOf(todos []clew.Todo, status clew.TodoStatus) string {
	var nodes []string
	for i := range todos {
		s := todos[i].Status
		if s == status || status == clew.TodoPending && pending(s) {
			nodes = append(nodes, "n"+strconv.Itoa(i+1))
		}
	}
	return strings.Join(nodes, ",")
}

// label makes the text of a node: one line, clipped, and never empty.
func label(t clew.Todo, i int) string {
	for _, text := range []string{t.Task, t.ID} {
		if line := oneLine(text); line != "" {
			return escape(clip(line, maxLabel))
		}
	}
	return fmt.Sprintf("todo %d", i+1)
}

// oneLine folds white space and drops what cannot be seen, among it the
// characters that turn the direction of text around.
func oneLine(s string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		default:
			return -1
		}
	}, s)
	return strings.Join(strings.Fields(visible), " ")
}

// escape lets letters, digits and a few harmless signs stand and writes all
// else as Mermaid's numeric entities. Naming what is safe, not what is
// dangerous, covers quotes, brackets, HTML, directives and comments alike, and
// the Markdown that Mermaid reads in labels: a full stop would make a list of
// "1. first" and a link of a host name.
func escape(s string) string {
	var b strings.Builder
	letter := false // before this character
	for _, r := range s {
		plain := unicode.IsLetter(r) || '0' <= r && r <= '9'
		if plain || r == ' ' || r == ',' || r == '-' && letter {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
		letter = plain
	}
	return b.String()
}
