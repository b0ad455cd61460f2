package gemini

import (
	"regexp"

	"github.com/clew-run/clew/internal/llm"
)

// budgets are the tokens that a model may think. More than the highest, some models
// refuse.
var budgets = map[string]int{"low": 4096, "medium": 12288, "high": 24576}

// Models from Gemini 3 on are told a level, those before it a number of tokens. The
// oldest do not think and refuse both.
var (
	byLevel   = regexp.MustCompile(`(?:^|/)gemini-(?:[3-9]|\d\d)`)
	noThought = regexp.MustCompile(`(?:^|/)(?:gemini-(?:1|2\.0)|gemma)`)
	// twoLevels are those that know low and high only.
	twoLevels = regexp.MustCompile(`(?:^|/)gemini-3-pro`)
)

// thinking asks for thoughts. Without it the field is left out: what that means is
// up to the model.
func thinking(req llm.Request) *thinkingConfig {
	budget, ok := budgets[req.Thinking]
	switch {
	case !ok || noThought.MatchString(req.Model):
		return nil
	case !byLevel.MatchString(req.Model):
		if req.MaxTokens > 0 { // thoughts count as part of the answer; leave a quarter for the rest
			budget = min(budget, req.MaxTokens*3/4)
		}
		return &thinkingConfig{Include: true, Budget: max(budget, minBudget)}
	case req.Thinking == "medium" && twoLevels.MatchString(req.Model):
		return &thinkingConfig{Include: true, Level: "high"}
	}
	return &thinkingConfig{Include: true, Level: req.Thinking}
}

// minBudget is the least that all models take.
const minBudget = 512
