package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/view"
)

func stepsOf(t *testing.T, write func(*scribe)) []view.Step {
	t.Helper()
	j := new(journaltest.Memory).Node("a")
	s := newScribe(t, j, "s")
	write(s)
	line, err := watch(t, start(t, j, session.Config{}), "s").Timeline(t.Context(), view.TimelineQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return line.Steps
}

func told(steps []view.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%s: %s, %s", s.Kind, s.Title, s.Status)
		if s.Count > 0 {
			fmt.Fprintf(&b, " of %d", s.Count)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (s *scribe) asks(text string) {
	s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{
		MessageID: clew.MessageIDOf(s.head.Seq + 1), TS: s.head.TS + 1, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: text, TaskID: "task_1",
	}})
}

// The parts of a history have the names of what was asked for and of the plan's steps, and
// say how each ended.
func TestTimelineSteps(t *testing.T) {
	root := clew.TaskRef{TaskID: "task_1", RootTaskID: "task_1"}
	child := func(id clew.TaskID) clew.TaskRef {
		return clew.TaskRef{TaskID: id, ParentTaskID: "task_1", RootTaskID: "task_1"}
	}
	todos := func(states ...clew.TodoStatus) (list clew.List[clew.Todo]) {
		for i, st := range states {
			list = append(list, clew.Todo{ID: fmt.Sprint(i), Task: fmt.Sprintf("Own step %d", i), Status: st})
		}
		return list
	}
	steps := stepsOf(t, func(s *scribe) {
		s.asks("# Mend **all** of it")
		s.write(clew.EventPlanGenerated, &clew.PlanGeneratedData{PlanID: "p", Version: 1, TaskID: "task_1", Plan: clew.Plan{Todos: todos(clew.TodoInProgress, clew.TodoPending)}})
		s.write(clew.EventPlanModified, &clew.PlanModifiedData{PlanID: "p", NewVersion: 2, TaskID: "task_1", UpdatedTodos: todos(clew.TodoCompleted, clew.TodoInProgress)})
		s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: child("task_2"), Task: "Left", ToolCallID: "c"})
		s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: child("task_3"), Task: "Right", RunID: "run", TodoID: "right"})
		s.write(clew.EventTaskCompleted, &clew.TaskCompletedData{TaskRef: child("task_3"), ResultSummary: "ok"})
		s.write(clew.EventTaskAborted, &clew.TaskAbortedData{TaskRef: child("task_2"), Outcome: &clew.Outcome{Status: clew.OutcomeFailed}})
		s.write(clew.EventTaskIdle, &clew.TaskIdleData{TaskRef: root, Outcome: &clew.Outcome{Status: clew.OutcomeStopped}})
		s.asks("Now the rest")
		s.write(clew.EventHitlInputRequest, &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "r1", TaskID: "task_1"}, Question: "Which?"})
		s.write(clew.EventHitlResolved, &clew.HitlResolvedData{RequestID: "r1", Action: clew.ResolvedAnswer})
		s.asks("And this")
		s.write(clew.EventHitlInputRequest, &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "r2", TaskID: "task_1"}, Question: "Which?"})
	})
	const want = `request: Mend all of it, stopped
step: Own step 0, done
step: Own step 1, stopped
subtask: Left, failed
step: Right, done
request: Now the rest, running
request: And this, asking
`
	if got := told(steps); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// However long a session is, a bar has room for its steps, and one that failed is seen.
func TestTimelineStepsAreBounded(t *testing.T) {
	steps := stepsOf(t, func(s *scribe) {
		for i := range 3000 {
			s.asks(fmt.Sprint("request ", i))
			status := clew.OutcomeDone
			if i == 1234 {
				status = clew.OutcomeFailed
			}
			s.write(clew.EventTaskIdle, &clew.TaskIdleData{TaskRef: clew.TaskRef{TaskID: "task_1", RootTaskID: "task_1"}, Outcome: &clew.Outcome{Status: status}})
		}
	})
	count, failed := 0, 0
	for _, s := range steps {
		count += s.Count
		if s.Status == view.StepFailed {
			failed++
		}
	}
	if len(steps) > 40 || len(steps) < 30 || count != 3000 || failed != 1 || steps[1].Title != fmt.Sprint("request ", steps[0].Count) {
		t.Errorf("%d steps for %d requests, %d failed:\n%s", len(steps), count, failed, told(steps))
	}
}
