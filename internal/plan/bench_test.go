package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// big makes a plan of n todos, half of them done, each with up to three
// dependencies among those before it.
func big(n int) []clew.Todo {
	r := rand.New(rand.NewPCG(1, 2))
	todos := make([]clew.Todo, n)
	for i := range todos {
		todos[i] = todo(fmt.Sprintf("todo_%04d", i))
		todos[i].Priority = r.IntN(3)
		for d := i - 1 - r.IntN(10); d >= 0 && len(todos[i].DependsOn) < 3; d -= 1 + r.IntN(10) {
			todos[i].DependsOn = append(todos[i].DependsOn, todos[d].ID)
		}
		if i < n/2 {
			todos[i].Status = clew.TodoCompleted
		}
	}
	return todos
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{500, 2000} {
		todos := big(n)
		after := append([]clew.Todo{}, todos...)
		after[n/2].Status = clew.TodoCompleted
		var edits []clew.PlanEdit
		for _, t := range todos[n/2:] {
			edits = append(edits, remove(t.ID), add("", "new", todos[0].ID))
		}
		if _, _, err := plan.Edit(todos, edits, 0); err != nil {
			b.Fatal(err)
		}
		for name, f := range map[string]func(){
			"Ready":     func() { plan.Ready(todos) },
			"Freed":     func() { plan.Freed(after, todos[0].ID) },
			"Blocked":   func() { plan.Blocked(todos) },
			"Check":     func() { _ = plan.Check(todos, 0) },
			"Normalise": func() { plan.Normalise(todos) },
			"Edit":      func() { _, _, _ = plan.Edit(todos, edits, 0) },
			"Of":        func() { plan.Of(todos, 4) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
			})
		}
	}
}
