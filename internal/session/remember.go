package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// rulesMax bounds what is remembered for one task tree.
const rulesMax = 100

// remembering checks what an answer wants remembered and makes the change of
// settings that it takes. It is part of the answer: if it is refused, the question
// stays open.
func remembering(s *State, by clew.Principal, q clew.Question, a reply) ([]clew.Event, error) {
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
	changes, err := s.rules.Remember(s.Settings, d, *a.remember)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	return decideSettings(s, changes)
}

// applyRemember notes what a person let be remembered for the task.
func applyRemember(s *State, q clew.Question, r *clew.Remember) {
	d, ok := q.Data.(*clew.HitlApprovalRequestData)
	if r == nil || !ok || r.Scope != clew.RememberTask {
		return
	}
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	root := s.Task(t.RootTaskID)
	rule := clew.RememberedRule{Tool: d.Tool, Pattern: r.Pattern}
	if root != nil && !slices.Contains(root.Allowed, rule) {
		root.Allowed = append(slices.Clip(root.Allowed), rule) // agents read the old one
	}
}

// forgetRules drops what was remembered: it was said of another session, perhaps
// by strangers.
func (s *State) forgetRules() {
	for _, t := range s.Tasks {
		t.Allowed = nil
	}
}
