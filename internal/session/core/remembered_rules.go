package core

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/clew-run/clew"
)

// RulesMax bounds what is remembered for one task tree.
const RulesMax = 100

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

// A KeptRule is what an answer wants remembered beyond the session.
type KeptRule struct {
	clew.RememberedRule
	Scope     clew.RememberScope
	Owner     clew.UserID
	Workspace string // as the session names it, with RememberWorkspace
}

// KeptRules gives the rules that events, which are not applied yet, want kept. They
// come from answers alone: what is replayed, imported or rewound makes none.
func KeptRules(s *State, ts int64, events []clew.Event) (list []KeptRule) {
	for _, ev := range events {
		if r, ok := ev.Data.(*clew.HitlResolvedData); ok {
			if k, ok := keptBy(s, r); ok {
				k.TS = ts
				list = append(list, k)
			}
		}
	}
	return list
}

// NotKept gives the questions that somebody answers by events, which are not applied
// yet, without having anything kept beyond the session.
func NotKept(s *State, events []clew.Event) (list []clew.RequestID) {
	for _, ev := range events {
		if r, ok := ev.Data.(*clew.HitlResolvedData); ok && r.ResolvedBy != "" {
			if _, ok := keptBy(s, r); !ok {
				list = append(list, r.RequestID)
			}
		}
	}
	return list
}

func keptBy(s *State, r *clew.HitlResolvedData) (k KeptRule, ok bool) {
	if r.Remember == nil || !r.Remember.Scope.Kept() || r.ResolvedBy != s.Owner {
		return k, false
	}
	for _, q := range s.Questions {
		d, ok := q.Data.(*clew.HitlApprovalRequestData)
		if !ok || q.RequestID() != r.RequestID {
			continue
		}
		k = KeptRule{Scope: r.Remember.Scope, Owner: s.Owner, RememberedRule: clew.RememberedRule{
			ID: r.RequestID, TaskID: d.TaskID, Tool: d.Tool, Pattern: cmp.Or(hostOf(d.Effect), r.Remember.Pattern), By: r.ResolvedBy,
		}}
		if k.Scope == clew.RememberWorkspace {
			k.Workspace = s.Workspace
		}
		return k, true
	}
	return k, false
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

// ActiveRules gives what is remembered and holds now, oldest first.
func (s *State) ActiveRules() clew.List[clew.RememberedRule] {
	list := clew.List[clew.RememberedRule]{}
	auto := s.Rules != nil && s.Rules.AutoApproval(s.Settings).AutoApprovalEnabled
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

func applyForgotten(s *State, d *clew.RuleForgottenData) {
	if t := s.Task(d.TaskID); t != nil {
		t.Allowed = Without(t.Allowed, func(r clew.RememberedRule) bool { return r.ID == d.ID })
	}
}

// Without makes a new list: agents read the old one.
func Without(rules []clew.RememberedRule, drop func(clew.RememberedRule) bool) []clew.RememberedRule {
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
		t.Allowed = Without(t.Allowed, func(r clew.RememberedRule) bool {
			return !slices.ContainsFunc(held, func(h clew.RememberedRule) bool { return h.ID == r.ID })
		})
	}
}

// RulesForgottenBy gives what holds now and would not after a return to a former state.
func RulesForgottenBy(now, then *State) (list []clew.RememberedRule) {
	for _, r := range now.ActiveRules() {
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
