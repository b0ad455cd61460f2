package session

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/clew-run/clew"
)

// rulesMax bounds what is remembered for one task tree.
const rulesMax = 100

// rememberRule checks what an answer wants remembered and gives the change of
// settings that it takes. It is part of the answer: if it is refused, the question
// stays open.
func rememberRule(s *State, by clew.Principal, q clew.Question, a reply) (changes map[string]any, err error) {
	if a.remember == nil {
		return nil, nil
	}
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if !ok || a.action != clew.ResolvedApprove || d.Remember == nil || !slices.Contains(d.Remember.Scopes, a.remember.Scope) || s.rules == nil {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "this answer cannot be remembered like that")
	}
	if a.remember.Scope != clew.RememberTask && s.RoleOf(by) != clew.RoleOwner {
		return nil, clew.Errorf(clew.Forbidden, "only the owner changes the session's settings")
	}
	t := s.Task(d.TaskID)
	if t == nil || s.Task(t.RootTaskID) == nil {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "the task is gone: there is nothing to remember it for")
	}
	if a.remember.Scope == clew.RememberTask && len(s.Task(t.RootTaskID).Allowed) >= rulesMax {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "%d rules are remembered for this task already", rulesMax)
	}
	return s.rules.Remember(s.Settings, d, *a.remember)
}

// applyRemember notes what a person let be remembered for the task.
func applyRemember(s *State, ts int64, q clew.Question, r *clew.HitlResolvedData) {
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if r.Remember == nil || !ok || r.Remember.Scope != clew.RememberTask {
		return
	}
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	root := s.Task(t.RootTaskID)
	if root == nil {
		return
	}
	rule := clew.RememberedRule{
		ID: r.RequestID, TaskID: root.TaskID, Tool: d.Tool, Pattern: cmp.Or(hostOf(d.Effect), r.Remember.Pattern),
		WhileAuto: d.Remember != nil && d.Remember.WhileAuto, By: r.ResolvedBy, TS: ts,
	}
	alike := func(old clew.RememberedRule) bool {
		return old.Tool == rule.Tool && old.Pattern == rule.Pattern && old.WhileAuto == rule.WhileAuto
	}
	if !slices.ContainsFunc(root.Allowed, alike) {
		root.Allowed = append(slices.Clip(root.Allowed), rule) // agents read the old one
	}
}

// hostOf is the host that a call wants to reach, "" if it is not about one: who
// allowed one site did not allow all of them.
func hostOf(e *clew.Effect) string {
	if e == nil || e.URL == "" {
		return ""
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// activeRules gives what is remembered and holds now, oldest first.
func (s *State) activeRules() clew.List[clew.RememberedRule] {
	list := clew.List[clew.RememberedRule]{}
	auto := s.rules != nil && s.rules.AutoApproval(s.Settings).AutoApprovalEnabled
	for _, t := range s.Tasks {
		for _, r := range t.Allowed {
			if auto || !r.WhileAuto {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, func(a, b clew.RememberedRule) int {
		return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// decideForget takes one rule back, also one that does not hold at the moment.
func decideForget(tx *Tx, s *State, by clew.UserID, d *clew.ForgetRuleData) error {
	for _, t := range s.sortedTasks() {
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
func revokeRules(tx *Tx, s *State, by clew.UserID) {
	for _, t := range s.sortedTasks() {
		for _, r := range t.Allowed {
			tx.Add(&clew.RuleForgottenData{ID: r.ID, TaskID: t.TaskID, By: by})
		}
	}
}

func applyForgotten(s *State, d *clew.RuleForgottenData) {
	if t := s.Task(d.TaskID); t != nil {
		t.Allowed = without(t.Allowed, func(r clew.RememberedRule) bool { return r.ID == d.ID })
	}
}

// without makes a new list: agents read the old one.
func without(rules []clew.RememberedRule, drop func(clew.RememberedRule) bool) []clew.RememberedRule {
	rules = slices.DeleteFunc(slices.Clone(rules), drop)
	if len(rules) == 0 {
		return nil
	}
	return rules
}

// keepRules drops from a former state what is not remembered now: a rule that was
// taken back does not return by a rewind.
func (s *State) keepRules(now *State) {
	for _, t := range s.Tasks {
		var held []clew.RememberedRule
		if n := now.Task(t.TaskID); n != nil {
			held = n.Allowed
		}
		t.Allowed = without(t.Allowed, func(r clew.RememberedRule) bool {
			return !slices.ContainsFunc(held, func(h clew.RememberedRule) bool { return h.ID == r.ID })
		})
	}
}

// rulesForgottenBy gives what holds now and would not after a return to a former state.
func rulesForgottenBy(now, then *State) (list []clew.RememberedRule) {
	for _, r := range now.activeRules() {
		t := then.Task(r.TaskID)
		elsewhere := then.Seq < now.FirstOwnSeq // nothing holds that was said in another session
		if t == nil || elsewhere || !slices.ContainsFunc(t.Allowed, func(old clew.RememberedRule) bool { return old.ID == r.ID }) {
			list = append(list, r)
		}
	}
	return list
}

// forgetRules drops what was remembered: it was said of another session, perhaps
// by strangers.
func (s *State) forgetRules() {
	for _, t := range s.Tasks {
		t.Allowed = nil
	}
}
