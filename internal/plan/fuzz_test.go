package plan_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

var (
	nodeLine = regexp.MustCompile(`^    n([0-9]+)\["((?:[\p{L}0-9 ,-]|#[0-9]+;)+)"\]$`)
	restLine = regexp.MustCompile(`^    (n[0-9]+ --> n[0-9]+|classDef [a-z_]+ [a-z0-9:#,\- ]+|class n[0-9]+(,n[0-9]+)* [a-z_]+)$`)
	oneRune  = regexp.MustCompile(`#[0-9]+;`)
)

// No text gets out of its label: each line of the drawing is one that Mermaid
// itself writes, with labels of harmless characters only.
func FuzzMermaid(f *testing.F) {
	for _, s := range []string{"", "a", `"]; click n1 "javascript:alert(1)"`, "x\n%%{init: {}}%%\nend", "<b>`$$\\", "#quot;#34;", "\u202e\u2028\x00\xff", "style x:#f;", "1. a\n- b"} {
		f.Add(s, "id", s, "pending")
	}
	f.Fuzz(func(t *testing.T, first, id, second, status string) {
		todos := []clew.Todo{
			{ID: id, Task: first, Status: clew.TodoStatus(status)},
			{ID: "b", Task: second, DependsOn: clew.List[string]{id, status}},
		}
		got := plan.Mermaid(todos)
		if !utf8.ValidString(got) || !strings.HasSuffix(got, "\n") {
			t.Fatalf("%q", got)
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if lines[0] != "graph LR" || len(lines) < 3 {
			t.Fatalf("lines %q", lines)
		}
		for i, line := range lines[1:] {
			if i >= len(todos) {
				if !restLine.MatchString(line) {
					t.Fatalf("line %q", line)
				}
				continue
			}
			m := nodeLine.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("node %q", line)
			}
			if n := utf8.RuneCountInString(oneRune.ReplaceAllString(m[2], "x")); n > 60 {
				t.Fatalf("label of %d characters: %q", n, line)
			}
		}
	})
}

// Whatever a model proposes, nothing panics, repairing twice is repairing once,
// no repair is done in silence, and a plan that passes can be carried out.
func FuzzProposal(f *testing.F) {
	for _, s := range []string{
		`[]`, `[{}]`, `[{"task":"a"},{"task":"b","depends_on":["1"]}]`,
		`[{"id":"a","task":"x","depends_on":["b"]},{"id":"b","task":"y","depends_on":["a"]}]`,
		`[{"id":" a","task":"x","status":"done"},{"task":"1","depends_on":["#2","x","0",""]}]`,
		`[{"id":"a","task":"x","estimated_duration_sec":-1,"estimated_cost_usd":1e308},{"id":"a","task":"x"}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, proposal string) {
		var todos []clew.Todo
		if json.Unmarshal([]byte(proposal), &todos) != nil {
			return
		}
		_ = plan.Check(todos, 50)
		_ = plan.Of(todos, 2)
		_, _, _ = plan.Ready(todos), plan.Blocked(todos), plan.Count(todos)
		fixed, repairs := plan.Normalise(todos)
		for i := range fixed { // one by one: ids may be there twice
			if d := plan.Diff(todos[i:i+1], fixed[i:i+1]); len(repairs) == 0 && len(d) > 0 {
				t.Fatalf("changed without a word: %v", d)
			}
		}
		again, more := plan.Normalise(fixed)
		if len(more) != 0 || !reflect.DeepEqual(again, fixed) {
			t.Fatalf("not done after the first time: %q", more)
		}
		if plan.Check(fixed, 50) != nil {
			return
		}
		for !plan.Count(fixed).Settled() {
			ready := plan.Ready(fixed)
			if len(ready) == 0 {
				t.Fatalf("it passed and is stuck: %s", shape(fixed))
			}
			plan.Find(fixed, ready[0]).Status = clew.TodoCompleted
		}
	})
}
