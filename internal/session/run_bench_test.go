package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// as has the steps in do taken by the agent of a task.
func (b *bench) as(t *core.Task, do func()) {
	was := b.at
	b.at = t
	do()
	b.at = was
}

// startRun asks for a run.
func (b *bench) startRun() {
	b.create()
	b.askRun("r1")
}

func (b *bench) askRun(id string) []clew.EventType {
	_, types, err := b.do(clew.Command{
		Type: clew.CommandUserMessage, By: by("ann"), ClientMessageID: clew.ClientMessageID(id),
		Data: &clew.UserMessageData{Text: "compare the two", Mode: clew.ModeRun},
	})
	if err != nil {
		panic(err)
	}
	return types
}

// root is the task of the run, and run the run.
func (b *bench) root() *core.Task { return b.s.state.CurrentRun(clew.MainMonitor) }

func (b *bench) run() *run.Run { return b.root().Run }

// call has the root's model hear what was said and call one tool.
func (b *bench) call() core.Call {
	b.think()
	must(b.answer(1))
	return b.pick(0)
}

// understand ends the cognitive layer.
func (b *bench) understand() []clew.EventType {
	var types []clew.EventType
	b.as(b.root(), func() {
		c := b.call()
		_, made, err := b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.Understood(tx, s, t, clew.Intent{Domain: "data", Category: "compare", Confidence: 0.9},
				[]clew.Entity{{Type: "thing", Value: "the two", Confidence: 0.8}})
			decide.EndCall(tx, t, &c, "Noted.", "", nil)
		})
		if err != nil {
			panic(err)
		}
		types = made
	})
	return types
}

// propose brings a plan, or a new version, before people.
func (b *bench) propose(todos ...clew.Todo) []clew.EventType {
	var types []clew.EventType
	b.as(b.root(), func() {
		c := b.call()
		if b.run().Version > 0 {
			merged, err := plan.Merge(b.run().Todos, todos, 0)
			if err != nil {
				panic(err)
			}
			todos = merged
		}
		_, made, err := b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.Planned(tx, s, t, c.ID, todos, "Please look at the plan.")
		})
		if err != nil {
			panic(err)
		}
		types = made
	})
	return types
}

// review answers the open review.
func (b *bench) review(action clew.Choice, instruction string, edits ...clew.PlanEdit) ([]clew.EventType, error) {
	_, types, err := b.ann(&clew.HitlPlanResponseData{RequestID: b.run().Review, Action: action, Instruction: instruction, Modifications: edits})
	return types, err
}

// decideTodo answers the open question about a todo.
func (b *bench) decideTodo(id string, action clew.Choice) []clew.EventType {
	_, types, err := b.ann(&clew.HitlApprovalResponseData{RequestID: b.run().Asked[id].RequestID, TodoID: id, Action: action})
	if err != nil {
		panic(err)
	}
	return types
}

func (b *bench) todo(id string) clew.Todo {
	t := plan.Find(b.run().Todos, id)
	if t == nil {
		panic("no todo " + id)
	}
	return *t
}

func (b *bench) carrier(id string) *core.Task { return b.s.state.Task(b.todo(id).TaskID) }

// finishTodo has the agent of a todo complete it.
func (b *bench) finishTodo(id string) []clew.EventType {
	return b.finishWith(id, "did "+id, map[string]any{"rows": 3})
}

func (b *bench) finishWith(id, text string, data map[string]any) []clew.EventType {
	_, types, err := b.reportAs(b.carrier(id), func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.CloseUnfinished(tx, t, decide.TurnEnd{Reason: "not needed", Ends: true})
		tx.Add(&clew.TaskCompletedData{TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: text})
		decide.CompleteChild(tx, s, t, text, data)
	})
	if err != nil {
		panic(err)
	}
	return types
}

// failTodo has the agent of a todo give up, as TurnContext.FailTodo does.
func (b *bench) failTodo(id string, recoverable bool) []clew.EventType {
	_, types, err := b.reportAs(b.carrier(id), func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.FailTodo(tx, s, t, nil, "ended by its agent", clew.Failure{Code: clew.ExecutionFailed, Message: "no luck", Recoverable: recoverable})
	})
	if err != nil {
		panic(err)
	}
	return types
}

// progressTodo has the agent of a todo say how far it is.
func (b *bench) progressTodo(id string, percent int) []clew.EventType {
	_, types, err := b.reportAs(b.carrier(id), func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.TodoProgressed(tx, s, t, clew.TodoProgressData{ProgressPercentage: percent, CurrentStep: "counting", ItemsProcessed: 2, ItemsTotal: 9})
	})
	if err != nil {
		panic(err)
	}
	return types
}

// respondRun has the root's agent answer, which ends the run.
func (b *bench) respondRun() []clew.EventType {
	var types []clew.EventType
	b.as(b.root(), func() {
		c := b.call()
		_, made, err := b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			reports := []clew.Report{{Name: t.Run.ID + "/report.md", MediaType: "text/markdown", Size: 3, Blob: "b"}}
			response := clew.Response{
				Format: clew.FormatMixed, Text: "So it is.", Summary: "so", NextActions: clew.List[string]{"look again"},
				Attachments: clew.List[clew.Attachment]{{Type: clew.AttachmentFile, Title: "Report", URL: core.ReportPath("s", reports[0].Name)}},
			}
			decide.EndCall(tx, t, &c, "The run is complete.", "", nil)
			decide.Responded(tx, s, t, response, reports)
			tx.Add(&clew.TaskCompletedData{TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: "So it is."})
		})
		if err != nil {
			panic(err)
		}
		types = made
	})
	return types
}

// step makes a todo. Its words are "id<dependency,dependency$cost"; the part
// after the id may be missing.
func step(words string) clew.Todo {
	words, cost, costs := strings.Cut(words, "$")
	id, on, depends := strings.Cut(words, "<")
	t := clew.Todo{ID: id, Task: "do " + id, Tool: "agent", Status: clew.TodoPending, DependsOn: clew.List[string]{}, EstimatedDurationSec: 60}
	if depends {
		t.DependsOn = strings.Split(on, ",")
	}
	if costs {
		var usd float64
		if _, err := fmt.Sscan(cost, &usd); err != nil {
			panic(err)
		}
		t.EstimatedCostUSD = &usd
	}
	return t
}

func steps(words ...string) []clew.Todo {
	todos := make([]clew.Todo, len(words))
	for i, w := range words {
		todos[i] = step(w)
	}
	return todos
}

// reviewing brings a run to the review of a plan, executing to its execution.
func (b *bench) reviewing(words ...string) {
	b.startRun()
	b.understand()
	b.propose(steps(words...)...)
}

func (b *bench) executing(words ...string) {
	b.reviewing(words...)
	b.approvePlan()
}

func (b *bench) approvePlan() []clew.EventType {
	types, err := b.review(clew.ChoiceApprove, "")
	if err != nil {
		panic(err)
	}
	return types
}

// statuses are the todos' states in short, in plan order: "a:completed b:failed".
func (b *bench) statuses() string {
	var list []string
	for _, t := range b.run().Todos {
		list = append(list, t.ID+":"+string(t.Status))
	}
	return strings.Join(list, " ")
}

// ofRunOnly leaves out the records that are not about the run itself.
func ofRunOnly(types []clew.EventType) []clew.EventType {
	return slices.DeleteFunc(slices.Clone(types), func(t clew.EventType) bool {
		return strings.HasPrefix(string(t), "task_") || strings.HasPrefix(string(t), "message_") || t == clew.EventToolProgress || t == clew.EventModelMessage
	})
}
