package agent

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/policy"
)

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// Remember implements session.Rules. What is saved is the very text that was sent,
// and it has to cover the command that it was sent with.
func (a *Agent) Remember(overlay map[string]any, q *clew.HitlApprovalRequestData, r clew.Remember) (map[string]any, error) {
	command := q.Remember != nil && q.Remember.Pattern != "" && q.Effect != nil
	switch {
	case !command && r.Pattern == "" && r.Scope == clew.RememberTask:
		return nil, nil
	case !command:
		return nil, clew.Errorf(clew.HitlInvalidResponse, "patterns are for commands")
	}
	if why := policy.Problem(r.Pattern); why != "" {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "%s", why)
	}
	if !policy.Covers(q.Effect.Command, r.Pattern) {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "the pattern does not cover the command that it was given with%s", because(policy.WhyNot(q.Effect.Command, r.Pattern)))
	}
	if r.Scope == clew.RememberTask {
		return nil, nil
	}
	// The session's own list stands beside allowed_commands: a copy of that would
	// keep what an administrator takes out of it later.
	v := a.valuesFor(overlay)
	if slices.Contains(v.AllowedCommands, r.Pattern) || slices.Contains(v.RememberedCommands, r.Pattern) {
		return nil, nil
	}
	list := []any{}
	for _, p := range v.RememberedCommands {
		list = append(list, p)
	}
	return map[string]any{"remembered_commands": append(list, r.Pattern)}, nil
}
