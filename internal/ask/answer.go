package ask

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
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

// scopeWords say how long a yes holds.
var scopeWords = map[clew.RememberScope]string{
	clew.RememberTask: "until this task ends", clew.RememberSession: "in this session",
	clew.RememberWorkspace: "in this folder, also in later sessions of yours", clew.RememberAlways: "in all folders and sessions of yours",
}

// Covers says what is not asked about again with a yes of a scope, for every tool.
func Covers(q clew.Question, scope clew.RememberScope, pattern string) string {
	return Calls(q, pattern) + ", " + scopeWords[scope]
}

// Calls says which calls a rule is about.
func Calls(q clew.Question, pattern string) string {
	d, _ := q.Data.(*clew.HitlApprovalRequestData)
	switch {
	case pattern != "":
		return "commands like " + term.ExactLine(pattern)
	case d == nil || d.Remember == nil:
		return "calls like this"
	case d.Remember.Host != "":
		return "fetching from " + term.ExactLine(d.Remember.Host)
	case d.Effect != nil && d.Effect.Diff != "":
		return "every change of files with " + term.ExactLine(d.Tool) + " (not of protected files)"
	}
	return "every call of " + term.ExactLine(d.Tool) + " (not with protected files)"
}

// NoOffer says why an approval cannot be remembered.
func NoOffer(q clew.Question) string {
	d, _ := q.Data.(*clew.HitlApprovalRequestData)
	switch {
	case d != nil && d.WhyCode == clew.PolicyProtected:
		return "This is asked each time: it is protected"
	case d != nil && d.Ask == clew.AskUseMcpServer:
		return "This is asked each time; a tool of a tool server is allowed for good in the settings of that server"
	}
	return "This is asked each time"
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
		keys = append(keys, Key{"e", "edit"})
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
