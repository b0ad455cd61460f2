package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
)

// todoRounds is how often each length is measured: a run takes less time than
// other programs on the machine come and go.
const todoRounds = 9

// todos measures what a todo of a run costs beside one durable append, with a
// model of no cost in clew's process.
func (s *stage) todos() error {
	s.b.logf("todos")
	by := map[string]any{}
	n := s.b.size.calls
	for _, todos := range []int{max(2, n/4), max(2, n/2), n, 2 * n} { // the first warms up
		var ratios, todo, appends, engine []float64
		for range s.b.rounds(todoRounds, 0.5) {
			var c instantCost
			s.sessions++
			if err := s.clew.ask("todos", todoRun{Session: string(sessionName("todos", s.sessions)), Todos: todos, Record: s.record}, &c); err != nil {
				return err
			}
			step, one := float64(c.Steps.p50()), float64(c.Appends.p50())
			ratios, todo, appends = append(ratios, step/one), append(todo, step/1e6), append(appends, one/1e3)
			engine = append(engine, float64(c.Bare.p50())/1e3)
		}
		by[fmt.Sprint(todos)] = map[string]any{
			"todo_ms": round(median(todo)), "append_p50_us": round(median(appends)), "vs_append": round(median(ratios)), "bare_p50_us": round(median(engine)),
		}
		if todos == n {
			s.b.figures.TodoVsAppend = round(median(ratios))
		}
	}
	s.b.detail("todo", map[string]any{"by_length": by})
	return nil
}

// todoRun asks for a run with the model of no cost.
type todoRun struct {
	Session string `json:"session"`
	Todos   int    `json:"todos"`
	Record  int    `json:"record"` // bytes of a durable append
}

func (t todoRun) run(n *node, engine *baseline) (out instantCost, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	id := clew.SessionID(t.Session)
	if _, err := n.host.Create(ctx, owner, session.NewSession{ID: id}); err != nil {
		return out, err
	}
	if err := pairs(ctx, n, engine, id, t.Todos/2, t.Record, &out); err != nil {
		return out, err
	}
	done := instantModel.begin(0)
	instantModel.mu.Lock()
	instantModel.todos = t.Todos
	instantModel.mu.Unlock()
	for _, cmd := range []clew.Command{
		{Type: clew.CommandUpdateSettings, By: owner, Data: &clew.UpdateSettingsData{Settings: map[string]any{"model_profile": "instant"}}},
		{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: "bench", Mode: clew.ModeRun}},
	} {
		if _, err := n.host.Do(ctx, id, cmd); err != nil {
			return out, err
		}
	}
	if err := approvePlan(ctx, n, id); err != nil {
		return out, err
	}
	select {
	case <-done:
	case <-ctx.Done():
		return out, fmt.Errorf("the run did not end: %w", ctx.Err())
	}
	instantModel.mu.Lock()
	out.Steps = instantModel.steps
	instantModel.mu.Unlock()
	return out, pairs(ctx, n, engine, id, t.Todos/2, t.Record, &out)
}

// pairs makes durable appends, bare and through clew in turn.
func pairs(ctx context.Context, n *node, engine *baseline, id clew.SessionID, count, size int, out *instantCost) error {
	body := []byte(strings.Repeat("x", size))
	for range count {
		d, err := engine.publish(body)
		if err != nil {
			return err
		}
		out.Bare = append(out.Bare, d)
		cmd := rename(size)
		start := time.Now()
		if _, err := n.host.Do(ctx, id, cmd); err != nil {
			return err
		}
		out.Appends = append(out.Appends, time.Since(start))
	}
	return nil
}

// approvePlan waits for the plan's review and says yes.
func approvePlan(ctx context.Context, n *node, id clew.SessionID) error {
	w, err := n.host.Watch(ctx, id)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		st, err := w.State(ctx)
		if err != nil {
			return err
		}
		if st.HitlPending != nil {
			_, err := n.host.Do(ctx, id, clew.Command{Type: clew.CommandHitlPlanResponse, By: owner, Data: &clew.HitlPlanResponseData{
				RequestID: st.HitlPending.RequestID(), Action: clew.ChoiceApprove,
			}})
			return err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// play answers for a run: a chain of todos, each done in a word. Only what lies
// between two todos is noted.
func (i *instant) play(req llm.Request, now time.Time) (llm.Answer, error) {
	call := func(name string, input any) (llm.Answer, error) {
		b, err := json.Marshal(input)
		return llm.Answer{Model: "instant", Stop: llm.StopToolUse, Parts: []clew.Part{{Type: clew.PartToolUse, ToolCallID: "call_1", Tool: name, Input: b}}}, err
	}
	for _, t := range req.Tools {
		switch t.Name {
		case "report_understanding":
			return call(t.Name, map[string]any{"domain": "bench", "category": "chain", "confidence": 1})
		case "propose_plan":
			return call(t.Name, map[string]any{"todos": chain(i.todos)})
		case "respond":
			close(i.done)
			return call(t.Name, map[string]any{"text": "done"})
		}
	}
	if !i.since.IsZero() {
		i.steps = append(i.steps, now.Sub(i.since))
	}
	i.since = time.Now()
	return llm.Answer{Model: "instant", Stop: llm.StopEnd, Parts: []clew.Part{{Type: clew.PartText, Text: "done"}}}, nil
}

func chain(n int) []map[string]any {
	todos := make([]map[string]any, n)
	for i := range todos {
		todos[i] = map[string]any{"id": fmt.Sprint("todo_", i), "task": fmt.Sprint("Do part ", i, "."), "depends_on": []string{}}
		if i > 0 {
			todos[i]["depends_on"] = []string{fmt.Sprint("todo_", i-1)}
		}
	}
	return todos
}
