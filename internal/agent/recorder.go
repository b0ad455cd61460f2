package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
		Node: p.node,
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
	case p.notebook != nil: // it begins with what it changes
		c.Verdict = decide.VerdictOwn
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
		Ask: clew.AskFollowup, Field: "answer", Question: in.Question, Asking: clew.Asking{ToolCallID: c.ID},
		InputType: cmp.Or(in.InputType, clew.InputText), Required: in.Required == nil || *in.Required, DefaultValue: in.Default,
	}
	for _, o := range in.Options {
		q.InputType = clew.InputChoice
		q.Options = append(q.Options, clew.InputOption{Value: o, Label: o})
	}
	return q
}

// checkFollowup says what is wrong with a question of the agent's own. Its default is
// held against the question as an answer would be: it is one if nobody answers in time.
func checkFollowup(in controlInput) string {
	q := followup(core.Call{}, in)
	switch {
	case strings.TrimSpace(in.Question) == "":
		return "question is empty"
	case !slices.Contains(clew.InputType("").Values(), string(q.InputType)):
		return fmt.Sprintf("input_type %q is not one of %s", in.InputType, strings.Join(clew.InputType("").Values(), ", "))
	case q.InputType == clew.InputChoice && len(q.Options) == 0:
		return "input_type choice needs options"
	case q.InputType == clew.InputChoice && in.InputType != "" && in.InputType != clew.InputChoice:
		return "options go with input_type choice"
	case in.Default == nil:
		return ""
	}
	if err := decide.CheckValue(clew.Question{Type: clew.NewEvent(&q).Type, Data: &q}, in.Default); err != nil {
		return "default does not fit: " + err.Error()
	}
	return ""
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
