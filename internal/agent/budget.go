package agent

import (
	"math"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
)

// limits is what may be used before people are asked.
func (w *worker) limits() decide.Limits {
	return decide.Limits{
		Mistakes: w.values.MistakeLimit, Steps: w.values.MaxStepsPerTurn,
		USD: w.values.BudgetUSD, Tokens: w.values.BudgetTokens, TimeSec: w.values.BudgetTimeSec,
	}
}

// modelCall is a call to the worker's model, with what it may use at most.
func (w *worker) modelCall(reserve clew.Usage) decide.ModelCall {
	return decide.ModelCall{
		Reserve: reserve, Limits: w.limits(), Protocol: protocolOf(w.profile.Provider), Provider: w.profile.Provider, Model: w.profile.Model,
	}
}

func (w *worker) cost(v session.View, u clew.Usage) float64 {
	ownBudget := v.Run != nil && v.Run.Budget != nil && v.Run.Budget.USD > 0
	if w.model.Unpriced && (w.values.BudgetUSD > 0 || ownBudget) {
		return math.Round(dear(u)*1e9) / 1e9
	}
	if w.model.Cost == nil {
		return 0
	}
	return math.Round(w.model.Cost(u)*1e9) / 1e9
}

// dear is the price of a model that nobody knows the price of: with a budget in
// USD it counts as an expensive one, or the budget would be none.
func dear(u clew.Usage) float64 {
	return (float64(u.TokensIn+u.CacheReads+u.CacheWrites)*15 + float64(u.TokensOut)*75) / 1e6
}
