package anthropic

import (
	"regexp"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/clew-run/clew/internal/llm"
)

// budgets are the tokens that a model may think, for models that are told a
// number. minBudget is the least the API takes.
var budgets = map[string]int64{"low": 4096, "medium": 12288, "high": 32768}

const minBudget = 1024

var efforts = map[string]sdk.OutputConfigEffort{
	"low": sdk.OutputConfigEffortLow, "medium": sdk.OutputConfigEffortMedium, "high": sdk.OutputConfigEffortHigh,
}

// Newer models of the vendor decide by themselves how long they think and are
// told an effort; several refuse a budget. The older ones know only a budget,
// and so do other vendors' models behind the same API.
var (
	ofVendor = regexp.MustCompile(`^(?:[a-z.]*anthropic[./])?claude-`)
	byBudget = regexp.MustCompile(`claude-(?:3|2|instant)|claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@]\d{8})?(?:-v\d.*)?$`)
)

func adaptive(model string) bool { return ofVendor.MatchString(model) && !byBudget.MatchString(model) }

// think asks for thoughts. Without it the field is left out: what that means is
// up to the model.
func think(p *sdk.MessageNewParams, req llm.Request) {
	budget, ok := budgets[req.Thinking]
	if !ok {
		return
	}
	if adaptive(req.Model) {
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
		p.OutputConfig.Effort = efforts[req.Thinking]
		return
	}
	// Thoughts count as part of the answer; leave a quarter of it for the rest.
	budget = min(budget, p.MaxTokens*3/4)
	if budget >= minBudget {
		p.Thinking = sdk.ThinkingConfigParamOfEnabled(budget)
	}
}
