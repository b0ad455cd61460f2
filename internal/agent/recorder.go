package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool/policy"
	"github.com/clew-run/clew/internal/tool/summary"
)

// What the agent found out, as the session records it and people see it.

// plan is a call as the session decides on it.
func (p *preparedCall) plan() decide.CallPlan {
	c := decide.CallPlan{
		Call: p.call, Class: p.spec.Class, Title: visible(clipLine(p.title, 200)), ShowAs: clew.AskTool, Shown: callText(p.call),
		Summary: summary.Input(p.call.Tool, p.call.Input), By: p.decision.By, Ask: p.decision.Ask, Why: p.decision.Reason,
		WhyCode: p.decision.Code, WhyArgs: p.decision.Args,
		Approved: p.call.Status == core.CallApproved && !p.changed,
	}
	switch {
	case p.own:
		c.Verdict = decide.VerdictOwn
		return c
	case p.wrong != "":
		c.Verdict, c.Refusal = decide.VerdictRefuse, refusal(p.call, p.wrong, clew.SayError)
		return c
	}
	effect := p.action.Effect
	c.Effect, c.Reason = &effect, visible(effect.Summary)
	if p.action.Ask != "" {
		c.ShowAs = p.action.Ask
	}
	switch {
	case p.decision.Kind == policy.Deny:
		c.Verdict, c.Refusal = decide.VerdictRefuse, refusal(p.call, p.decision.Reason, refusalSay(p.action))
	case p.decision.Kind == policy.Ask && p.decision.Ask == clew.AskAutoApprovalMaxReqReached:
		c.Verdict = decide.VerdictLimit
	case p.decision.Kind == policy.Ask:
		c.Verdict, c.Remember = decide.VerdictAsk, policy.Offer(p.input)
	default:
		c.Verdict = decide.VerdictAllow
	}
	return c
}

func plansOf(list []*preparedCall) []decide.CallPlan {
	plans := make([]decide.CallPlan, len(list))
	for i, p := range list {
		plans[i] = p.plan()
	}
	return plans
}

// callText is a call as the transcript shows it.
func callText(c core.Call) string {
	b, err := json.Marshal(struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input,omitempty"`
	}{c.Tool, c.Input})
	if err != nil {
		return c.Tool
	}
	return visible(string(b))
}

// refusal says why a call may not run. The person sees it as the model does.
func refusal(c core.Call, why string, say clew.Say) decide.Refusal {
	return decide.Refusal{Why: why, Summary: summary.Output(why), Shown: visible(c.Tool + " was refused: " + why), Say: say}
}

var yesNo = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}

// followup is the model's own question to people.
func followup(c core.Call, in controlInput) clew.HitlInputRequestData {
	q := clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "answer", Question: in.Question, Asking: clew.Asking{ToolCallID: c.ID}, InputType: clew.InputText, Required: true,
	}
	for _, o := range in.Options {
		q.InputType = clew.InputChoice
		q.Options = append(q.Options, clew.InputOption{Value: o, Label: o})
	}
	return q
}

// todoList is the list of steps that the model wrote down.
func todoList(in controlInput) clew.List[clew.Todo] {
	var todos clew.List[clew.Todo]
	for i, t := range in.Todos {
		if t.ID == "" {
			t.ID = fmt.Sprint(i + 1)
		}
		if !slices.Contains(clew.TodoStatus("").Values(), string(t.Status)) {
			t.Status = clew.TodoPending
		}
		todos = append(todos, clew.Todo{ID: t.ID, Task: t.Task, Status: t.Status, Priority: len(in.Todos) - i})
	}
	return todos
}
