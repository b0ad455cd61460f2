package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A pilot starts one run and steers it, through whichever node is up. It knows
// what a client knows. It belongs to one goroutine.
type pilot struct {
	t      testing.TB
	fleet  *fleet
	id     clew.SessionID
	seed   uint64
	random *rand.Rand
	deck   []move
	doom   bool // it will end its run on purpose

	seq       uint64
	todos     []clew.Todo
	at        map[string]int // where each todo stands in todos
	settled   int            // todos that are completed or skipped
	executing bool
	paused    bool
	reviews   int
	open      []clew.Question
	ended     clew.EventType
	refused   clew.Code // why the last command was, "" if it was not

	did map[string]int
}

// A move is something that the pilot does once the run has come so far.
type move struct {
	at float64 // share of todos that are settled
	do func(context.Context)
}

func newPilot(t testing.TB, f *fleet, id clew.SessionID, seed uint64) *pilot {
	p := &pilot{t: t, fleet: f, id: id, seed: seed, random: rand.New(rand.NewPCG(seed, 3)), did: map[string]int{}}
	moves := []func(context.Context){p.pause, p.pause, p.interrupt, p.skip, p.skip, p.retry, p.edit, p.edit, p.stopAgent}
	for range 4 + p.random.IntN(6) {
		p.deck = append(p.deck, move{p.random.Float64(), moves[p.random.IntN(len(moves))]})
	}
	if p.random.IntN(25) == 0 {
		p.deck = append(p.deck, move{p.random.Float64(), p.cancel})
	}
	slices.SortFunc(p.deck, func(a, b move) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	return p
}

// fly takes the run from its start to its end.
func (p *pilot) fly(ctx context.Context, todos int) {
	err := p.fleet.create(ctx, p.id)
	if err == nil {
		err = p.fleet.command(ctx, p.id, clew.CommandUserMessage, clew.UserMessageData{Text: requestText(p.seed, todos), Mode: clew.ModeRun})
	}
	if err != nil {
		p.t.Errorf("start of %s: %v", p.id, err)
		return
	}
	for at := p.random.IntN(len(p.fleet.nodes)); p.ended == "" && ctx.Err() == nil; at++ {
		p.follow(ctx, p.fleet.nodes[at%len(p.fleet.nodes)])
	}
	if p.ended == "" {
		p.t.Errorf("run %s (seed %d) did not end: %s", p.id, p.seed, p)
	}
}

func (p *pilot) String() string {
	by := map[clew.TodoStatus]int{}
	for _, t := range p.todos {
		by[t.Status]++
	}
	return fmt.Sprintf("at record %d, executing %v, paused %v, todos %v, %d questions open, did %v", p.seq, p.executing, p.paused, by, len(p.open), p.did)
}

// follow watches the session through a node for as long as that lives.
func (p *pilot) follow(ctx context.Context, n *process) {
	from := client.FromStart
	if p.seq > 0 {
		from = string(clew.MessageIDOf(p.seq))
	}
	c, err := client.Dial(ctx, client.Options{URL: n.url(), Session: p.id, ResumeFrom: from, Retry: client.Retry{MaxRetries: -1}})
	if err != nil {
		<-time.After(50 * time.Millisecond) // it is away
		return
	}
	defer c.Close()
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return
		}
		if seq, err := clew.MessageID(env.MessageID).Seq(); err == nil && seq > 0 {
			if seq != p.seq+1 {
				p.t.Errorf("%s: record %d came after %d", p.id, seq, p.seq)
			}
			p.seq = seq
			p.hear(env)
		}
		if p.ended != "" {
			return
		}
		p.act(ctx)
	}
}

// hear takes a record in. Most are about things that the pilot does not steer.
func (p *pilot) hear(env wire.Envelope) {
	switch typ := clew.EventType(env.Type); typ {
	case clew.EventPlanGenerated, clew.EventPlanModified, clew.EventPlanApproved, clew.EventHitlPaused, clew.EventHitlResumed,
		clew.EventTodoStarted, clew.EventTodoCompleted, clew.EventTodoFailed, clew.EventTodoRetried, clew.EventTodoSkipped,
		clew.EventHitlPlanReview, clew.EventHitlApprovalRequest, clew.EventHitlInputRequest, clew.EventHitlResolved,
		clew.EventComplete, clew.EventFailed, clew.EventCancelled:
		ev, err := clew.DecodeEvent(typ, env.Data)
		if err != nil {
			p.t.Errorf("%s: %v", p.id, err)
			return
		}
		p.take(typ, ev.Data)
	}
}

func (p *pilot) take(typ clew.EventType, data any) {
	switch d := data.(type) {
	case *clew.PlanGeneratedData:
		p.plan(d.Todos)
	case *clew.PlanModifiedData:
		p.plan(d.UpdatedTodos)
		p.executing = false
	case *clew.PlanApprovedData:
		p.executing = true
	case *clew.HitlPausedData:
		p.paused = true
	case *clew.HitlResumedData:
		p.paused = false
	case *clew.TodoStartedData:
		p.mark(d.TodoID, clew.TodoInProgress, d.TaskID)
	case *clew.TodoCompletedData:
		p.mark(d.TodoID, clew.TodoCompleted, "")
	case *clew.TodoFailedData:
		p.mark(d.TodoID, clew.TodoFailed, "")
	case *clew.TodoRetriedData:
		p.mark(d.TodoID, clew.TodoPending, "")
	case *clew.TodoSkippedData:
		p.mark(d.TodoID, clew.TodoSkipped, "")
	case *clew.HitlResolvedData:
		p.open = slices.DeleteFunc(p.open, func(q clew.Question) bool { return q.RequestID() == d.RequestID })
	case *clew.CompleteData, *clew.FailedData, *clew.CancelledData:
		p.ended = typ
	default:
		p.open = append(p.open, clew.Question{Type: typ, Data: data})
	}
}

// plan takes a new version of the plan.
func (p *pilot) plan(todos []clew.Todo) {
	p.todos, p.at, p.settled = todos, make(map[string]int, len(todos)), 0
	for i, t := range todos {
		p.at[t.ID] = i
		p.settled += over(t.Status)
	}
}

// over is 1 for a todo that is completed or skipped.
func over(s clew.TodoStatus) int {
	if s == clew.TodoCompleted || s == clew.TodoSkipped {
		return 1
	}
	return 0
}

func (p *pilot) mark(id string, s clew.TodoStatus, task clew.TaskID) {
	i, ok := p.at[id]
	if !ok {
		p.t.Errorf("%s: the plan has no todo %s", p.id, id)
		return
	}
	t := &p.todos[i]
	p.settled += over(s) - over(t.Status)
	t.Status, t.TaskID = s, task
}

// progress is the share of todos that are settled.
func (p *pilot) progress() float64 { return float64(p.settled) / float64(max(1, len(p.todos))) }

// act answers what is asked and makes the moves whose time has come.
func (p *pilot) act(ctx context.Context) {
	for _, q := range p.open {
		if !p.answer(ctx, q) && p.refused == clew.SessionInvalidState && !p.assent(ctx, q) && p.refused == clew.SessionInvalidState {
			p.t.Errorf("%s: question %s is open and cannot be answered", p.id, q.RequestID())
		}
	}
	p.open = nil
	for p.executing && len(p.deck) > 0 && p.progress() >= p.deck[0].at {
		m := p.deck[0]
		p.deck = p.deck[1:]
		m.do(ctx)
	}
}

// send gives a command. What has changed meanwhile may refuse it.
func (p *pilot) send(ctx context.Context, what string, typ clew.CommandType, data any) bool {
	err := p.fleet.command(ctx, p.id, typ, data)
	p.refused = clew.CodeOf(err)
	switch p.refused {
	case "":
		p.did[what]++
		return true
	case clew.SessionInvalidState, clew.HitlRequestExpired, clew.TaskNotFound:
		return false
	case clew.InvalidMessage: // a todo that was removed meanwhile
		if strings.Contains(err.Error(), "no todo") {
			p.refused = clew.SessionInvalidState
			return false
		}
	}
	if ctx.Err() == nil {
		p.t.Errorf("%s: %s was refused: %v", p.id, what, err)
	}
	return false
}
