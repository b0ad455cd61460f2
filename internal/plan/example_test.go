package plan_test

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// A model's proposal is repaired, checked and worked through.
func Example() {
	todos, repairs := plan.Normalise([]clew.Todo{
		{Task: "Collect the figures", EstimatedDurationSec: 30},
		{Task: "Collect the comments", EstimatedDurationSec: 20, Priority: 5},
		{Task: "Write the report", EstimatedDurationSec: 60, DependsOn: clew.List[string]{"1", "2"}},
	})
	fmt.Println(repairs[4])
	if err := plan.Check(todos, 50); err != nil {
		fmt.Println(err)
	}
	fmt.Println(plan.Of(todos, 2).EstimatedDurationSec, "seconds")

	fmt.Println("ready:", plan.Ready(todos))
	plan.Find(todos, "todo_001").Status = clew.TodoFailed
	plan.Find(todos, "todo_002").Status = clew.TodoCompleted
	fmt.Println("blocked:", plan.Blocked(todos))
	plan.Find(todos, "todo_001").Status = clew.TodoSkipped
	fmt.Println("ready:", plan.Ready(todos), plan.Count(todos).Percent(), "%")
	// Output:
	// todo "todo_003": dependency "2" read as "todo_002"
	// 90 seconds
	// ready: [todo_002 todo_001]
	// blocked: [todo_003]
	// ready: [todo_003] 33 %
}
