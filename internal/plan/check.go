package plan

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

const (
	maxProblems  = 100 // named in one error; the rest is counted
	maxCycleIDs  = 12  // named of one cycle
	maxQuotedLen = 80  // of a text that an error repeats
)

// Check says what is wrong with todos, all of it in one INVALID_MESSAGE that a
// model can repair its plan by. A max of 0 or less stands for MaxTodos.
func Check(todos []clew.Todo, max int) error {
	c := checker{todos: todos, at: index(todos), seen: make(map[string]int)}
	c.size(max)
	for i := range todos {
		c.todo(i)
	}
	c.cycles()
	return c.err()
}

type checker struct {
	todos    []clew.Todo
	at       map[string]int
	seen     map[string]int // place, from 1, of the last todo that named this id
	problems []string
	more     int
}

func (c *checker) add(format string, args ...any) {
	if len(c.problems) == maxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// of adds a problem of one todo.
func (c *checker) of(i int, format string, args ...any) {
	c.add("%s %s", c.name(i), fmt.Sprintf(format, args...))
}

func (c *checker) err() error {
	switch n := len(c.problems) + c.more; {
	case n == 0:
		return nil
	case n == 1:
		return clew.Errorf(clew.InvalidMessage, "the plan has a problem: %s", c.problems[0])
	case c.more > 0:
		return clew.Errorf(clew.InvalidMessage, "the plan has %d problems: %s; and %d more", n, strings.Join(c.problems, "; "), c.more)
	default:
		return clew.Errorf(clew.InvalidMessage, "the plan has %d problems: %s", n, strings.Join(c.problems, "; "))
	}
}

func (c *checker) size(max int) {
	if max <= 0 {
		max = MaxTodos
	}
	if len(c.todos) == 0 {
		c.add("it has no todos")
	}
	if len(c.todos) > max {
		c.add("it has %d todos, at most %d are allowed", len(c.todos), max)
	}
	edges := 0
	for i := range c.todos {
		edges += len(c.todos[i].DependsOn)
	}
	if edges > MaxEdges {
		c.add("it has %d dependencies, at most %d are allowed", edges, MaxEdges)
	}
}

func (c *checker) todo(i int) {
	t := &c.todos[i]
	switch {
	case t.ID == "":
		c.of(i, "has no id")
	case !plainID(t.ID):
		c.of(i, "has the id %s, which is not 1 to %d characters of A-Z a-z 0-9 _ . -", quote(t.ID), MaxID)
	case c.at[t.ID] != i:
		c.of(i, "has the id %q, which todo %d has already", t.ID, c.at[t.ID]+1)
	}
	if strings.TrimSpace(t.Task) == "" {
		c.of(i, "has no task text")
	}
	c.length(i, "task text", t.Task, MaxTask)
	c.length(i, "tool", t.Tool, MaxName)
	c.length(i, "mode", t.Mode, MaxName)
	c.length(i, "profile", t.Profile, MaxName)
	c.dependencies(i)
	c.estimates(i)
}

// name calls a todo by its id where that says which one is meant, else by its
// place.
func (c *checker) name(i int) string {
	if id := c.todos[i].ID; plainID(id) && c.at[id] == i {
		return fmt.Sprintf("todo %q", id)
	}
	return fmt.Sprintf("todo %d of the list", i+1)
}

func (c *checker) length(i int, what, text string, max int) {
	if len(text) <= max { // bytes are never fewer than characters
		return
	}
	if n := utf8.RuneCountInString(text); n > max {
		c.of(i, "has a %s of %d characters, at most %d are allowed", what, n, max)
	}
}

func (c *checker) dependencies(i int) {
	t := &c.todos[i]
	for _, id := range t.DependsOn {
		_, known := c.at[id]
		switch {
		case c.seen[id] == i+1:
			c.of(i, "names %s twice in depends_on", quote(id))
		case id == t.ID:
			c.of(i, "depends on itself")
		case !known:
			c.of(i, "depends on %s, which is no todo of the plan", quote(id))
		}
		c.seen[id] = i + 1
	}
}

func (c *checker) estimates(i int) {
	t := &c.todos[i]
	switch d := t.EstimatedDurationSec; {
	case d < 0:
		c.of(i, "has a negative estimated_duration_sec")
	case d > MaxDurationSec:
		c.of(i, "has an estimated_duration_sec over %d", MaxDurationSec)
	}
	if t.EstimatedCostUSD == nil {
		return
	}
	switch usd := *t.EstimatedCostUSD; {
	case math.IsNaN(usd) || math.IsInf(usd, 0):
		c.of(i, "has an estimated_cost_usd that is not a number")
	case usd < 0:
		c.of(i, "has a negative estimated_cost_usd")
	case usd > MaxCostUSD:
		c.of(i, "has an estimated_cost_usd over %d", MaxCostUSD)
	}
}

func plainID(id string) bool {
	if id == "" || len(id) > MaxID {
		return false
	}
	for i := range len(id) {
		switch b := id[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_', b == '.', b == '-':
		default:
			return false
		}
	}
	return true
}

// quote repeats a text of the plan in an error, short and on one line.
func quote(s string) string { return fmt.Sprintf("%q", clip(s, maxQuotedLen)) }

// clip cuts s to n characters, the last of which then is an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
