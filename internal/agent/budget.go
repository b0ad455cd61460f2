package agent

import (
	"math"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
)

// limits is what may be used before people are asked.
func (w *worker) limits(owner clew.UserID) decide.Limits {
	l := decide.Limits{
		Mistakes: w.values.MistakeLimit, Steps: w.values.MaxStepsPerTurn,
		USD: w.values.BudgetUSD, Tokens: w.values.BudgetTokens, TimeSec: w.values.BudgetTimeSec,
		MonthUSD: w.values.BudgetMonthUSD,
	}
	if l.MonthUSD > 0 && w.cfg.MonthCost != nil {
		l.MonthTaken = w.cfg.MonthCost(owner)
	}
	return l
}

// modelCall is a call to the worker's model, with what it may use at most.
func (w *worker) modelCall(v session.View, reserve clew.Usage) decide.ModelCall {
	return decide.ModelCall{
		Reserve: reserve, Limits: w.limits(v.Owner), Protocol: protocolOf(w.profile.Provider), Provider: w.profile.Provider, Model: w.profile.Model,
	}
}

func (w *worker) cost(v session.View, u clew.Usage) float64 {
	ownBudget := v.Run != nil && v.Run.Budget != nil && v.Run.Budget.USD > 0
	if w.model.Unpriced && (w.values.BudgetUSD > 0 || w.values.BudgetMonthUSD > 0 || ownBudget) {
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
