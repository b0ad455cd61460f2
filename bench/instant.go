package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/session"
)

// instant is a model of no cost in clew's own process: it answers at once with
// a call of read_file, as often as it is told, and notes when it was asked and
// when it had answered. What lies between an answer and the next question is
// what clew takes for a tool call.
type instant struct {
	mu    sync.Mutex
	left  int // calls to make
	todos int // of the plan, if it plays a run
	since time.Time
	steps samples
	done  chan struct{} // closed with the last answer
}

var instantModel = &instant{}

func (i *instant) begin(calls int) <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.left, i.todos, i.since, i.steps, i.done = calls, 0, time.Time{}, nil, make(chan struct{})
	return i.done
}

// Stream implements llm.Provider.
func (i *instant) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	now := time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.todos > 0 {
		return i.play(req, now)
	}
	if !i.since.IsZero() {
		i.steps = append(i.steps, now.Sub(i.since))
	}
	answer := llm.Answer{Model: "instant", Stop: llm.StopEnd, Parts: []clew.Part{{Type: clew.PartText, Text: "done"}}}
	if i.left > 0 {
		answer.Stop = llm.StopToolUse
		answer.Parts = []clew.Part{{
			Type: clew.PartToolUse, ToolCallID: fmt.Sprint("call_", i.left), Tool: "read_file", Input: []byte(`{"path":"` + tinyFile + `"}`),
		}}
		i.left--
	} else {
		close(i.done)
	}
	i.since = time.Now()
	return answer, nil
}

// instantTurn asks for a turn with the model of no cost.
type instantTurn struct {
	Session string `json:"session"`
	Calls   int    `json:"calls"`
	Record  int    `json:"record"` // bytes of a durable append
}

// instantCost is what clew took for each call, and what durable appends took
// before and after, one right after the other as well: of one record through
// clew's host, and of as many bytes through the bare engine.
type instantCost struct {
	Steps   samples `json:"steps"`
	Appends samples `json:"appends"`
	Bare    samples `json:"bare"`
}

func (t instantTurn) run(n *node, engine *baseline, data string) (out instantCost, err error) {
	place := filepath.Join(data, "workspaces", t.Session)
	if err := os.MkdirAll(place, 0o700); err != nil {
		return out, err
	}
	if err := os.WriteFile(filepath.Join(place, tinyFile), []byte("tiny\n"), 0o600); err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), turnLimit)
	defer cancel()
	id := clew.SessionID(t.Session)
	if _, err := n.host.Create(ctx, owner, session.NewSession{ID: id}); err != nil {
		return out, err
	}
	appends := func() error { return pairs(ctx, n, engine, id, t.Calls/2, t.Record, &out) }
	if err := appends(); err != nil {
		return out, err
	}
	done := instantModel.begin(t.Calls)
	for _, cmd := range []clew.Command{
		{Type: clew.CommandUpdateSettings, By: owner, Data: &clew.UpdateSettingsData{Settings: map[string]any{"model_profile": "instant"}}},
		{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: "bench"}},
	} {
		if _, err := n.host.Do(ctx, id, cmd); err != nil {
			return out, err
		}
	}
	select {
	case <-done:
	case <-ctx.Done():
		return out, fmt.Errorf("the turn did not end: %w", ctx.Err())
	}
	instantModel.mu.Lock()
	out.Steps = instantModel.steps
	instantModel.mu.Unlock()
	return out, appends()
}
