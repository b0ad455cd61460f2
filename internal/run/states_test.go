package run_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

var update = flag.Bool("update", false, "write the table of states into the document anew")

const (
	document = "../../docs/runs-states.md"
	begins   = "<!-- the table of states begins; it is generated -->\n"
	ends     = "<!-- the table of states ends -->\n"
)

// The document shows the table that the code follows. -update writes it anew.
//
// Covers: RUN-28
func TestDocumentShowsTheTable(t *testing.T) {
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begins)
	old, after, ok2 := strings.Cut(rest, ends)
	if !ok || !ok2 {
		t.Fatal("the document has no place for the table")
	}
	if *update {
		if err := os.WriteFile(document, []byte(before+begins+run.Table()+ends+after), 0o600); err != nil {
			t.Fatal(err)
		}
		old = run.Table()
	}
	if old != run.Table() {
		t.Errorf("the document shows\n%s\nthe code says\n%s", old, run.Table())
	}
}

// What holds of the table as a whole.
//
// Covers: RUN-25, RUN-26, RUN-27, RUN-28
func TestTable(t *testing.T) {
	for _, p := range run.Phases {
		for _, paused := range []bool{false, true} {
			for _, op := range run.Ops {
				r := run.Run{Phase: p, Paused: paused}
				legal := run.Legal(p, paused, op)
				if err := r.Check(op); legal != (err == nil) || err != nil && clew.CodeOf(err) != clew.SessionInvalidState {
					t.Errorf("%s, paused %v, %s: %v", p, paused, op, err)
				}
				if p.Ended() && legal {
					t.Errorf("%s is possible after the end", op)
				}
				if other := run.Legal(p, !paused, op); op != run.Pause && op != run.Resume && other != legal {
					t.Errorf("%s in %s depends on the pause", op, p)
				}
			}
			if !p.Ended() && (run.Legal(p, paused, run.Pause) == paused || run.Legal(p, paused, run.Resume) != paused || !run.Legal(p, paused, run.Cancel)) {
				t.Errorf("%s, paused %v: a run under way can be paused or resumed, and cancelled", p, paused)
			}
		}
	}
}

// Covers: RUN-17, RUN-28
func TestCheckTodo(t *testing.T) {
	for _, st := range clew.TodoStatus("").Values() {
		r := run.Run{Phase: run.Executing, Todos: []clew.Todo{{ID: "a", Status: clew.TodoStatus(st)}}}
		for op, want := range map[run.Op]bool{
			run.Retry: st == "failed",
			run.Skip:  st == "pending" || st == "in_progress" || st == "failed",
		} {
			if _, err := r.CheckTodo(op, "a"); want != (err == nil) || err != nil && clew.CodeOf(err) != clew.SessionInvalidState {
				t.Errorf("%s of a todo that is %s: %v", op, st, err)
			}
		}
		if _, err := r.CheckTodo(run.Skip, "b"); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("a todo that is not there: %v", err)
		}
		r.Phase = run.Responding
		if _, err := r.CheckTodo(run.Skip, "b"); clew.CodeOf(err) != clew.SessionInvalidState {
			t.Errorf("skip while it answers: %v", err)
		}
	}
}

// To pause twice, or to resume what runs, is answered in words for people.
func TestRefusalsAreSentences(t *testing.T) {
	for want, c := range map[string]struct {
		run run.Run
		op  run.Op
	}{
		"the plan is paused already":                                {run.Run{Phase: run.Executing, Paused: true}, run.Pause},
		"the plan is not paused: it continues by itself":            {run.Run{Phase: run.Executing}, run.Resume},
		"the plan is completed already: there is nothing to resume": {run.Run{Phase: run.Completed}, run.Resume},
		"retry does not fit: the run is in review":                  {run.Run{Phase: run.Review}, run.Retry},
	} {
		if err := c.run.Check(c.op); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
