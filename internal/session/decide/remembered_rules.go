package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// rememberRule checks what an answer wants remembered and gives the change of
// settings that it takes. It is part of the answer: if it is refused, the question
// stays open.
func rememberRule(s *core.State, by clew.Principal, q clew.Question, a reply) (changes map[string]any, err error) {
	if a.remember == nil {
		return nil, nil
	}
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if !ok || a.action != clew.ResolvedApprove || d.Remember == nil || !slices.Contains(d.Remember.Scopes, a.remember.Scope) || s.Rules == nil {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "this answer cannot be remembered like that")
	}
	if a.remember.Scope != clew.RememberTask && s.RoleOf(by) != clew.RoleOwner {
		return nil, clew.Errorf(clew.Forbidden, "only the session's owner can have that remembered for longer than the task")
	}
	t := s.Task(d.TaskID)
	if t == nil || s.Task(t.RootTaskID) == nil {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "the task is gone: there is nothing to remember it for")
	}
	if a.remember.Scope == clew.RememberTask && len(s.Task(t.RootTaskID).Allowed) >= core.RulesMax {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "%d rules are remembered for this task already", core.RulesMax)
	}
	return s.Rules.Remember(s.Settings, d, *a.remember)
}

// decideForget takes one rule back, also one that does not hold at the moment.
func decideForget(tx *Tx, s *core.State, by clew.UserID, d *clew.ForgetRuleData) error {
	for _, t := range s.SortedTasks() {
		for _, r := range t.Allowed {
			if r.ID == d.ID {
				tx.Add(&clew.RuleForgottenData{ID: r.ID, TaskID: t.TaskID, By: by})
				return nil
			}
		}
	}
	return clew.Errorf(clew.SessionInvalidState, "no rule %s is remembered: it was taken back, or its task has ended", d.ID)
}

// revokeRules makes the records that take all rules back, in the order of the tasks.
func revokeRules(tx *Tx, s *core.State, by clew.UserID) {
	for _, t := range s.SortedTasks() {
		for _, r := range t.Allowed {
			tx.Add(&clew.RuleForgottenData{ID: r.ID, TaskID: t.TaskID, By: by})
		}
	}
}
