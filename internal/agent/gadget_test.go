package agent_test

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// gadget is a tool that counts its runs. What it does is up to the test.
type gadget struct {
	name     string
	server   string // it belongs to a tool server
	class    clew.ToolClass
	group    tool.Group
	parallel bool
	prepare  func(call tool.Call) (*tool.Action, error)
	run      func(ctx context.Context, call tool.Call, out tool.Output) (tool.Result, error)
	check    func(ctx context.Context) (bool, tool.Result, error)

	mu      sync.Mutex
	keys    []string // of the runs, in order
	checked int
}

func (g *gadget) Spec() tool.Spec {
	group, class := g.group, g.class
	if group == "" {
		group = tool.GroupRead
	}
	if class == "" {
		class = clew.ClassReadOnly
	}
	return tool.Spec{
		Name: g.name, Description: "a gadget", Schema: json.RawMessage(`{"type":"object"}`),
		Class: class, Group: group, Parallel: g.parallel, Server: g.server,
	}
}

func (g *gadget) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	action := &tool.Action{Ask: clew.AskTool}
	if g.prepare != nil {
		a, err := g.prepare(call)
		if err != nil {
			return nil, err
		}
		action = a
	}
	if action.Effect.Summary == "" {
		action.Effect.Summary = "runs " + g.name
	}
	action.Run = func(ctx context.Context, out tool.Output) (tool.Result, error) {
		g.mu.Lock()
		g.keys = append(g.keys, call.ID)
		g.mu.Unlock()
		if g.run == nil {
			return tool.Result{Text: "ran " + string(call.Input)}, nil
		}
		return g.run(ctx, call, out)
	}
	if g.check != nil {
		action.Check = func(ctx context.Context) (bool, tool.Result, error) {
			g.mu.Lock()
			g.checked++
			g.mu.Unlock()
			return g.check(ctx)
		}
	}
	return action, nil
}

func (g *gadget) runs() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string{}, g.keys...)
}

// allowed lets gadgets and file tools run without a question.
func allowed(more ...map[string]any) map[string]any {
	set := map[string]any{"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true}
	for _, m := range more {
		for k, v := range m {
			set[k] = v
		}
	}
	return set
}

// blocks is a run that lasts until it is stopped.
func blocks(ctx context.Context, _ tool.Call, _ tool.Output) (tool.Result, error) {
	<-ctx.Done()
	return tool.Result{}, ctx.Err()
}
