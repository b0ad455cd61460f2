package follow

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// A yesRule says what is approved without a person: nothing, or everything that
// is asked for. Kinds are left to the server's own settings.
type yesRule bool

// answer is the yes to a question, nil if it needs a person: words are not
// guessed, limits not raised, and what failed is not tried for ever.
func (y yesRule) answer(q clew.Question) *client.InboxAnswer {
	if !y {
		return nil
	}
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
	case *clew.HitlApprovalRequestData:
		again := d.Ask == clew.AskAPIReqFailed || d.Ask == clew.AskMistakeLimitReached || d.Limit == "retries"
		if again || d.Limit == "budget" || d.Limit == "month" || d.Limit == "time" || d.Limit == "mistakes" {
			return nil
		}
	default:
		return nil
	}
	return &client.InboxAnswer{Action: clew.ChoiceApprove}
}

// yesKinds are the kinds that --yes=… knows, with the setting of each.
var yesKinds = map[string]string{
	"read": "always_allow_read_only", "write": "always_allow_write", "execute": "always_allow_execute",
	"fetch": "always_allow_fetch", "mcp": "always_allow_mcp",
}

// AllKinds reports whether a text is a list of kinds, and so no task.
func AllKinds(text string) bool {
	for kind := range strings.SplitSeq(text, ",") {
		if yesKinds[kind] == "" {
			return false
		}
	}
	return true
}

// An Allowance is what --yes=KINDS and --allow ask for.
type Allowance struct {
	kinds    []string // the settings of the kinds
	patterns []string
}

// NewAllowance reads the kinds and patterns of --yes.
func NewAllowance(kinds, patterns []string) (Allowance, error) {
	w := Allowance{patterns: patterns}
	for _, kind := range kinds {
		key, ok := yesKinds[kind]
		if !ok {
			return w, env.Usagef("--yes takes read, write, execute, fetch and mcp, not %q", kind)
		}
		w.kinds = append(w.kinds, key)
	}
	for _, pattern := range patterns {
		if strings.TrimSpace(pattern) == "" || strings.TrimSpace(pattern) == "*" {
			return w, env.Usagef("--allow %q: name the command, such as 'git *'", pattern)
		}
	}
	return w, nil
}

// Empty reports whether nothing is allowed.
func (w Allowance) Empty() bool { return len(w.kinds)+len(w.patterns) == 0 }

// Approvals are how those of a session stand, by its own settings and the server's.
type Approvals struct {
	clew.AutoApprovalFlags
	Settings struct {
		Allowed    *[]string `json:"allowed_commands"`
		Remembered []string  `json:"remembered_commands"`
	} `json:"settings"`
}

// Settings are those of the session that allow what was asked for and nothing
// else. The master switch lets every flag of the server count that is on, and so
// does the flag for commands with the server's list of them: what did not count
// before is switched off in this session, so that it does not count now either.
func (w Allowance) Settings(now Approvals) map[string]any {
	set := map[string]any{}
	if w.Empty() {
		return set
	}
	if !now.AutoApprovalEnabled {
		for _, key := range yesKinds {
			set[key] = false
		}
		set["always_allow_browser"] = false
	}
	set["auto_approval_enabled"] = true
	for _, key := range w.kinds {
		set[key] = true
	}
	execute := slices.Contains(w.kinds, "always_allow_execute")
	if execute && now.Settings.Allowed != nil && len(*now.Settings.Allowed) == 0 {
		set["allowed_commands"] = nil // the server's list, which --allow had left out
	}
	if len(w.patterns) > 0 {
		if allowed := now.AutoApprovalEnabled && now.AlwaysAllowExecute; !execute && !allowed {
			set["allowed_commands"] = []string{}
		}
		set["always_allow_execute"] = true
		set["remembered_commands"] = more(now.Settings.Remembered, w.patterns)
	}
	return set
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
