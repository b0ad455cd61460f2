package agent

import (
	"slices"
	"strings"

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
	case !command && r.Pattern != "":
		return nil, clew.Errorf(clew.HitlInvalidResponse, "patterns are for commands")
	case !command && r.Scope == clew.RememberSession:
		return a.rememberTool(overlay, q), nil
	case !command:
		return nil, nil
	}
	if why := policy.Problem(r.Pattern); why != "" {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "%s", why)
	}
	if !policy.Covers(q.Effect.Command, r.Pattern) {
		return nil, clew.Errorf(clew.HitlInvalidResponse, "the pattern does not cover the command that it was given with%s", because(policy.WhyNot(q.Effect.Command, r.Pattern)))
	}
	if r.Scope != clew.RememberSession {
		return nil, nil
	}
	// The session's own list stands beside allowed_commands: a copy of that would
	// keep what an administrator takes out of it later.
	return addTo("remembered_commands", a.valuesFor(overlay).RememberedCommands, r.Pattern), nil
}

// rememberTool has the session remember a tool, of fetch with the host.
func (a *Agent) rememberTool(overlay map[string]any, q *clew.HitlApprovalRequestData) map[string]any {
	return addTo("remembered_tools", a.valuesFor(overlay).RememberedTools, strings.TrimSpace(q.Tool+" "+q.Remember.Host))
}

// addTo is the change of a list among the settings that adds an entry, nil if it is
// there.
func addTo(key string, list []string, entry string) map[string]any {
	if slices.Contains(list, entry) {
		return nil
	}
	longer := []any{}
	for _, old := range list {
		longer = append(longer, old)
	}
	return map[string]any{key: append(longer, entry)}
}
