package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
)

// moody is a model that talks much, calls tools, and fails in the ways that have
// to do with long histories. What it does follows from the seed.
type moody struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func (m *moody) draw(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rng.IntN(n)
}

func (m *moody) play(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	next := uncounted(says("so it is " + strings.Repeat("y", 400*m.draw(10))))
	mood := m.draw(12)
	switch {
	case mood == 0:
		next = fails(&llm.Error{Kind: llm.KindContext, Message: "too long"})
	case mood == 1:
		next = fails(&llm.Error{Kind: llm.KindRequest, Message: "no"})
	case mood == 2:
		next = hangs()
	case len(req.Tools) > 0 && mood < 8 && len(req.Messages)%7 != 0:
		next = answers(text("look"), call("c", "chatty", `{}`), call("d", "chatty", `{}`))
	}
	return next(ctx, req, on)
}

// Whatever comes when (words, wishes for a summary, interruptions, crashes, a
// provider that refuses): every history that is sent is one that a provider
// takes, no turn is left open, and nothing that was written is lost.
//
// Covers: HIS-04, HIS-06, HIS-30, HIS-32
func TestCondenseInChaos(t *testing.T) {
	seeds := nightly.Plays(6, 25)
	for seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			m := &moody{rng: rand.New(rand.NewPCG(uint64(seed), 5))}
			set := allowed(map[string]any{"condense_keep": 1 + seed%4, "auto_condense": seed%5 != 0, "model_crash_retry": "auto", "mistake_limit": 0})
			run(t, set, func(w *world) {
				w.info = agent.Model{ContextWindow: 12_000}
				w.tools = append(w.tools, &gadget{name: "chatty", parallel: true})
				w.model.any = m.play
				for i := range 25 {
					w.chaos(m, i)
				}
				w.calm()
				w.model.any, w.model.steps = nil, nil
				w.checkWhole()
				w.Logf("%d summaries, %d failed, %d windows", w.count(clew.SayCondenseContext), w.count(clew.SayCondenseContextError), w.count(clew.SaySlidingWindowTruncation))
			})
		})
	}
}

// count counts the messages of a kind.
func (w *world) count(say clew.Say) (n int) {
	w.Helper()
	for _, d := range events[clew.MessageCreatedData](w) {
		if d.Message.Say == say {
			n++
		}
	}
	return n
}

// chaos is one step of somebody.
func (w *world) chaos(m *moody, i int) {
	switch m.draw(8) {
	case 0, 1:
		_ = w.try(&clew.CondenseContextData{})
	case 2:
		_ = w.try(&clew.InterruptData{})
	case 3:
		w.crash()
	default:
		if q := w.question(); q != nil {
			action := []clew.Choice{clew.ChoiceApprove, clew.ChoiceReject}[m.draw(2)]
			_ = w.try(&clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: action})
			return
		}
		_ = w.try(&clew.UserMessageData{Text: fmt.Sprint("words ", i, strings.Repeat(" z", 400*m.draw(8)))})
	}
}

// calm ends what is under way.
func (w *world) calm() {
	w.Helper()
	for range 5 {
		if q := w.question(); q != nil {
			_ = w.try(&clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceReject})
		}
		_ = w.try(&clew.InterruptData{})
		synctest.Wait()
	}
	w.idle()
}

// checkWhole folds all records twice: with what is hidden, and without. Both
// send the same, and the first has every message that was ever written.
func (w *world) checkWhole() {
	w.Helper()
	whole, bounded := &core.State{ID: w.id}, &core.State{ID: w.id}
	whole.KeepHidden()
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			w.Fatal(err)
		}
		core.Apply(whole, r, ev.Data)
		core.Apply(bounded, r, ev.Data)
	}
	for id, t := range bounded.Tasks {
		all := whole.Tasks[id].History
		if !reflect.DeepEqual(history.Effective(all), t.History) {
			w.Errorf("task %s sends something else with what is hidden", id)
		}
		if len(all) != len(t.History)+t.HiddenCount {
			w.Errorf("task %s has %d messages, %d at hand and %d behind", id, len(all), len(t.History), t.HiddenCount)
		}
		calls := map[string]int{}
		for _, m := range all {
			for _, p := range m.Content {
				if p.Type == clew.PartToolUse {
					calls[p.ToolCallID]++
				}
				if p.Type != clew.PartToolResult {
					continue
				}
				if calls[p.ToolCallID]--; calls[p.ToolCallID] < 0 {
					w.Errorf("task %s has a result without its call %s", id, p.ToolCallID)
				}
			}
		}
		if t.Condense || t.Condensing || t.Request != "" {
			w.Errorf("task %s is left with a call under way: %+v", id, t)
		}
	}
}
