package runs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

// get opens a path of the server.
func (s *stage) get(ctx context.Context, path, token string) (string, error) {
	body, _, err := s.open(ctx, path, token)
	return body, err
}

// open opens a path of the server, and says what it is.
func (s *stage) open(ctx context.Context, path, token string) (body, kind string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Srv.URL()+path, nil)
	if err != nil {
		return "", "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, b)
	}
	return string(b), resp.Header.Get("Content-Type"), err
}

// A count is what the records of a run say about it.
type count struct {
	t                          testing.TB
	todos                      []clew.Todo
	version                    int
	completed, started, failed map[string]int
	settled                    []string // completed or skipped
	questions                  map[clew.RequestID]int
	once                       map[string]int // begun calls that must not be repeated
	layers                     []clew.Layer
	ends                       int
}

// soundRun checks what holds for every run, whatever happened on the way: the
// layers come in order, todos start when all they wait for is settled and are
// completed once, counts add up, versions go up by one, each question is settled
// once, and nothing comes after the end.
func soundRun(t testing.TB, list []record) *count {
	t.Helper()
	c := &count{
		t: t, completed: map[string]int{}, started: map[string]int{}, failed: map[string]int{},
		questions: map[clew.RequestID]int{}, once: map[string]int{},
	}
	for _, r := range list {
		c.run(r)
		c.todo(r)
		c.question(r)
	}
	for id, n := range c.questions {
		if n != 0 {
			t.Errorf("question %s was settled %d times", id, 1-n)
		}
	}
	for id, n := range c.completed {
		if n != 1 {
			t.Errorf("todo %s was completed %d times", id, n)
		}
	}
	for id, n := range c.once {
		if n > 1 {
			t.Errorf("call %s began %d times", id, n)
		}
	}
	if c.ends != 1 {
		t.Errorf("the run ended %d times", c.ends)
	}
	return c
}

func (c *count) run(r record) {
	c.t.Helper()
	switch d := r.Event.Data.(type) {
	case *clew.LayerStartData:
		c.layers = append(c.layers, d.Layer)
		if order := d.Layer.Values(); len(c.layers) > len(order) || order[len(c.layers)-1] != string(d.Layer) {
			c.t.Errorf("the layers are %v", c.layers)
		}
	case *clew.PlanGeneratedData:
		if c.todos, c.version = d.Todos, d.Version; d.Version != 1 {
			c.t.Errorf("the first version is %d", d.Version)
		}
	case *clew.PlanModifiedData:
		if d.OldVersion != c.version || d.NewVersion != c.version+1 {
			c.t.Errorf("version %d came after %d", d.NewVersion, c.version)
		}
		c.todos, c.version = d.UpdatedTodos, d.NewVersion
	case *clew.CompleteData, *clew.FailedData, *clew.CancelledData:
		c.ends++
	}
}

func (c *count) todo(r record) {
	c.t.Helper()
	switch d := r.Event.Data.(type) {
	case *clew.TodoStartedData:
		c.started[d.TodoID]++
		i := slices.IndexFunc(c.todos, func(t clew.Todo) bool { return t.ID == d.TodoID })
		for _, id := range c.todos[i].DependsOn {
			if !slices.Contains(c.settled, id) {
				c.t.Errorf("todo %s began before %s was settled", d.TodoID, id)
			}
		}
		if c.ends > 0 {
			c.t.Errorf("todo %s began after the end", d.TodoID)
		}
	case *clew.TodoCompletedData:
		c.completed[d.TodoID]++
		c.settled = append(c.settled, d.TodoID)
	case *clew.TodoSkippedData:
		c.settled = append(c.settled, d.TodoID)
	case *clew.TodoFailedData:
		c.failed[d.TodoID]++
	case *clew.ExecutionProgressData:
		if d.Completed+d.InProgress+d.Pending+d.Failed+d.Skipped != d.TotalTodos || d.TotalTodos != len(c.todos) || d.Completed != len(c.completed) {
			c.t.Errorf("the counts do not add up: %+v", d)
		}
	}
}

func (c *count) question(r record) {
	c.t.Helper()
	if slices.Contains(clew.QuestionTypes, r.Event.Type) {
		c.questions[clew.Question(r.Event).RequestID()]++
	}
	switch d := r.Event.Data.(type) {
	case *clew.HitlResolvedData:
		c.questions[d.RequestID]--
	case *clew.ToolProgressData:
		if d.Status == clew.ToolRunning && d.Class == clew.ClassOnce {
			c.once[d.ToolCallID]++
		}
	}
}
