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
func asOf(v session.View, tx *session.Tx, s *session.State, t *session.Task) session.View {
	v.Tree, v.NowMS, v.Root.Raised = s.TreeUsage(t.RootTaskID), tx.FirstTS(), s.Raised(t)
	if v.Run != nil {
		r := *v.Run
		r.Extended, v.Run = s.Extended(t), &r
	}
	return v
}

// limit is the question to ask before a call with what it may use passes a
// limit, nil if it passes none.
func (w *worker) limit(v session.View, next clew.Usage) *clew.HitlApprovalRequestData {
	q := &clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Options: yesNo}
	refusal, own, raise := w.refused(v, next)
	late, ownTime := w.late(v)
	switch {
	case w.values.MistakeLimit > 0 && v.Task.Mistakes >= w.values.MistakeLimit:
		q.Ask, q.Limit = clew.AskMistakeLimitReached, session.LimitMistakes
		q.Reason = fmt.Sprintf("The model made %d mistakes in a row. Go on?", v.Task.Mistakes)
	case w.values.MaxStepsPerTurn > 0 && v.Task.Steps >= w.values.MaxStepsPerTurn:
		q.Limit, q.Reason = session.LimitSteps, fmt.Sprintf("The model was asked %d times for this message. Go on?", v.Task.Steps)
	case refusal != nil:
		q.Limit, q.OwnLimit, q.Raise = session.LimitBudget, own, raise
		q.Reason = "Go on? " + strings.ToUpper(refusal.Error()[:1]) + refusal.Error()[1:] + ". " + again(raise)
	case late:
		q.Limit, q.OwnLimit, q.Reason = session.LimitTime, ownTime, fmt.Sprintf("The run has worked for %s, and it has no more time. Go on? A yes allows as much again.", (time.Duration(v.Run.Worked(v.NowMS))*time.Millisecond).Round(time.Second))
	default:
		return nil
	}
	return q
}

// again says what a yes allows.
func again(raise int) string {
	if raise <= 1 {
		return "A yes allows as much again."
	}
	return fmt.Sprintf("A yes allows %d times as much again, which is enough for this call.", raise)
}

// refused says which limit a call would pass, whether that is the run's own, and
// how often it has to be raised for the call to fit. Those of the server come
// first: only an administrator raises them.
func (w *worker) refused(v session.View, next clew.Usage) (refusal *policy.Refusal, own bool, raise int) {
	taken, more := policy.Cost(v.Tree.CostUSD, tokens(v.Tree)), policy.Cost(next.CostUSD, tokens(next))
	limit := policy.LimitsOf(w.values)
	if _, refusal = policy.Reserve(times(limit, 1+v.Root.Raised), taken, more); refusal != nil || v.Run == nil {
		return refusal, false, needed(limit, taken, more, v.Root.Raised)
	}
	limit = ownBudget(v)
	_, refusal = policy.Reserve(times(limit, 1+v.Run.Extended), taken, more)
	return refusal, true, needed(limit, taken, more, v.Run.Extended)
}

// needed is how often a limit has to be raised for a call to fit.
func needed(limit, taken, more policy.Amount, raised int) int {
	n := 1
	for _, x := range []struct{ limit, want int64 }{{limit.NanoUSD, taken.NanoUSD + more.NanoUSD}, {limit.Tokens, taken.Tokens + more.Tokens}} {
		if x.limit > 0 {
			n = max(n, int((x.want+x.limit-1)/x.limit)-1-raised)
		}
	}
	return n
}

// ownBudget is what the run's own request allows.
func ownBudget(v session.View) policy.Amount {
	if v.Run == nil || v.Run.Budget == nil {
		return policy.Amount{}
	}
	return policy.LimitsOf(settings.Values{BudgetUSD: v.Run.Budget.USD, BudgetTokens: v.Run.Budget.Tokens})
}

func times(a policy.Amount, n int) policy.Amount {
	return policy.Amount{NanoUSD: a.NanoUSD * int64(n), Tokens: a.Tokens * int64(n)}
}

// late reports whether the run's time is used up, and whether its own limit says
// so.
func (w *worker) late(v session.View) (late, own bool) {
	if v.Run == nil {
		return false, false
	}
	worked := v.Run.Worked(v.NowMS)
	over := func(sec, raised int) bool { return sec > 0 && worked >= int64(sec)*1000*int64(1+raised) }
	if over(w.values.BudgetTimeSec, v.Root.Raised) {
		return true, false
	}
	return v.Run.Budget != nil && over(v.Run.Budget.TimeSec, v.Run.Extended), true
}

// tokens counts all of them, each once.
func tokens(u clew.Usage) int64 { return u.TokensIn + u.TokensOut + u.CacheWrites + u.CacheReads }

func (w *worker) cost(v session.View, u clew.Usage) float64 {
	if w.model.Unpriced && (w.values.BudgetUSD > 0 || ownBudget(v).NanoUSD > 0) {
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
