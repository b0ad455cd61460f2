package cli

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// A yesRule says what is approved without a person: nothing, or everything that
// is asked for. Kinds are left to the server's own settings.
type yesRule bool

// answer is the yes to a question, nil if it needs a person: words are not
// guessed, limits not raised, and what failed is not tried for ever.
func (y yesRule) answer(q clew.Question) any {
	if !y {
		return nil
	}
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return clew.HitlPlanResponseData{RequestID: d.RequestID, Action: clew.ChoiceApprove}
	case *clew.HitlApprovalRequestData:
		again := d.Ask == clew.AskAPIReqFailed || d.Ask == clew.AskMistakeLimitReached || d.Limit == "retries"
		if again || d.Limit == "budget" || d.Limit == "time" || d.Limit == "mistakes" {
			return nil
		}
		return clew.HitlApprovalResponseData{RequestID: d.RequestID, Action: clew.ChoiceApprove}
	}
	return nil
}

// yesKinds are the kinds that --yes=… knows, with the setting of each.
var yesKinds = map[string]string{
	"read": "always_allow_read_only", "write": "always_allow_write", "execute": "always_allow_execute",
	"fetch": "always_allow_fetch", "mcp": "always_allow_mcp",
}

// allKinds reports whether a text is a list of kinds, and so no task.
func allKinds(text string) bool {
	for kind := range strings.SplitSeq(text, ",") {
		if yesKinds[kind] == "" {
			return false
		}
	}
	return true
}

// allowances are the session's settings for --yes=KINDS and --allow.
func allowances(kinds, allow []string) (map[string]any, error) {
	set := map[string]any{}
	for _, kind := range kinds {
		key, ok := yesKinds[kind]
		if !ok {
			return nil, usagef("--yes takes read, write, execute, fetch and mcp, not %q", kind)
		}
		set[key] = true
	}
	for _, pattern := range allow {
		if strings.TrimSpace(pattern) == "" || strings.TrimSpace(pattern) == "*" {
			return nil, usagef("--allow %q: name the command, such as 'git *'", pattern)
		}
	}
	if len(allow) > 0 {
		set["always_allow_execute"] = true
	}
	if len(set) > 0 {
		set["auto_approval_enabled"] = true
	}
	return set, nil
}

// more adds patterns to a list without repeats.
func more(list, patterns []string) []string {
	for _, p := range patterns {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}
