package ask

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// Options are the decisions that a question takes; one that asks for a value has
// none.
func Options(q clew.Question) []clew.Choice {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return d.Options
	case *clew.HitlPlanReviewData:
		return d.Options
	}
	return nil
}

// May reports whether a question takes a decision.
func May(q clew.Question, c clew.Choice) bool { return slices.Contains(Options(q), c) }

// RunsWorkspace says of a pattern that what it covers runs code of the workspace.
const RunsWorkspace = "It runs this project's own code, such as its tests, without asking"

// Offer is what of an approval can be remembered, nil if nothing can.
func Offer(q clew.Question) *clew.RememberOffer {
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Remember != nil && len(d.Remember.Scopes) > 0 {
		return d.Remember
	}
	return nil
}

// AboutAct reports whether a yes lets something be done, so that a no can have a
// reason and words can say what to do instead. Other questions ask whether to go
// on.
func AboutAct(q clew.Question) bool {
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	return !ok || d.Tool != "" || d.Todo != nil || d.Effect != nil
}

// A Key is what a person presses or types for a choice, with its meaning in a
// word.
type Key struct{ Key, Word string }

// Keys are the choices of a question that takes a decision.
func Keys(q clew.Question) []Key {
	keys := []Key{{"y", "yes"}, {"n", "no"}}
	if Offer(q) != nil {
		keys = append(keys, Key{"a", "always"})
	}
	switch _, plan := q.Data.(*clew.HitlPlanReviewData); {
	case plan:
		keys = append(keys, Key{"e", "change it"})
	case AboutAct(q):
		keys = append(keys, Key{"e", "else"})
	}
	if May(q, clew.ChoiceSkip) {
		keys = append(keys, Key{"s", "skip"})
	}
	return keys
}

// Decide is the answer that a choice gives. Words are why not, or what should
// change.
func Decide(c clew.Choice, words string) client.InboxAnswer {
	words = strings.TrimSpace(words)
	if c == clew.ChoiceModify {
		return client.InboxAnswer{Action: c, Instruction: words}
	}
	return client.InboxAnswer{Action: c, Comment: words}
}

// Instead is the answer that words give in place of a yes or a no: a plan is to be
// changed by them, anything else is denied.
func Instead(q clew.Question, words string) client.InboxAnswer {
	if _, plan := q.Data.(*clew.HitlPlanReviewData); plan {
		return Decide(clew.ChoiceModify, words)
	}
	return Decide(clew.ChoiceReject, words)
}

// Response is the command that carries an answer to a question.
func Response(q clew.Question, a client.InboxAnswer) (clew.CommandType, any) {
	id := q.RequestID()
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: id, Action: a.Action, Comment: a.Comment, Instruction: a.Instruction}
	case *clew.HitlInputRequestData:
		return clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: id, Field: d.Field, Value: a.Value}
	case *clew.HitlClarificationData:
		return clew.CommandHitlClarificationResponse, clew.HitlClarificationResponseData{RequestID: id, Value: a.Value}
	}
	return clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: id, Action: a.Action, Comment: a.Comment, Remember: a.Remember}
}
