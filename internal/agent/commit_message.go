package agent

import (
	"context"
	_ "embed" // the words that ask for a message
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/settings"
)

//go:embed commit_message.md
var commitPrompt string

const (
	commitTokens = 1024
	commitRunes  = 4_000  // of what the model writes
	commitDiff   = 24_000 // runes of what it is shown
	commitWithin = 25 * time.Second
)

// CommitMessage has the model for small jobs, or else the session's, write the message of a commit. It is no part
// of a turn, so it is asked once; without a model, or with no answer in time, there
// is an error and the caller finds words of its own. The usage is to be put on record
// in either case.
func (a *Agent) CommitMessage(ctx context.Context, overlay map[string]any, spent float64, diff string) (string, clew.Usage, error) {
	v := a.valuesFor(overlay)
	p, err := commitProfile(v)
	if err != nil {
		return "", clew.Usage{}, err
	}
	if v.BudgetUSD > 0 && spent >= v.BudgetUSD {
		return "", clew.Usage{}, clew.Errorf(clew.SessionInvalidState, "the budget is used up")
	}
	provider, err := a.cfg.Provider(p)
	if err != nil {
		return "", clew.Usage{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, commitWithin)
	defer cancel()
	answer, err := provider.Stream(ctx, llm.Request{
		Model: p.Model, System: strings.TrimSpace(commitPrompt), MaxTokens: commitTokens,
		Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: clipText(diff, commitDiff)}}}},
	}, func(llm.Delta) error { return nil })
	usage := answer.Usage
	if cost := a.cfg.Model(p).Cost; cost != nil {
		usage.CostUSD = cost(usage)
	}
	if err != nil {
		return "", usage, err
	}
	return cleanMessage(answer), usage, nil
}

// commitProfile is the profile for small jobs, or the one in use. The echo writes no
// messages.
func commitProfile(v settings.Values) (settings.Profile, error) {
	if p, ok := v.Profiles[v.ModelSmall]; ok && v.ModelSmall != "" && p.Provider != "echo" {
		return p, nil
	}
	p, ok := v.Profiles[v.ModelProfile]
	if !ok || p.Provider == "" || p.Provider == "echo" {
		return p, clew.Errorf(clew.SettingsInvalid, "no model is set up")
	}
	if v.Model != "" {
		p.Model = v.Model
	}
	return p, nil
}

// cleanMessage takes what models put around a message away.
func cleanMessage(answer llm.Answer) string {
	if answer.Stop == llm.StopRefusal {
		return ""
	}
	var words []string
	for _, p := range answer.Parts {
		if p.Type == clew.PartText {
			words = append(words, p.Text)
		}
	}
	text := strings.TrimSpace(strings.Join(words, ""))
	if strings.HasPrefix(text, "```") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	}
	return visible(clipText(text, commitRunes))
}
