package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/tool"
)

// wide is a plan of n todos that do not wait for each other.
func wide(n int) step {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"t%d","task":"part %d"}`, i, i))
	}
	return plans("[" + strings.Join(list, ",") + "]")
}

// The lower of the message's and the settings' budget holds. At the limit there
// is one question for the whole run; a yes lets all go on, a no cancels.
//
// Covers: MSG-11
func TestRunBudget(t *testing.T) {
	money, words, time := clew.Budget{USD: 0.05}, clew.Budget{Tokens: 20_000}, clew.Budget{TimeSec: 100}
	for name, tt := range map[string]struct {
		set    map[string]any
		budget clew.Budget
		limit  string
	}{
		"money of the message":       {nil, money, "budget"},
		"money of the settings":      {map[string]any{"budget_usd": 0.05}, clew.Budget{}, "budget"},
		"money, message is lower":    {map[string]any{"budget_usd": 50}, money, "budget"},
		"money, settings are lower":  {map[string]any{"budget_usd": 0.05}, clew.Budget{USD: 50}, "budget"},
		"tokens of the message":      {nil, words, "budget"},
		"tokens of the settings":     {map[string]any{"budget_tokens": 20_000}, clew.Budget{}, "budget"},
		"tokens, message is lower":   {map[string]any{"budget_tokens": 20_000_000}, words, "budget"},
		"tokens, settings are lower": {map[string]any{"budget_tokens": 20_000}, clew.Budget{Tokens: 20_000_000}, "budget"},
		"time of the message":        {nil, time, "time"},
		"time of the settings":       {map[string]any{"budget_time_sec": 100}, clew.Budget{}, "time"},
		"time, message is lower":     {map[string]any{"budget_time_sec": 100_000}, time, "time"},
		"time, settings are lower":   {map[string]any{"budget_time_sec": 100}, clew.Budget{TimeSec: 100_000}, "time"},
	} {
		for _, yes := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", yes), func(t *testing.T) {
				look := func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
					if err := pauseFor(ctx, 60); err != nil {
						return llm.Answer{}, err
					}
					if len(req.Messages) < 3 {
						return spends(calls(call("l", "list_files", `{"path":"."}`)), clew.Usage{TokensIn: 3000, TokensOut: 900})(ctx, req, on)
					}
					return spends(completes("did it"), clew.Usage{TokensIn: 3000, TokensOut: 900})(ctx, req, on)
				}
				c := &cast{plan: wide(3), todo: func(string) step { return look }}
				plays(t, allowed(tt.set), c, func(w *world) {
					w.info = prices
					w.approve(tt.budget)
					sleep(130)
					w.limited(tt.limit)
					sleep(200) // nothing begins meanwhile, and time that is waited is not counted
					before := w.model.asked()
					w.limited(tt.limit)
					if !yes {
						w.no()
						w.in("cancelled")
						w.idle()
						if w.model.asked() != before {
							t.Error("the model is asked after a no")
						}
						return
					}
					for n := 0; w.phase() != "completed"; n++ {
						if n == 10 {
							t.Fatalf("the run does not end\n%s", w.story())
						}
						if len(w.questions()) > 0 {
							w.limited(tt.limit)
							w.yes()
						}
						sleep(70)
					}
					if s := events[clew.CompleteData](w)[0].Statistics; s.Completed != 3 {
						t.Errorf("statistics %+v", s)
					}
				})
			})
		}
	}
}

// However many todos are at work and whatever they use, what is used and what is
// reserved never passes what people allowed.
func TestRunBudgetHolds(t *testing.T) {
	seeds := nightly.Plays(8, 30)
	raised := int64(0)
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			d := &dice{r: rand.New(rand.NewPCG(uint64(seed), 7))}
			const limit = 40_000
			c := &cast{plan: wide(12), todo: func(string) step {
				return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
					if err := pauseFor(ctx, d.roll(3)); err != nil {
						return llm.Answer{}, err
					}
					u := clew.Usage{TokensIn: int64(d.roll(1500)), TokensOut: int64(d.roll(1000))}
					switch d.roll(5) {
					case 0:
						return spends(completes("did it"), u)(ctx, req, on)
					case 1:
						return spends(calls(call("f", "report_failure", `{"message":"x","recoverable":true}`)), u)(ctx, req, on)
					case 2:
						return spends(calls(call("a", "look", `{}`), call("b", "look", `{}`)), u)(ctx, req, on)
					}
					return spends(calls(call("a", "look", `{}`)), u)(ctx, req, on)
				}
			}}
			w := newRun(t, allowed(map[string]any{"run_parallel_todos": 8, "run_max_retries": 1, "model_retries": 0}), c)
			w.tools = append(w.tools, &gadget{name: "look", run: d.actSoon})
			w.open()
			defer w.close()
			w.approve(clew.Budget{Tokens: limit})
			for n := 0; w.phase() == "executing" || w.phase() == "responding"; n++ {
				if n == 200 {
					t.Fatalf("seed %d: the run does not end\n%s", seed, w.story())
				}
				shared := 0
				for _, q := range w.questions() {
					if a, ok := q.Data.(*clew.HitlApprovalRequestData); ok && a.Limit == "budget" {
						shared++
					}
				}
				if shared > 1 {
					t.Fatalf("seed %d: %d questions about one budget", seed, shared)
				}
				if len(w.questions()) > 0 {
					w.yes()
				}
				sleep(1)
			}
			raised += w.within(limit)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		})
	}
	if raised == 0 {
		t.Error("no run came to its limit: this shows nothing")
	}
}

func (d *dice) actSoon(ctx context.Context, _ tool.Call, _ tool.Output) (tool.Result, error) {
	err := pauseFor(ctx, d.roll(3))
	return tool.Result{Text: "looked"}, err
}

// within goes over the journal: at each call of the model, what the run has used
// and what is reserved fits into what was allowed by then. It gives how often
// people allowed more.
func (w *world) within(limit int64) (raised int64) {
	w.Helper()
	used := int64(0)
	reserved := map[clew.TaskID]int64{}
	budget := map[clew.RequestID]bool{}
	tokens := func(u *clew.Usage) int64 { return u.TokensIn + u.TokensOut + u.CacheReads + u.CacheWrites }
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		switch r.Type {
		case clew.EventMessageCreated:
			m := decoded[clew.MessageCreatedData](w, r).Message
			switch m.Say {
			case clew.SayAPIReqStarted:
				reserved[m.TaskID] = tokens(m.Reserved)
				sum := used
				for _, n := range reserved {
					sum += n
				}
				if sum > limit*(1+raised) {
					w.Errorf("%s: %d tokens are used or reserved, allowed are %d", r.MessageID(), sum, limit*(1+raised))
				}
			case clew.SayAPIReqFinished:
				used += tokens(m.Usage)
				delete(reserved, m.TaskID)
			}
		case clew.EventTaskAborted:
			delete(reserved, decoded[clew.TaskAbortedData](w, r).TaskID)
		case clew.EventHitlApprovalRequest:
			q := decoded[clew.HitlApprovalRequestData](w, r)
			budget[q.RequestID] = q.Limit == "budget"
		case clew.EventHitlResolved:
			if d := decoded[clew.HitlResolvedData](w, r); budget[d.RequestID] && d.Action == clew.ResolvedApprove {
				raised++
			}
		}
	}
	return raised
}

// A run's own budget may be raised by whoever answers; the server's only by an
// administrator.
func TestRunBudgetIsWhose(t *testing.T) {
	for name, tt := range map[string]struct {
		set    map[string]any
		budget clew.Budget
		limit  string
		may    bool
	}{
		"the run's money":    {nil, clew.Budget{USD: 0.001}, "budget", true},
		"the server's money": {map[string]any{"budget_usd": 0.001}, clew.Budget{}, "budget", false},
		"the run's time":     {nil, clew.Budget{TimeSec: 50}, "time", true},
		"the server's time":  {map[string]any{"budget_time_sec": 50}, clew.Budget{}, "time", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := &cast{understand: func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
				if err := pauseFor(ctx, 60); err != nil {
					return llm.Answer{}, err
				}
				return understands(ctx, req, on)
			}}
			plays(t, allowed(tt.set), c, func(w *world) {
				w.info = prices
				w.begin(tt.budget)
				sleep(61)
				q := w.limited(tt.limit)
				_, err := w.host.Do(w.Context(), w.id, clew.Command{
					Type: clew.CommandHitlApprovalResponse, By: clew.Principal{User: "ann", Role: clew.RoleOwner},
					Data: &clew.HitlApprovalResponseData{RequestID: q.RequestID, Action: clew.ChoiceApprove},
				})
				if may := err == nil; may != tt.may || !may && clew.CodeOf(err) != clew.Forbidden {
					t.Errorf("the yes of somebody who is no administrator: %v", err)
				}
			})
		})
	}
}

// A model that nobody knows the price of counts as an expensive one in a run with
// a budget of its own, too.
func TestRunBudgetWithUnknownPrice(t *testing.T) {
	c := &cast{}
	plays(t, allowed(), c, func(w *world) {
		w.info = agent.Model{Unpriced: true, Cost: func(clew.Usage) float64 { return 0 }}
		w.begin(clew.Budget{USD: 0.01})
		w.limited("budget")
		if w.model.asked() != 0 {
			t.Errorf("%d model calls", w.model.asked())
		}
	})
}

// Only work counts against a run's time: not what people take to answer, not a
// pause, not the time that a server is down.
func TestRunTimeIsWork(t *testing.T) {
	slow := func(s step) step {
		return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
			if err := pauseFor(ctx, 30); err != nil {
				return llm.Answer{}, err
			}
			return s(ctx, req, on)
		}
	}
	c := &cast{
		understand: slow(understands), plan: slow(plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]}]`)),
		todo: func(id string) step {
			if id == "a" {
				return slow(onceThen("blue", calls(call("q", "ask_followup", `{"question":"Which?"}`)), completes("did a")))
			}
			return slow(completes("did b"))
		},
		respond: slow(responds("Done.")),
	}
	set := map[string]any{"plan_review_timeout_sec": 0, "run_input_timeout_sec": 0}
	plays(t, allowed(set), c, func(w *world) {
		w.begin(clew.Budget{TimeSec: 170}) // work takes 180 s
		sleep(61)
		w.later(100_000) // the review
		w.reviewed(clew.ChoiceApprove)
		sleep(31)
		w.later(50_000) // the question of a todo
		w.do(&clew.HitlInputResponseData{RequestID: w.question().RequestID(), Value: "blue"})
		sleep(15)
		w.do(&clew.ControlPauseData{})
		sleep(16) // the call that was begun ends
		w.in("executing, paused")
		w.later(50_000)
		w.do(&clew.ControlResumeData{})
		sleep(31)
		w.in("responding")
		sleep(31)
		w.in("completed")
	})
}

func decoded[T any](w *world, r clew.Record) (d T) {
	w.Helper()
	if err := json.Unmarshal(r.Data(), &d); err != nil {
		w.Fatal(err)
	}
	return d
}
