package view

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// MarkAsked is what a question of a timeline is about, for faces that put it into
// words of their own.
type MarkAsked struct {
	Kind    string `json:"kind" enum:"command,edit,fetch,server,tool,requests,mistakes,steps,budget,month,time,retries,cost,model,resume,doubt,plan,input,clarification" doc:"May a command run, a file change, an address be fetched, a tool server or a tool be used; a limit was reached; a step failed for good or costs much; the model's provider failed; take a task up again; the server stopped during a call; a plan; a value; what was meant"`
	Subject string `json:"subject,omitempty" doc:"The command, file, address, input, step, failure, calls, plan or question"`
	Tool    string `json:"tool,omitempty" doc:"The tool that would be called"`
}

// An askedMark is a question that a timeline has met.
type askedMark struct {
	text  string // of its message
	asked *MarkAsked
	at    int // its mark, -1 if there is none
}

// IsAsking reports whether records of a type announce a question.
func IsAsking(t clew.EventType) bool {
	switch t {
	case clew.EventHitlApprovalRequest, clew.EventHitlPlanReview, clew.EventHitlInputRequest, clew.EventHitlClarification:
		return true
	}
	return false
}

// question adds to the mark of a question what it asks. Its announcement follows
// its message.
func (m *timelineBuilder) question(data any) {
	var id clew.RequestID
	asked := &MarkAsked{}
	switch d := data.(type) {
	case *clew.HitlApprovalRequestData:
		id, *asked = d.RequestID, approvalAsked(d)
	case *clew.HitlPlanReviewData:
		id, *asked = d.RequestID, MarkAsked{Kind: "plan", Subject: stepsLine(d.Plan.Todos)}
	case *clew.HitlInputRequestData:
		id, *asked = d.RequestID, MarkAsked{Kind: "input", Subject: d.Question}
	case *clew.HitlClarificationData:
		id, *asked = d.RequestID, MarkAsked{Kind: "clarification", Subject: d.Question}
	}
	asked.Subject = core.FirstLine(asked.Subject, markRunes)
	q, ok := m.asked[id]
	if !ok { // what is wanted begins after its message
		q.at = -1
	}
	if q.asked = asked; q.at >= 0 {
		m.marks[q.at].Asked = asked
	}
	m.asked[id] = q
}

func approvalAsked(d *clew.HitlApprovalRequestData) MarkAsked {
	switch {
	case d.Limit == run.LimitRetries || d.Limit == core.LimitCost:
		return MarkAsked{Kind: d.Limit, Subject: taskOf(d.Todo)}
	case d.Limit != "":
		return MarkAsked{Kind: d.Limit}
	case d.Ask == clew.AskMistakeLimitReached:
		return MarkAsked{Kind: core.LimitMistakes}
	case d.Ask == clew.AskAutoApprovalMaxReqReached:
		return MarkAsked{Kind: core.LimitRequests}
	case d.Ask == clew.AskAPIReqFailed:
		return MarkAsked{Kind: "model", Subject: strings.TrimSpace(strings.TrimSuffix(d.Reason, core.TryAgainSuffix))}
	case d.Ask == clew.AskResumeTask || d.Ask == clew.AskResumeCompletedTask:
		if calls, ok := callsInDoubt(d.Reason); ok {
			return MarkAsked{Kind: "doubt", Subject: calls}
		}
		return MarkAsked{Kind: "resume"}
	}
	return toolAsked(d)
}

func taskOf(t *clew.ApprovalTodo) string {
	if t == nil {
		return ""
	}
	return t.Task
}

func toolAsked(d *clew.HitlApprovalRequestData) MarkAsked {
	e := d.Effect
	if e == nil {
		e = &clew.Effect{}
	}
	a := MarkAsked{Kind: "tool", Tool: d.Tool}
	switch {
	case e.Command != "" && len(e.Argv) > 0: // without one it is about a command that runs already
		a.Kind, a.Subject = "command", e.Command
	case e.Server != "":
		a.Kind, a.Subject = "server", e.Summary
	case e.URL != "":
		a.Kind, a.Subject = "fetch", e.URL
	default:
		if e.Diff != "" {
			a.Kind = "edit"
		}
		a.Subject = subjectOf(string(d.Input))
	}
	return a
}

// stepsLine is the beginning of a plan.
func stepsLine(todos []clew.Todo) string {
	var steps []string
	for i, t := range todos {
		if i == markRunes/4 { // no more have room
			break
		}
		steps = append(steps, fmt.Sprintf("%d. %s", i+1, t.Task))
	}
	return strings.Join(steps, " ")
}

// InDoubtText asks about calls that were running when the server stopped.
func InDoubtText(calls []string) string {
	return doubtBefore + strings.Join(calls, "; ") + doubtAfter
}

const (
	doubtBefore = "The server stopped while this was running, so it may not have completed: "
	doubtAfter  = ". It will not be run again by itself. Continue and let the agent check?"

	// What earlier versions wrote, which is still in journals.
	oldDoubtBefore = "The server stopped while this was running, and nobody knows whether it took effect: "
	oldDoubtAfter  = ". It will not be run again by itself. Go on and let the agent find out?"
)

func callsInDoubt(reason string) (calls string, ok bool) {
	if rest, old := strings.CutPrefix(reason, oldDoubtBefore); old {
		return strings.TrimSuffix(rest, oldDoubtAfter), true
	}
	rest, ok := strings.CutPrefix(reason, doubtBefore)
	return strings.TrimSuffix(rest, doubtAfter), ok
}
