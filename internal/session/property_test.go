package session

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// player does what people and agents may do, at random.
type player struct {
	*bench
	t *rapid.T
}

func draw[T any](p player, name string, of ...T) T { return rapid.SampledFrom(of).Draw(p.t, name) }

// person sends a command of anyone. Refusals are fine, faults are not.
func (p player) person(data any) {
	_, _, err := p.do(clew.Command{
		By:              by(draw[clew.UserID](p, "user", "ann", "bob")),
		ClientMessageID: draw[clew.ClientMessageID](p, "id", "", "", "", "a", "b"), Data: data,
	})
	if clew.CodeOf(err) == clew.Internal {
		p.t.Fatalf("%T: %v", data, err)
	}
}

func (p player) someTask() clew.TaskID {
	ids := []clew.TaskID{"", "", "", "task_unknown"}
	for _, t := range p.s.state.SortedTasks() {
		ids = append(ids, t.TaskID)
	}
	return draw(p, "task", ids...)
}

func (p player) someQuestion() clew.RequestID {
	ids := []clew.RequestID{"", "req_unknown"}
	for _, q := range p.s.state.Questions {
		ids = append(ids, q.RequestID(), q.RequestID())
	}
	return draw(p, "question", ids...)
}

func (p player) text() string { return draw(p, "text", "", "yes", "go on", "2026-01-02") }

func (p player) message() {
	d := &clew.UserMessageData{Text: p.text(), TaskID: p.someTask(), Mode: draw[clew.MessageMode](p, "mode", "", "", "code")}
	if rapid.IntRange(0, 4).Draw(p.t, "answers") == 0 {
		d.RequestID = p.someQuestion()
	} else if rapid.Bool().Draw(p.t, "may answer some") {
		d.MayAnswer = []clew.RequestID{p.someQuestion()}
	}
	p.person(d)
}

// queue changes what waits, or tries to.
func (p player) queue() {
	ids := []clew.MessageID{clew.MessageIDOf(max(p.s.state.Seq, 1)), "msg_000000099999"}
	for _, in := range p.s.state.Main().Queue {
		ids = append(ids, in.MessageID, in.MessageID)
	}
	id := draw(p, "waiting", ids...)
	switch rapid.IntRange(0, 4).Draw(p.t, "queue") {
	case 0:
		p.person(&clew.EditQueuedData{MessageID: id, Text: p.text() + "!"})
	case 1:
		p.person(&clew.RemoveQueuedData{MessageID: id})
	case 2:
		p.person(&clew.MoveQueuedData{MessageID: id, Before: draw(p, "before", append(ids, "")...)})
	case 3:
		p.person(&clew.SendQueuedData{MessageID: id})
	default:
		p.person(&clew.UserMessageData{Text: p.text(), Delivery: draw(p, "delivery", clew.ArrivalQueue, clew.ArrivalSteer)})
	}
}

func (p player) respond() {
	id, value := p.someQuestion(), draw[any](p, "value", nil, "a", 7.0, true, "2026-01-02")
	switch rapid.IntRange(0, 6).Draw(p.t, "kind") {
	case 0:
		p.person(&clew.HitlInputResponseData{RequestID: id, Value: value})
	case 5:
		p.person(&clew.HitlClarificationResponseData{RequestID: id, Value: value})
	case 6:
		action := draw(p, "action", clew.ChoiceApprove, clew.ChoiceModify, clew.ChoiceReject)
		p.person(&clew.HitlPlanResponseData{RequestID: id, Action: action, Instruction: p.text()})
	case 1, 2:
		action := draw(p, "action", clew.ChoiceApprove, clew.ChoiceApprove, clew.ChoiceReject, clew.ChoiceSkip)
		p.person(&clew.HitlApprovalResponseData{RequestID: id, Action: action, Comment: p.text()})
	default:
		how := draw(p, "answer", clew.YesButtonClicked, clew.NoButtonClicked, clew.MessageResponse, clew.ObjectResponse)
		p.person(&clew.AskResponseData{RequestID: id, AskResponse: how, Text: p.text(), Value: value})
	}
}

// time lets some of it pass, or goes back in it: clocks are set now and then.
func (p player) time() {
	if at := p.s.state.NextDeadline(); at > 0 && rapid.IntRange(0, 3).Draw(p.t, "aim") > 0 { // about when something is due
		p.now = at + draw[int64](p, "off", -1, 0, 0, 1)
	} else {
		p.now += draw[int64](p, "ms", 1, 400, 6_000, 70_000, 400_000, -5_000, -3_600_000)
	}
	if rapid.Bool().Draw(p.t, "look") {
		p.due()
	}
}

// due has one thing done that is due, settle all of them.
func (p player) due() {
	if _, _, err := p.bench.due(); err != nil {
		p.t.Fatalf("due: %v", err)
	}
}

func (p player) settle() {
	p.settleAll()
	if at := p.s.state.NextDeadline(); at != 0 && at <= p.now {
		p.t.Fatalf("due at %d, now is %d", at, p.now)
	}
}

func (p player) rights() {
	if rapid.Bool().Draw(p.t, "assign") {
		p.person(&clew.AssignQuestionData{RequestID: p.someQuestion(), UserID: draw[clew.UserID](p, "to", "", "ann", "bob", "bob", "cy")})
		return
	}
	must(p.ann(&clew.SetAccessData{UserID: "bob", Role: draw(p, "role", clew.RoleNone, clew.RoleViewer, clew.RoleApprover, clew.RoleApprover, clew.RoleOwner)}))
}

// clarify asks what was meant, or about a plan.
func (p player) clarify() {
	asking := clew.Asking{TimeoutSec: p.timeout}
	plan := rapid.Bool().Draw(p.t, "plan")
	must(p.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		if plan {
			decide.AskReview(tx, s, t, clew.HitlPlanReviewData{Asking: asking})
			return
		}
		decide.AskClarification(tx, s, t, clew.HitlClarificationData{Asking: asking, InputType: clew.InputText})
	}))
}

func (p player) control() {
	agents := []string{string(core.MainAgent), "nobody"}
	for _, t := range p.s.state.SortedTasks() {
		agents = append(agents, string(t.AgentID))
	}
	switch rapid.IntRange(0, 11).Draw(p.t, "control") {
	case 0, 1:
		p.person(&clew.InterruptData{})
	case 2:
		p.person(&clew.InterruptAgentData{Agent: draw(p, "agent", agents...)})
	case 3, 4:
		p.person(&clew.ControlCancelData{TaskID: p.someTask()})
	case 5:
		p.person(&clew.ClearTaskData{TaskID: p.someTask()})
	case 6:
		p.person(&clew.ResetData{})
	case 10:
		p.person(&clew.ArchiveSessionData{Archived: true})
	case 11:
		p.person(&clew.InterruptData{}) // and then nobody is in the way
		p.person(&clew.ArchiveSessionData{Archived: true})
	default:
		p.person(&clew.ResumeTaskData{TaskID: p.someTask()})
	}
}

// agent takes the next step of a task that has something to do, or, as agents
// do after a crash, one that was not to be expected.
func (p player) agent() {
	var able []*core.Task
	for _, t := range p.s.state.SortedTasks() {
		if p.s.state.Runnable(t) {
			able = append(able, t)
		}
	}
	if len(able) == 0 {
		return
	}
	p.at = able[rapid.IntRange(0, len(able)-1).Draw(p.t, "whose")]
	p.timeout = draw(p, "timeout", 0, 1, 10, 300)
	defer func() { p.at, p.timeout = nil, 0 }()
	switch {
	case rapid.IntRange(0, 19).Draw(p.t, "fault") == 0:
		p.fail()
	case p.at.Request != "":
		p.modelStep()
	case len(p.at.Calls) > 0:
		p.callStep()
	case len(decide.Waiting(p.at)) > 0 || rapid.IntRange(0, 3).Draw(p.t, "on") > 0:
		switch rapid.IntRange(0, 9).Draw(p.t, "limit") {
		case 1:
			p.clarify()
			return
		case 0:
			ask := draw(p, "ask", clew.AskMistakeLimitReached, clew.AskAutoApprovalMaxReqReached)
			p.approval(ask, "", draw(p, "of", core.LimitMistakes, core.LimitSteps, core.LimitBudget, core.LimitRequests))
			return
		}
		p.think()
	default:
		must(p.report(idle))
	}
}

func (p player) modelStep() {
	switch n := rapid.IntRange(0, 7).Draw(p.t, "model"); {
	case n == 0 && p.turn().Reply == "":
		must(p.begin())
	case n <= 1 && p.turn().Reply != "":
		must(p.update(p.text(), rapid.Bool().Draw(p.t, "partial")))
	case n == 2:
		must(p.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.CloseOpenTexts(tx, s, t)
			decide.AskApproval(tx, s, t, clew.HitlApprovalRequestData{
				Asking: clew.Asking{TimeoutSec: p.timeout}, Ask: clew.AskAPIReqFailed, Options: yesNo,
			})
		}))
	default:
		must(p.answer(max(n-4, 0)))
	}
}

func (p player) callStep() {
	var able, begun []core.Call
	waits := false
	for _, c := range p.at.Calls {
		switch c.Status {
		case core.CallRunning, core.CallApproved:
			begun = append(begun, c)
			able = append(able, c)
		case core.CallProposed:
			able = append(able, c)
		case core.CallAsked, core.CallChild, core.CallCell:
			waits = true
		case core.CallDone:
		}
	}
	c := able[rapid.IntRange(0, len(able)-1).Draw(p.t, "call")]
	class := draw(p, "class", clew.ClassReadOnly, clew.ClassOnce)
	n := rapid.IntRange(0, 9).Draw(p.t, "step")
	switch {
	case c.Status == core.CallRunning && n == 0 && !slices.ContainsFunc(p.s.state.Questions, p.s.state.AskedByRunningTool):
		p.approval(clew.AskResumeTask, "", "") // in doubt: whoever asked in it is gone
	case c.Status == core.CallRunning && n == 1:
		p.input(clew.HitlInputRequestData{Ask: draw(p, "ask", clew.AskFollowup, clew.AskCommandOutput), Asking: clew.Asking{ToolCallID: c.ID}, InputType: clew.InputText})
	case c.Status == core.CallRunning && n == 2:
		p.approval(clew.AskCommandOutput, c.ID, "")
	case c.Status == core.CallRunning:
		p.done(c, draw(p, "failed", "", "broken"))
	case c.Status == core.CallApproved && n <= 4:
		p.startShown(c, class)
	case c.Status == core.CallApproved:
		p.start(c, class)
	case n <= 1:
		p.approval(draw(p, "ask", clew.AskTool, clew.AskCommand, clew.AskCompletionResult), c.ID, "")
	case n == 2:
		p.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: c.ID}, Required: true, DefaultValue: draw[any](p, "default", nil, nil, "x"), InputType: draw(p, "type", clew.InputText, clew.InputNumber, clew.InputDate)})
	case n <= 4 && !waits && len(begun) == 0 && p.at.Depth < 3:
		p.spawn(c)
	case n <= 6 && !waits && len(begun) == 0:
		must(p.complete(c))
	case n == 7 && rapid.Bool().Draw(p.t, "shown"):
		p.refuse(c)
	case n == 7:
		p.done(c, "refused")
	case n == 8:
		p.startShown(c, class)
	default:
		p.start(c, class)
	}
}

// Whatever people and agents do, in whatever order: nothing dangles, nothing
// waits for nobody, and clients are told exactly what happens.
//
// Covers: C-18, C-34, POL-06, EVT-05, RUN-21, RUN-23
func TestAnythingGoes(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		b := newBench()
		if rapid.Bool().Draw(t, "steers") {
			b.s.state.Rules = steering{}
		}
		b.create()
		p := player{bench: b}
		act := func(f func(player)) func(*rapid.T) {
			return func(t *rapid.T) {
				p.t = t
				f(p)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"":         func(t *rapid.T) { b.verify(t) },
			"message":  act(player.message),
			"new task": act(func(p player) { p.person(&clew.NewTaskData{Text: p.text()}) }),
			"queue":    act(player.queue),
			"queue 2":  act(player.queue),
			"time":     act(player.time),
			"time 2":   act(player.time),
			"due":      act(player.due),
			"settle":   act(player.settle),
			"rights":   act(player.rights),
			"respond":  act(player.respond),
			"again":    act(player.respond),
			"control":  act(player.control),
			"agent":    act(player.agent),
			"agent 2":  act(player.agent),
			"agent 3":  act(player.agent),
			"agent 4":  act(player.agent),
		})
		b.check(t)
	})
}

// steering is rules that let messages into a turn under way.
type steering struct{}

func (steering) Steers(map[string]any) bool { return true }

func (steering) Budgeted() bool { return false }

func (steering) ReminderSec(map[string]any) int { return 60 }

func (steering) Agents(map[string]any) core.AgentRules { return core.DefaultAgentRules }

func (steering) Run(map[string]any) run.Rules { return run.DefaultRules }

func (steering) AutoApproval(map[string]any) clew.AutoApprovalFlags { return clew.AutoApprovalFlags{} }

func (steering) CheckSettings(map[string]any) error { return nil }

func (steering) Remember(_ map[string]any, _ *clew.HitlApprovalRequestData, r clew.Remember) (map[string]any, error) {
	if r.Pattern == "*" {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "a star")
	}
	if r.Scope == clew.RememberSession {
		return map[string]any{"allowed_commands": []any{r.Pattern}}, nil
	}
	return nil, nil
}

func (steering) CheckMode(map[string]any, string) error { return nil }
