package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// cast plays the model in all roles of a run. A role that is nil does the usual.
type cast struct {
	understand, plan, respond step
	sub                       step              // subtasks of todos
	todo                      func(string) step // by the todo's id; nil for the usual

	mu    sync.Mutex
	heard map[string][]llm.Request // by role, and by "todo " and the id
}

var stepID = regexp.MustCompile(`Step ([^:\s]+): `)

// role finds out who is asked, by the tools that are offered.
func role(req llm.Request) string {
	for _, name := range toolNames(req) {
		switch name {
		case "report_understanding":
			return "understand"
		case "propose_plan":
			return "plan"
		case "respond":
			return "respond"
		case "report_progress":
			return "todo " + stepID.FindStringSubmatch(req.Messages[0].Content[0].Text)[1]
		}
	}
	return "sub"
}

func (c *cast) play(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	who := role(req)
	c.mu.Lock()
	if c.heard == nil {
		c.heard = map[string][]llm.Request{}
	}
	c.heard[who] = append(c.heard[who], req)
	c.mu.Unlock()
	return c.part(who)(ctx, req, on)
}

func (c *cast) part(who string) step {
	own, usual := c.sub, completes("a part")
	switch who {
	case "understand":
		own, usual = c.understand, understands
	case "plan":
		own, usual = c.plan, plans(`[{"id":"a","task":"do it"}]`)
	case "respond":
		own, usual = c.respond, responds("All done.")
	case "sub":
	default:
		id := strings.TrimPrefix(who, "todo ")
		usual = completes("did " + id)
		if c.todo != nil {
			own = c.todo(id)
		}
	}
	if own == nil {
		return usual
	}
	return own
}

// of gives what a role was asked.
func (c *cast) of(who string) []llm.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]llm.Request{}, c.heard[who]...)
}

var understands = calls(call("u", "report_understanding", `{"domain":"files","category":"change","confidence":0.9,"entities":[{"type":"file","value":"a.txt","confidence":1}]}`))

func plans(todos string) step { return proposes(`{"message":"Well?","todos":` + todos + `}`) }

func proposes(input string) step { return calls(call("p", "propose_plan", input)) }

func responds(text string) step {
	return calls(call("r", "respond", fmt.Sprintf(`{"text":%q,"summary":"Done.","next_actions":["look at it"]}`, text)))
}

// inTurn plays steps one after the other, and the last one for ever.
func inTurn(steps ...step) step {
	var mu sync.Mutex
	return func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		mu.Lock()
		s := steps[0]
		if len(steps) > 1 {
			steps = steps[1:]
		}
		mu.Unlock()
		return s(ctx, req, on)
	}
}

// only plays a todo, and does the usual for the others.
func only(id string, s step) func(string) step {
	return func(of string) step {
		if of == id {
			return s
		}
		return nil
	}
}

// plays is run for runs, with a cache of what is made from the settings.
func plays(t *testing.T, set map[string]any, c *cast, fn func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newRun(t, set, c)
		w.open()
		defer w.close()
		fn(w)
	})
}

// deadlines are those that somebody chose for the questions of runs.
var deadlines = map[string]any{
	"plan_review_timeout_sec": 300, "run_approval_timeout_sec": 600, "run_input_timeout_sec": 300, "run_clarification_timeout_sec": 300,
}

func newRun(t *testing.T, set map[string]any, c *cast) *world {
	t.Helper()
	w := newWorld(t, deadlines)
	w.set(set)
	var version atomic.Uint64
	w.settings.Subscribe(func([]string) { version.Add(1) })
	w.version = version.Load
	w.model = &model{t: t, any: c.play}
	return w
}

// begin starts a run.
func (w *world) begin(budget ...clew.Budget) {
	w.Helper()
	d := &clew.UserMessageData{Text: "the request", Mode: clew.ModeRun}
	if len(budget) > 0 {
		d.Budget = &budget[0]
	}
	w.do(d)
}

// underReview gives the open review of a plan.
func (w *world) underReview() *clew.HitlPlanReviewData {
	w.Helper()
	for _, q := range w.questions() {
		if d, ok := q.Data.(*clew.HitlPlanReviewData); ok {
			return d
		}
	}
	w.Fatalf("no plan is under review\n%s", w.story())
	return nil
}

func (w *world) reviewed(action clew.Choice, instruction ...string) {
	w.Helper()
	w.do(&clew.HitlPlanResponseData{RequestID: w.underReview().RequestID, Action: action, Instruction: strings.Join(instruction, " ")})
}

// approve starts a run and lets its plan be carried out.
func (w *world) approve(budget ...clew.Budget) {
	w.Helper()
	w.begin(budget...)
	w.reviewed(clew.ChoiceApprove)
}

func (w *world) questions() []clew.Question {
	w.Helper()
	st := w.state()
	if st.HitlPending == nil {
		return nil
	}
	return append([]clew.Question{*st.HitlPending}, st.HitlQueue...)
}

// only question about approval that is open, at a limit or "" for none.
func (w *world) limited(limit string) *clew.HitlApprovalRequestData {
	w.Helper()
	list := w.questions()
	if len(list) != 1 {
		w.Fatalf("%d questions are open, want one at the limit of %s\n%s", len(list), limit, w.story())
	}
	d, ok := list[0].Data.(*clew.HitlApprovalRequestData)
	if !ok || d.Limit != limit {
		w.Fatalf("the question is %+v, want one at the limit of %q", list[0].Data, limit)
	}
	return d
}

func (w *world) phase() string {
	w.Helper()
	list := w.state().Runs
	if len(list) == 0 {
		return ""
	}
	r := list[len(list)-1]
	if r.Paused {
		return r.Phase + ", paused"
	}
	return r.Phase
}

// in checks where the run stands.
func (w *world) in(phase string) {
	w.Helper()
	if got := w.phase(); got != phase {
		w.Fatalf("the run is %s, want %s\n%s", got, phase, w.story())
	}
}

func (w *world) todoOf(id string) clew.Todo {
	w.Helper()
	list := w.state().Runs
	for _, t := range list[len(list)-1].Todos {
		if t.ID == id {
			return t
		}
	}
	w.Fatalf("no todo %s", id)
	return clew.Todo{}
}

// heardText is all that a request holds, for the model to read.
func heardText(req llm.Request) string {
	b, err := json.Marshal(req.Messages)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// later lets seconds pass and wakes the session, as its engine would: nobody
// keeps one in memory that only waits.
func (w *world) later(seconds int) {
	w.Helper()
	sleep(seconds)
	if err := w.host.Wake(w.Context(), w.id); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}
