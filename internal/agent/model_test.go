package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
)

// A step answers one model call.
type step func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error)

// model is a provider that plays steps. It refuses histories that a vendor
// would refuse too.
type model struct {
	t  *testing.T
	mu sync.Mutex

	steps    []step
	any      step // in place of steps
	requests []llm.Request
}

func (m *model) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	m.mu.Lock()
	m.requests = append(m.requests, req)
	if m.any != nil {
		m.steps = []step{m.any}
	}
	if len(m.steps) == 0 {
		m.mu.Unlock()
		m.t.Errorf("the model is asked once more than expected: %.200s", lastText(req))
		return llm.Answer{}, &llm.Error{Kind: llm.KindRequest, Message: "nothing left to say"}
	}
	next := m.steps[0]
	m.steps = m.steps[1:]
	m.mu.Unlock()
	if err := wellFormed(req.Messages); err != nil {
		m.t.Errorf("history of call %d: %v", len(m.requests), err)
	}
	return next(ctx, req, on)
}

func (m *model) left() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.steps)
}

func (m *model) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// last is the newest request.
func (m *model) last() llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests[len(m.requests)-1]
}

// wellFormed checks that speakers alternate and that every call has its result,
// in order, in the message after it.
func wellFormed(messages []clew.ModelMessage) error {
	var open []clew.Part
	for i, m := range messages {
		if want := []clew.Speaker{clew.SpeakerUser, clew.SpeakerAssistant}[i%2]; m.Role != want {
			return fmt.Errorf("message %d is the %s's", i, m.Role)
		}
		for n, call := range open {
			if n >= len(m.Content) || m.Content[n].Type != clew.PartToolResult || m.Content[n].ToolCallID != call.ToolCallID {
				return fmt.Errorf("call %s dangles: %+v", call.ToolCallID, m.Content)
			}
		}
		for _, p := range m.Content[len(open):] {
			if p.Type == clew.PartToolResult {
				return fmt.Errorf("result of no call: %s", p.ToolCallID)
			}
		}
		open = m.ToolCalls()
		if len(m.Content) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
	}
	if len(open) > 0 {
		return errors.New("the last message has open calls")
	}
	return nil
}

func lastText(req llm.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	text := ""
	for _, p := range req.Messages[len(req.Messages)-1].Content {
		text += p.Text + "|"
	}
	return text
}

// usage is what every played answer takes.
var usage = clew.Usage{TokensIn: 10, TokensOut: 5, CacheReads: 2, CacheWrites: 1}

// answers plays parts, in the usual order.
func answers(parts ...clew.Part) step {
	return func(_ context.Context, _ llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		stop := llm.StopEnd
		for _, p := range parts {
			d := llm.Delta{Text: p.Text}
			switch p.Type {
			case clew.PartThinking:
				d.Kind = llm.DeltaThinking
			case clew.PartToolUse:
				d = llm.Delta{Kind: llm.DeltaToolStart, ToolCallID: p.ToolCallID, Tool: p.Tool}
				stop = llm.StopToolUse
			}
			if err := on(d); err != nil {
				return llm.Answer{}, err
			}
		}
		return llm.Answer{Parts: parts, Usage: usage, Stop: stop, Model: "m-1"}, nil
	}
}

func text(s string) clew.Part    { return clew.Part{Type: clew.PartText, Text: s} }
func thought(s string) clew.Part { return clew.Part{Type: clew.PartThinking, Text: s} }

func call(id, name, input string) clew.Part {
	return clew.Part{Type: clew.PartToolUse, ToolCallID: id, Tool: name, Input: json.RawMessage(input)}
}

func says(s string) step { return answers(text(s)) }

func calls(parts ...clew.Part) step { return answers(parts...) }

// completes ends the task.
func completes(result string) step {
	return calls(call("done", "attempt_completion", fmt.Sprintf(`{"result":%q}`, result)))
}

// fails says something, if anything, and then fails.
func fails(err *llm.Error, said ...string) step {
	return func(_ context.Context, _ llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		for _, s := range said {
			if err := on(llm.Delta{Text: s}); err != nil {
				return llm.Answer{}, err
			}
		}
		return llm.Answer{}, err
	}
}

// hangs says something and then nothing until the call is cut.
func hangs(said ...string) step {
	return func(ctx context.Context, _ llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		for _, s := range said {
			if err := on(llm.Delta{Text: s}); err != nil {
				return llm.Answer{}, err
			}
		}
		<-ctx.Done()
		return llm.Answer{}, &llm.Error{Kind: llm.KindUnstable, Message: "cut", Err: ctx.Err()}
	}
}

// A gate holds whoever waits at it until it is opened. Its channel is made on
// first use, because it has to belong to the test's clock.
type gate struct {
	mu sync.Mutex
	c  chan struct{}
}

func (g *gate) wait() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.c == nil {
		g.c = make(chan struct{})
	}
	return g.c
}

// open lets everybody through and waits until nothing moves any more.
func (g *gate) open() {
	close(g.wait())
	synctest.Wait()
}

// waits answers once the gate is open.
func waits(g *gate, then step) step {
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		select {
		case <-g.wait():
		case <-ctx.Done():
			return llm.Answer{}, ctx.Err()
		}
		return then(ctx, req, on)
	}
}

type answer = llm.Answer

// wrap changes what a step answers.
func wrap(s step, change func(a *answer)) step {
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		a, err := s(ctx, req, on)
		change(&a)
		return a, err
	}
}

func noProvider(settings.Profile) (llm.Provider, error) {
	return nil, clew.Errorf(clew.SettingsInvalid, "there is no such provider")
}
