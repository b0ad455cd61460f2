package agent

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/policy"
)

// asOf is a view with what the tree has used by now: others in it may have used
// something since the view was made.
func asOf(v session.View, b session.Batch, s *session.State, t *session.Task) session.View {
	v.Tree, v.NowMS, v.Root.Raised = s.TreeUsage(t.RootTaskID), b.TS(0), s.Raised(t)
	return v
}

// limit is the question to ask before a call with what it may use passes a
// limit, nil if it passes none.
func (w *worker) limit(v session.View, next clew.Usage) *clew.HitlApprovalRequestData {
	q := &clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Options: yesNo}
	limit := w.budget(v)
	raised := int64(1 + v.Root.Raised)
	limit.NanoUSD, limit.Tokens = limit.NanoUSD*raised, limit.Tokens*raised
	taken := policy.Cost(v.Tree.CostUSD, tokens(v.Tree))
	_, refusal := policy.Reserve(limit, taken, policy.Cost(next.CostUSD, tokens(next)))
	switch {
	case w.values.MistakeLimit > 0 && v.Task.Mistakes >= w.values.MistakeLimit:
		q.Ask, q.Limit = clew.AskMistakeLimitReached, session.LimitMistakes
		q.Reason = fmt.Sprintf("The model made %d mistakes in a row. Go on?", v.Task.Mistakes)
	case w.values.MaxStepsPerTurn > 0 && v.Task.Steps >= w.values.MaxStepsPerTurn:
		q.Limit, q.Reason = session.LimitSteps, fmt.Sprintf("The model was asked %d times for this message. Go on?", v.Task.Steps)
	case refusal != nil:
		q.Limit, q.Reason = session.LimitBudget, "Go on? "+strings.ToUpper(refusal.Error()[:1])+refusal.Error()[1:]+". A yes allows as much again."
	case w.late(v):
		q.Limit, q.Reason = session.LimitTime, fmt.Sprintf("The run has worked for %s, and it has no more time. Go on? A yes allows as much again.", time.Duration(v.Run.Worked(v.NowMS))*time.Millisecond)
	default:
		return nil
	}
	return q
}

// budget is the least of what the settings and the run's own request allow.
func (w *worker) budget(v session.View) policy.Amount {
	limit := policy.LimitsOf(w.values)
	if v.Run == nil || v.Run.Budget == nil {
		return limit
	}
	own := policy.LimitsOf(settings.Values{BudgetUSD: v.Run.Budget.USD, BudgetTokens: v.Run.Budget.Tokens})
	return policy.Amount{NanoUSD: least(limit.NanoUSD, own.NanoUSD), Tokens: least(limit.Tokens, own.Tokens)}
}

// least is the lower of two limits; 0 is none.
func least[N int | int64](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// late reports whether the run's time is used up.
func (w *worker) late(v session.View) bool {
	if v.Run == nil {
		return false
	}
	sec := w.values.BudgetTimeSec
	if v.Run.Budget != nil {
		sec = least(sec, v.Run.Budget.TimeSec)
	}
	return sec > 0 && v.Run.Worked(v.NowMS) >= int64(sec)*1000*int64(1+v.Run.Extended)
}

// tokens counts all of them, each once.
func tokens(u clew.Usage) int64 { return u.TokensIn + u.TokensOut + u.CacheWrites + u.CacheReads }

func (w *worker) cost(v session.View, u clew.Usage) float64 {
	if w.model.Unpriced && w.budget(v).NanoUSD > 0 {
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
