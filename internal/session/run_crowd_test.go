package session

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// crowd rules: those of runs as a test says, and words that go to a turn.
type crowdRules struct {
	steering
	run run.Rules
}

func (c crowdRules) Run(map[string]any) run.Rules { return c.run }

// A crowd is people and agents who do to runs what they may, at random.
type crowd struct {
	*bench
	t        tester
	r        *rand.Rand
	oracles  *oracles
	rules    crowdRules
	big      bool   // many todos: ends and full checks are rarer
	snapshot []byte // a state that was kept
	keptAt   uint64 // its seq
	names    int    // todos named so far
	seen     map[string]int
}

func newCrowd(t tester, seed uint64, big bool) *crowd {
	r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same numbers each time
	rules := run.DefaultRules
	rules.Parallel, rules.MaxTodos = 1+r.IntN(5), 2000
	c := &crowd{
		bench: newBench(), t: t, r: r, big: big, rules: crowdRules{run: rules}, oracles: newOracles(t, rules.Parallel), seen: map[string]int{},
	}
	c.pure = watchEvery(big)
	c.s.state.Rules = c.rules
	c.s.host.cfg.MaxRecord = 4 << 20
	c.create()
	must(c.ann(&clew.SetAccessData{UserID: "bob", Role: clew.RoleApprover}))
	return c
}

// watchEvery is how many commands go by between two at which Decide is watched:
// each look at such a state takes long, ten times as long with the detector.
func watchEvery(big bool) int {
	n := nightly.Size(10, 1)
	if big {
		n *= 10
	}
	if raceEnabled {
		n *= 5
	}
	return n
}

// in says yes once in n times.
func (c *crowd) in(n int) bool { return c.r.IntN(n) == 0 }

// rarely is for what ends a whole run.
func (c *crowd) rarely() bool {
	if c.big {
		return c.in(3000)
	}
	return c.in(60)
}

func one[T any](c *crowd, of ...T) T { return of[c.r.IntN(len(of))] }

// dag makes todos, each depending on a few before it, in any order.
func (c *crowd) dag(n int, on ...string) []clew.Todo {
	todos := make([]clew.Todo, n)
	for i := range todos {
		c.names++
		todos[i] = step(fmt.Sprint("t", c.names))
		todos[i].Priority = c.r.IntN(5)
		for range c.r.IntN(3) {
			if len(on) > 0 && !slices.Contains(todos[i].DependsOn, on[len(on)-1]) {
				todos[i].DependsOn = append(todos[i].DependsOn, one(c, on...))
			}
		}
		slices.Sort(todos[i].DependsOn)
		todos[i].DependsOn = slices.Compact(todos[i].DependsOn)
		if c.in(12) {
			usd := float64(c.r.IntN(3))
			todos[i].EstimatedCostUSD = &usd
		}
		on = append(on, todos[i].ID)
	}
	c.r.Shuffle(n, func(i, j int) { todos[i], todos[j] = todos[j], todos[i] })
	return todos
}

// send gives a command of somebody. It may be refused, but not fail.
func (c *crowd) send(user clew.UserID, data any) error {
	_, types, err := c.do(clew.Command{By: by(user), Data: data})
	if code := clew.CodeOf(err); err != nil && (code == clew.Internal || code == clew.MessageTooLarge) {
		c.t.Fatalf("%T: %v", data, err)
	}
	if err == nil && len(types) > 0 {
		c.seen[fmt.Sprintf("%T", data)]++
	}
	return err
}

// under is the root of the run under way, nil if there is none.
func (c *crowd) under() *core.Task {
	if t := c.root(); t != nil && !t.Run.Phase.Ended() {
		return t
	}
	return nil
}

func (c *crowd) someTodo() string {
	todos := c.run().Todos
	if len(todos) == 0 || c.in(30) {
		return "nobody"
	}
	for range 5 { // those that are not done are worth more
		if t := todos[c.r.IntN(len(todos))]; t.Status != clew.TodoCompleted {
			return t.ID
		}
	}
	return todos[c.r.IntN(len(todos))].ID
}

func (c *crowd) failedTodo() string {
	for _, t := range c.run().Todos {
		if t.Status == clew.TodoFailed && c.in(2) {
			return t.ID
		}
	}
	return c.someTodo()
}

func (c *crowd) edits() []clew.PlanEdit {
	var list []clew.PlanEdit
	for range 1 + c.r.IntN(3) {
		c.names++
		priority := c.r.IntN(5)
		e := clew.PlanEdit{Action: one(c, clew.PlanAdd, clew.PlanAdd, clew.PlanRemove, clew.PlanUpdate), TodoID: c.someTodo(), Priority: &priority}
		if e.Action == clew.PlanAdd {
			e.TodoID, e.Task = fmt.Sprint("t", c.names), "more"
		}
		if on := []string{c.someTodo()}; c.in(2) {
			e.DependsOn = &on
		}
		list = append(list, e)
	}
	return list
}

// person does one thing to the run. What the table of states allows is taken
// and what it forbids is refused.
func (c *crowd) person() {
	r := c.run()
	const user = clew.UserID("ann") // who answers questions may not steer
	legal := func(op run.Op, err error) {
		if want := r.Phase != run.Completed && run.Legal(r.Phase, r.Paused, op); want != (err == nil) {
			c.t.Fatalf("%s in %s, paused %v: %v", op, r.Phase, r.Paused, err)
		}
	}
	before := *r
	r = &before
	switch c.r.IntN(12) {
	case 0:
		legal(run.Pause, c.send(user, &clew.ControlPauseData{Reason: "wait"}))
	case 1, 2:
		legal(run.Resume, c.send(user, &clew.ControlResumeData{}))
	case 3:
		_ = c.send(user, &clew.ControlResumeData{Modifications: c.edits()})
	case 4:
		if !c.big || c.in(20) {
			_ = c.send(user, &clew.EditPlanData{Modifications: c.edits()})
		}
	case 5, 6:
		_ = c.send(user, &clew.ControlRetryData{TodoID: c.failedTodo()})
	case 7:
		if !c.big || c.in(5) {
			_ = c.send(user, &clew.ControlSkipData{TodoID: c.someTodo()})
		}
	case 8:
		_ = c.send(user, one[any](c, &clew.InterruptData{}, &clew.InterruptAgentData{Agent: c.someAgent()}))
	case 9:
		_ = c.send(user, &clew.UserMessageData{Text: "mind the cost"})
	case 10:
		if len(c.s.state.Questions) > 0 {
			q := c.s.state.Questions[c.r.IntN(len(c.s.state.Questions))].RequestID()
			_ = c.send("ann", &clew.AssignQuestionData{RequestID: q, UserID: one[clew.UserID](c, "", "ann", "bob")})
		}
	case 11:
		if c.rarely() {
			legal(run.Cancel, c.send(user, &clew.ControlCancelData{Reason: "enough"}))
		} else if c.rarely() {
			_ = c.send(user, &clew.ResetData{})
		} else if !c.big && c.in(10) {
			_ = c.send(user, &clew.UserMessageData{Text: "another", Mode: clew.ModeRun})
		}
	}
}

func (c *crowd) someAgent() string {
	agents := []string{"nobody", string(core.MainAgent)}
	for _, t := range c.s.state.SortedTasks() {
		if t.Turn != nil {
			agents = append(agents, string(t.AgentID))
		}
	}
	return one(c, agents...)
}

// answers has somebody answer one of the questions; kindly, if all shall go well.
func (c *crowd) answers(kindly bool) {
	qs := c.s.state.Questions
	if len(qs) == 0 {
		return
	}
	q := qs[c.r.IntN(len(qs))]
	id, user := q.RequestID(), one[clew.UserID](c, "ann", "bob")
	no := !kindly && c.rarely()
	if kindly {
		user = "ann"
	}
	var err error
	switch q.Type {
	case clew.EventHitlPlanReview:
		d := &clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove}
		switch {
		case no:
			d.Action = clew.ChoiceReject
		case !kindly && c.in(4):
			d.Action, d.Modifications = clew.ChoiceModify, c.edits()
		case !kindly && c.in(3):
			d.Action, d.Instruction = clew.ChoiceModify, "otherwise"
		}
		err = c.send(user, d)
	case clew.EventHitlApprovalRequest:
		d := &clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove}
		about := core.SubjectOfQuestion(q)
		switch {
		case no, !kindly && c.in(6) && !about.HoldsRun() && about.Limit != run.LimitRetries:
			d.Action = clew.ChoiceReject
		case !kindly && c.in(6) && !about.HoldsRun():
			d.Action = clew.ChoiceSkip
		}
		err = c.send(user, d)
	case clew.EventHitlInputRequest:
		err = c.send(user, &clew.HitlInputResponseData{RequestID: id, Value: "blue"})
	case clew.EventHitlClarification:
		err = c.send(user, &clew.HitlClarificationResponseData{RequestID: id, Value: "the second"})
	}
	if err == nil { // the first answer wins
		if err := c.send("ann", &clew.HitlApprovalResponseData{RequestID: id, Action: clew.ChoiceApprove}); clew.CodeOf(err) != clew.HitlRequestExpired {
			c.t.Fatalf("a second answer to %s: %v", id, err)
		}
	}
}
